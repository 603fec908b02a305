#include "without.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "OMPI_MCA_coll";
static const char ours[] = "pipebcast";

/** Components that every communicator needs, and that pipebcast adds to a list that lacks them. */
static const char needed[] = "basic,libnbc,self,inter";

/** Appends the items of an including list, without ours. */
static void copy_others(char *list, const char *old)
{
    for (const char *at = old; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        if (length > 0 && (length != strlen(ours) || strncmp(at, ours, length) != 0)) {
            strncat(list, at, length);
            strcat(list, ",");
        }
        at += length + (at[length] == ',');
    }
}

static bool has_ours(const char *list)
{
    for (const char *at = list; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        if (length == strlen(ours) && strncmp(at, ours, length) == 0) {
            return true;
        }
        at += length + (at[length] == ',');
    }
    return false;
}

bool tune_without_pipebcast(void)
{
    const char *old = getenv(variable);
    if (old == NULL || old[0] == '\0') {
        return setenv(variable, "^pipebcast", 1) == 0;
    }
    const bool excluding = old[0] == '^';
    if (has_ours(old + excluding) == excluding) {
        return true;
    }
    char *list = calloc(1, strlen(old) + sizeof ours + sizeof needed + 3);
    if (list == NULL) {
        return false;
    }
    if (excluding) {
        strcat(strcat(strcpy(list, old), ","), ours);
    } else {
        copy_others(list, old);
        strcat(list, needed);
    }
    const bool good = setenv(variable, list, 1) == 0;
    free(list);
    return good;
}

bool tune_pipebcast_is_there(void)
{
    int index;
    return MPI_T_cvar_get_index("coll_pipebcast_priority", &index) == MPI_SUCCESS;
}
