/*
 * Settling an announcement; see engine/adaptive/settling.h.
 */
#include "engine/adaptive/settling.h"

#include "engine/passing.h"

void pb_settling_init(pb_settling_t *settling, pb_control_t *control, const pb_role_t *role)
{
    *settling = (pb_settling_t){.control = control, .parent = -1};
    for (int i = 0; i < role->n_parents; i++) {
        if ((role->parent_mask[i] & PB_PASSING_STREAM) != 0) {
            settling->parent = role->parent[i];
        }
    }
    for (int i = 0; i < role->n_children; i++) {
        settling->n_missing += (role->child_mask[i] & PB_PASSING_STREAM) != 0;
    }
}

/** Takes in one child's word; false if none has come. */
static bool hear_child(pb_settling_t *s)
{
    int from, error = 0;
    size_t length;
    if (s->receive == NULL) {
        s->error = pb_control_receive(s->control, &s->came, sizeof(s->came), &s->receive);
    }
    if (s->error != 0 || !pb_control_received(s->control, &s->receive, &from, &length, &error)) {
        return false;
    }
    s->error = error;
    s->n_missing -= error == 0;
    return error == 0;
}

static void report(pb_settling_t *s)
{
    s->error = pb_control_send(s->control, &s->own, sizeof(s->own), s->parent, &s->send);
    s->has_reported = s->error == 0;
}

bool pb_settling_advance(pb_settling_t *s, bool has_left)
{
    int error = 0;
    while (s->error == 0 && s->n_missing > 0 && hear_child(s)) {
    }
    if (s->error == 0 && s->n_missing == 0 && has_left && s->parent >= 0 && !s->has_reported) {
        report(s);
    }
    if (s->send != NULL && pb_control_sent(s->control, &s->send, &error) && s->error == 0) {
        s->error = error;
    }
    return s->error != 0 ||
           (s->n_missing == 0 && (s->parent < 0 || s->has_reported) && s->send == NULL);
}

void pb_settling_finish(pb_settling_t *settling)
{
    int rank;
    if (settling->receive != NULL) {
        (void) pb_control_withdraw(settling->control, &settling->receive, &rank);
    }
    if (settling->send != NULL) {
        (void) pb_control_withdraw(settling->control, &settling->send, &rank);
    }
}
