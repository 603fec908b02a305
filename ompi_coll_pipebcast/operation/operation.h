/*
 * An operation: one rank's part of one broadcast, from its start to its result.
 *
 * It never blocks. A blocking broadcast starts one and advances it until it is
 * through, a nonblocking one leaves that to the progress function. Several may be under way on a
 * communicator if their tags differ. All functions are called with the module's lock held.
 */
#ifndef COLL_PIPEBCAST_OPERATION_H
#define COLL_PIPEBCAST_OPERATION_H

#include "engine/arrival/receiver.h"
#include "engine/arrival/root.h"
#include "engine/turns.h"
#include "operation/adaptive.h"
#include "operation/arrival.h"
#include "pml/control.h"
#include "pml/transport.h"

/** How this rank takes part. */
typedef enum {
    COLL_PIPEBCAST_PLAIN,    /**< in the tree of all ranks */
    COLL_PIPEBCAST_IN_TURNS, /**< as the root of flat_nb */
    COLL_PIPEBCAST_ADAPTED,  /**< in the tree that is advised */
    COLL_PIPEBCAST_AS_ROOT,
    COLL_PIPEBCAST_AS_RECEIVER, /**< both: arrival-aware */
} coll_pipebcast_part_t;

/**
 * The root's part, which may have to outlive its operation: where data were sent
 * to those who had not arrived, their ARRIVED is still to come.
 */
typedef struct coll_pipebcast_root {
    opal_list_item_t super;
    pb_control_t control;
    pb_arrival_root_t root;
} coll_pipebcast_root_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_root_t);

/**
 * What keeps an operation's messages apart from those of others on the communicator: tags of its
 * own. Blocking broadcasts follow each other in the same order on all ranks and could share one;
 * but then what was left over from one with an error would be taken for the next one's.
 */
typedef struct coll_pipebcast_apart {
    int tag;       /**< the first of its COLL_PIPEBCAST_TAGS */
    bool overlaps; /**< it may overlap others of the communicator: it is no blocking one */
    bool repeats;  /**< the tags come again, so that at its end no message may be left on its way */
} coll_pipebcast_apart_t;

/**
 * Tags that an operation reserves, downwards from the first, of whatever kind it turns out to be:
 * a rank that does not know the kind keeps in step all the same. An adaptive one has
 * headers, segments of the known tree and segments of an announced one.
 */
#define COLL_PIPEBCAST_TAGS 3

typedef struct coll_pipebcast_operation {
    coll_pipebcast_module_t *module; /**< borrowed */
    coll_pipebcast_apart_t apart;
    coll_pipebcast_data_t data;
    int root;
    coll_pipebcast_part_t part;
    int algorithm;       /**< as it is counted: a kind of plan, or a value beyond (params.h) */
    bool is_auto;        /**< arrival-aware because the communicator's mode says so */
    int64_t stuck_since; /**< coll_pipebcast_now() at the time; 0: it is not stuck */
    bool is_left; /**< a rank is lost on which this operation may count: it ends with an error */
    pb_transport_t transport;
    pb_control_t control; /**< of a receiver */
    pb_arrival_host_t host;
    pb_message_t message; /**< plain, or in turns */
    union {
        pb_transfer_t transfer;
        pb_turns_t turns;
        coll_pipebcast_adaptive_t *adapted;
        coll_pipebcast_root_t *as_root; /**< retained */
        pb_arrival_receiver_t as_receiver;
    };
} coll_pipebcast_operation_t;

/**
 * Starts to broadcast `data`, of at least one byte, from `root`, as chosen for
 * all ranks. The data stay untouched until the end. Called alike on all ranks and in the same
 * order. On an error nothing is under way: OMPI_ERR_OUT_OF_RESOURCE, or OMPI_ERR_NOT_SUPPORTED
 * (alike on all ranks) if the tree does not fit; MPI_ERR_OTHER if this rank is lost.
 */
int coll_pipebcast_operation_start(coll_pipebcast_operation_t *operation,
                                   coll_pipebcast_module_t *module,
                                   const coll_pipebcast_data_t *data, int root,
                                   const coll_pipebcast_choice_t *choice,
                                   const coll_pipebcast_apart_t *apart);

/**
 * The same for a message that would go to the fallback component if every rank had
 * known that when it began: a nonblocking broadcast, of a communicator whose ranks may
 * still be agreeing. It needs nothing on which the
 * ranks have agreed: a binary tree by rank, and segments of a fixed size.
 */
int coll_pipebcast_operation_stand_in(coll_pipebcast_operation_t *operation,
                                      coll_pipebcast_module_t *module,
                                      const coll_pipebcast_data_t *data, int root,
                                      const coll_pipebcast_apart_t *apart);

/** Takes in what earlier operations of this root are still to hear; see module->lingering. */
void coll_pipebcast_operation_listen(coll_pipebcast_module_t *module);

/** Whether every broadcast is arrival-aware, because a person has said so. */
bool coll_pipebcast_minds_arrivals(void);

/** Does what can be done without waiting; true when the operation is through. */
bool coll_pipebcast_operation_advance(coll_pipebcast_operation_t *operation);

/** Gives everything back; the result is OMPI_SUCCESS or the operation's first error. */
int coll_pipebcast_operation_finish(coll_pipebcast_operation_t *operation);

#endif
