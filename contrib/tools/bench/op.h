/*
 * The operations that can be measured. A new one is a name and a line in op.c's tables; what
 * differs between them lies behind start and end.
 */
#ifndef BENCH_OP_H
#define BENCH_OP_H

#include <mpi.h>
#include <stdbool.h>

/** One message on one rank, and its broadcast under way. */
struct bench_call {
    void *memory;
    int count;
    MPI_Datatype type;
    MPI_Comm comm;
    int root;
    MPI_Request request;  /**< MPI_REQUEST_NULL: none */
    int initialised_root; /**< of a persistent request; BENCH_UNSET: there is none */
};

struct bench_op {
    const char *function; /**< of MPI */
    bool is_blocking;
    /** Begins to move the message from root to all ranks of comm; a blocking one is through then.
     */
    void (*start)(struct bench_call *call);
};

/** Their names, as --op has them, ended by NULL. */
extern const char *const bench_op_names[];

/** The operation of the name at an index; index 0 is the default. */
const struct bench_op *bench_op_at(int index);

/** Ends the operation that was started; this rank has the message then. */
void bench_op_end(struct bench_call *call);

/** Gives a persistent request back. */
void bench_op_drop(struct bench_call *call);

#endif
