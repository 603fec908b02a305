/*
 * Listening for announcements; see engine/adaptive/listening.h.
 */
#include "engine/adaptive/listening.h"

#include <stdlib.h>

bool pb_listening_make_room(pb_listening_t *listening, size_t room)
{
    if (listening->header == NULL) {
        listening->header = malloc(room);
    }
    return listening->header != NULL;
}

int pb_listening_post(pb_listening_t *listening, pb_control_t *control, size_t room)
{
    if (listening->has_heard || listening->request != NULL) {
        return 0;
    }
    return pb_control_receive(control, listening->header, room, &listening->request);
}

bool pb_listening_hear(pb_listening_t *listening, pb_control_t *control, int *error_p)
{
    int from;
    if (listening->request != NULL &&
        pb_control_received(control, &listening->request, &from, &listening->length, error_p)) {
        listening->has_heard = *error_p == 0;
    }
    return listening->has_heard;
}

void pb_listening_take(pb_listening_t *listening)
{
    listening->has_heard = false;
}

void pb_listening_stop(pb_listening_t *listening, pb_control_t *control)
{
    int from;
    if (listening->request != NULL) {
        (void) pb_control_withdraw(control, &listening->request, &from);
    }
    free(listening->header);
    *listening = (pb_listening_t){.header = NULL};
}
