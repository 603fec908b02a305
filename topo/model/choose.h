/*
 * Choosing: the kind of tree and the segment size with the least predicted time.
 *
 * The fallback component is a candidate, too. A choice depends on the placement, the model, the
 * options, the root and the message's size class alone. So ranks that agree on these choose alike.
 * It is made in integers, and a fixed rule breaks ties: the fallback component first, then the
 * simpler tree, then the larger segment.
 *
 * Without measurements, costs are assumed from the reported speed of links, which may be far from
 * the truth. Segments are then at most 8 KB long, or 1/256 of the message.
 *
 * Programs broadcast in many communicators concurrently, and a communicator does not see the
 * others. Where there may be others like it (pb_choose_options_t.n_alike), each candidate has two
 * times: alone, and while all of them broadcast and share links between switches. Both are taken to
 * be equally likely, and the candidate's weight is their geometric mean. A factor lost in one case
 * has to be won in the other (ours).
 *
 * A size class is an eighth of an octave: 2^k (8 + i) / 8 bytes and up. A choice is made for the
 * smallest message of its class, as powers of two are the commonest. Coarser classes would hide the
 * cost of one more segment. Short messages have one segment and two classes: from 1 byte and from
 * PB_CHOOSE_SHORT / 8. They are planned with the few kinds that need no pipelining: many programs
 * send a few bytes from every rank in turn.
 */
#ifndef PB_CHOOSE_H
#define PB_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/model/model.h"
#include "topo/network/placement.h"
#include "topo/trees/plan.h"

/** The fallback component as a kind. */
#define PB_KIND_FALLBACK (-1)

/** For pb_choose_options_t.kind: all of them. */
#define PB_CHOOSE_ALL (-1)

/** All but the fallback component. */
#define PB_CHOOSE_OWN (-2)

/** Bytes below which a message is short. */
#define PB_CHOOSE_SHORT 1024

/** Bytes from which on a message does not go to the fallback component if nothing was measured. */
#define PB_CHOOSE_ASSUMED_FALLBACK 16384

/**
 * Most bytes of a segment if nothing was measured, unless 1/256 of the message is more. Longer ones
 * are tried (doc/design/candidates.md).
 */
#define PB_CHOOSE_ASSUMED_SEGMENT 8192

/**
 * Part of the time that choices add to candidates with segments below half a frame, whose times are
 * less sure. Most of their time is the cost of messages with many ranks at the same time, and the
 * model knows only its mean (doc/design/candidates.md).
 */
#define PB_CHOOSE_UNSURE 8

/** Reported bits per second above which multicast is used only if the user wants it. A processor
 * handles about this rate in datagrams of the usual size. */
#define PB_CHOOSE_MULTICAST_SPEED UINT64_C(10000000000)

/** Hosts of the smallest communicator with multicast. On fewer, no tree loads a link twice either.
 */
#define PB_CHOOSE_MULTICAST_HOSTS 3

typedef struct pb_choose_options {
    int kind;         /**< the only candidate (a pb_kind_t), PB_CHOOSE_ALL or PB_CHOOSE_OWN */
    uint64_t segment; /**< the only segment size, or 0; not of multicast */
    uint64_t frame;   /**< bytes of a segment of multicast, each a datagram; 0: multicast is no
                           candidate, even if it is the only one */
    pb_plan_options_t plan;
    uint32_t excluded; /**< bit k is set if kind k is no candidate unless it is the only one */
    int n_alike; /**< communicators like this one, itself included, that may broadcast concurrently
                      over the same links between switches (topo/model/alike.h); at most 1: no
                      other */
} pb_choose_options_t;

_Static_assert(PB_KIND_COUNT <= 32, "there is a bit for each kind");

typedef struct pb_candidate {
    int kind;         /**< a pb_kind_t, or PB_KIND_FALLBACK */
    uint64_t segment; /**< bytes; 0: the whole message in one */
    int64_t time;     /**< nanoseconds, predicted for the smallest message of the class */
    int64_t weight;   /**< the least is chosen: the time, and more where the time is less sure or
                           longer while other communicators broadcast */
} pb_candidate_t;

/** options->kind; PB_CHOOSE_OWN where that is multicast, without frames. O(1). */
int pb_choose_kind(const pb_choose_options_t *options);

/** Tells whether multicast is a candidate where it works: the only one, or all are. O(1). */
bool pb_choose_may_multicast(const pb_choose_options_t *options);

/** Chooses for one placement; caches what it needs for that. Not thread-safe. */
typedef struct pb_chooser pb_chooser_t;

/**
 * A chooser, freed by pb_chooser_free(); NULL if out of memory. Placement and
 * model are borrowed and outlive it.
 */
pb_chooser_t *pb_chooser_new(const pb_placement_t *placement, const pb_model_t *model,
                             const pb_choose_options_t *options);
void pb_chooser_free(pb_chooser_t *chooser);

/**
 * The choice for messages of `bytes` (at least 1) from `root`. O(1) where it was made before for
 * the size class. Else it takes one prediction for each candidate, and where this root is new the
 * plans of all kinds. PB_ERR_NO_MEMORY.
 */
int pb_choose(pb_chooser_t *chooser, int root, uint64_t bytes, pb_candidate_t *choice);

/**
 * The same, and in *plan_p the plan of the chosen kind, if choosing has computed it, so that a
 * caller need not compute it again. Else, and on an error, *plan_p is NULL. Owned by the caller,
 * freed by pb_plan_free().
 */
int pb_choose_plan(pb_chooser_t *chooser, int root, uint64_t bytes, pb_candidate_t *choice,
                   pb_plan_t **plan_p);

/** Tells, without choosing, whether messages of `bytes` may go to the fallback component. O(1). */
bool pb_choose_may_pass(const pb_model_t *model, const pb_choose_options_t *options,
                        uint64_t bytes);

/** Bytes of the choices and profiles that are kept. O(1). */
size_t pb_chooser_memory(const pb_chooser_t *chooser);

/** Gives back all that is kept; the next choice of each root and class is made anew. */
void pb_chooser_forget(pb_chooser_t *chooser);

/** Is shown a candidate. */
typedef void pb_choose_visit_t(void *context, const pb_candidate_t *candidate);

/**
 * Shows every candidate to `visit`, in the order of the rule for ties. In a trial segments may be
 * longer than PB_CHOOSE_ASSUMED_SEGMENT. Errors as pb_choose().
 */
int pb_choose_explain(pb_chooser_t *chooser, int root, uint64_t bytes, bool in_trial,
                      pb_choose_visit_t *visit, void *context);

/** The predicted time of a candidate for exactly `bytes`; -1 if out of memory. */
int64_t pb_choose_time(pb_chooser_t *chooser, int root, uint64_t bytes,
                       const pb_candidate_t *candidate);

/** The same by another model. */
int64_t pb_choose_time_by(pb_chooser_t *chooser, const pb_model_t *model, int root, uint64_t bytes,
                          const pb_candidate_t *candidate);

/** Predicts by another model, which is borrowed, too: choices are made anew. O(segment sizes). */
void pb_chooser_set_model(pb_chooser_t *chooser, const pb_model_t *model);

/**
 * Returns the bytes of the pieces (topo/model/piece.h) of a message of `bytes` inside hosts; 0
 * where the kind's plan is not by leaders. O(log rows).
 */
uint64_t pb_choose_piece(const pb_chooser_t *chooser, pb_kind_t kind, uint64_t bytes);

/** Bytes of a candidate's first segment, or of its first piece. O(log rows). */
uint64_t pb_choose_first(const pb_chooser_t *chooser, const pb_candidate_t *candidate,
                         uint64_t bytes);

/** The smallest message of the size class of `bytes`. */
uint64_t pb_size_class(uint64_t bytes);

/** Bytes of a candidate's first segment of a message: all of one that goes whole. O(1). */
uint64_t pb_candidate_segment(const pb_candidate_t *candidate, uint64_t bytes);

/** The name of a kind, "fallback" among them. */
const char *pb_candidate_name(const pb_candidate_t *candidate);

#endif
