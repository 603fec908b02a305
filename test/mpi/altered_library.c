/*
 * Put before the C library of a rank, it makes Open MPI's modules of collective operations 8 bytes
 * longer, as another release may.
 */
#include "base/compat.h"

/* Absent in a shell that starts the rank. */
extern opal_class_t mca_coll_base_module_t_class __attribute__((weak));

static void __attribute__((constructor)) alter(void)
{
    if (&mca_coll_base_module_t_class != NULL) {
        mca_coll_base_module_t_class.cls_sizeof += 8;
    }
}
