/*
 * Passing a header on; see engine/passing.h.
 */
#include "engine/passing.h"

#include <stdlib.h>

static void keep_first_error(pb_passing_t *passing, int error)
{
    if (passing->error == 0) {
        passing->error = error;
    }
}

bool pb_passing_init(pb_passing_t *passing, pb_control_t *control, const pb_role_t *role)
{
    *passing = (pb_passing_t){.control = control};
    passing->requests = calloc((size_t) role->n_children + 1, sizeof(*passing->requests));
    return passing->requests != NULL;
}

void pb_passing_start(pb_passing_t *passing, const pb_role_t *role, const uint8_t *bytes,
                      size_t length)
{
    for (int i = 0; i < role->n_children && !passing->broken; i++) {
        if ((role->child_mask[i] & PB_PASSING_STREAM) == 0) {
            continue;
        }
        const int rc = pb_control_send(passing->control, bytes, length, role->child[i],
                                       &passing->requests[passing->n_requests]);
        passing->n_requests += rc == 0;
        keep_first_error(passing, rc);
        passing->broken = rc != 0;
    }
}

bool pb_passing_reap(pb_passing_t *passing)
{
    bool through = true;
    for (int i = 0; i < passing->n_requests; i++) {
        int error = 0;
        if (passing->requests[i] == NULL) {
            continue;
        }
        if (pb_control_sent(passing->control, &passing->requests[i], &error)) {
            keep_first_error(passing, error);
        } else {
            through = false;
        }
    }
    return through;
}

void pb_passing_finish(pb_passing_t *passing)
{
    int rank;
    for (int i = 0; i < passing->n_requests; i++) {
        if (passing->requests[i] != NULL) {
            (void) pb_control_withdraw(passing->control, &passing->requests[i], &rank);
        }
    }
    free(passing->requests);
    passing->requests = NULL;
    passing->n_requests = 0;
}
