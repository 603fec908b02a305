/*
 * Bytes from every root, in sizes on both sides of what matters.
 * Usage: run_bcast [SIZE...]; the default sizes suit min_size 64, segment_size 100.
 */
#include <stdlib.h>

#include "check.h"

static const size_t default_sizes[] = {0,   1,   63,  64,   65,   99,   100,   101,   199,
                                       200, 201, 999, 1000, 1001, 6400, 65536, 300007};

static void broadcast_from(int root, size_t bytes, unsigned seed)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsigned char *buffer = must_malloc(bytes + 2);
    buffer[0] = buffer[bytes + 1] = 0xa5;
    pattern_fill(buffer + 1, bytes, rank == root ? seed : seed + 1);
    int rc = MPI_Bcast(buffer + 1, (int) bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    check(rc == MPI_SUCCESS, "MPI_Bcast of %zu bytes from %d returns %d", bytes, root, rc);
    check(pattern_is(buffer + 1, bytes, seed), "%zu bytes from root %d", bytes, root);
    check(buffer[0] == 0xa5 && buffer[bytes + 1] == 0xa5, "beside %zu bytes from root %d", bytes,
          root);
    free(buffer);
}

int main(int argc, char **argv)
{
    int size;
    unsigned seed = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int n_default = (int) (sizeof(default_sizes) / sizeof(default_sizes[0]));
    const int n = argc > 1 ? argc - 1 : n_default;
    for (int i = 0; i < n; i++) {
        const size_t bytes = argc > 1 ? strtoul(argv[i + 1], NULL, 10) : default_sizes[i];
        for (int root = 0; root < size; root++) {
            broadcast_from(root, bytes, seed++);
        }
    }
    return check_done("run_bcast");
}
