#include "medium.h"

#include "ompi_coll_pipebcast/pml/route.h"

void tune_medium_find(bool on_one_host, MPI_Comm comm, const int pair[2], pb_medium_t *medium_p)
{
    pb_medium_t ends[2] = {{.mtu = 0}};
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < 2; i++) {
        if (rank == pair[i]) {
            coll_pipebcast_route_elsewhere(on_one_host, &ends[i]);
        }
        MPI_Bcast(&ends[i], sizeof ends[i], MPI_BYTE, pair[i], comm);
    }
    *medium_p = ends[0];
    pb_medium_limit_rate(medium_p, ends[1].bits_per_second);
    medium_p->mtu = ends[1].mtu > 0 && ends[1].mtu < ends[0].mtu ? ends[1].mtu : ends[0].mtu;
}
