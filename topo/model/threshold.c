#include "topo/model/threshold.h"

#include "topo/util/error.h"

void pb_threshold_begin(pb_threshold_t *threshold, uint64_t named)
{
    *threshold = (pb_threshold_t){.named = named};
    threshold->lowest = threshold->bytes = pb_threshold_first(named);
}

bool pb_threshold_passes(pb_threshold_t *threshold, uint64_t bytes)
{
    if (bytes >= threshold->bytes) {
        return false;
    }
    if (bytes < threshold->lowest) {
        return true;
    }
    threshold->n_passed = (threshold->n_passed + 1) % PB_THRESHOLD_LOOK;
    return threshold->n_passed != 0;
}

void pb_threshold_raise(pb_threshold_t *threshold, const pb_learner_t *learner)
{
    const uint64_t learnt = pb_learner_passed(learner, PB_THRESHOLD_MOST);
    threshold->bytes = learnt > threshold->lowest ? learnt : threshold->lowest;
}

/** Finds the least size; an octave is exact enough. */
static int predict_lowest(pb_threshold_t *threshold, pb_learning_t *learning, int root)
{
    bool pays = true;
    threshold->lowest = PB_THRESHOLD_ASSUMED;
    for (uint64_t bytes = PB_THRESHOLD_ASSUMED / 2; bytes > 0 && pays; bytes /= 2) {
        const int rc = pb_learning_pays(learning, root, bytes, PB_THRESHOLD_SERVING, &pays);
        if (rc != PB_SUCCESS) {
            return rc;
        }
        threshold->lowest = pays ? bytes : threshold->lowest;
    }
    return PB_SUCCESS;
}

int pb_threshold_lower(pb_threshold_t *threshold, pb_learning_t *learning, int root)
{
    const pb_learner_t *learner = pb_learning_learner(learning);
    const uint64_t speed = learner->assumes ? learner->speed : 1; /* 1: that of the model */
    const uint64_t frame = pb_learning_frame(learning);
    if (!pb_learner_waits_for_links(learner)) {
        threshold->lowest = pb_threshold_first(threshold->named);
        threshold->speed = threshold->frame = 0;
        return PB_SUCCESS;
    }
    if (threshold->named != 0 || (threshold->speed == speed && threshold->frame == frame)) {
        return PB_SUCCESS;
    }
    const int rc = predict_lowest(threshold, learning, root);
    if (rc == PB_SUCCESS) {
        threshold->speed = speed;
        threshold->frame = frame;
    }
    return rc;
}
