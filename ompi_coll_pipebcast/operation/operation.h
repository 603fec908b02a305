/*
 * An operation: one rank's part of one broadcast, from its start to its result, behind one
 * interface. It follows one of these methods, each a row of functions (coll_pipebcast_method_t):
 * - plain: one transfer down the planned tree (plain.c), and flat_nb: to one rank after another;
 * - arrival-aware: groups of ranks as they arrive (arrival.c);
 * - adaptive: down the tree that is advised (the room adaptive/);
 * - multicast: by datagrams to all ranks (multicast.c).
 * coll_pipebcast_method_of() returns the usual method, before the decision. A planned multicast and
 * a swept tree have their own, from the start on (operation.c).
 *
 * An operation never blocks. A blocking broadcast starts one and advances it until it is
 * through; a nonblocking one is a task (communicator/progress.h) that does the same. Several may be
 * under way on a communicator if their tags differ. All functions are called with the module's lock
 * held.
 *
 * Where memory runs out: what all ranks need is allocated before they agree. An operation itself
 * needs memory when it starts and when it learns its role in a group. A failure there is followed
 * by a second try. Messages under way may come when the communicator is gone: Open MPI's ob1 keeps
 * them for the next one of its number. A rank for which the second try fails, too, is lost
 * (communicator/lost.h).
 *
 * Calls go: functions -> request, decision -> operation -> the methods.
 */
#ifndef COLL_PIPEBCAST_OPERATION_H
#define COLL_PIPEBCAST_OPERATION_H

#include "communicator/module.h"
#include "pml/message.h"

/**
 * Distances of tags from the operation's first one, downwards, whatever its method turns out to be.
 * So a rank that does not know the method keeps in step. Before TAG_OF_CONTROL are those of
 * segments.
 */
enum {
    COLL_PIPEBCAST_TAG_OF_CONTROL = 58,
    COLL_PIPEBCAST_TAG_OF_SWEEP,
    COLL_PIPEBCAST_TAGS, /**< their number */
};

typedef struct coll_pipebcast_method coll_pipebcast_method_t;

/** Way of a call. Only blocking ones never overlap others of the communicator. */
typedef enum {
    COLL_PIPEBCAST_BLOCKING,
    COLL_PIPEBCAST_NONBLOCKING,
    COLL_PIPEBCAST_PERSISTENT, /**< its tags come again: at its end no message may be on its way */
} coll_pipebcast_way_t;

/** A broadcast that is called for. */
typedef struct coll_pipebcast_call {
    /* As the user has it. */
    coll_pipebcast_way_t way;
    coll_pipebcast_data_t data; /**< of at least one byte */
    int root;
    /* As it is prepared. */
    int tag; /**< the first of its tags, which keep its messages apart from those of others, also
                of what is left over from one with an error */
    const coll_pipebcast_method_t *usual_method; /**< multicast and trials have their own */
    int64_t arrived; /**< coll_pipebcast_now() when this rank came to it; of blocking ones */
    /* As it is decided. */
    bool is_swept; /**< how long it takes is noted: see communicator/sweep.h */
} coll_pipebcast_call_t;

typedef struct coll_pipebcast_operation coll_pipebcast_operation_t;

/** Functions of all operations by one method. */
struct coll_pipebcast_method {
    size_t size; /**< of its own structure, which begins with a coll_pipebcast_operation_t */
    /**
     * Begins, as it is planned for all ranks; the planned role is borrowed for this call. The
     * method's own part is zero. On an error nothing is under way, there is nothing to give back,
     * and where memory ran out it can be called again.
     */
    int (*start)(coll_pipebcast_operation_t *operation, const pb_planned_t *planned);
    /**
     * Returns whether the first segment or frame of a swept broadcast (communicator/sweep.h) is
     * here. NULL: those by this method are never swept.
     */
    bool (*has_come)(const coll_pipebcast_operation_t *operation);
    /** Does what can be done without waiting; true when it is through. */
    bool (*advance)(coll_pipebcast_operation_t *operation);
    /** The error for which the transport has refused, so that it may never end; 0: it has not. Also
     * asked when it is finished. */
    int (*refused)(const coll_pipebcast_operation_t *operation);
    /** Nothing more is to come of it: what it waits for is asked to end, nothing new is started. */
    void (*cancel)(coll_pipebcast_operation_t *operation);
    /**
     * Gives everything back; 0 or its first error. *stays_p is set if the operation has to outlive
     * its result: then it lingers as a task, and `end` gives back what that needs.
     */
    int (*finish)(coll_pipebcast_operation_t *operation, bool *stays_p);
    /** Advances a lingering operation without waiting; true when nothing more is to come. */
    bool (*linger)(coll_pipebcast_operation_t *operation);
    void (*end)(coll_pipebcast_operation_t *operation);
};

/** The common part. */
struct coll_pipebcast_operation {
    const coll_pipebcast_method_t *method;
    coll_pipebcast_module_t *module; /**< borrowed */
    coll_pipebcast_call_t call;
    coll_pipebcast_task_t lingering; /**< after its result */
    bool is_root;
    int counted_as;           /**< see base/counters.h; set by start() */
    int64_t stuck_since;      /**< coll_pipebcast_now() at the time; 0: it is not stuck */
    pb_transport_t transport; /**< of segments and pieces */
    pb_control_t control;     /**< of control messages; zero: the method has none */
    int next_look;            /**< at this distance from the first tag, for a stray one */
    int n_unconnected;        /**< when it began */
    int64_t held_since;       /**< coll_pipebcast_now() when that had grown; 0: it has not */
    bool has_waited;          /**< there was nothing to do once */
    bool is_left; /**< a rank is lost on which this operation may count: it ends with an error */
    /* By coll_pipebcast_now(); 0: not yet. */
    int64_t came;    /**< when its first bytes were here; of a swept one */
    int64_t through; /**< when its result was, if it went on after that */
};

extern const coll_pipebcast_method_t coll_pipebcast_plain;
extern const coll_pipebcast_method_t coll_pipebcast_flat_nb;
extern const coll_pipebcast_method_t coll_pipebcast_arrival;
extern const coll_pipebcast_method_t coll_pipebcast_by_multicast;

/** Gives an operation control messages, as its method starts it. */
static inline void coll_pipebcast_operation_control(coll_pipebcast_operation_t *operation)
{
    operation->control = (pb_control_t){.comm = operation->module->comm,
                                        .tag = operation->call.tag - COLL_PIPEBCAST_TAG_OF_CONTROL};
}

/** Returns the method of a broadcast that is not by multicast, alike on all ranks. */
const coll_pipebcast_method_t *coll_pipebcast_method_of(const coll_pipebcast_module_t *module,
                                                        const coll_pipebcast_call_t *call);

/**
 * Starts a broadcast as it is planned for all ranks. The data stay untouched until the end. Called
 * alike on all ranks and in the same order; the caller gives *operation_p back by
 * coll_pipebcast_operation_finish(). On an error nothing is under way and this rank is lost.
 */
int coll_pipebcast_operation_start(coll_pipebcast_module_t *module,
                                   const coll_pipebcast_call_t *call, const pb_planned_t *planned,
                                   coll_pipebcast_operation_t **operation_p);

/** Does what can be done without waiting; true when the operation is through. */
bool coll_pipebcast_operation_advance(coll_pipebcast_operation_t *operation);

/** Gives everything back; the result is OMPI_SUCCESS or the operation's first error. */
int coll_pipebcast_operation_finish(coll_pipebcast_operation_t *operation);

#endif
