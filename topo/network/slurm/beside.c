#include "topo/network/slurm/beside.h"

#include <stdio.h>
#include <string.h>

char *pb_slurm_beside(const char *file, const char *name)
{
    char *path = NULL;
    const char *slash = strrchr(file, '/');
    if (name[0] == '/' || slash == NULL) {
        return strdup(name);
    }
    const int rc = asprintf(&path, "%.*s/%s", (int) (slash - file), file, name);
    return rc < 0 ? NULL : path;
}

bool pb_slurm_is_called(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    return strcmp(slash != NULL ? slash + 1 : file, name) == 0;
}
