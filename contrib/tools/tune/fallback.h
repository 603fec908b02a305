/* Times of MPI_Bcast without pipebcast. */
#ifndef TUNE_FALLBACK_H
#define TUNE_FALLBACK_H

#include <mpi.h>

#include "options.h"
#include "topo/model/model.h"

/** The tables, and from which size on each is not measured but continued along a line. */
struct tune_fallback {
    int n;
    pb_fallback_t tables[PB_MODEL_MAX_FALLBACK]; /**< by ascending number of ranks */
    uint64_t beyond[PB_MODEL_MAX_FALLBACK];      /**< measured up to here */
};

/**
 * Measures broadcasts of 1 KB to 2 MB, by powers of two, on all ranks of a communicator and on the
 * first half, quarter, ... of them, down to 4, within about `budget_s` seconds. Collective; the
 * result is rank 0's. Where one broadcast takes too much of the time, larger ones are continued
 * along the line of the last two.
 */
void tune_fallback_measure(const struct tune_options *options, MPI_Comm comm, double budget_s,
                           struct tune_fallback *fallback);

/** tune_limit() for all times of a table. Returns how many were changed. */
int tune_fallback_limit(pb_fallback_t *table);

#endif
