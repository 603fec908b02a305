/*
 * Bytes from every root, in sizes on both sides of what matters.
 * Usage: run_bcast [SIZE...]; the default sizes suit min_size 64, segment_size 100.
 */
#include "check.h"

static const long default_sizes[] = {0,   1,   63,  64,   65,   99,   100,   101,   199,
                                     200, 201, 999, 1000, 1001, 6400, 65536, 300007};

int main(int argc, char **argv)
{
    unsigned seed = 1;
    check_begin(&argc, &argv);
    const int n_default = (int) (sizeof(default_sizes) / sizeof(default_sizes[0]));
    const int n = argc > 1 ? argc - 1 : n_default;
    for (int i = 0; i < n; i++) {
        const size_t bytes =
            (size_t) (argc > 1 ? argument(argc, argv, i + 1, 0) : default_sizes[i]);
        for (int root = 0; root < n_ranks; root++) {
            check_bcast(BLOCKING, bytes, root, MPI_COMM_WORLD, seed++, "from every root");
        }
    }
    return check_done("run_bcast");
}
