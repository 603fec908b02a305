/*
 * One rank's part of an adaptive broadcast; see engine/adaptive/adaptive.h.
 */
#include "engine/adaptive/adaptive.h"

#include <stdlib.h>

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

bool pb_adaptive_start_receiver(pb_adaptive_t *a, const pb_adaptive_env_t *env,
                                const pb_adaptive_part_t *part)
{
    *a = (pb_adaptive_t){.env = *env, .header = malloc(env->room)};
    if (a->header == NULL || !start_in(a, PB_ADAPTIVE_KNOWN, part)) {
        pb_adaptive_finish(a);
        return false;
    }
    const int rc = pb_control_receive(env->control, a->header, env->room, &a->listen);
    if (rc != 0) {
        refused(a, rc);
    }
    return true;
}

/** Leaves the known tree, in which nothing was sent, for the one of the header. 0 or an error. */
static int change_trees(pb_adaptive_t *a, size_t length)
{
    pb_adaptive_part_t part;
    pb_transfer_cancel(&a->transfer[PB_ADAPTIVE_KNOWN]);
    const int rc = pb_adaptive_caller_learn(a->env.caller, a->header, length, &part);
    if (rc != 0) {
        return rc;
    }
    return start_announced(a, &part, a->header, length) ? 0 : PB_ERR_NO_MEMORY;
}

/** Takes the header if it has come. */
static void listen_for_header(pb_adaptive_t *a)
{
    int from, error = 0;
    size_t length;
    if (a->listen == NULL || a->broken ||
        !pb_control_received(a->env.control, &a->listen, &from, &length, &error)) {
        return;
    }
    if (error == 0) {
        error = change_trees(a, length);
    }
    if (error != 0) {
        refused(a, error);
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

bool pb_adaptive_advance(pb_adaptive_t *a)
{
    listen_for_header(a);
    const bool headers_left = pb_passing_reap(&a->passing);
    if (a->passing.broken) {
        refused(a, a->passing.error);
    }
    if (a->broken && a->running[a->tree]) {
        pb_transfer_cancel(&a->transfer[a->tree]);
    }
    leave_known(a);
    return (!a->running[a->tree] || advance_transfer(a)) && headers_left;
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
    for (int tree = 0; tree < PB_ADAPTIVE_N_TREES; tree++) {
        if (a->running[tree]) {
            pb_transfer_finish(&a->transfer[tree]);
            a->running[tree] = false;
        }
    }
    if (a->listen != NULL) {
        int from;
        (void) pb_control_withdraw(a->env.control, &a->listen, &from);
    }
    free(a->header);
    a->header = NULL;
}
