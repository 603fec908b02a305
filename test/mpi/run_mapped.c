/*
 * Broadcasts to some of the ranks, in any order: run_mapped BROADCASTS BYTES SEED PERCENT.
 *
 * The communicator has PERCENT of the ranks, at least two, drawn and put in order by SEED (0: all,
 * as they are). Its rank 0 is the root. Who counts what crosses the cables runs this with two
 * numbers of broadcasts and takes the difference.
 */
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

/** The place of each rank in a random order, by rank. */
static void draw_order(uint64_t seed, int *place)
{
    for (int i = 0; i < n_ranks; i++) {
        const int at = seed == 0 ? i : draw(&seed, i + 1);
        place[i] = place[at];
        place[at] = i;
    }
}

/** The first `percent` of the world's ranks in the order; MPI_COMM_NULL for the others. */
static MPI_Comm take_part(uint64_t seed, long percent)
{
    MPI_Comm part;
    int *place = must_malloc((size_t) n_ranks * sizeof(*place));
    draw_order(seed, place);
    const long n_part = n_ranks * percent / 100 > 2 ? n_ranks * percent / 100 : 2;
    const int at = place[my_rank];
    MPI_Comm_split(MPI_COMM_WORLD, at < n_part ? 0 : MPI_UNDEFINED, at, &part);
    free(place);
    return part;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check(argc == 5, "usage: run_mapped BROADCASTS BYTES SEED PERCENT");
    const size_t bytes = (size_t) argument(argc, argv, 2, 0);
    MPI_Comm part = take_part((uint64_t) argument(argc, argv, 3, 0), argument(argc, argv, 4, 100));
    if (part != MPI_COMM_NULL) {
        for (long i = 0; i < argument(argc, argv, 1, 0); i++) {
            check_bcast(BLOCKING, bytes, 0, part, (unsigned) i, "some ranks");
        }
        MPI_Comm_free(&part);
    }
    return check_done("run_mapped");
}
