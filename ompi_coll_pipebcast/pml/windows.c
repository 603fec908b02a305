/*
 * How much a transfer has under way; see pml/windows.h.
 */
#include "pml/windows.h"

#include "base/parameters.h"

/** Bounce buffers of one broadcast of non-contiguous data, and their bytes, at most. */
#define MAX_BOUNCES 128
#define MAX_BOUNCE_BYTES ((size_t) 64 << 20)

/** Where segments are so long that the bytes bound them, there are still so many. */
#define FEWEST_BOUNCES 8

static int max_bounces(size_t segment_size)
{
    const size_t n = MAX_BOUNCE_BYTES / segment_size;
    return n > MAX_BOUNCES ? MAX_BOUNCES : n < FEWEST_BOUNCES ? FEWEST_BOUNCES : (int) n;
}

/**
 * The receive window where data are not contiguous: half of the bounce buffers
 * are shared among the parents, so that each parent has its own and the other
 * half is left for sends. Otherwise streams that cross could wait for each other.
 */
static int bounced_receive_window(const pb_role_t *role, int bounces, int receive_window)
{
    const int share = role->n_parents > 0 ? bounces / 2 / role->n_parents : bounces;
    return share < 1 ? 1 : receive_window < share ? receive_window : share;
}

/** Bounce buffers that keep the windows of sends full, within the bound. */
static int send_bounces(const pb_role_t *role, int bounces, int send_window)
{
    const int of_child = send_window + PB_TRANSFER_SYNCHRONOUS;
    const int64_t wanted = (int64_t) role->n_children * of_child + 1;
    return wanted < bounces / 2 ? (int) wanted : bounces / 2;
}

coll_pipebcast_data_t coll_pipebcast_data_of(void *buffer, size_t count,
                                             struct ompi_datatype_t *datatype)
{
    size_t type_size;
    ompi_datatype_type_size(datatype, &type_size);
    return (coll_pipebcast_data_t){
        .buffer = buffer, .count = count, .datatype = datatype, .total = type_size * count};
}

int coll_pipebcast_windows_cut(pb_message_t *message, const coll_pipebcast_data_t *data,
                               size_t segment_size, const pb_role_t *role,
                               pb_transfer_limits_t *limits_p)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    const int bounces = max_bounces(segment_size);
    const int receive_window = bounced_receive_window(role, bounces, params->receive_window);
    *limits_p = (pb_transfer_limits_t){.receive_window = params->receive_window,
                                       .send_window = params->send_window,
                                       .ahead = params->ahead};
    const int receiving = role->n_parents * receive_window;
    const int sending = send_bounces(role, bounces, params->send_window);
    int rc = coll_pipebcast_message_init(message, data->buffer, data->count, data->datatype,
                                         segment_size, receiving, sending);
    if (rc == OMPI_ERR_OUT_OF_RESOURCE) { /* see operation/operation.h */
        rc = coll_pipebcast_message_init(message, data->buffer, data->count, data->datatype,
                                         segment_size, receiving, sending);
    }
    if (rc == OMPI_SUCCESS && message->contiguous == NULL) {
        limits_p->receive_window = receive_window;
    }
    return rc;
}
