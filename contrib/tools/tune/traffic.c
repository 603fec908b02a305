#include "traffic.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contrib/tools/common/clock.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/common/sleep.h"
#include "topo/util/median.h"

enum {
    SEND_WINDOW = 8,
    RECEIVE_WINDOW = 16,
    LEAST_WINDOW = 2,
    ORDERLY_BYTES =
        64 << 10,          /**< of larger ones MPI sends the parts in turn: fewer are under way */
    COLD_BYTES = 16 << 20, /**< messages lie in so much memory one after the other */
    LEAST_PLACES = 8,      /**< of messages in memory, of large ones */
    N_REQUESTS = SEND_WINDOW + RECEIVE_WINDOW + 1,
    MAX_ROUNDS = 1000, /**< of one ping-pong */
    LEAST_PINGPONGS = 4,
    LEAST_STREAM = 8,
    SKIPPED_SHARE = 4, /**< one of this number of messages is not timed */
    N_EMPTY_POLLS = 200,
};

enum { TAG_MESSAGE = 1, TAG_NEVER };

struct order {
    int64_t traffic, bytes, n, nap_ns;
};

enum { ORDER_WORDS = sizeof(struct order) / sizeof(int64_t) };

/**
 * Windows of messages to one rank and from one; either may be missing. The i-th message arrives at
 * slot i of memory, round and round. A flow in both directions sends the last message that has
 * arrived, as an inner rank of a pipeline does.
 */
struct flow {
    const struct tune_team *team;
    int to, from; /**< -1: none */
    int bytes, n;
    int n_skipped; /**< arrivals before the time begins */
    int64_t nap_ns;
    int send_window, receive_window;
    int started[2], done[2];          /**< messages sent, received */
    MPI_Request requests[N_REQUESTS]; /**< sends, receives, and the one that never completes */
    int64_t begin_ns, end_ns;         /**< of the messages that arrive, without the skipped ones */
};

/* ---- memory ---- */

static int window_of(uint64_t bytes, int most)
{
    return bytes < ORDERLY_BYTES ? most : LEAST_WINDOW;
}

/** Bytes for all sizes up to this. */
static size_t memory_of(uint64_t bytes)
{
    const size_t least = (size_t) LEAST_PLACES * (size_t) bytes;
    return least > COLD_BYTES ? least : COLD_BYTES;
}

int tune_least_messages(enum tune_traffic traffic, uint64_t bytes)
{
    const bool few = window_of(bytes, RECEIVE_WINDOW) <= LEAST_WINDOW;
    return traffic == TUNE_PINGPONG ? LEAST_PINGPONGS : few ? 2 * LEAST_WINDOW : LEAST_STREAM;
}

void tune_team_make(struct tune_team *team, MPI_Comm comm, uint64_t max_bytes)
{
    const size_t size = memory_of(max_bytes);
    *team = (struct tune_team){.comm = comm, .memory = common_alloc(size, 1), .memory_bytes = size};
    MPI_Comm_rank(comm, &team->rank);
    MPI_Comm_size(comm, &team->n_ranks);
    memset(team->memory, 1, size);
}

void tune_team_free(struct tune_team *team)
{
    free(team->memory);
    team->memory = NULL;
}

/* ---- a stream ---- */

static int places_of(const struct tune_team *team, int bytes)
{
    return (int) (team->memory_bytes / (size_t) bytes);
}

static unsigned char *place_of(const struct tune_team *team, int bytes, int message)
{
    return team->memory + (size_t) (message % places_of(team, bytes)) * (size_t) bytes;
}

static void start_send(struct flow *flow, int slot)
{
    const int last = flow->done[1] - 1 + places_of(flow->team, flow->bytes);
    const int message = flow->from < 0 ? flow->started[0] : last;
    MPI_Isend(place_of(flow->team, flow->bytes, message), flow->bytes, MPI_BYTE, flow->to,
              TAG_MESSAGE, flow->team->comm, &flow->requests[slot]);
    flow->started[0]++;
}

static void start_receive(struct flow *flow, int slot)
{
    MPI_Irecv(place_of(flow->team, flow->bytes, flow->started[1]), flow->bytes, MPI_BYTE,
              flow->from, TAG_MESSAGE, flow->team->comm, &flow->requests[slot]);
    flow->started[1]++;
}

/**
 * Tells whether the next slot of memory is free. Messages that are being sent lie less than two
 * windows behind the number of those that were sent. No ring stops for this, as a rank that is
 * ahead of its own sends has another one behind.
 */
static bool may_receive(const struct flow *flow)
{
    return flow->to < 0 || flow->started[1] + 2 * flow->send_window <
                               flow->done[0] + places_of(flow->team, flow->bytes);
}

static void flow_start_receives(struct flow *flow)
{
    const int end = flow->send_window + flow->receive_window;
    for (int slot = flow->send_window; flow->from >= 0 && slot < end; slot++) {
        if (flow->started[1] < flow->n && flow->requests[slot] == MPI_REQUEST_NULL &&
            may_receive(flow)) {
            start_receive(flow, slot);
        }
    }
}

/** Posts all receives; other ranks may be slower to come here, so sends wait. */
static void flow_begin(struct flow *flow)
{
    for (int i = 0; i < N_REQUESTS; i++) {
        flow->requests[i] = MPI_REQUEST_NULL;
    }
    flow->send_window = window_of((uint64_t) flow->bytes, SEND_WINDOW);
    flow->receive_window = window_of((uint64_t) flow->bytes, RECEIVE_WINDOW);
    flow->n_skipped =
        flow->n / SKIPPED_SHARE > LEAST_WINDOW ? flow->n / SKIPPED_SHARE : LEAST_WINDOW;
    flow_start_receives(flow);
}

/**
 * Starts the sends that are due. A flow in both directions sends at most a window ahead, as an
 * inner rank of a pipeline does: acknowledgements would wait in full queues.
 */
static void flow_start_sends(struct flow *flow)
{
    for (int slot = 0; flow->to >= 0 && slot < flow->send_window; slot++) {
        const bool due = flow->from < 0 || flow->started[0] < flow->done[1] + flow->send_window;
        if (due && flow->started[0] < flow->n && flow->requests[slot] == MPI_REQUEST_NULL) {
            start_send(flow, slot);
        }
    }
}

static int flow_requests(const struct flow *flow)
{
    return flow->send_window + flow->receive_window;
}

static bool flow_is_done(const struct flow *flow)
{
    return (flow->to < 0 || flow->done[0] == flow->n) &&
           (flow->from < 0 || flow->done[1] == flow->n);
}

/** The message of a slot is done. */
static void flow_advance(struct flow *flow, int slot)
{
    const int receives = slot >= flow->send_window;
    flow->done[receives]++;
    if (receives && flow->done[1] == flow->n_skipped) {
        flow->begin_ns = coll_pipebcast_now();
    }
    if (receives && flow->done[1] == flow->n) {
        flow->end_ns = coll_pipebcast_now();
    }
}

static void flow_advance_all(struct flow *flow, int n_done, const int *slots)
{
    for (int i = 0; i < n_done; i++) {
        flow_advance(flow, slots[i]);
    }
    flow_start_receives(flow);
    flow_start_sends(flow);
}

/** Runs to the end; yields the time from one arrival to the next, 0 where nothing arrives. */
static double flow_run(struct flow *flow)
{
    int n_done, slots[N_REQUESTS];
    flow_begin(flow);
    MPI_Barrier(flow->team->comm);
    flow_start_sends(flow);
    while (!flow_is_done(flow)) {
        MPI_Waitsome(flow_requests(flow), flow->requests, &n_done, slots, MPI_STATUSES_IGNORE);
        flow_advance_all(flow, n_done, slots);
    }
    return flow->from < 0 ? 0
                          : (double) (flow->end_ns - flow->begin_ns) / (flow->n - flow->n_skipped);
}

/* ---- what the processors do ---- */

static int64_t processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

static int nap_and_poll(struct flow *flow, int *slots)
{
    int n_done;
    common_sleep(flow->nap_ns);
    MPI_Testsome(flow_requests(flow) + 1, flow->requests, &n_done, slots, MPI_STATUSES_IGNORE);
    return n_done == MPI_UNDEFINED ? 0 : n_done;
}

/** Processor time of a nap and a poll while nothing comes: the median, as others may interfere. */
static double empty_poll(struct flow *flow)
{
    int slots[N_REQUESTS];
    double polls[N_EMPTY_POLLS];
    for (int i = 0; i < N_EMPTY_POLLS; i++) {
        const int64_t begin = processor_time();
        nap_and_poll(flow, slots);
        polls[i] = (double) (processor_time() - begin);
    }
    return pb_median(polls, N_EMPTY_POLLS);
}

/** Runs as flow_run(); yields the processor time for each message. */
static double flow_run_busy(struct flow *flow)
{
    int slots[N_REQUESTS];
    double busy = 0;
    MPI_Request *never;
    flow_begin(flow);
    never = &flow->requests[flow_requests(flow)];
    /* A poll without any pending request would return immediately and read no socket. */
    MPI_Irecv(NULL, 0, MPI_BYTE, flow->team->rank, TAG_NEVER, flow->team->comm, never);
    MPI_Barrier(flow->team->comm);
    const double empty = empty_poll(flow);
    MPI_Barrier(flow->team->comm);
    int64_t last = processor_time();
    flow_start_sends(flow);
    while (!flow_is_done(flow)) {
        flow_advance_all(flow, nap_and_poll(flow, slots), slots);
        const int64_t now = processor_time();
        busy += (double) (now - last) - empty;
        last = now;
    }
    MPI_Send(NULL, 0, MPI_BYTE, flow->team->rank, TAG_NEVER, flow->team->comm);
    MPI_Wait(never, MPI_STATUS_IGNORE);
    return busy > 0 ? busy / flow->n : 0;
}

/* ---- ping-pong ---- */

static void pass(const struct tune_team *team, int bytes, int round)
{
    const int peer = 1 - team->rank;
    const bool serve = team->rank == 0;
    unsigned char *memory = place_of(team, bytes, round);
    if (serve) {
        MPI_Send(memory, bytes, MPI_BYTE, peer, TAG_MESSAGE, team->comm);
    }
    MPI_Recv(memory, bytes, MPI_BYTE, peer, TAG_MESSAGE, team->comm, MPI_STATUS_IGNORE);
    if (!serve) {
        MPI_Send(memory, bytes, MPI_BYTE, peer, TAG_MESSAGE, team->comm);
    }
}

/** The median time there and back, 0 at the other side. The first round only wakes both up. */
static double pingpong(const struct tune_team *team, int bytes, int n)
{
    double rounds[MAX_ROUNDS] = {0};
    n = n < MAX_ROUNDS ? n : MAX_ROUNDS;
    pass(team, bytes, n);
    for (int i = 0; i < n; i++) {
        const int64_t begin = coll_pipebcast_now();
        pass(team, bytes, i);
        rounds[i] = (double) (coll_pipebcast_now() - begin);
    }
    return team->rank == 0 ? pb_median(rounds, n) : 0;
}

/* ---- orders ---- */

static struct tune_times obey(const struct tune_team *team, const struct order *order)
{
    struct tune_times times = {.message = 0};
    struct flow flow = {
        .team = team, .bytes = (int) order->bytes, .n = (int) order->n, .nap_ns = order->nap_ns};
    const bool ring = order->traffic == TUNE_RING;
    flow.to = ring ? (team->rank + 1) % team->n_ranks : team->rank == 0 ? 1 : -1;
    flow.from = ring ? (team->rank + team->n_ranks - 1) % team->n_ranks : team->rank == 1 ? 0 : -1;
    if (order->traffic == TUNE_PINGPONG) {
        times.message = pingpong(team, flow.bytes, flow.n);
    } else if (order->traffic == TUNE_BUSY) {
        *(flow.to >= 0 ? &times.send : &times.receive) = flow_run_busy(&flow);
    } else {
        times.message = flow_run(&flow);
    }
    return times;
}

static struct tune_times obey_together(const struct tune_team *team, struct order *order)
{
    struct tune_times own = obey(team, order), all = own;
    MPI_Reduce(&own, &all, sizeof own / sizeof(double), MPI_DOUBLE, MPI_MAX, 0, team->comm);
    return all;
}

static struct tune_times lead(const struct tune_team *team, struct order *order)
{
    const int least =
        tune_least_messages((enum tune_traffic) order->traffic, (uint64_t) order->bytes);
    order->n = order->n > least ? order->n : least;
    MPI_Bcast(order, ORDER_WORDS, MPI_INT64_T, 0, team->comm);
    return obey_together(team, order);
}

struct tune_times tune_lead(const struct tune_team *team, enum tune_traffic traffic, uint64_t bytes,
                            int n)
{
    struct order order = {.traffic = traffic, .bytes = (int64_t) bytes, .n = n};
    return lead(team, &order);
}

struct tune_times tune_lead_busy(const struct tune_team *team, uint64_t bytes, int n,
                                 int64_t nap_ns)
{
    struct order order = {.traffic = TUNE_BUSY, .bytes = (int64_t) bytes, .n = n, .nap_ns = nap_ns};
    return lead(team, &order);
}

void tune_lead_done(const struct tune_team *team)
{
    struct order order = {.traffic = TUNE_DONE};
    MPI_Bcast(&order, ORDER_WORDS, MPI_INT64_T, 0, team->comm);
}

void tune_follow(const struct tune_team *team)
{
    struct order order;
    MPI_Bcast(&order, ORDER_WORDS, MPI_INT64_T, 0, team->comm);
    while (order.traffic != TUNE_DONE) {
        obey_together(team, &order);
        MPI_Bcast(&order, ORDER_WORDS, MPI_INT64_T, 0, team->comm);
    }
}
