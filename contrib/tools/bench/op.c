#include "op.h"

#include "options.h"

/* Also built with other implementations of MPI, which have MPI 4's name. */
#if defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif

static void start_bcast(struct bench_call *call)
{
    MPI_Bcast(call->memory, call->count, call->type, call->root, call->comm);
}

static void start_ibcast(struct bench_call *call)
{
    MPI_Ibcast(call->memory, call->count, call->type, call->root, call->comm, &call->request);
}

/** Starts the persistent request, which serves as long as the root stays. */
static void start_persistent(struct bench_call *call)
{
    if (call->initialised_root != call->root) {
        bench_op_drop(call);
        MPI_Bcast_init(call->memory, call->count, call->type, call->root, call->comm, MPI_INFO_NULL,
                       &call->request);
        call->initialised_root = call->root;
    }
    MPI_Start(&call->request);
}

const char *const bench_op_names[] = {"bcast", "ibcast", "bcast_init", NULL};

/** In the order of their names. */
static const struct bench_op operations[] = {
    {"MPI_Bcast", true, start_bcast},
    {"MPI_Ibcast", false, start_ibcast},
    {"MPI_Bcast_init", false, start_persistent},
};

const struct bench_op *bench_op_at(int index)
{
    return &operations[index];
}

void bench_op_end(struct bench_call *call)
{
    if (call->request != MPI_REQUEST_NULL) {
        MPI_Wait(&call->request, MPI_STATUS_IGNORE);
    }
}

void bench_op_drop(struct bench_call *call)
{
    if (call->initialised_root != BENCH_UNSET) {
        MPI_Request_free(&call->request);
        call->initialised_root = BENCH_UNSET;
    }
}
