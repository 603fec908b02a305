/*
 * What an arrival-aware broadcast's engine asks of the plugin (engine/arrival/caller.h), and what
 * the parts of root and receiver have in common.
 */
#ifndef COLL_PIPEBCAST_ARRIVAL_CALLER_H
#define COLL_PIPEBCAST_ARRIVAL_CALLER_H

#include "engine/arrival/caller.h"
#include "operation/operation.h"
#include "pml/control.h"
#include "pml/transport.h"

struct pb_arrival_caller {
    coll_pipebcast_module_t *module; /**< borrowed */
    coll_pipebcast_call_t call;
    double ns_per_byte;      /**< as expected at the start */
    int *members;            /**< of a group; room for all ranks */
    int *order;              /**< NULL: it was not asked for */
    pb_message_t message[2]; /**< of the asked group, of the unasked one */
    bool has_message[2];
};

/** The beginning of an operation of either kind; stays where it is until the end. */
typedef struct coll_pipebcast_arrival {
    coll_pipebcast_operation_t super;
    bool is_auto; /**< arrival-aware because the communicator's mode has it so */
    pb_transport_t transport;
    pb_control_t control;
    pb_arrival_caller_t caller;
} coll_pipebcast_arrival_t;

/** Prepares all but the engine's part, for which it fills *env. False if out of memory. */
bool coll_pipebcast_arrival_init(coll_pipebcast_arrival_t *arrival, pb_arrival_env_t *env);

/** Gives back what the groups needed. */
void coll_pipebcast_arrival_fini(coll_pipebcast_arrival_t *arrival);

/** What may wait at other ranks; NULL: nothing is sent to ranks that have not arrived. */
pb_arrival_credit_t *coll_pipebcast_arrival_credit(coll_pipebcast_arrival_t *arrival);

/**
 * With arrival = auto, the communicator's mode takes in what this broadcast's header had as `mode`;
 * rank 0 logs at verbose 10 what changes.
 */
void coll_pipebcast_arrival_end_mode(const coll_pipebcast_arrival_t *arrival, uint8_t mode,
                                     pb_arrival_report_t report);

#endif
