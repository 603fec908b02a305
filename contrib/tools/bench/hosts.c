#include "hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/report.h"

typedef char host_name[MPI_MAX_PROCESSOR_NAME];

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int first_elsewhere(host_name *names, int n_ranks)
{
    for (int i = 1; i < n_ranks; i++) {
        if (strcmp(names[i], names[0]) != 0) {
            return i;
        }
    }
    return 1;
}

/** Sorts the names. */
static int count_hosts(host_name *names, int n_ranks)
{
    int n_hosts = 1;
    qsort(names, (size_t) n_ranks, sizeof names[0], compare);
    for (int i = 1; i < n_ranks; i++) {
        n_hosts += strcmp(names[i], names[i - 1]) != 0;
    }
    return n_hosts;
}

void bench_hosts_find(MPI_Comm comm, int *n_hosts_p, int *first_elsewhere_p)
{
    int rank, n_ranks, length, found[2];
    host_name own = "", *names = NULL;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    MPI_Get_processor_name(own, &length);
    if (rank == 0) {
        names = calloc((size_t) n_ranks, sizeof names[0]);
        if (!names) {
            common_report("no memory for %d host names", n_ranks);
            MPI_Abort(comm, EXIT_FAILURE);
        }
    }
    MPI_Gather(own, sizeof own, MPI_CHAR, names, sizeof own, MPI_CHAR, 0, comm);
    if (names) {
        found[1] = first_elsewhere(names, n_ranks);
        found[0] = count_hosts(names, n_ranks);
    }
    free(names);
    MPI_Bcast(found, 2, MPI_INT, 0, comm);
    *n_hosts_p = found[0];
    *first_elsewhere_p = found[1];
}
