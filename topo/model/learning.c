#include "topo/model/learning.h"

#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"
#include "topo/util/hash.h"

/** Of two hosts on one switch. */
#define N_LINKS 2

/** More than there are kinds and sizes of segments. */
#define MAX_CANDIDATES 256

/** A power of two. */
#define N_USED 64

struct pb_learning {
    pb_learner_t learner;
    const pb_placement_t *placement;
    const pb_model_t *given;
    pb_choose_options_t options;
    pb_model_t *corrected;      /**< NULL: none; of links of `learner.speed`, once it is brought up
                                     to date */
    pb_chooser_t *beside;       /**< whose profiles are used; NULL: none */
    pb_chooser_t *chooser;      /**< NULL: none; by `corrected`, or by what was measured */
    pb_learner_trial_t watched; /**< the last one */
    int last_kind;              /**< of tree; -1: none was used */
    /**
     * Of kinds and roots that were used, the last one of each hash, so that new ones are known as
     * such: alike on all ranks, which roles are kept is not.
     */
    uint64_t used[N_USED];
};

/** The candidates of one broadcast. */
typedef struct listed {
    uint32_t kinds; /**< bit k: kind k may be used */
    int n;
    pb_candidate_t candidates[MAX_CANDIDATES];
} listed_t;

pb_learning_t *pb_learning_new(void)
{
    return calloc(1, sizeof(pb_learning_t));
}

void pb_learning_forget(pb_learning_t *learning)
{
    pb_chooser_free(learning->chooser);
    free(learning->corrected);
    learning->chooser = NULL;
    learning->corrected = NULL;
}

void pb_learning_free(pb_learning_t *learning)
{
    if (learning != NULL) {
        pb_learning_forget(learning);
        free(learning);
    }
}

void pb_learning_begin(pb_learning_t *learning, const pb_placement_t *placement,
                       const pb_model_t *model, const pb_choose_options_t *options)
{
    pb_learning_forget(learning);
    pb_learner_init(&learning->learner, model->measured ? 0 : model->speed);
    learning->placement = placement;
    learning->given = model;
    learning->options = *options;
    learning->watched.bytes = 0;
    learning->last_kind = -1;
    memset(learning->used, 0, sizeof(learning->used));
}

/** The kinds whose frames switches copy: bit k is that of kind k. */
static uint32_t copied_kinds(void)
{
    uint32_t kinds = 0;
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        kinds |= (uint32_t) pb_kind_row((pb_kind_t) kind)->copies << kind;
    }
    return kinds;
}

/** Those that are no candidates as things are. */
static uint32_t gone_kinds(const pb_learning_t *learning)
{
    const uint32_t copied = copied_kinds();
    if (learning->options.frame == 0) {
        return copied;
    }
    /* If it is the only candidate, others have stood in for it. */
    const int only = learning->options.kind;
    return only >= 0 && (copied >> only & 1) != 0 ? ~copied : 0;
}

void pb_learning_predict_beside(pb_learning_t *learning, pb_chooser_t *chooser)
{
    pb_chooser_free(learning->chooser);
    learning->chooser = NULL;
    learning->beside = chooser;
}

void pb_learning_begin_with(pb_learning_t *learning, const pb_learner_t *kept)
{
    pb_learner_begin_with(&learning->learner, kept);
    pb_learner_drop(&learning->learner, copied_kinds() | gone_kinds(learning));
    if (learning->options.frame != 0) {
        pb_learner_admit(&learning->learner);
    }
}

static void drop(pb_learning_t *learning, uint32_t kinds)
{
    pb_learner_trial_t *watched = &learning->watched;
    pb_learner_drop(&learning->learner, kinds);
    if (watched->candidate.kind != PB_KIND_FALLBACK &&
        (kinds >> watched->candidate.kind & 1) != 0) {
        watched->is_dropped = true;
    }
    if (learning->last_kind >= 0 && (kinds >> learning->last_kind & 1) != 0) {
        learning->last_kind = -1;
    }
}

void pb_learning_set_frame(pb_learning_t *learning, uint64_t frame)
{
    if (learning->options.frame == frame) {
        return;
    }
    learning->options.frame = frame;
    drop(learning, copied_kinds() | gone_kinds(learning));
    if (learning->chooser != NULL) {
        pb_chooser_set_frame(learning->chooser, frame);
    }
    if (frame != 0) {
        pb_learner_admit(&learning->learner);
    }
}

const pb_learner_t *pb_learning_learner(const pb_learning_t *learning)
{
    return &learning->learner;
}

bool pb_learning_is_eager(const pb_learning_t *learning, uint64_t bytes)
{
    return pb_learner_is_eager(&learning->learner, bytes);
}

bool pb_learning_may_pass(const pb_learning_t *learning, uint64_t bytes, bool is_watched)
{
    pb_candidate_t in_force;
    const bool is_known = pb_learner_in_force(&learning->learner, bytes, &in_force);
    return learning->options.kind == PB_CHOOSE_ALL &&
           ((is_known && in_force.kind == PB_KIND_FALLBACK) ||
            (is_watched && pb_learner_is_eager(&learning->learner, bytes)) ||
            (!is_known && learning->learner.speed != 0));
}

/* ---- predictions ---- */

/** Whether the chooser predicts by what is known. */
static bool is_up_to_date(const pb_learning_t *learning)
{
    return learning->chooser != NULL &&
           (learning->corrected == NULL || learning->corrected->speed == learning->learner.speed);
}

/** The model of links as fast as they have turned out to be, as good as one that was measured. */
static int correct(pb_learning_t *learning)
{
    if (learning->given->measured) {
        return PB_SUCCESS;
    }
    if (learning->corrected == NULL) {
        learning->corrected = malloc(sizeof(*learning->corrected));
    }
    if (learning->corrected == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    pb_model_assume_other(learning->given, learning->learner.speed, learning->corrected);
    learning->corrected->measured = true;
    return PB_SUCCESS;
}

static int bring_up_to_date(pb_learning_t *learning)
{
    if (is_up_to_date(learning)) {
        return PB_SUCCESS;
    }
    const int rc = correct(learning);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    if (learning->chooser != NULL) {
        pb_chooser_renew(learning->chooser);
        return PB_SUCCESS;
    }
    const pb_model_t *model = learning->corrected != NULL ? learning->corrected : learning->given;
    learning->chooser = learning->beside != NULL
                            ? pb_chooser_new_beside(learning->beside, model)
                            : pb_chooser_new(learning->placement, model, &learning->options);
    return learning->chooser != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

static void list(void *context, const pb_candidate_t *candidate)
{
    listed_t *listed = context;
    const bool fits =
        candidate->kind == PB_KIND_FALLBACK || (listed->kinds >> candidate->kind & 1) != 0;
    if (fits && listed->n < MAX_CANDIDATES) {
        listed->candidates[listed->n++] = *candidate;
    }
}

int64_t pb_learning_time(pb_learning_t *learning, int root, uint64_t bytes,
                         const pb_candidate_t *candidate)
{
    const bool is_known = learning->given->measured || learning->learner.speed != 0;
    return is_known && bring_up_to_date(learning) == PB_SUCCESS
               ? pb_choose_time(learning->chooser, root, bytes, candidate)
               : -1;
}

uint64_t pb_learning_frame(const pb_learning_t *learning)
{
    return learning->options.frame;
}

/** The least weights of a broadcast's candidates; -1: there is none. */
typedef struct least {
    int64_t ours, fallback;
} least_t;

static void keep_least(void *context, const pb_candidate_t *candidate)
{
    least_t *least = context;
    int64_t *of = candidate->kind == PB_KIND_FALLBACK ? &least->fallback : &least->ours;
    *of = *of < 0 || candidate->weight < *of ? candidate->weight : *of;
}

/** Of a binomial tree, with its root. */
static int levels(int n_ranks)
{
    int n = 1;
    while (n_ranks > 1) {
        n_ranks -= n_ranks / 2;
        n++;
    }
    return n;
}

int pb_learning_pays(pb_learning_t *learning, int root, uint64_t bytes, int64_t per_level,
                     bool *pays_p)
{
    least_t least = {.ours = -1, .fallback = -1};
    int rc = bring_up_to_date(learning);
    if (rc == PB_SUCCESS) {
        rc = pb_choose_explain(learning->chooser, root, bytes, keep_least, &least);
    }
    const int64_t more = per_level * levels(learning->placement->n_ranks);
    *pays_p = rc == PB_SUCCESS && least.ours >= 0 && least.ours + more < least.fallback;
    return rc;
}

/* ---- choosing ---- */

static bool fits(uint32_t kinds, const pb_candidate_t *candidate)
{
    return candidate->kind == PB_KIND_FALLBACK || (kinds >> candidate->kind & 1) != 0;
}

/** By predictions and what was measured. */
static int pick(pb_learning_t *learning, int root, uint64_t bytes, bool is_watched, uint32_t kinds,
                const pb_candidate_t *prior, pb_learnt_t *learnt)
{
    listed_t listed = {.kinds = kinds};
    int rc = bring_up_to_date(learning);
    if (rc == PB_SUCCESS) {
        rc = pb_choose_explain(learning->chooser, root, bytes, list, &listed);
    }
    if (rc != PB_SUCCESS || listed.n == 0) {
        *learnt = (pb_learnt_t){.candidate = *prior};
        return rc;
    }
    const int at = pb_learner_pick(&learning->learner, bytes, listed.candidates, listed.n,
                                   is_watched, &learnt->is_trial);
    learnt->candidate = listed.candidates[at];
    return PB_SUCCESS;
}

int pb_learning_choose(pb_learning_t *learning, int root, uint64_t bytes, bool is_watched,
                       uint32_t kinds, const pb_choice_t *prior, pb_learnt_t *learnt)
{
    pb_candidate_t in_force;
    const bool is_known = pb_learner_in_force(&learning->learner, bytes, &in_force);
    const bool may_try = pb_learner_is_eager(&learning->learner, bytes) &&
                         (is_watched || in_force.kind == PB_KIND_FALLBACK);
    *learnt = (pb_learnt_t){.candidate = prior->best};
    if (is_watched && !pb_learner_knows_links(&learning->learner) && fits(kinds, &prior->best)) {
        return PB_SUCCESS;
    }
    if (is_known && !may_try && fits(kinds, &in_force)) {
        learnt->candidate = in_force;
        return PB_SUCCESS;
    }
    return pb_learner_trusts(&learning->learner, bytes)
               ? pick(learning, root, bytes, is_watched, kinds, &prior->best, learnt)
               : PB_SUCCESS;
}

/** Of a kind and root, never 0. The fallback component's connections are those of any root. */
static uint64_t key_of(int root, const pb_candidate_t *candidate)
{
    return candidate->kind == PB_KIND_FALLBACK
               ? 1
               : ((uint64_t) root * PB_KIND_COUNT + (uint64_t) candidate->kind) + 2;
}

static uint64_t *used_at(pb_learning_t *learning, uint64_t key)
{
    return &learning->used[pb_hash_end(pb_hash_number(PB_HASH_START, key)) & (N_USED - 1)];
}

void pb_learning_count(pb_learning_t *learning, int root, uint64_t bytes,
                       const pb_candidate_t *candidate)
{
    const uint64_t key = key_of(root, candidate);
    *used_at(learning, key) = key;
    pb_learner_count(&learning->learner, bytes);
}

/* ---- watching ---- */

/** The way of what a rank waits for first from one host to another. */
static int64_t hop(const pb_chooser_t *chooser, const pb_model_t *model,
                   const pb_candidate_t *candidate, uint64_t bytes)
{
    return pb_model_cost(model, N_LINKS, pb_choose_first(chooser, candidate, bytes)).rtt / 2;
}

/** What the candidate is predicted to take, by the speed of links. */
static int draw_curve(const pb_learning_t *learning, pb_chooser_t *chooser, int root,
                      uint64_t bytes, const pb_candidate_t *candidate, pb_learner_curve_t *curve)
{
    pb_model_t *model = malloc(sizeof(*model));
    int rc = model != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    for (int i = 0; rc == PB_SUCCESS && i < PB_LEARNER_SPEEDS; i++) {
        pb_model_assume_other(learning->given, pb_learner_speed_of(i), model);
        curve->time[i] = pb_choose_time_by(chooser, model, root, bytes, candidate);
        curve->hop[i] = hop(chooser, model, candidate, bytes);
        rc = curve->time[i] >= 0 ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    }
    curve->is_known = rc == PB_SUCCESS;
    free(model);
    return rc;
}

int pb_learning_watch(pb_learning_t *learning, pb_chooser_t *chooser, int root, uint64_t bytes,
                      const pb_learnt_t *learnt)
{
    const uint64_t size_class = pb_size_class(bytes);
    const pb_candidate_t *candidate = &learnt->candidate;
    const uint64_t key = key_of(root, candidate);
    pb_learner_trial_t *watched = &learning->watched;
    *watched = (pb_learner_trial_t){.bytes = bytes,
                                    .candidate = learnt->candidate,
                                    .is_trial = learnt->is_trial,
                                    .opens = *used_at(learning, key) != key};
    if (candidate->kind != PB_KIND_FALLBACK) {
        learning->last_kind = candidate->kind;
    }
    if (learning->given->measured) {
        watched->hop = hop(chooser, learning->given, candidate, bytes);
        watched->candidate.time = pb_choose_time(chooser, root, size_class, candidate);
        return watched->candidate.time >= 0 ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    }
    if (!pb_learner_wants_curve(&learning->learner, bytes)) {
        watched->candidate.time = pb_learning_time(learning, root, size_class, candidate);
        watched->hop =
            watched->candidate.time >= 0 ? hop(chooser, learning->corrected, candidate, bytes) : 0;
        return watched->candidate.time >= 0 ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    }
    return draw_curve(learning, chooser, root, size_class, candidate, &watched->curve);
}

pb_kind_t pb_learning_last_kind(const pb_learning_t *learning, const pb_candidate_t *prior)
{
    return learning->last_kind >= 0          ? (pb_kind_t) learning->last_kind
           : prior->kind != PB_KIND_FALLBACK ? (pb_kind_t) prior->kind
                                             : PB_KIND_CHAIN;
}

const pb_learner_trial_t *pb_learning_watched(const pb_learning_t *learning)
{
    return &learning->watched;
}

pb_lesson_t pb_learning_note(pb_learning_t *learning, int64_t longest, int64_t least_wait)
{
    if (learning->watched.bytes == 0) {
        return (pb_lesson_t){.time = longest};
    }
    const pb_lesson_t lesson =
        pb_learner_note(&learning->learner, &learning->watched, longest, least_wait);
    learning->watched.bytes = 0;
    return lesson;
}

size_t pb_learning_memory(const pb_learning_t *learning)
{
    return (learning->corrected != NULL ? sizeof(*learning->corrected) : 0) +
           (learning->chooser != NULL ? pb_chooser_memory(learning->chooser) : 0);
}
