/*
 * Broadcasts on communicators of all kinds, mixed with other operations.
 * Usage: run_communicators [NUMBER of communicators that come and go]
 */
#include <stdlib.h>

#include "check.h"

#define BYTES 5000

static int my_rank, n_ranks;

static void broadcast(MPI_Comm comm, int root, unsigned seed, const char *where)
{
    static unsigned char buffer[BYTES];
    check(bcast_is_right(buffer, BYTES, root, comm, seed), "%s, root %d", where, root);
}

static void from_every_root(MPI_Comm comm, const char *where)
{
    int size;
    MPI_Comm_size(comm, &size);
    for (int root = 0; root < size; root++) {
        broadcast(comm, root, (unsigned) root + 7, where);
    }
}

static void test_split_and_dup(void)
{
    MPI_Comm half, copy, backwards;
    MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, my_rank, &half);
    from_every_root(half, "split");
    MPI_Comm_dup(half, &copy);
    from_every_root(copy, "dup of a split");
    MPI_Comm_free(&half);
    from_every_root(copy, "dup of a freed split");
    MPI_Comm_free(&copy);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -my_rank, &backwards);
    from_every_root(backwards, "reordered");
    MPI_Comm_free(&backwards);
    from_every_root(MPI_COMM_SELF, "MPI_COMM_SELF");
}

/** Communicators that are made, used by two of them at once, and freed. */
static void test_many(int n)
{
    for (int i = 0; i < n; i++) {
        MPI_Comm a, b;
        MPI_Comm_dup(MPI_COMM_WORLD, &a);
        MPI_Comm_dup(a, &b);
        if (i % 10 == 0) {
            broadcast(b, i % n_ranks, (unsigned) i, "one of many");
            broadcast(a, (i + 1) % n_ranks, (unsigned) i + 1, "one of many");
        }
        MPI_Comm_free(&a);
        MPI_Comm_free(&b);
    }
    check(true, "alive");
}

/** Between two groups: pipebcast has no part in it. */
static void test_intercommunicator(void)
{
    MPI_Comm half, both;
    static unsigned char buffer[BYTES];
    const int side = my_rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, my_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 5, &both);
    pattern_fill(buffer, BYTES, my_rank == 0 ? 3 : 4);
    const int root = side == 1 ? 0 : my_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(buffer, BYTES, MPI_BYTE, root, both);
    check(side == 0 || pattern_is(buffer, BYTES, 3), "intercommunicator");
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void all_to_all(void)
{
    int *counts = must_malloc((size_t) n_ranks * sizeof(int));
    int *places = must_malloc((size_t) n_ranks * sizeof(int));
    int *to = must_malloc((size_t) n_ranks * sizeof(int));
    int *from = must_malloc((size_t) n_ranks * sizeof(int));
    MPI_Datatype *types = must_malloc((size_t) n_ranks * sizeof(MPI_Datatype));
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
    free(counts);
    free(places);
    free(to);
    free(from);
    free(types);
}

/** Every operation in turn, and a nonblocking broadcast that overlaps ours. */
static void test_mixed(void)
{
    static unsigned char buffer[BYTES];
    for (int i = 0; i < 20; i++) {
        MPI_Request request;
        int one = 1, sum = 0, before = 0;
        const int root = i % n_ranks;
        pattern_fill(buffer, BYTES, my_rank == root ? 50 : 51);
        MPI_Ibcast(buffer, BYTES, MPI_BYTE, root, MPI_COMM_WORLD, &request);
        broadcast(MPI_COMM_WORLD, (i + 1) % n_ranks, (unsigned) i, "mixed with others");
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        check(sum == n_ranks, "allreduce");
        MPI_Exscan(&one, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        check(my_rank == 0 || before == my_rank, "exscan");
        all_to_all();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(pattern_is(buffer, BYTES, 50), "ibcast");
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/** Two communicators whose broadcasts ranks enter in step, but with late ranks. */
static void test_repeated_roots(void)
{
    for (int i = 0; i < 300; i++) {
        broadcast(MPI_COMM_WORLD, (i * 5) % n_ranks, (unsigned) i, "repeated");
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    from_every_root(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    test_split_and_dup();
    test_mixed();
    if (n_ranks > 1) {
        test_intercommunicator();
    }
    test_repeated_roots();
    test_many(argc > 1 ? atoi(argv[1]) : 20);
    return check_done("run_communicators");
}
