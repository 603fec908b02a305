/*
 * The learner of a communicator, by the times of swept broadcasts (ours). It has the speed of the
 * links, and for each size class the best of a few candidates (topo/model/choose.h).
 *
 * Some broadcasts are swept (engine/sweep.h), and all ranks get a *note* of each before the same
 * later broadcast. The learner's state depends on the sequence of calls alone, in integers, so that
 * ranks that call alike stay alike. It has a fixed size. A note changes:
 *
 *   measured                                                      outcome
 *   the assumed speed of links explains less than 2/3 of the        PB_OUTCOME_SPEED: links have
 *   time (a first note alone: less than 1/4), or a corrected one    another speed, and all classes
 *   more than 5/4 of it; not of short messages, whose time is       choose anew
 *   mostly latency; at most PB_LEARNER_SPEEDS times
 *   a candidate takes 1/32 less than the one in force             it is in force
 *   the one in force takes 1/4 more, or 1/5 less, in              only it is known, and others are
 *   PB_LEARNER_DRIFTS notes in a row                              tried again
 *
 * A *trial* is a swept broadcast by another candidate than the one in force. A candidate is tried
 * if its scaled prediction is less, by a margin, than the time of the one in force. The scale is
 * the ratio of measurement to prediction of one tree. This has the candidate's kind and the nearest
 * segment size, or else it is in force or the fastest. The fallback component is tried once in any
 * case. Of several candidates the one with the least expected time is tried first, as a trial that
 * takes long leaves no time for others. The invariant bounds the extra time of all trials of a
 * class. It is at most 1/PB_LEARNER_EXTRA_PART of the time of its broadcasts so far, plus the last
 * trial's excess over its expected time. The first PB_LEARNER_FIRST broadcasts try only candidates
 * that should take half as long, as programs with few broadcasts would not earn more back. Without
 * a candidate to try the class is *settled* until it drifts.
 *
 * A note of a broadcast that opened connections counts until there is another one of the candidate.
 * So does the fallback component's first note, as its connections may differ by size. A broadcast
 * whose ranks waited for each other is passed over: its time says nothing of links. The root's
 * lateness is not part of a candidate's time. Trees show it by a wait for the first segment that is
 * longer than two hops. For the fallback component the lateness of the last tree counts. Ranks that
 * waited less for the whole message are an upper bound.
 */
#ifndef PB_LEARNER_H
#define PB_LEARNER_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/model/choose.h"

/** Trials may take 5 % of the time. */
#define PB_LEARNER_EXTRA_PART 20

/** Times that the speed of links is corrected, until something drifts. */
#define PB_LEARNER_SPEEDS 4

/** Broadcasts of a class before its first trial. */
#define PB_LEARNER_FIRST 10

/** Notes in a row that show that the network has changed. */
#define PB_LEARNER_DRIFTS 3

/** Notes of one candidate, whose least one counts. */
#define PB_LEARNER_NOTES 3

/** Size classes that are known at a time. */
#define PB_LEARNER_CLASSES 16

/** Broadcasts without one of a class after which another may have its slot. Of more classes in turn
 * than there are slots, some are then known, where each would drive out the next. */
#define PB_LEARNER_STALE 256

/** Notes after which a class is settled in any case, and candidates that it knows. As many, or the
 * slowest one would be forgotten and tried again. */
#define PB_LEARNER_ENTRIES 20

/** Notes on one candidate. */
typedef struct pb_learner_entry {
    int kind; /**< a pb_kind_t, or PB_KIND_FALLBACK */
    uint64_t segment;
    int64_t notes[PB_LEARNER_NOTES]; /**< nanoseconds; the last ones */
    int n_notes;
    bool is_unsure; /**< its notes may be too high: the next one replaces them */
} pb_learner_entry_t;

typedef struct pb_learner_class {
    uint64_t size_class; /**< 0: none */
    uint64_t used;       /**< by the learner's clock */
    uint64_t n;          /**< broadcasts */
    uint64_t next;       /**< the one of them from which on a sweep is wanted */
    uint64_t not_before; /**< the one of them from which on the next trial is within the bound */
    int64_t extra;       /**< nanoseconds that trials took longer */
    int64_t reference;   /**< of the one in force, as it was settled */
    bool is_settled;
    bool drifts_up;
    int n_drifted; /**< notes in a row */
    int n_notes;   /**< since candidates were tried anew */
    int in_force;  /**< an entry; -1: the choice by predictions is */
    int n_entries;
    pb_learner_entry_t entries[PB_LEARNER_ENTRIES];
} pb_learner_class_t;

/** A swept broadcast. */
typedef struct pb_learner_trial {
    int slot; /**< of its class; -1: there is none */
    uint64_t size_class;
    pb_candidate_t candidate; /**< its time as predicted by the speed that is known */
    int64_t hop;              /**< nanoseconds of its first segment from one host to another */
    bool opens;               /**< it is the first one of its plan, and so opens connections */
    bool is_trial;
} pb_learner_trial_t;

typedef struct pb_learner {
    bool assumes;      /**< the speed of links was assumed */
    int64_t lateness;  /**< nanoseconds of the root after the others, in the last note */
    uint64_t clock;    /**< counts broadcasts */
    uint32_t version;  /**< changes whenever an answer may */
    uint32_t n_speeds; /**< times that the speed was corrected */
    pb_learner_class_t classes[PB_LEARNER_CLASSES];
} pb_learner_t;

typedef enum {
    PB_OUTCOME_STAYS,
    PB_OUTCOME_SPEED,   /**< links have another speed: the caller finds it, and calls
                             pb_learner_forget() */
    PB_OUTCOME_CHANGES, /**< another candidate is in force */
    PB_OUTCOME_DRIFTS,  /**< candidates are tried anew */
} pb_outcome_t;

/** Begins without knowledge; `assumes`: nor was the speed of links measured. O(size). */
void pb_learner_init(pb_learner_t *learner, bool assumes);

/** The slot of the class of `bytes`. A new class takes the slot of the class used longest ago; -1:
 * that is not stale, and nothing is learned of the broadcast. O(classes). */
int pb_learner_take(pb_learner_t *learner, uint64_t bytes);

/** A broadcast begins, of the class in this slot, -1: of one without a slot. O(1). */
static inline void pb_learner_count(pb_learner_t *learner, int slot)
{
    learner->clock++;
    if (slot >= 0) {
        learner->classes[slot].n++;
        learner->classes[slot].used = learner->clock;
    }
}

/** Tells whether the broadcast that was just counted is to be swept. O(1). */
static inline bool pb_learner_wants(const pb_learner_t *learner, int slot)
{
    return learner->classes[slot].n >= learner->classes[slot].next;
}

/** Tells whether a swept broadcast of the class may be a trial; not without a slot. O(1). */
static inline bool pb_learner_is_trying(const pb_learner_t *learner, int slot)
{
    return slot >= 0 && !learner->classes[slot].is_settled && learner->classes[slot].in_force >= 0;
}

/** The candidate in force for messages of `bytes`, with the measured time; false: none.
 * O(classes). */
bool pb_learner_in_force(const pb_learner_t *learner, uint64_t bytes, pb_candidate_t *candidate);

/**
 * Returns which of the n candidates, with their predictions, a swept broadcast tries, or -1: the
 * one in force. O(n entries).
 */
int pb_learner_next(pb_learner_t *learner, int slot, const pb_candidate_t *candidates, int n);

/**
 * Notes a swept broadcast. The rank where it took longest took `longest` nanoseconds from its
 * arrival to its end. Each rank but the root waited at least `least_wait` for its first segment, of
 * the fallback component for its end. The part of this beyond a segment's path is the root's
 * lateness. *time_p is the time without it; of PB_OUTCOME_SPEED the least of the last notes.
 * O(entries).
 */
pb_outcome_t pb_learner_note(pb_learner_t *learner, const pb_learner_trial_t *trial,
                             int64_t longest, int64_t least_wait, int64_t *time_p);

/** A swept broadcast counts for nothing. The next sweep of its class is wanted after as many
 * broadcasts as it has had. O(1). */
void pb_learner_pass_over(pb_learner_t *learner, const pb_learner_trial_t *trial);

/** Links have another speed: what is in force is chosen anew, but what was measured counts.
 * O(size).
 */
void pb_learner_forget(pb_learner_t *learner);

/**
 * Kinds come or go (bit k: kind k): what was noted of them is dropped, and all classes try
 * candidates anew. O(size).
 */
void pb_learner_renew(pb_learner_t *learner, uint32_t kinds);

#endif
