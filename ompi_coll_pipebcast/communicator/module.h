/*
 * The module of a communicator: all that pipebcast knows of it and has under way on it.
 */
#ifndef COLL_PIPEBCAST_MODULE_H
#define COLL_PIPEBCAST_MODULE_H

#include "base/counters.h"
#include "base/lock.h"
#include "base/settings.h"
#include "base/tags.h"
#include "communicator/model.h"
#include "communicator/multicast.h"
#include "communicator/progress.h"
#include "communicator/sweep.h"
#include "communicator/topology.h"
#include "engine/arrival/state.h"
#include "topo/model/planner.h"

/** States of a communicator: how it treats a broadcast. */
typedef enum {
    COLL_PIPEBCAST_UNDECIDED, /**< there was no broadcast yet */
    COLL_PIPEBCAST_SERVING,   /**< large broadcasts are ours */
    COLL_PIPEBCAST_PASSING,   /**< all broadcasts go to the fallback component */
} coll_pipebcast_state_t;

struct coll_pipebcast_advised; /* adaptive/adaptive_bcast.c */
struct coll_pipebcast_placed;  /* communicator/placement.h */

typedef struct coll_pipebcast_module {
    mca_coll_base_module_t super;
    struct ompi_communicator_t *comm; /**< borrowed: the module lives in it */
    coll_pipebcast_lock_t lock;       /**< protects what follows */
    coll_pipebcast_tasks_t tasks;
    coll_pipebcast_state_t state;
    coll_pipebcast_settings_t settings; /**< read when the communicator was made */
    /** It is the local group of an intercommunicator. Open MPI broadcasts there, some of it in the
     * background, and so in another order on each rank. */
    bool is_local_group;
    int agreed; /**< an error: this rank was out of memory for the agreement, or for a verdict, and
                   is lost */
    bool is_lost; /**< broadcasts of ours end with an error: see communicator/lost.h */
    coll_pipebcast_tags_t tags;           /**< alike on all ranks */
    int64_t last_look;                    /**< of coll_pipebcast_look_for_lost(), by the clock */
    coll_pipebcast_reason_t passes_for;   /**< why, while it is PASSING */
    coll_pipebcast_functions_t fallback;  /**< their modules are retained */
    struct coll_pipebcast_placed *placed; /**< NULL until the ranks have agreed */
    coll_pipebcast_model_t *model;        /**< retained; by which they plan; NULL until then */
    pb_planner_t *planner;                /**< NULL: the ranks have not agreed to serve */
    pb_transport_t transport; /**< of all broadcasts, but for the tag; valid with the planner */
    int connections; /**< that any rank may need for its broadcasts; 0: no bound, or not agreed */
    struct coll_pipebcast_advised *advised; /**< NULL: no advice is followed */
    coll_pipebcast_sweep_t sweep;           /**< of blocking broadcasts */
    coll_pipebcast_multicast_t multicast;
    pb_arrival_mode_t arrival_mode; /**< of parameter arrival = auto */
    double slowness; /**< of groups at this root: their times over the model's; 0: not measured */
    pb_arrival_credit_t
        credit; /**< of parameter arrival = nb, auto; its bound 0: nothing is sent unasked */
} coll_pipebcast_module_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_module_t);

/** Releases the modules of the fallback component; may be called again. */
void coll_pipebcast_module_release_fallback(coll_pipebcast_module_t *module);

#endif
