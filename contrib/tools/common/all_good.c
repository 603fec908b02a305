#include "all_good.h"

bool common_all_good(bool good, MPI_Comm comm)
{
    int own = good, all;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, comm);
    return all != 0;
}
