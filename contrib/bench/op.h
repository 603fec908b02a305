/*
 * The operations that can be measured. A new one (nonblocking, persistent) is a line in op.c's
 * table; what differs between them lies behind run.
 */
#ifndef BENCH_OP_H
#define BENCH_OP_H

#include <mpi.h>

struct bench_op {
    const char *name;
    /** Moves the message from root to all ranks of comm; returns when this rank has it. */
    void (*run)(void *memory, int count, MPI_Datatype type, int root, MPI_Comm comm);
};

/** Index of the operation of a name, -1 if there is none. */
int bench_op_find(const char *name);

/** The operation of an index that bench_op_find() yielded; index 0 is the default. */
const struct bench_op *bench_op_at(int index);

#endif
