#include "hosts.h"

void bench_hosts_find(MPI_Comm comm, int *n_hosts_p, int *first_elsewhere_p)
{
    MPI_Comm host;
    int rank, n_ranks, leader;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Allreduce(&rank, &leader, 1, MPI_INT, MPI_MIN, host);
    MPI_Comm_free(&host);
    const int leads = leader == rank, elsewhere = leader != 0 ? rank : n_ranks;
    MPI_Allreduce(&leads, n_hosts_p, 1, MPI_INT, MPI_SUM, comm);
    MPI_Allreduce(&elsewhere, first_elsewhere_p, 1, MPI_INT, MPI_MIN, comm);
    *first_elsewhere_p = *first_elsewhere_p == n_ranks ? 1 : *first_elsewhere_p;
}
