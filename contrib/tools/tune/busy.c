#include "busy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Hosts that are named. */
enum { MOST_NAMED = 4 };

struct load {
    double load, processors;
    char host[MPI_MAX_PROCESSOR_NAME];
};

static int compare(const void *a, const void *b)
{
    const struct load *x = a, *y = b;
    const double dx = x->load / x->processors, dy = y->load / y->processors;
    return (dx < dy) - (dx > dy);
}

static bool is_named(const struct load *loads, int n, const char *host)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(loads[i].host, host) == 0) {
            return true;
        }
    }
    return false;
}

void tune_busy_find(MPI_Comm comm, char *text, size_t size)
{
    struct load own = {.processors = (double) sysconf(_SC_NPROCESSORS_ONLN)}, *all = NULL;
    int rank, n_ranks, length, n_named = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    MPI_Get_processor_name(own.host, &length);
    (void) getloadavg(&own.load, 1);
    if (rank == 0) {
        all = calloc((size_t) n_ranks, sizeof *all);
        text[0] = '\0';
    }
    if (rank == 0 && all == NULL) {
        MPI_Abort(comm, EXIT_FAILURE);
    }
    MPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, comm);
    if (rank != 0) {
        return;
    }
    qsort(all, (size_t) n_ranks, sizeof *all, compare);
    for (int i = 0; i < n_ranks && all[i].load > all[i].processors; i++) {
        const size_t used = strlen(text);
        if (!is_named(all, i, all[i].host) && n_named++ < MOST_NAMED) {
            snprintf(text + used, size - used, "%s%s (load %.1f on %.0f processors)",
                     n_named > 1 ? ", " : "", all[i].host, all[i].load, all[i].processors);
        }
    }
    if (n_named > MOST_NAMED) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, " and %d more", n_named - MOST_NAMED);
    }
    free(all);
}
