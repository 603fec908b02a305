/*
 * What is learnt of a communicator's broadcasts: which candidates (topo/model/choose.h) are really
 * the fastest, by how long watched broadcasts took (ours).
 *
 * Some broadcasts are watched, and all ranks get a *note* of each before the same later one. What
 * is learnt depends on the sequence of notes and questions alone, in integers, so that ranks which
 * get and ask the same in the same order stay alike. All state has a fixed size.
 *
 * Predictions are corrected in two ways:
 * - The speed of links, where it was assumed: a note gives the speed at which the plan would have
 *   taken so long. The first note sets it, for all size classes; later ones only where links are
 *   faster than was known, as late ranks and other traffic make broadcasts longer and never
 *   shorter.
 * - By kind of tree and length of segments: how many times what is predicted they have taken. That
 *   shifts the prediction of other segments of the kind, and of other size classes.
 *
 * In each size class candidates are *tried*, one watched broadcast each, as long as one of them may
 * win: its prediction, corrected and lessened by a margin for what is not known of it, is less than
 * the least time that was measured. The most promising comes first. Then the class is *settled*,
 * and nothing is tried until what is in force takes PB_LEARNER_DRIFT_PART longer or shorter, in
 * PB_LEARNER_DRIFT_NOTES notes one after the other.
 *
 * The invariant: what trials took longer than the candidate in force, all together, is at most
 * PB_LEARNER_EXTRA_PART of the time that the class's broadcasts took so far, and PB_LEARNER_GRANT
 * times the time of one, and what the last trial took longer than was expected of it. Trials that
 * begin when that was exceeded wait until it is not. Where over slow links a trial should take half
 * as long as the fallback component, or less, the broadcast after it does not wait for its note
 * and is like it.
 *
 * Kinds may come and go (multicast): one that comes is tried in classes that were settled, too, and
 * what is known of the others stays. Of one that goes all notes are dropped.
 *
 * A candidate's time is the least of its last PB_LEARNER_KEPT notes, without those of broadcasts
 * that opened connections, unless there are no others after two of these.
 *
 * A learner may begin with what an earlier one has learnt of the same (topo/model/kept.h). What was
 * settled then stays so while what is measured agrees, and drifts as what was settled here; but
 * among the first PB_LEARNER_OPENING_NOTES of a class those that opened connections do not count.
 */
#ifndef PB_LEARNER_H
#define PB_LEARNER_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/model/choose.h"

/** Trials may take a twentieth of the time, and in each class the time of one broadcast. */
#define PB_LEARNER_EXTRA_PART 20
#define PB_LEARNER_GRANT 1

/** What is settled is tried anew when it takes a quarter longer, or less by as much, so often. */
#define PB_LEARNER_DRIFT_PART 4
#define PB_LEARNER_DRIFT_NOTES 3

/** Another candidate is in force if it takes so much of the time less. */
#define PB_LEARNER_BETTER_PART 32

/** Notes of one candidate that count. */
#define PB_LEARNER_KEPT 3

/** Notes of a class that may be of connections that what was kept opens anew. */
#define PB_LEARNER_OPENING_NOTES 6

/** Notes after which a class is settled in any case. */
#define PB_LEARNER_MOST_NOTES 20

/** Size classes, and candidates of each, of which something is known; the longest unused go. */
#define PB_LEARNER_CLASSES 16
#define PB_LEARNER_ENTRIES 20

/** Speeds at which a watched broadcast is predicted: each twice the one before. */
#define PB_LEARNER_LEAST_SPEED UINT64_C(62500)
#define PB_LEARNER_SPEEDS 23

/**
 * Links that turn out to be as slow as this, or slower, are what broadcasts wait for: a frame takes
 * half a millisecond, which is more than what software does for a message. Of faster ones that is
 * not known: then segments that are shorter than what was measured may take longer than predicted.
 */
#define PB_LEARNER_SLOW_LINKS UINT64_C(24000000)

/** Lengths of segments by octaves, up to 2^23. */
#define PB_LEARNER_OCTAVES 24

/** What a broadcast is predicted to take, by the speed of links; in nanoseconds. */
typedef struct pb_learner_curve {
    bool is_known;
    int64_t time[PB_LEARNER_SPEEDS]; /**< falling */
    int64_t hop[PB_LEARNER_SPEEDS];  /**< of its first segment from one host to another */
} pb_learner_curve_t;

/** A watched broadcast. */
typedef struct pb_learner_trial {
    uint64_t bytes; /**< 0: none */
    pb_candidate_t candidate;
    int64_t hop;              /**< as above, at the speed that is known */
    bool opens;               /**< it is the first one of its plan, and so opens connections */
    bool is_trial;            /**< it was not the candidate in force */
    bool is_dropped;          /**< its kind has gone: the note is accounted for, and not kept */
    pb_learner_curve_t curve; /**< where speeds are learnt */
} pb_learner_trial_t;

/** What is known of one candidate. */
typedef struct pb_learner_entry {
    uint64_t segment;
    int64_t notes[PB_LEARNER_KEPT]; /**< nanoseconds; the last ones */
    int16_t kind;
    uint16_t n;        /**< notes that count */
    uint16_t n_opened; /**< of broadcasts that opened connections */
    bool is_connected; /**< one was of a broadcast that opened none */
} pb_learner_entry_t;

typedef struct pb_learner_class {
    uint64_t size_class; /**< 0: none */
    uint64_t used;
    int64_t spent;     /**< in broadcasts */
    int64_t extra;     /**< of that on trials */
    int64_t reference; /**< of what is settled */
    bool is_settled;
    bool is_paused;   /**< trials wait, see the invariant */
    int n_notes;      /**< since trying began */
    int n_drifted;    /**< in a row */
    bool drifts_up;   /**< if so */
    bool is_kept;     /**< it began with what an earlier learner knew of it */
    bool has_drifted; /**< it was settled, and is tried anew */
    int n_own;        /**< notes of this learner */
    int in_force;     /**< an entry; -1: none */
    int n_entries;
    pb_learner_entry_t entries[PB_LEARNER_ENTRIES];
} pb_learner_class_t;

typedef struct pb_learner {
    bool assumes;     /**< speeds are learnt */
    uint64_t fastest; /**< bits per second that may be learnt at most */
    uint64_t speed;   /**< bits per second; 0: nothing is known but what was assumed */
    bool is_guess; /**< the speed: by the fallback component, whose times are estimated at best */
    int64_t lateness; /**< of the root after the others, in the last note that shows it */
    uint64_t clock;   /**< counts uses of classes */
    uint64_t n_trials, n_changes;
    bool has_news; /**< something that is worth keeping was learnt since it began */
    /** By kind, the fallback component's last: by 1024 times what is predicted; 0: not known. */
    int64_t ratio[PB_KIND_COUNT + 1][PB_LEARNER_OCTAVES];
    pb_learner_class_t classes[PB_LEARNER_CLASSES];
} pb_learner_t;

/** The least of the notes that count, of which there is one. O(1). */
int64_t pb_learner_time(const pb_learner_entry_t *entry);

/** The one in the middle of them; of two, the longer one. O(1). */
int64_t pb_learner_usual_time(const pb_learner_entry_t *entry);

/** What a note has changed. */
typedef struct pb_lesson {
    bool is_new;   /**< what is in force for the class has changed, or trying began anew */
    bool restarts; /**< the latter */
    pb_candidate_t in_force;  /**< its time is the measured one */
    int64_t time;             /**< of the broadcast that was noted, without the root's lateness */
    uint64_t bits_per_second; /**< of links, as far as that is learnt; else 0 */
} pb_lesson_t;

/**
 * Nothing is known. With `assumed` bits per second of links that were not measured, speeds are
 * learnt, up to four times that; 0: the model was measured. O(size).
 */
void pb_learner_init(pb_learner_t *learner, uint64_t assumed);

/**
 * Begins with what another learner knew, of which each class has a candidate in force; to be called
 * after pb_learner_init(). O(size).
 */
void pb_learner_begin_with(pb_learner_t *learner, const pb_learner_t *kept);

/** More candidates are there from now on: they are tried in all classes. O(size). */
void pb_learner_admit(pb_learner_t *learner);

/**
 * Kinds are candidates no more (bit k: kind k): what was noted of them is dropped. Classes in which
 * they were in force go on with the best of the others, and try candidates anew. O(size).
 */
void pb_learner_drop(pb_learner_t *learner, uint32_t kinds);

/** Whether candidates of messages of `bytes` are tried, so that many should be watched. O(1). */
bool pb_learner_is_eager(const pb_learner_t *learner, uint64_t bytes);

/** Whether it is known how fast links are, as that was measured, or learnt. O(1). */
bool pb_learner_knows_links(const pb_learner_t *learner);

/** Whether it is known that broadcasts wait for links and not for software; where links were
 * measured, what either takes is in the predictions. O(1). */
bool pb_learner_waits_for_links(const pb_learner_t *learner);

/**
 * Bytes below which broadcasts need not be considered: the end of the longest class, of messages
 * below `most`, that is settled on the fallback component while of no shorter one another candidate
 * is in force. What has not been broadcast is taken to be as what is a little longer: ours win by
 * bytes, and lose by what they take for any message. 0: there is none. O(classes).
 */
uint64_t pb_learner_passed(const pb_learner_t *learner, uint64_t most);

/**
 * Whether the class of `bytes` has a candidate in force, which needs no question: it is settled,
 * or this broadcast is no trial. O(1).
 */
bool pb_learner_in_force(const pb_learner_t *learner, uint64_t bytes, pb_candidate_t *candidate);

/**
 * Whether the speed may follow from a watched broadcast of `bytes`, so that its curve is to be
 * known: not while candidates are tried beside one in force, which is what happens most. O(1).
 */
bool pb_learner_wants_curve(const pb_learner_t *learner, uint64_t bytes);

/**
 * Whether candidates of messages of `bytes` of which none was measured may be told apart by their
 * predictions. O(1).
 */
bool pb_learner_trusts(const pb_learner_t *learner, uint64_t bytes);

/**
 * Which of the n > 0 candidates, with their predictions at the learner's speed, is to be used for a
 * broadcast of `bytes` that is watched if `may_try`. Sets *is_trial_p. Idempotent. O(n entries).
 */
int pb_learner_pick(pb_learner_t *learner, uint64_t bytes, const pb_candidate_t *candidates, int n,
                    bool may_try, bool *is_trial_p);

/** A broadcast of `bytes` begins. O(1). */
void pb_learner_count(pb_learner_t *learner, uint64_t bytes);

/**
 * A watched broadcast took `longest` nanoseconds on the rank where it took longest, from its
 * arrival to its end, and no rank but the root waited less than `least_wait` for its first segment:
 * what that is longer than the way of a segment, the root came later than the others.
 */
pb_lesson_t pb_learner_note(pb_learner_t *learner, const pb_learner_trial_t *trial, int64_t longest,
                            int64_t least_wait);

/** The speed of point `i` of a curve. */
static inline uint64_t pb_learner_speed_of(int i)
{
    return PB_LEARNER_LEAST_SPEED << i;
}

#endif
