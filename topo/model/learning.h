/*
 * Learning, as a planner does it: the learner (topo/model/learner.h) with the predictions that it
 * corrects, of the candidates for a root by a model of links as fast as they have turned out to be
 * (ours).
 *
 * Where nothing was measured and nothing is learnt yet, the choice for doubtful speeds
 * (topo/model/choose.h) counts, that of a first broadcast where it is watched; once the speed is
 * known, all candidates do.
 */
#ifndef PB_LEARNING_H
#define PB_LEARNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/model/choose.h"
#include "topo/model/learner.h"

typedef struct pb_learning pb_learning_t;

/** What is used for one broadcast. */
typedef struct pb_learnt {
    pb_candidate_t candidate;
    bool is_trial;
} pb_learnt_t;

/** Nothing is learnt before pb_learning_begin(). Freed by pb_learning_free(). NULL: no memory. */
pb_learning_t *pb_learning_new(void);
void pb_learning_free(pb_learning_t *learning);

/** Begins with nothing known. Placement and model are borrowed. Needs no memory. */
void pb_learning_begin(pb_learning_t *learning, const pb_placement_t *placement,
                       const pb_model_t *model, const pb_choose_options_t *options);

/**
 * Predicts beside this chooser, for the same placement and options, and so need not make profiles
 * that it has made; NULL: beside none. It is borrowed until the next call.
 */
void pb_learning_predict_beside(pb_learning_t *learning, pb_chooser_t *chooser);

/**
 * Begins with what an earlier learner knew, after pb_learning_begin(), but for multicast: whether
 * that works, and with which frames, is found anew. Needs no memory.
 */
void pb_learning_begin_with(pb_learning_t *learning, const pb_learner_t *kept);

/**
 * Multicast is a candidate with frames of so many bytes from now on (pb_choose_options_t.frame); 0:
 * it is none. See pb_learner_admit() and pb_learner_drop(). O(size).
 */
void pb_learning_set_frame(pb_learning_t *learning, uint64_t frame);

/** What is known now. */
const pb_learner_t *pb_learning_learner(const pb_learning_t *learning);

/** Whether broadcasts of `bytes` should be watched often. O(1). */
bool pb_learning_is_eager(const pb_learning_t *learning, uint64_t bytes);

/** Whether a broadcast of `bytes` may be the fallback component's for what was learnt. O(1). */
bool pb_learning_may_pass(const pb_learning_t *learning, uint64_t bytes, bool is_watched);

/**
 * What to use, of the kinds in `kinds` (bit k: kind k) and the fallback component, where `prior`
 * was chosen without what is learnt. PB_ERR_NO_MEMORY. May be asked again for the same broadcast.
 */
int pb_learning_choose(pb_learning_t *learning, int root, uint64_t bytes, bool is_watched,
                       uint32_t kinds, const pb_choice_t *prior, pb_learnt_t *learnt);

/** A broadcast begins, with what was chosen. */
void pb_learning_count(pb_learning_t *learning, int root, uint64_t bytes,
                       const pb_candidate_t *candidate);

/**
 * It is watched; to be called before it is counted. `chooser` predicts by the model that was given.
 * PB_ERR_NO_MEMORY.
 */
int pb_learning_watch(pb_learning_t *learning, pb_chooser_t *chooser, int root, uint64_t bytes,
                      const pb_learnt_t *learnt);

/** Bytes of the frames of multicast; 0: it is no candidate. O(1). */
uint64_t pb_learning_frame(const pb_learning_t *learning);

/**
 * Whether our best candidate for `bytes` from `root` is predicted, by what is known of links, to
 * take less than the fallback component, by more than `per_level` nanoseconds for each level of a
 * binomial tree of the ranks. PB_ERR_NO_MEMORY. As pb_choose_explain().
 */
int pb_learning_pays(pb_learning_t *learning, int root, uint64_t bytes, int64_t per_level,
                     bool *pays_p);

/** The tree that was used last, whose connections are there; by default that of `prior`. */
pb_kind_t pb_learning_last_kind(const pb_learning_t *learning, const pb_candidate_t *prior);

/** How long the last one that is watched took; see pb_learner_note(). */
pb_lesson_t pb_learning_note(pb_learning_t *learning, int64_t longest, int64_t least_wait);

/** The last one that is watched; its bytes are 0 if there is none. */
const pb_learner_trial_t *pb_learning_watched(const pb_learning_t *learning);

/** Predicted by what is known of links. As pb_choose_time(). */
int64_t pb_learning_time(pb_learning_t *learning, int root, uint64_t bytes,
                         const pb_candidate_t *candidate);

/** Bytes that are kept beside the fixed ones, and giving them back. O(1). */
size_t pb_learning_memory(const pb_learning_t *learning);
void pb_learning_forget(pb_learning_t *learning);

#endif
