/*
 * Broadcasts to some of the ranks, in any order: run_mapped BROADCASTS BYTES SEED PERCENT.
 *
 * The communicator has so many percent of the ranks, at least two, drawn by SEED and put
 * into an order drawn by it (0: all of them, as they are). Its rank 0 is the root. Who
 * counts what crosses the cables runs this with two numbers of broadcasts and takes the
 * difference.
 */
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

/** A number from 0 to n - 1; the same on all ranks. */
static int draw(uint64_t *state, int n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int) ((*state >> 33) % (uint64_t) n);
}

/** The place of each rank in a random order, by rank. */
static void draw_order(uint64_t seed, int n_ranks, int *place)
{
    for (int i = 0; i < n_ranks; i++) {
        const int at = seed == 0 ? i : draw(&seed, i + 1);
        place[i] = place[at];
        place[at] = i;
    }
}

/** Of the world's ranks the first so many percent of the order; MPI_COMM_NULL for the others. */
static MPI_Comm take_part(uint64_t seed, int percent)
{
    MPI_Comm part;
    int rank, n_ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    int *place = must_malloc((size_t) n_ranks * sizeof(*place));
    draw_order(seed, n_ranks, place);
    const int n_part = n_ranks * percent / 100 > 2 ? n_ranks * percent / 100 : 2;
    MPI_Comm_split(MPI_COMM_WORLD, place[rank] < n_part ? 0 : MPI_UNDEFINED, place[rank], &part);
    free(place);
    return part;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc != 5) {
        check(false, "usage: run_mapped BROADCASTS BYTES SEED PERCENT");
        return check_done("run_mapped");
    }
    const int n_broadcasts = atoi(argv[1]), bytes = atoi(argv[2]);
    MPI_Comm part = take_part(strtoull(argv[3], NULL, 10), atoi(argv[4]));
    if (part != MPI_COMM_NULL) {
        int rank;
        MPI_Comm_rank(part, &rank);
        unsigned char *buffer = must_malloc((size_t) bytes);
        for (unsigned i = 0; i < (unsigned) n_broadcasts; i++) {
            pattern_fill(buffer, (size_t) bytes, rank == 0 ? i : 99999);
            MPI_Bcast(buffer, bytes, MPI_BYTE, 0, part);
            check(pattern_is(buffer, (size_t) bytes, i), "broadcast %u", i);
        }
        free(buffer);
        MPI_Comm_free(&part);
    }
    return check_done("run_mapped");
}
