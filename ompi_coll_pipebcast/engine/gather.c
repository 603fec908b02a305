#include "engine/gather.h"

#include <stdlib.h>

bool pb_gather_init(pb_gather_t *gather, pb_transport_t *transport, int rank, int n_ranks,
                    uint64_t own)
{
    *gather = (pb_gather_t){.transport = transport, .rank = rank, .n_ranks = n_ranks, .n_there = 1};
    gather->numbers = malloc((size_t) n_ranks * sizeof(*gather->numbers));
    if (gather->numbers == NULL) {
        return false;
    }
    gather->numbers[0] = own;
    return true;
}

void pb_gather_again(pb_gather_t *gather, uint64_t own)
{
    gather->n_there = 1;
    gather->numbers[0] = own;
}

/** How many numbers the round brings that begins with those that are there. */
static int n_of_round(const pb_gather_t *gather)
{
    const int missing = gather->n_ranks - gather->n_there;
    return missing < gather->n_there ? missing : gather->n_there;
}

static void start_round(pb_gather_t *gather)
{
    const int n = gather->n_ranks, distance = gather->n_there;
    const size_t bytes = (size_t) n_of_round(gather) * sizeof(*gather->numbers);
    gather->error = pb_transport_receive(gather->transport, gather->numbers + distance, bytes,
                                         (gather->rank + distance) % n, NULL, &gather->receive);
    if (gather->error == 0) {
        gather->error = pb_transport_send(gather->transport, gather->numbers, bytes,
                                          (gather->rank - distance + n) % n, false, &gather->send);
    }
    if (gather->error != 0 && gather->receive != NULL) {
        pb_transport_cancel(gather->transport, gather->receive);
    }
}

static void note(pb_gather_t *gather, int error)
{
    gather->error = gather->error != 0 ? gather->error : error;
}

/** Whether nothing of a round is under way any more. */
static bool round_is_through(pb_gather_t *gather)
{
    const size_t bytes = (size_t) n_of_round(gather) * sizeof(*gather->numbers);
    int error = 0;
    if (gather->send != NULL && pb_transport_sent(gather->transport, &gather->send, &error)) {
        note(gather, error);
    }
    if (gather->receive != NULL &&
        pb_transport_arrived(gather->transport, &gather->receive, bytes, &error)) {
        note(gather, error);
    }
    return gather->send == NULL && gather->receive == NULL;
}

bool pb_gather_advance(pb_gather_t *gather, int *error_p)
{
    while (gather->n_there < gather->n_ranks && gather->error == 0) {
        if (gather->send == NULL && gather->receive == NULL) {
            start_round(gather);
        }
        if (!round_is_through(gather)) {
            return false;
        }
        gather->n_there += gather->error == 0 ? n_of_round(gather) : 0;
    }
    *error_p = gather->error;
    return round_is_through(gather);
}

void pb_gather_fini(pb_gather_t *gather)
{
    free(gather->numbers);
    gather->numbers = NULL;
}
