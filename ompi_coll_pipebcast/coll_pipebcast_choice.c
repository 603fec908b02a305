/*
 * Which tree and which segment size a broadcast uses. Depends only on what the
 * ranks have agreed on and on the packed size, so that all ranks choose alike.
 */
#include "coll_pipebcast.h"

/** Bytes of a segment where none is set: small against the message, large against a frame's costs. */
#define DEFAULT_SEGMENT 8192

coll_pipebcast_choice_t coll_pipebcast_choose(const coll_pipebcast_module_t *module, size_t total)
{
    const coll_pipebcast_params_t *params = &mca_coll_pipebcast_component.params;
    coll_pipebcast_choice_t choice;
    (void) module;
    (void) total;
    choice.kind =
        params->algorithm == COLL_PIPEBCAST_AUTO ? PB_KIND_CHAIN : (pb_kind_t) params->algorithm;
    choice.segment_size = params->segment_size != 0 ? params->segment_size : DEFAULT_SEGMENT;
    return choice;
}
