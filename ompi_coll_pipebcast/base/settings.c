/*
 * The settings; see base/settings.h.
 */
#include "base/settings.h"

#include "base/log.h"

coll_pipebcast_settings_t coll_pipebcast_first_settings;

/** What the parameters hold now. MPI_T writes each by one store, at any time. */
static coll_pipebcast_settings_t read_parameters(void)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    return (coll_pipebcast_settings_t){
        .algorithm = __atomic_load_n(&params->algorithm, __ATOMIC_RELAXED),
        .arrival = __atomic_load_n(&params->arrival, __ATOMIC_RELAXED),
        .learn = __atomic_load_n(&params->learn, __ATOMIC_RELAXED),
        .segment_size = __atomic_load_n(&params->segment_size, __ATOMIC_RELAXED),
    };
}

void coll_pipebcast_settings_open(void)
{
    coll_pipebcast_first_settings = read_parameters();
}

coll_pipebcast_settings_t coll_pipebcast_settings_now(void)
{
    coll_pipebcast_settings_t settings = read_parameters();
    if (!coll_pipebcast_is_segment_size(settings.segment_size)) {
        coll_pipebcast_help_each(PB_HELP_SEGMENT_SIZE, settings.segment_size,
                                 COLL_PIPEBCAST_MIN_SEGMENT, COLL_PIPEBCAST_MAX_SEGMENT);
        settings.segment_size = coll_pipebcast_first_settings.segment_size;
    }
    return settings;
}
