#include "all_good.h"

#include <stdlib.h>

#include "exits.h"
#include "report.h"

static void abort_job(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

void common_init(int *argc_p, char ***argv_p)
{
    MPI_Init(argc_p, argv_p);
    common_abort = abort_job;
}

bool common_all_good(bool good, MPI_Comm comm)
{
    int own = good, all;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, comm);
    return all != 0;
}

void common_require(bool good, MPI_Comm comm)
{
    if (!common_all_good(good, comm)) {
        MPI_Finalize();
        exit(COMMON_EXIT_FAILED);
    }
}
