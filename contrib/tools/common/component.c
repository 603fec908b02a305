#include "component.h"

/* Other implementations of MPI have no components; the benchmark is built with them, too. */
#if defined OPEN_MPI && __has_include("ompi/mca/coll/coll.h")

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/compat.h"

void common_component_of_bcast(MPI_Comm comm, char *name, size_t size)
{
    static const char file[] = "mca_coll_";
    Dl_info info;
    const char *begin = NULL;
    if (dladdr((void *) comm->c_coll->coll_bcast, &info) != 0) {
        begin = strstr(info.dli_fname, file);
    }
    if (begin == NULL) {
        snprintf(name, size, "Open MPI");
        return;
    }
    begin += strlen(file);
    snprintf(name, size, "%.*s", (int) strcspn(begin, "."), begin);
}

#else

void common_component_of_bcast(MPI_Comm comm, char *name, size_t size)
{
    (void) comm;
    if (size > 0) {
        name[0] = '\0';
    }
}

#endif
