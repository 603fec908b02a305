/*
 * A rank is late at the broadcasts of one communicator, and the others wait for it. It comes
 * straight from a broadcast of another communicator, whose root was late; or it was away. World's
 * rank 1 is in both, rank 0 in the other one alone. Usage: run_two_communicators MILLISECONDS
 * straight|away Prints how many groups of ranks were served as they arrived.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "served.h"
#include "test/must.h"

/** So long that each of the first broadcasts is watched. */
#define BYTES 40000
#define N_BROADCASTS 8

/** Rank 1 is held up for so long: in a broadcast of the two ranks, or by itself. */
static void be_held_up(MPI_Comm both, bool straight, long ms, unsigned seed)
{
    if (my_rank == (straight ? 0 : 1)) {
        wait_us(1000 * ms);
    }
    if (my_rank <= 1 && straight) {
        check_bcast(BLOCKING, BYTES, 0, both, seed, "two ranks");
    }
}

int main(int argc, char **argv)
{
    struct bench_counters counters;
    MPI_Comm both, others;
    check_begin(&argc, &argv);
    must(argc == 3 && n_ranks >= 4);
    const long ms = atol(argv[1]);
    const bool straight = strcmp(argv[2], "straight") == 0;
    MPI_Comm_split(MPI_COMM_WORLD, my_rank <= 1 ? 0 : MPI_UNDEFINED, my_rank, &both);
    MPI_Comm_split(MPI_COMM_WORLD, my_rank >= 1 ? 0 : MPI_UNDEFINED, my_rank, &others);
    served_open(&counters);
    for (int i = 0; i < N_BROADCASTS; i++) {
        be_held_up(both, straight, ms, (unsigned) (2 * i + 1));
        if (my_rank >= 1) { /* from any of them but the one that is late */
            check_bcast(BLOCKING, BYTES, 1 + i % (n_ranks - 2), others, (unsigned) (2 * i + 2),
                        "all but one rank");
        }
    }
    unsigned long long groups = counter_value(&counters, "coll_pipebcast_groups_served"), all = 0;
    MPI_Reduce(&groups, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (my_rank == 0) {
        printf("groups %llu\n", all);
    }
    bench_counters_close(&counters);
    return check_done("run_two_communicators");
}
