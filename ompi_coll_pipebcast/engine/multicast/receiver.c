/*
 * A receiver's part of a broadcast by multicast; see engine/multicast/receiver.h.
 */
#include "engine/multicast/receiver.h"

bool pb_multicast_receiver_start(pb_multicast_receiver_t *r, pb_multicast_t *m,
                                 pb_control_t *control, const pb_role_t *role, char *data,
                                 size_t total)
{
    *r = (pb_multicast_receiver_t){0};
    return pb_multicast_part_start(&r->part, m, control, role, data, total);
}

bool pb_multicast_receiver_advance(pb_multicast_receiver_t *r)
{
    pb_multicast_part_t *part = &r->part;
    pb_multicast_part_receive(part);
    if (!pb_window_is_complete(&part->window) && part->error == 0) {
        /* Words first: what is not there when END has come is lost. */
        pb_multicast_pump(part->multicast);
    }
    pb_multicast_part_send(part);
    return pb_multicast_part_is_over(part);
}
