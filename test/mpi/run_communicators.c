/*
 * Broadcasts on communicators of all kinds, mixed with other operations.
 * Usage: run_communicators [NUMBER of communicators that come and go, 0: of groups [threads]]
 */
#include "check.h"

#define BYTES 5000

static void test_split_and_dup(void)
{
    MPI_Comm half, copy, backwards;
    MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, my_rank, &half);
    check_bcast_of_all(BYTES, half, "split");
    MPI_Comm_dup(half, &copy);
    check_bcast_of_all(BYTES, copy, "dup of a split");
    MPI_Comm_free(&half);
    check_bcast_of_all(BYTES, copy, "dup of a freed split");
    MPI_Comm_free(&copy);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -my_rank, &backwards);
    check_bcast_of_all(BYTES, backwards, "reordered");
    MPI_Comm_free(&backwards);
    check_bcast_of_all(BYTES, MPI_COMM_SELF, "MPI_COMM_SELF");
}

/** Communicators that are made, used by two of them together, and freed. */
static void test_many(int n)
{
    for (int i = 0; i < n; i++) {
        MPI_Comm a, b;
        MPI_Comm_dup(MPI_COMM_WORLD, &a);
        MPI_Comm_dup(a, &b);
        if (i % 10 == 0) {
            check_bcast(BLOCKING, BYTES, i % n_ranks, b, (unsigned) i, "one of many");
            check_bcast(BLOCKING, BYTES, (i + 1) % n_ranks, a, (unsigned) i + 1, "one of many");
        }
        MPI_Comm_free(&a);
        MPI_Comm_free(&b);
    }
    check(true, "alive");
}

/** The first broadcast of a communicator while a further one's number is negotiated. */
static void test_negotiated(void)
{
    MPI_Comm one, other;
    MPI_Request request = MPI_REQUEST_NULL;
    int ends = 0;
    const bool is_last = my_rank == n_ranks - 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    for (int i = 0; i < 100 && !is_last; i++) {
        if (i == 0) {
            MPI_Comm_idup(MPI_COMM_WORLD, &other, &request);
        }
        MPI_Test(&request, &ends, MPI_STATUS_IGNORE);
    }
    check_bcast(BLOCKING, BYTES, 0, one, 7, "while a number is negotiated");
    if (is_last) {
        MPI_Comm_idup(MPI_COMM_WORLD, &other, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&one);
    MPI_Comm_free(&other);
}

/** The first broadcast where a number has Open MPI 5.0.4's mark, which older headers hand out. */
static void test_marked(void)
{
    int (*set)(void *, int, void *);
    MPI_Comm one;
    *(void **) &set = preloaded("opal_pointer_array_set_item");
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    set(preloaded("ompi_mpi_communicators"), 500, (void *) 1);
    check_bcast(BLOCKING, BYTES, 0, one, 8, "while a number is marked");
    set(preloaded("ompi_mpi_communicators"), 500, NULL);
    MPI_Comm_free(&one);
}

/** Makes an intercommunicator of both halves, from 5.0 on of their groups. */
static void make_both(MPI_Comm half, bool of_groups, MPI_Comm *both_p)
{
#if OMPI_MAJOR_VERSION > 4
    MPI_Group all, own, others;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(half, &own);
    MPI_Group_difference(all, own, &others);
    if (of_groups) {
        MPI_Intercomm_create_from_groups(own, 0, others, 0, "", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                         both_p);
    } else
#endif
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - my_rank % 2, 5 + of_groups, both_p);
}

/**
 * Between two groups: pipebcast has no part in it. Open MPI broadcasts in the local group, and
 * MPI_Comm_idup, if `copies`, does so in the background. The order is then another one on each rank
 * of the group that receives. A broadcast of that group goes on while both are made one.
 */
static void test_intercommunicator(int bytes, bool copies, bool of_groups)
{
    MPI_Comm half, both, copy;
    MPI_Request request = MPI_REQUEST_NULL, own;
    static unsigned char buffer[1 << 16];
    const int side = my_rank % 2, of_senders = my_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, side, my_rank, &half);
    pending_t pending = pending_begin(NONBLOCKING, 1 << 20, 0, half, 60, &own);
    make_both(half, of_groups, &both);
    MPI_Wait(&own, MPI_STATUS_IGNORE);
    pending_end(&pending, "while an intercommunicator is made");
    pattern_fill(buffer, (size_t) bytes, my_rank == 0 ? 3 : 4);
    if (copies) {
        MPI_Comm_idup(both, &copy, &request);
    }
    if (side == 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(buffer, bytes, MPI_BYTE, side == 1 ? 0 : of_senders, both);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(side == 0 || pattern_is(buffer, (size_t) bytes, 3), "intercommunicator, %d bytes", bytes);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

/** An operation with as many arrays as MPI has. */
static void all_to_all(void)
{
    enum { MOST_RANKS = 64 };
    int counts[MOST_RANKS], places[MOST_RANKS], to[MOST_RANKS], from[MOST_RANKS];
    MPI_Datatype types[MOST_RANKS];
    for (int i = 0; i < n_ranks; i++) {
        counts[i] = 1;
        places[i] = i * (int) sizeof(int);
        to[i] = 100 * my_rank + i;
        types[i] = MPI_INT;
    }
    MPI_Alltoallw(to, counts, places, types, from, counts, places, types, MPI_COMM_WORLD);
    for (int i = 0; i < n_ranks; i++) {
        check(from[i] == 100 * i + my_rank, "alltoallw");
    }
}

/** Every operation in turn, and a nonblocking broadcast that overlaps ours. */
static void test_mixed(void)
{
    for (int i = 0; i < 20; i++) {
        MPI_Request request;
        int one = 1, sum = 0, before = 0;
        const int root = i % n_ranks;
        pending_t other = pending_begin(NONBLOCKING, BYTES, root, MPI_COMM_WORLD, 50, &request);
        check_bcast(BLOCKING, BYTES, (i + 1) % n_ranks, MPI_COMM_WORLD, (unsigned) i,
                    "mixed with others");
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        check(sum == n_ranks, "allreduce");
        MPI_Exscan(&one, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        check(my_rank == 0 || before == my_rank, "exscan");
        all_to_all();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        pending_end(&other, "one that overlaps others");
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/** Two communicators whose broadcasts ranks enter in step, but with late ranks. */
static void test_repeated_roots(void)
{
    for (int i = 0; i < 300; i++) {
        check_bcast(BLOCKING, BYTES, (i * 5) % n_ranks, MPI_COMM_WORLD, (unsigned) i, "repeated");
    }
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        check_begin_threads("run_communicators", &argc, &argv);
    } else {
        check_begin(&argc, &argv);
    }
    test_negotiated();
    test_marked();
    check_bcast_of_all(BYTES, MPI_COMM_WORLD, "MPI_COMM_WORLD");
    test_split_and_dup();
    test_mixed();
    if (n_ranks > 1) {
        const bool of_groups = argument(argc, argv, 1, 20) == 0; /* PMLs but ob1 have none */
        test_intercommunicator(BYTES, false, of_groups);
        test_intercommunicator(4, true, of_groups);
        test_intercommunicator(1 << 16, true, of_groups);
    }
    test_repeated_roots();
    test_many((int) argument(argc, argv, 1, 20));
    return check_done("run_communicators");
}
