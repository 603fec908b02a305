/*
 * The same broadcasts by every function that MPI has for them: blocking, nonblocking and
 * persistent, with int and with large counts. Each of them is pipebcast's.
 *
 * Usage: run_bindings [disable]
 * disable: the module of pipebcast is disabled, as Open MPI does it for a freed communicator. Where
 * the module puts its functions into the communicator, the previous ones serve afterwards. Before
 * 6.0 Open MPI puts them there, and they stay.
 */
#include "base/compat.h"
#include "check.h"
#include "served.h"

#define BYTES 4001

static struct bench_counters counters;

/** Tells whether pipebcast serves a broadcast by each function, or none. */
static void broadcast_all_ways(MPI_Comm comm, int turn, bool are_served, const char *where)
{
    for (int i = 0; i < N_WAYS; i++) {
        const unsigned long long before = served_so_far(&counters);
        check_bcast((way_t) i, BYTES, (turn + i) % n_ranks, comm, (unsigned) (turn + i), where);
        check(served_so_far(&counters) == before + are_served, "%s, function %d is %s", where, i,
              are_served ? "not served" : "served");
    }
}

static bool none_of(const coll_pipebcast_functions_t *a, const coll_pipebcast_functions_t *b)
{
    return a->bcast != b->bcast && a->bcast_module != b->bcast_module && a->ibcast != b->ibcast &&
           a->ibcast_module != b->ibcast_module && a->bcast_init != b->bcast_init &&
           a->bcast_init_module != b->bcast_init_module;
}

static void disable(mca_coll_base_module_t *module, MPI_Comm comm)
{
    check(module->coll_module_disable(module, comm) == OMPI_SUCCESS, "disable fails");
}

static void test_disable(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const coll_pipebcast_functions_t ours = coll_pipebcast_functions_of(comm);
    broadcast_all_ways(comm, 0, true, "before");
    disable(ours.bcast_module, comm);
    const coll_pipebcast_functions_t after = coll_pipebcast_functions_of(comm);
    check(none_of(&ours, &after) == COLL_PIPEBCAST_INSTALLS, "whose functions are there after it");
    /* Open MPI may disable a module once for each of its functions, and again when it is freed. */
    disable(ours.bcast_module, comm);
    if (COLL_PIPEBCAST_INSTALLS) {
        broadcast_all_ways(comm, 0, false, "after");
    }
    MPI_Comm_free(&comm);
    broadcast_all_ways(MPI_COMM_WORLD, 0, true, "another communicator");
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    served_open(&counters);
    for (int turn = 0; turn < 3 && argc == 1; turn++) {
        broadcast_all_ways(MPI_COMM_WORLD, turn, true, "the world");
    }
    if (argc > 1) {
        test_disable();
    }
    bench_counters_close(&counters);
    return check_done("run_bindings");
}
