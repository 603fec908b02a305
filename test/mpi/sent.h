/* Number of messages that this rank has sent, counted at the PML. */
#ifndef PB_TEST_MPI_SENT_H
#define PB_TEST_MPI_SENT_H

#include <mpi.h>
#include <stddef.h>

/** Counts from now on: messages without bytes, and those of `least` bytes and more. */
void sent_open(size_t least);

/** Of what this rank has sent so far nothing counts. */
void sent_forget(void);

/** Messages that all ranks of `comm` have sent since they forgot them. Collective; forgets them. */
void sent_take(MPI_Comm comm, long *n_empty_p, long *n_full_p);

/** Number of them that were synchronous, since all have forgotten them. Collective. Collective. */
long sent_synchronous(MPI_Comm comm);

void sent_close(void);

#endif
