/*
 * One rank's part of an adaptive broadcast; see engine/adaptive/adaptive.h.
 */
#include "engine/adaptive/adaptive.h"

#include "engine/adaptive/header.h"

static void keep_first_error(pb_adaptive_t *a, int error)
{
    if (a->error == 0) {
        a->error = error;
    }
}

static void refused(pb_adaptive_t *a, int error)
{
    keep_first_error(a, error);
    a->broken = true;
}

/** Takes part in one of the trees. False if out of memory. */
static bool start_in(pb_adaptive_t *a, pb_adaptive_tree_t tree, const pb_adaptive_part_t *part)
{
    pb_transfer_limits_t limits;
    pb_message_t *message = pb_adaptive_caller_message(a->env.caller, tree, part, &limits);
    a->tree = tree;
    pb_delivery_init(&a->delivery);
    a->running[tree] = pb_transfer_start(&a->transfer[tree], part->role, &limits, a->env.total,
                                         part->segment_size, a->env.transport[tree], message);
    return a->running[tree];
}

/** Takes part in an announced tree, and passes its header on first. False if out of memory. */
static bool try_announced(pb_adaptive_t *a, const pb_adaptive_part_t *part, const uint8_t *header,
                          size_t length)
{
    if (!pb_passing_init(&a->passing, a->env.control, part->role) ||
        !start_in(a, PB_ADAPTIVE_ANNOUNCED, part)) {
        pb_passing_finish(&a->passing);
        return false;
    }
    pb_passing_start(&a->passing, part->role, header, length);
    pb_settling_init(&a->settling, a->env.settling, part->role);
    return true;
}

/** The same, tried once more: the header may come in the middle of a broadcast. */
static bool start_announced(pb_adaptive_t *a, const pb_adaptive_part_t *part, const uint8_t *header,
                            size_t length)
{
    return try_announced(a, part, header, length) || try_announced(a, part, header, length);
}

bool pb_adaptive_start_root(pb_adaptive_t *a, const pb_adaptive_env_t *env,
                            const pb_adaptive_part_t *part, const uint8_t *header, size_t length)
{
    *a = (pb_adaptive_t){.env = *env};
    const bool started = header == NULL ? start_in(a, PB_ADAPTIVE_KNOWN, part)
                                        : start_announced(a, part, header, length);
    if (!started) {
        pb_adaptive_finish(a);
    }
    return started;
}

/**
 * Whether a header is here for this start; one for a later start stays where it is. An error may be
 * found: then it is refused.
 */
static bool hears_header(pb_adaptive_t *a)
{
    pb_listening_t *listening = a->env.listening;
    uint32_t start;
    int error = 0;
    if (!pb_listening_hear(listening, a->env.control, &error)) {
        if (error != 0) {
            refused(a, error);
        }
        return false;
    }
    if (pb_adaptive_header_start(listening->header, listening->length, &start) != PB_SUCCESS ||
        (int32_t) (start - a->env.start) < 0) {
        refused(a, PB_ERR_MALFORMED);
        return false;
    }
    return start == a->env.start;
}

/** Takes part in the tree of the header that is here. 0 or an error, after which it is here still.
 */
static int take_header(pb_adaptive_t *a)
{
    const pb_listening_t *listening = a->env.listening;
    pb_adaptive_part_t part;
    const int rc =
        pb_adaptive_caller_learn(a->env.caller, listening->header, listening->length, &part);
    if (rc != 0) {
        return rc;
    }
    if (!start_announced(a, &part, listening->header, listening->length)) {
        return PB_ERR_NO_MEMORY;
    }
    a->listens = false;
    return 0;
}

/** Begins in the known tree, and listens for a header. False if out of memory. */
static bool start_in_known(pb_adaptive_t *a, const pb_adaptive_part_t *part)
{
    if (!start_in(a, PB_ADAPTIVE_KNOWN, part)) {
        pb_adaptive_finish(a);
        return false;
    }
    const int rc = pb_listening_post(a->env.listening, a->env.control, a->env.room);
    if (rc != 0) {
        refused(a, rc);
    }
    return true;
}

bool pb_adaptive_start_receiver(pb_adaptive_t *a, const pb_adaptive_env_t *env,
                                const pb_adaptive_part_t *part)
{
    *a = (pb_adaptive_t){.env = *env, .listens = true};
    if (!pb_listening_make_room(env->listening, env->room)) {
        return false;
    }
    if (!hears_header(a)) {
        return start_in_known(a, part);
    }
    const int rc = take_header(a);
    if (rc != 0 && rc != PB_ERR_NO_MEMORY) {
        refused(a, rc);
    }
    return rc != PB_ERR_NO_MEMORY;
}

/** Leaves the known tree, in which nothing was sent, for the one of the header. */
static void change_trees(pb_adaptive_t *a)
{
    pb_transfer_cancel(&a->transfer[PB_ADAPTIVE_KNOWN]);
    const int rc = take_header(a);
    if (rc != 0) {
        refused(a, rc);
    }
}

/** Advances the transfer of the tree that it is, and looks at what has come. */
static bool advance_transfer(pb_adaptive_t *a)
{
    pb_transfer_t *transfer = &a->transfer[a->tree];
    const bool is_through = pb_transfer_advance(transfer);
    if (pb_delivery_is_behind(&a->delivery, transfer)) {
        pb_delivery_look(&a->delivery, transfer, pb_adaptive_caller_now(a->env.caller));
    }
    return is_through;
}

/** The receives that were posted in the known tree end; no one waits for that. */
static void leave_known(pb_adaptive_t *a)
{
    if (a->tree != PB_ADAPTIVE_KNOWN && a->running[PB_ADAPTIVE_KNOWN] &&
        pb_transfer_advance(&a->transfer[PB_ADAPTIVE_KNOWN])) {
        pb_transfer_finish(&a->transfer[PB_ADAPTIVE_KNOWN]);
        a->running[PB_ADAPTIVE_KNOWN] = false;
    }
}

/** Whether all ranks below have taken the announcement, and the parent knows; or it need not be. */
static bool is_settled(pb_adaptive_t *a)
{
    if (a->env.settling == NULL || a->tree != PB_ADAPTIVE_ANNOUNCED || a->broken) {
        return true;
    }
    const bool is_through = pb_settling_advance(&a->settling, !a->running[PB_ADAPTIVE_KNOWN]);
    if (a->settling.error != 0) {
        refused(a, a->settling.error);
    }
    return is_through;
}

bool pb_adaptive_advance(pb_adaptive_t *a)
{
    if (a->listens && !a->broken && hears_header(a)) {
        change_trees(a);
    }
    const bool headers_left = pb_passing_reap(&a->passing);
    if (a->passing.broken) {
        refused(a, a->passing.error);
    }
    if (a->broken && a->running[a->tree]) {
        pb_transfer_cancel(&a->transfer[a->tree]);
    }
    leave_known(a);
    const bool settled = is_settled(a);
    return (!a->running[a->tree] || advance_transfer(a)) && headers_left && settled;
}

int pb_adaptive_error(const pb_adaptive_t *a)
{
    return a->error != 0           ? a->error
           : a->passing.error != 0 ? a->passing.error
                                   : a->transfer[a->tree].error;
}

bool pb_adaptive_is_broken(const pb_adaptive_t *a)
{
    return a->broken || (a->running[a->tree] && a->transfer[a->tree].broken);
}

void pb_adaptive_cancel(pb_adaptive_t *a)
{
    refused(a, PB_ERR_EMPTY);
}

void pb_adaptive_finish(pb_adaptive_t *a)
{
    pb_passing_finish(&a->passing);
    pb_settling_finish(&a->settling);
    for (int tree = 0; tree < PB_ADAPTIVE_N_TREES; tree++) {
        if (a->running[tree]) {
            pb_transfer_finish(&a->transfer[tree]);
            a->running[tree] = false;
        }
    }
    if (a->tree == PB_ADAPTIVE_ANNOUNCED && a->env.listening != NULL) {
        pb_listening_take(a->env.listening);
    }
}
