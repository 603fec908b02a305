/*
 * A receiver's part of an arrival-aware broadcast; see engine/arrival/receiver.h.
 */
#include "engine/arrival/receiver.h"

/** Returns this rank's report to the root: the arrivals that it saw when it was root itself. */
static uint8_t report_of(const pb_arrival_env_t *env)
{
    return (uint8_t) (env->mode != NULL && env->mode->last_root == env->rank ? env->mode->report
                                                                             : PB_ARRIVAL_UNKNOWN);
}

/** The header has come. */
static int join(void *caller, uint8_t *bytes, size_t length, pb_group_part_t *part)
{
    pb_arrival_receiver_t *r = caller;
    r->waited = pb_arrival_caller_now(r->env.caller) - r->started;
    r->has_header = pb_arrival_header_read(&r->header, r->env.n_ranks, r->env.rank, bytes, length);
    return r->has_header ? pb_arrival_caller_part(r->env.caller, &r->header, part)
                         : PB_ERR_MALFORMED;
}

bool pb_arrival_receiver_start(pb_arrival_receiver_t *r, const pb_arrival_env_t *env)
{
    *r = (pb_arrival_receiver_t){.env = *env, .started = pb_arrival_caller_now(env->caller)};
    if (!pb_member_start(&r->member, env->control, env->transport,
                         pb_arrival_header_room(env->n_ranks), join, r)) {
        return false;
    }
    const uint8_t report = report_of(env);
    const int error = r->member.is_refused
                          ? 0
                          : pb_control_send(env->control, &report, sizeof(report), env->root);
    if (error != 0) {
        pb_member_refuse(&r->member, error);
    }
    return true;
}
