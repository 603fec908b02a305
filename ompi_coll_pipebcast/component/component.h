/*
 * The pipebcast component: a broadcast that pipelines segments down
 * contention-free trees of the physical network.
 *
 * A communicator's way: component/module.c gives it a module that remembers
 * the fallback component's broadcast; at the first broadcast
 * communicator/agreement.c finds out whether all ranks see the same network and
 * parameters; from then on operation/bcast.c serves large messages and
 * passes the rest on.
 */
#ifndef COLL_PIPEBCAST_H
#define COLL_PIPEBCAST_H

#include "component/compat.h"
#include "component/counters.h"
#include "component/model.h"
#include "component/parameters.h"
#include "component/reserve.h"
#include "component/topology.h"
#include "engine/arrival/credit.h"
#include "engine/arrival/mode.h"
#include "engine/role.h"
#include "operation/outstanding.h"
#include "topo/model/choose.h"
#include "topo/network/locality.h"
#include "topo/network/placement.h"

typedef struct coll_pipebcast_component {
    mca_coll_base_component_t super;
    coll_pipebcast_params_t params;
    int output;                        /**< stream of verbose messages */
    opal_mutex_t lock;                 /**< protects what follows */
    coll_pipebcast_shared_t *topology; /**< read last; shared by communicators; NULL: none yet */
    coll_pipebcast_shared_t *model;    /**< read last, likewise */
    coll_pipebcast_model_t *assumed;   /**< assumed last, likewise */
    bool place_known;                  /**< whether this process has looked where it sits */
    pb_locality_t place;               /**< if so, where: as it was bound at that time */
    opal_list_t said;                  /**< messages that were printed once already */
    opal_hash_table_t present;         /**< processes that are known to have the component */
    coll_pipebcast_busy_t busy;        /**< modules with something outstanding; a lock of its own */
    coll_pipebcast_counters_t counters;  /**< from the process's start; not under the lock */
    coll_pipebcast_reserve_t reserve;    /**< with a lock of its own */
    struct coll_pipebcast_module *spare; /**< for a communicator that is made when out of memory */
} coll_pipebcast_component_t;

/** The one component of the process; Open MPI finds it by this name. */
OMPI_DECLSPEC extern coll_pipebcast_component_t mca_coll_pipebcast_component;

/** What a communicator does with a broadcast. */
typedef enum {
    COLL_PIPEBCAST_UNDECIDED, /**< the ranks have not begun to agree */
    COLL_PIPEBCAST_ASKING,    /**< broadcasts now are part of the agreement: fallback component */
    COLL_PIPEBCAST_AGREEING,  /**< the agreement is under way: broadcasts wait for it */
    COLL_PIPEBCAST_SERVING,   /**< large broadcasts are ours */
    COLL_PIPEBCAST_PASSING,   /**< all broadcasts go to the fallback component */
} coll_pipebcast_state_t;

/** operation/advised.h */
struct coll_pipebcast_advised;

/**
 * The lock protects all that changes after enable. It is held for moments, never
 * while something is waited for, and never while another component's collective is called. Who
 * is told of the end of a receive, from inside Open MPI's progress, only tries to get it.
 */
typedef struct coll_pipebcast_module {
    mca_coll_base_module_t super;
    struct ompi_communicator_t *comm; /**< borrowed: the module lives in it */
    opal_mutex_t lock;
    coll_pipebcast_outstanding_t outstanding; /**< what the progress function advances */
    coll_pipebcast_state_t state;
    coll_pipebcast_agreement_t *agreement; /**< NULL: none is under way */
    coll_pipebcast_agreement_t *to_come;   /**< the memory of the one to come; NULL: it began */
    coll_pipebcast_agreement_t *left;      /**< one that has not ended and never will; or NULL */
    int agreed;   /**< the agreement's error, if its communication failed: then this rank is lost */
    bool is_lost; /**< broadcasts of ours end with an error: see communicator/lost.h */
    bool agreement_is_lost; /**< another rank has left the agreement */
    int lost_tag;           /**< of the messages of ranks that are lost; 0: not begun to agree */
    unsigned n_idle_calls;  /**< of coll_pipebcast_is_lost(), modulo UINT_MAX + 1 */
    /**
     * Whether nonblocking broadcasts may go to the fallback component. A rank knows at some moment
     * that the ranks have agreed, another rank at another place of its program. A broadcast that
     * waited for it, blocking or an initialisation, is the same place for all of them. So is the
     * first of all, where a rank is without the component and they do not begin to agree.
     */
    bool may_pass;
    coll_pipebcast_reason_t passes_for;  /**< why, while it is PASSING */
    coll_pipebcast_functions_t fallback; /**< their modules are retained */
    coll_pipebcast_topology_t *topology; /**< retained */
    pb_placement_t *placement;           /**< NULL until the ranks have agreed */
    pb_network_t *levels; /**< the placement's network if it has places of hosts; else NULL */
    coll_pipebcast_model_t
        *model;            /**< retained; the measured one, if any, until the ranks have agreed */
    pb_chooser_t *chooser; /**< NULL until the first choice */
    struct coll_pipebcast_advised *advised; /**< of algorithm adaptive; NULL: not needed yet */
    opal_hash_table_t roles;                /**< of pb_role_t by kind and root */
    opal_list_t roles_by_use;               /**< the same, most recently used first */
    size_t roles_memory;                    /**< bytes of all of them */
    pb_arrival_mode_t arrival_mode;         /**< of parameter arrival = auto */
    double ns_per_byte; /**< of a group's message at this root, as last measured; 0: never */
    pb_arrival_credit_t credit; /**< of the algorithm arrival_nb; of == NULL: not needed yet */
    opal_list_t lingering;      /**< of coll_pipebcast_root_t: ended, but for some ARRIVED */
    uint64_t told[8]; /**< bit k of entry i: the choice for the class 2^k (8 + i) / 8 was told */
} coll_pipebcast_module_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_module_t);

/* component/module.c */
mca_coll_base_module_t *coll_pipebcast_comm_query(struct ompi_communicator_t *comm, int *priority);

/**
 * Keeps a module for the next communicator that is made while out of memory: without one, this rank
 * would not take part when the others agree. With component->lock held.
 */
void coll_pipebcast_module_keep_spare(void);

/* component/autoload.c */

/**
 * Loads the basic components that a list like "pipebcast,tuned" leaves out, so
 * that every operation of a communicator is served. Called from our open.
 */
int coll_pipebcast_autoload(void);

/* communicator/placement.c */

/**
 * Finds the host of every rank of the module's communicator, without
 * communication, and sets module->placement (and, where no topology was given,
 * module->topology). On failure `why` says what is wrong, for people.
 */
int coll_pipebcast_place(coll_pipebcast_module_t *module, char *why, size_t why_size);

/* communicator/presence.c */

/** Tells the job's other processes that this one has the component and lets it serve. */
int coll_pipebcast_presence_tell(void);

/**
 * Whether all ranks of the communicator have told so; all that have get the same answer. If not,
 * the lowest of those that have says where it is missing. No MPI communication: the ranks without
 * the component would not take part. Once per communicator, O(ranks); the launcher is asked once
 * for each process that has it.
 */
bool coll_pipebcast_presence_complete(struct ompi_communicator_t *comm);

/* communicator/roles.c */

/**
 * This rank's role in the plan of `kind` for `root`, from the module's cache or
 * computed. Borrowed until the next call. NULL with *error_p if out of memory or
 * the kind does not fit.
 */
const pb_role_t *coll_pipebcast_role(coll_pipebcast_module_t *module, pb_kind_t kind, int root,
                                     int *error_p);
/** Empty; then init gives it memory. OMPI_ERR_OUT_OF_RESOURCE: no role may be asked for. */
void coll_pipebcast_roles_construct(coll_pipebcast_module_t *module);
int coll_pipebcast_roles_init(coll_pipebcast_module_t *module);
void coll_pipebcast_roles_destruct(coll_pipebcast_module_t *module);

/**
 * This rank's role in the plan of `kind` for `root` over `n_subset` ranks, the
 * root among them; free() gives it back. OMPI_SUCCESS or an error as above.
 */
int coll_pipebcast_role_compute(const coll_pipebcast_module_t *module, pb_kind_t kind, int root,
                                const int *subset, int n_subset, pb_role_t **role_p);

/* communicator/choice.c */

typedef struct coll_pipebcast_choice {
    bool fallback;       /**< the fallback component broadcasts it */
    pb_kind_t kind;      /**< unless `previous` */
    size_t segment_size; /**< bytes, unless `previous` */
    bool told;           /**< this broadcast's choice is told at verbose 10 */
} coll_pipebcast_choice_t;

/** Whether pipebcast takes a broadcast, and how. */
typedef struct coll_pipebcast_decision {
    bool ours;
    coll_pipebcast_reason_t reason; /**< why not */
    coll_pipebcast_choice_t choice; /**< its kind also where the reason is COLL_PIPEBCAST_UNFIT */
} coll_pipebcast_decision_t;

/**
 * Decides for a message of `total` bytes from `root`, once the ranks have agreed; alike on all
 * ranks, lost ones included. An error: this rank is lost, and the others have a broadcast of ours.
 * Where it might be the fallback component's, in which no one hears that a rank is lost, it does
 * not return: the job ends, as ranks would wait for ever.
 */
int coll_pipebcast_decide(coll_pipebcast_module_t *module, int root, size_t total,
                          coll_pipebcast_decision_t *decision);

/**
 * The same for a broadcast that began before the ranks had agreed, and is ours in any case: there
 * always is an error to return.
 */
int coll_pipebcast_decide_later(coll_pipebcast_module_t *module, int root, size_t total,
                                coll_pipebcast_decision_t *decision);

/**
 * Whether a message of `total` bytes may turn out to be ours, once the ranks have agreed: all of
 * them reserve tags for it then, before they decide. Also where the decision fails.
 */
static inline bool coll_pipebcast_may_be_ours(const coll_pipebcast_module_t *module, size_t total)
{
    return module->state == COLL_PIPEBCAST_SERVING &&
           total >= mca_coll_pipebcast_component.params.min_size;
}

/** Rank 0 says that a forced kind of tree cannot serve the communicator's network. */
void coll_pipebcast_warn_unfit(const coll_pipebcast_module_t *module, pb_kind_t kind);

/**
 * At verbose 10, tells the time that the broadcast took on the last rank before the
 * root, which is not the root, beside the predicted one.
 */
void coll_pipebcast_choice_took(coll_pipebcast_module_t *module, int root, size_t total,
                                const coll_pipebcast_choice_t *choice, double seconds);

/* operation/bcast.c: the module's functions, as Open MPI has them */

int coll_pipebcast_bcast(void *buffer, coll_pipebcast_count_t count,
                         struct ompi_datatype_t *datatype, int root,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *module);

/** What became of a broadcast that returned this error is counted. */
void coll_pipebcast_note_failure(int error);

/**
 * Waits until nothing of the module is outstanding any more: no broadcast, no question among the
 * ranks, and no message of an earlier broadcast, which could be taken for one of the next
 * communicator's when this one is gone. To be called when the communicator ends, when every rank
 * has begun its last broadcast or is about to.
 */
void coll_pipebcast_settle(coll_pipebcast_module_t *module);

#endif
