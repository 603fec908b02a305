/*
 * A receiver's part of an arrival-aware broadcast; see engine/arrival/receiver.h.
 */
#include "engine/arrival/receiver.h"

#include <stdlib.h>

static void keep_first_error(pb_arrival_receiver_t *r, int error)
{
    if (r->error == 0) {
        r->error = error;
    }
}

static void refused(pb_arrival_receiver_t *r, int error)
{
    keep_first_error(r, error);
    r->broken = true;
}

/** What this rank reports to the root: what it saw when it was root itself. */
static uint8_t report_of(const pb_arrival_env_t *env)
{
    return (uint8_t) (env->mode != NULL && env->mode->last_root == env->rank ? env->mode->report
                                                                             : PB_ARRIVAL_UNKNOWN);
}

bool pb_arrival_receiver_start(pb_arrival_receiver_t *r, const pb_arrival_env_t *env)
{
    *r = (pb_arrival_receiver_t){
        .env = *env, .notice = report_of(env), .started = pb_arrival_caller_now(env->caller)};
    r->bytes = malloc(pb_arrival_header_room(env->n_ranks));
    if (r->bytes == NULL) {
        return false;
    }
    int rc = pb_control_receive(env->control, r->bytes, pb_arrival_header_room(env->n_ranks),
                                &r->listening);
    if (rc == 0) {
        rc = pb_control_send(env->control, &r->notice, sizeof(r->notice), env->root, &r->notifying);
    }
    if (rc != 0) {
        refused(r, rc);
    }
    return true;
}

/** The header has come: takes part in its group. */
static void join(pb_arrival_receiver_t *r)
{
    if (!pb_arrival_header_read(&r->header, r->env.n_ranks, r->env.rank, r->bytes, r->length)) {
        refused(r, PB_ERR_MALFORMED);
        return;
    }
    const pb_role_t *role;
    int rc = pb_arrival_caller_role(r->env.caller, &r->header, &role);
    if (rc == 0) {
        rc = pb_arrival_group_start(&r->group, &r->env, &r->header, role, r->bytes, r->length);
    }
    if (rc != 0) {
        refused(r, rc);
    }
}

static void listen_for_header(pb_arrival_receiver_t *r)
{
    int from;
    int error = 0;
    if (!pb_control_received(r->env.control, &r->listening, &from, &r->length, &error)) {
        return;
    }
    if (error != 0) {
        r->length = 0;
        refused(r, error);
        return;
    }
    r->waited = pb_arrival_caller_now(r->env.caller) - r->started;
    join(r);
}

/** Whether ARRIVED has left. */
static bool has_notified(pb_arrival_receiver_t *r)
{
    int error = 0;
    if (r->notifying != NULL && pb_control_sent(r->env.control, &r->notifying, &error)) {
        keep_first_error(r, error);
    }
    return r->notifying == NULL;
}

bool pb_arrival_receiver_advance(pb_arrival_receiver_t *r)
{
    const bool notified = has_notified(r);
    if (r->listening != NULL && !r->broken) {
        listen_for_header(r);
    }
    if (r->group.running) {
        return pb_arrival_group_advance(&r->group) && notified;
    }
    return r->broken && notified;
}

int pb_arrival_receiver_error(const pb_arrival_receiver_t *r)
{
    return r->error != 0 ? r->error : r->group.running ? pb_arrival_group_error(&r->group) : 0;
}

bool pb_arrival_receiver_is_broken(const pb_arrival_receiver_t *r)
{
    return r->broken || (r->group.running && pb_arrival_group_is_broken(&r->group));
}

void pb_arrival_receiver_cancel(pb_arrival_receiver_t *r)
{
    r->broken = true;
    pb_arrival_group_cancel(&r->group);
}

void pb_arrival_receiver_finish(pb_arrival_receiver_t *r)
{
    int from;
    pb_arrival_group_finish(&r->group);
    if (r->notifying != NULL) {
        (void) pb_control_withdraw(r->env.control, &r->notifying, &from);
    }
    if (r->listening != NULL) {
        (void) pb_control_withdraw(r->env.control, &r->listening, &from);
    }
    free(r->bytes);
    r->bytes = NULL;
}
