#include "topo/trees/link_load.h"

uint32_t pb_link_sender_speed(const pb_view_t *view)
{
    uint32_t fastest = 1;
    for (int i = 0; i < view->n_ranks; i++) {
        int v = view->attached[i];
        uint32_t speed = view->speed[i];
        if (speed == UINT32_MAX) {
            /* Out of the root's host there is one way: to its only child. */
            int exit = v > 0 ? v : 1;
            speed = exit >= view->n_vertices ? 1
                    : v > 0                  ? view->vertices[exit].speed_out
                                             : view->vertices[exit].speed_in;
        }
        fastest = speed > fastest ? speed : fastest;
    }
    return fastest;
}
