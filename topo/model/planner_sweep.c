#include "topo/model/planner_internal.h"

#include <stdlib.h>

/** More than there are kinds and sizes of segments. */
enum { MAX_CANDIDATES = 256 };

/** Bits per second: less is no speed that links have. */
#define LEAST_SPEED UINT64_C(62500)

/** Factor by which links may be faster than was assumed. */
#define MOST_TIMES_ASSUMED 4

/** The candidates of one broadcast. */
typedef struct listed {
    uint32_t kinds; /**< that may be used */
    int n;
    pb_candidate_t candidates[MAX_CANDIDATES];
} listed_t;

static void list(void *context, const pb_candidate_t *candidate)
{
    listed_t *listed = context;
    if (pb_planner_is_of(listed->kinds, candidate->kind) && listed->n < MAX_CANDIDATES) {
        listed->candidates[listed->n++] = *candidate;
    }
}

/** Takes another candidate than the one in force, if one is to be tried. */
static int find_trial(pb_planner_t *planner, pb_chooser_t *chooser, pb_planner_swept_t *swept)
{
    if (!pb_learner_is_trying(planner->learner, swept->trial.slot)) {
        return PB_SUCCESS;
    }
    listed_t listed; /* large: it is not filled with zeros */
    listed.kinds = pb_planner_kinds(planner, swept->root);
    listed.n = 0;
    const int rc = pb_choose_explain(chooser, swept->root, swept->bytes, true, list, &listed);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    const int at =
        pb_learner_next(planner->learner, swept->trial.slot, listed.candidates, listed.n);
    if (at >= 0) {
        swept->trial.candidate = listed.candidates[at];
        swept->trial.is_trial = true;
    }
    return PB_SUCCESS;
}

/** Predicts the times of a swept broadcast, by the model that plans. */
static int predict(const pb_planner_t *planner, pb_chooser_t *chooser, pb_planner_swept_t *swept)
{
    pb_candidate_t *candidate = &swept->trial.candidate;
    const uint64_t first = pb_choose_first(chooser, candidate, swept->bytes);
    candidate->time = pb_choose_time(chooser, swept->root, swept->trial.size_class, candidate);
    swept->time = swept->bytes == swept->trial.size_class
                      ? candidate->time
                      : pb_choose_time(chooser, swept->root, swept->bytes, candidate);
    swept->message = pb_model_message_time(planner->model, swept->bytes);
    swept->trial.hop = pb_model_message_time(planner->model, first);
    return candidate->time >= 0 && swept->time >= 0 ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

/** The tree along which the sweep of a broadcast of the fallback component travels: one whose
 * connections are paid for. */
static pb_kind_t tree_of_sweep(const pb_planner_t *planner, int root)
{
    const int kind = planner->swept_kind;
    return kind >= 0 && pb_planner_is_of(pb_planner_kinds(planner, root), kind) ? (pb_kind_t) kind
                                                                                : PB_KIND_CHAIN;
}

/** Finds the candidate of a swept broadcast, with its prediction. */
static int find_candidate(pb_planner_t *planner, pb_planner_swept_t *swept)
{
    pb_chooser_t *chooser = pb_planner_chooser(planner, PB_AMONG_ALL);
    int rc = chooser != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    if (rc == PB_SUCCESS && pb_planner_learns(planner)) {
        swept->trial.slot = pb_learner_take(planner->learner, swept->bytes);
        rc = find_trial(planner, chooser, swept);
    }
    return rc == PB_SUCCESS ? predict(planner, chooser, swept) : rc;
}

static int sweep(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned)
{
    pb_planner_swept_t swept = {
        .root = root,
        .bytes = bytes,
        .trial = {.slot = -1,
                  .size_class = pb_size_class(bytes),
                  .candidate = {.kind = planned->fallback ? PB_KIND_FALLBACK : (int) planned->kind,
                                .segment = planned->segment}}};
    int rc = find_candidate(planner, &swept);
    if (rc != PB_SUCCESS) {
        planned->is_known = false; /* the others may try another one */
        return rc;
    }
    swept.trial.opens =
        !pb_planner_is_used(planner, pb_planner_key(root, swept.trial.candidate.kind));
    planned->is_trial = swept.trial.is_trial;
    pb_planner_fill(planned, &swept.trial.candidate, bytes);
    planned->piece_size = pb_planner_piece_of(
        pb_planner_piece(planner, PB_AMONG_ALL, planned, swept.trial.size_class), bytes);
    planner->swept = swept;
    /* The role that was planned is asked for again, too: the one that was used last is kept. */
    const bool is_new = planned->role != NULL && !planned->is_trial && !planned->was_cached;
    rc = pb_planner_get_role(planner, root,
                             planned->fallback ? tree_of_sweep(planner, root) : planned->kind, NULL,
                             planned);
    planned->was_cached = planned->was_cached && !is_new;
    return rc;
}

int pb_planner_plan_swept(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned)
{
    const pb_planned_t before = *planned;
    int rc = sweep(planner, root, bytes, planned);
    if (rc == PB_ERR_NO_MEMORY) {
        pb_planner_forget(planner);
        *planned = before;
        planned->role = NULL; /* forgotten, too */
        rc = sweep(planner, root, bytes, planned);
    }
    if (rc != PB_SUCCESS) {
        return rc;
    }
    const int kind = planner->swept.trial.candidate.kind;
    pb_planner_note_used(planner, pb_planner_key(root, kind));
    planner->swept_kind = kind != PB_KIND_FALLBACK ? kind : planner->swept_kind;
    pb_planner_trim(planner);
    return PB_SUCCESS;
}

void pb_planner_predicted(const pb_planner_t *planner, int64_t *time_p, int64_t *message_p)
{
    *time_p = planner->swept.time;
    *message_p = planner->swept.message;
}

/** The time that the swept broadcast is predicted to take by links of this speed; -1: no memory. */
static int64_t time_at(pb_planner_t *planner, uint64_t speed)
{
    const pb_planner_swept_t *swept = &planner->swept;
    pb_chooser_t *chooser = pb_planner_chooser(planner, PB_AMONG_ALL);
    pb_model_assume_other(planner->given, speed, planner->corrected);
    planner->corrected->measured = true;
    return chooser != NULL ? pb_choose_time_by(chooser, planner->corrected, swept->root,
                                               swept->trial.size_class, &swept->trial.candidate)
                           : -1;
}

/** Sets the corrected model to the speed at which it explains a time of the swept broadcast. */
static int find_speed(pb_planner_t *planner, int64_t time)
{
    uint64_t slow = LEAST_SPEED, fast = MOST_TIMES_ASSUMED * planner->given->speed;
    int64_t predicted = 0;
    while (slow + slow / 64 < fast && predicted >= 0) {
        /* By factors first, as speeds differ by orders of magnitude. */
        const uint64_t middle = fast / slow > 4 ? 2 * slow : slow + (fast - slow) / 2;
        predicted = time_at(planner, middle);
        slow = predicted > time ? middle : slow;
        fast = predicted > time ? fast : middle;
    }
    return predicted >= 0 ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

static int correct_speed(pb_planner_t *planner, int64_t time)
{
    if (planner->corrected == NULL) {
        planner->corrected = malloc(sizeof(*planner->corrected));
    }
    int rc = planner->corrected != NULL ? find_speed(planner, time) : PB_ERR_NO_MEMORY;
    if (rc == PB_SUCCESS) {
        planner->model = planner->corrected;
        for (int i = 0; i < PB_N_AMONG; i++) {
            if (planner->choosers[i] != NULL) {
                pb_chooser_set_model(planner->choosers[i], planner->model);
            }
        }
        pb_planner_drop_rows(planner);
    }
    return rc;
}

void pb_planner_pass_over(pb_planner_t *planner)
{
    if (planner->swept.root >= 0 && pb_planner_learns(planner)) {
        pb_learner_pass_over(planner->learner, &planner->swept.trial);
    }
    planner->swept.root = -1;
}

int pb_planner_note(pb_planner_t *planner, int64_t longest, int64_t least_wait, pb_lesson_t *lesson)
{
    const pb_planner_swept_t *swept = &planner->swept;
    int rc = PB_SUCCESS;
    *lesson = (pb_lesson_t){.outcome = PB_OUTCOME_STAYS, .time = longest};
    if (swept->root < 0 || !pb_planner_learns(planner)) {
        return PB_SUCCESS;
    }
    lesson->outcome =
        pb_learner_note(planner->learner, &swept->trial, longest, least_wait, &lesson->time);
    if (lesson->outcome == PB_OUTCOME_SPEED) {
        rc = correct_speed(planner, lesson->time);
        if (rc == PB_ERR_NO_MEMORY) {
            pb_planner_forget(planner);
            rc = correct_speed(planner, lesson->time);
        }
        pb_learner_forget(planner->learner);
    }
    lesson->bits_per_second = planner->given->measured ? 0 : planner->model->speed;
    (void) pb_learner_in_force(planner->learner, swept->bytes, &lesson->in_force);
    planner->swept.root = -1;
    return rc;
}
