#include "base/compat.h"
#include "base/log.h"
#include "component/component.h"

#define TEXT_OF(number) #number
#define RELEASE_OF(major, minor, release) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(release)

/** A structure that both sides use. */
typedef struct shared {
    const opal_class_t *in_library;
    size_t bytes; /**< in the plugin */
} shared_t;

#define SHARED(type)                                                                               \
    {                                                                                              \
        OBJ_CLASS(type), sizeof(type)                                                              \
    }

static const shared_t structures[] = {
    SHARED(mca_coll_base_module_t),
    SHARED(ompi_communicator_t),
    SHARED(ompi_group_t),
    SHARED(ompi_proc_t),
    SHARED(ompi_request_t),
    SHARED(ompi_datatype_t),
    SHARED(opal_convertor_t),
    SHARED(opal_mutex_t),
    SHARED(opal_list_t),
    {OBJ_CLASS(mca_coll_base_avail_coll_t), sizeof(coll_pipebcast_selected_t)},
};
enum { N_STRUCTURES = sizeof(structures) / sizeof(structures[0]) };

/** The first structure of another size; NULL: there is none. */
static const shared_t *find_other(void)
{
    for (int i = 0; i < N_STRUCTURES; i++) {
        if (structures[i].in_library->cls_sizeof != structures[i].bytes) {
            return &structures[i];
        }
    }
    return NULL;
}

static void report(const char *name, size_t in_library, size_t bytes)
{
    if (opal_process_info.my_local_rank == 0) {
        coll_pipebcast_help_each(
            PB_HELP_OTHER_RELEASE,
            RELEASE_OF(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION),
            ompi_version_string, name, in_library, bytes);
    }
}

bool coll_pipebcast_fits(void)
{
    const shared_t *other = find_other();
    const opal_class_t *request = OBJ_CLASS(ompi_coll_base_nbc_request_t);
    if (other != NULL) {
        report(other->in_library->cls_name, other->in_library->cls_sizeof, other->bytes);
        return false;
    }
    if (request->cls_sizeof > sizeof(coll_pipebcast_base_request_t)) {
        report(request->cls_name, request->cls_sizeof, sizeof(coll_pipebcast_base_request_t));
        return false;
    }
    return true;
}
