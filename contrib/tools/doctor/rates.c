#include "rates.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

#include "contrib/tools/common/clock.h"
#include "contrib/tools/common/quiet.h"
#include "contrib/tools/common/report.h"

enum {
    TAG_BATCH = 11,
    TAG_DATA = 12,
    TAG_ACK = 13,
    MESSAGE_BYTES = 64 << 10,
    MOST_MESSAGES = 2048, /**< of a batch */
    WINDOW = 8,           /**< messages under way */
};

/** A batch lasts so long that buffers and the start of a flow do not count. */
#define LONG_ENOUGH_S 0.05

/** Number of long batches; the fastest counts, as a host may have had other work. */
enum { LONG_BATCHES = 3 };

/** Announcement of a batch. */
struct batch {
    int64_t n_messages; /**< 0: no more */
    double left_s;      /**< of the time for all pairs */
};

/** Moves one side of a batch: messages with as many requests as are under way. */
static void move(MPI_Comm comm, int peer, char *memory, int64_t n, bool sends)
{
    MPI_Request requests[WINDOW];
    for (int i = 0; i < WINDOW; i++) {
        requests[i] = MPI_REQUEST_NULL;
    }
    for (int64_t i = 0; i < n; i++) {
        MPI_Request *request = &requests[i % WINDOW];
        char *message = memory + (i % WINDOW) * MESSAGE_BYTES;
        MPI_Wait(request, MPI_STATUS_IGNORE);
        if (sends) {
            MPI_Isend(message, MESSAGE_BYTES, MPI_BYTE, peer, TAG_DATA, comm, request);
        } else {
            MPI_Irecv(message, MESSAGE_BYTES, MPI_BYTE, peer, TAG_DATA, comm, request);
        }
    }
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
}

/** Seconds from the first message's start to the receiver's answer. */
static double send_batch(MPI_Comm comm, int peer, char *memory, const struct batch *batch)
{
    MPI_Send(batch, sizeof *batch, MPI_BYTE, peer, TAG_BATCH, comm);
    const int64_t begin = coll_pipebcast_now();
    move(comm, peer, memory, batch->n_messages, true);
    MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_ACK, comm, MPI_STATUS_IGNORE);
    return (double) (coll_pipebcast_now() - begin) * 1e-9;
}

/**
 * Sends ever longer batches; the rate of the fastest long one, 0 if there is no time for one. It is
 * the first one that counts where several take more than this pair's share of the time.
 */
static double send_all(MPI_Comm comm, int peer, char *memory, double share_s, double *left_s_p)
{
    struct batch batch = {.n_messages = 1, .left_s = *left_s_p};
    const double share_end_s = *left_s_p - share_s;
    double rate = 0;
    for (int n_long = 0; n_long < LONG_BATCHES && batch.left_s > (n_long > 0 ? share_end_s : 0);) {
        const double seconds = send_batch(comm, peer, memory, &batch);
        const bool is_long = seconds >= LONG_ENOUGH_S || batch.n_messages >= MOST_MESSAGES;
        const double own = (double) batch.n_messages * MESSAGE_BYTES * 8 / seconds;
        rate = is_long && own > rate ? own : rate;
        n_long += is_long;
        batch.left_s -= seconds;
        batch.n_messages *= is_long ? 1 : 2;
    }
    batch.n_messages = 0;
    MPI_Send(&batch, sizeof batch, MPI_BYTE, peer, TAG_BATCH, comm);
    *left_s_p = batch.left_s;
    return rate;
}

/** Receives all that the peer sends, asleep until it begins; returns the time that is left. */
static double receive_all(MPI_Comm comm, int peer, char *memory)
{
    struct batch batch;
    common_quiet_recv(&batch, sizeof batch, MPI_BYTE, peer, TAG_BATCH, comm);
    while (batch.n_messages > 0) {
        move(comm, peer, memory, batch.n_messages, false);
        MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_ACK, comm);
        MPI_Recv(&batch, sizeof batch, MPI_BYTE, peer, TAG_BATCH, comm, MPI_STATUS_IGNORE);
    }
    return batch.left_s;
}

void doctor_rates_measure(MPI_Comm comm, const int *leaders, int n, double time_limit_s,
                          json_t *record)
{
    int rank, own = 0;
    MPI_Comm_rank(comm, &rank);
    while (own < n && leaders[own] != rank) {
        own++;
    }
    char *memory = common_alloc(WINDOW, MESSAGE_BYTES);
    common_quiet_barrier(comm); /* earlier messages are received and use no link */
    if (own < n) {
        const int next = leaders[(own + 1) % n], before = leaders[(own + n - 1) % n];
        double left_s = own > 0 ? receive_all(comm, before, memory) : time_limit_s;
        const double rate = send_all(comm, next, memory, left_s / (n - own), &left_s);
        if (rate > 0) {
            doctor_record_add(record, "measured", "%.0f", rate);
        }
        if (own == 0) {
            receive_all(comm, before, memory);
        }
    }
    free(memory);
    common_quiet_barrier(comm);
}
