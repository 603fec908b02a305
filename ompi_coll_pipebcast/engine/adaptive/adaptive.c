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
static bool start_in(pb_adaptive_t *a, pb_adaptive_tree_t tree, const pb_adaptive_place_t *place)
{
    pb_transfer_limits_t limits;
    pb_message_t *message = pb_adaptive_host_message(a->env.host, tree, place, &limits);
    a->tree = tree;
    pb_delivery_init(&a->delivery);
    a->running[tree] = pb_transfer_start(&a->transfer[tree], place->role, &limits, a->env.total,
                                         place->segment_size, a->env.transport[tree], message);
    return a->running[tree];
}

/** Takes part in an announced tree, and passes its header on first. False if out of memory; then
 * it can be tried again. */
static bool try_announced(pb_adaptive_t *a, const pb_adaptive_place_t *place, const uint8_t *header,
                          size_t length)
{
    if (!pb_passing_init(&a->passing, a->env.control, place->role) ||
        !start_in(a, PB_ADAPTIVE_ANNOUNCED, place)) {
        pb_passing_finish(&a->passing);
        return false;
    }
    pb_passing_start(&a->passing, place->role, header, length);
    return true;
}

static bool start_announced(pb_adaptive_t *a, const pb_adaptive_place_t *place,
                            const uint8_t *header, size_t length)
{
    return try_announced(a, place, header, length) ||
           (pb_adaptive_host_spare(a->env.host) && try_announced(a, place, header, length));
}

static bool start_known(pb_adaptive_t *a, const pb_adaptive_place_t *place)
{
    return start_in(a, PB_ADAPTIVE_KNOWN, place) ||
           (pb_adaptive_host_spare(a->env.host) && start_in(a, PB_ADAPTIVE_KNOWN, place));
}

bool pb_adaptive_start_root(pb_adaptive_t *a, const pb_adaptive_env_t *env,
                            const pb_adaptive_place_t *place, const uint8_t *header, size_t length)
{
    *a = (pb_adaptive_t){.env = *env};
    const bool started =
        header == NULL ? start_known(a, place) : start_announced(a, place, header, length);
    if (!started) {
        pb_adaptive_finish(a);
    }
    return started;
}

bool pb_adaptive_start_receiver(pb_adaptive_t *a, const pb_adaptive_env_t *env,
                                const pb_adaptive_place_t *place)
{
    *a = (pb_adaptive_t){.env = *env};
    a->header = malloc(env->room);
    if (a->header == NULL && pb_adaptive_host_spare(env->host)) {
        a->header = malloc(env->room);
    }
    if (a->header == NULL || !start_known(a, place)) {
        pb_adaptive_finish(a);
        return false;
    }
    const int rc = pb_control_receive(env->control, a->header, env->room, &a->listening);
    if (rc != 0) {
        refused(a, rc);
    }
    return true;
}

/** Leaves the known tree, in which nothing was sent, for the one of the header. */
static void change_trees(pb_adaptive_t *a, size_t length)
{
    pb_adaptive_place_t place;
    pb_transfer_cancel(&a->transfer[PB_ADAPTIVE_KNOWN]);
    const int rc = pb_adaptive_host_learn(a->env.host, a->header, length, &place);
    if (rc != 0) {
        refused(a, rc);
    } else if (!start_announced(a, &place, a->header, length)) {
        refused(a, PB_ARRIVAL_NO_MEMORY);
    }
}

static void listen_for_header(pb_adaptive_t *a)
{
    int from;
    size_t length;
    int error = 0;
    if (!pb_control_received(a->env.control, &a->listening, &from, &length, &error)) {
        return;
    }
    if (error != 0) {
        refused(a, error);
    } else {
        change_trees(a, length);
    }
}

/** Advances the transfer of the tree that it is, and looks at what has come. */
static bool advance_transfer(pb_adaptive_t *a)
{
    pb_transfer_t *transfer = &a->transfer[a->tree];
    const bool is_through = pb_transfer_advance(transfer);
    if (pb_delivery_is_behind(&a->delivery, transfer)) {
        pb_delivery_look(&a->delivery, transfer, pb_adaptive_host_now(a->env.host));
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
    if (a->listening != NULL && !a->broken) {
        listen_for_header(a);
    }
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
    refused(a, PB_TRANSPORT_EMPTY);
}

void pb_adaptive_finish(pb_adaptive_t *a)
{
    int from;
    if (a->listening != NULL) {
        (void) pb_control_withdraw(a->env.control, &a->listening, &from);
    }
    pb_passing_finish(&a->passing);
    for (int tree = 0; tree < PB_ADAPTIVE_N_TREES; tree++) {
        if (a->running[tree]) {
            pb_transfer_finish(&a->transfer[tree]);
            a->running[tree] = false;
        }
    }
    free(a->header);
    a->header = NULL;
}
