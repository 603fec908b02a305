#include "flows.h"

#include <stdlib.h>

#include "contrib/tools/common/all_good.h"
#include "contrib/tools/common/hosts.h"
#include "contrib/tools/common/quiet.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/common/sleep.h"
#include "topo/util/error.h"

enum {
    TAG_ORDER = 21,
    TAG_HELLO,
    TAG_FLOW,
    TAG_RESULT,
    UNDER_WAY = 5,      /**< messages of a flow that were sent and not received */
    IN_WINDOW = 16,     /**< messages of a flow at full rate */
    LEAST_BYTES = 5680, /**< four TCP segments of 1,500-byte frames, with MPI's headers */
    MOST_BYTES = 1 << 20,
    MOST_ATTEMPTS = 5,
    LONGEST = 4, /**< factor by which windows may grow */
    CALIBRATIONS = 8,
};

#define MS INT64_C(1000000)
#define LEAST_WINDOW (50 * MS)
#define LEAST_LEAD (15 * MS)
#define MOST_LEAD (400 * MS)
#define CONNECT_TIME                                                                               \
    (40 * MS) /**< more lead for flows between hosts that are not connected yet                    \
               */
#define SYNC_EVERY (60000 * MS)

/**
 * Between polls a rank sleeps for a part of a message's time, as the messages under way last for
 * several times that. Where many ranks share processors, more polls would take these from the
 * flows.
 */
#define NAPS_OF_MESSAGE 8
#define LEAST_NAP (MS / 10)
#define MOST_NAP MS

enum part { PART_END, PART_SYNC, PART_FLOWS };

/** A rank's part of a trial. Times are agreed ones. */
struct order {
    int64_t part;     /**< enum part */
    int64_t to, from; /**< ranks; -1: none */
    int64_t bytes;
    int64_t begin_ns, window_begin_ns, window_end_ns;
    int64_t nap_ns; /**< between polls */
};

struct result {
    double rate;     /**< bytes per second that came; 0: nothing was to come */
    int64_t late_ns; /**< after the beginning, at which this rank was ready */
};

/** Arrivals in the window. */
struct arrivals {
    int n;
    int64_t first_ns, last_ns;
};

struct running {
    const tune_flows_t *flows;
    const struct order *order;
    MPI_Request requests[2 * UNDER_WAY]; /**< sends, then receives */
    int n_sending, n_receiving;          /**< requests that are under way */
    bool sends;                          /**< the flow from here has not ended yet */
    struct arrivals arrivals;
};

/* ---- one flow each way ---- */

static unsigned char *place_of(const tune_flows_t *flows, int slot)
{
    return flows->memory + (size_t) slot * MOST_BYTES;
}

/** Sends complete when they have been matched, so that little is under way. */
static void start_send(struct running *r, int slot, int64_t bytes)
{
    MPI_Issend(place_of(r->flows, slot), (int) bytes, MPI_BYTE, (int) r->order->to, TAG_FLOW,
               r->flows->comm, &r->requests[slot]);
    r->n_sending++;
}

static void start_receive(struct running *r, int slot)
{
    MPI_Irecv(place_of(r->flows, slot), (int) r->order->bytes, MPI_BYTE, (int) r->order->from,
              TAG_FLOW, r->flows->comm, &r->requests[slot]);
    r->n_receiving++;
}

static void count(struct running *r, int64_t now)
{
    struct arrivals *a = &r->arrivals;
    if (now >= r->order->window_begin_ns && now <= r->order->window_end_ns) {
        a->first_ns = a->n == 0 ? now : a->first_ns;
        a->last_ns = now;
        a->n++;
    }
}

/**
 * The end of a flow is as many empty messages as receives are posted at a time: each of them takes
 * the place of one.
 */
static void end_sends(struct running *r)
{
    r->sends = false;
    for (int slot = 0; slot < UNDER_WAY; slot++) {
        start_send(r, slot, 0);
    }
}

static void advance(struct running *r, int slot, const MPI_Status *status, int64_t now)
{
    int bytes = 0;
    if (slot < UNDER_WAY) {
        r->n_sending--;
        if (r->sends && now < r->order->window_end_ns) {
            start_send(r, slot, r->order->bytes);
        }
        return;
    }
    r->n_receiving--;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    if (bytes > 0) {
        count(r, now);
        start_receive(r, slot);
    }
}

static void run_flows(struct running *r)
{
    for (int slot = 0; r->sends && slot < UNDER_WAY; slot++) {
        start_send(r, slot, r->order->bytes);
    }
    while (r->sends || r->n_sending > 0 || r->n_receiving > 0) {
        int n_done, slots[2 * UNDER_WAY];
        MPI_Status statuses[2 * UNDER_WAY];
        MPI_Testsome(2 * UNDER_WAY, r->requests, &n_done, slots, statuses);
        const int64_t now = common_clock_agreed(&r->flows->clock);
        for (int i = 0; n_done != MPI_UNDEFINED && i < n_done; i++) {
            advance(r, slots[i], &statuses[i], now);
        }
        if (r->sends && r->n_sending == 0) {
            end_sends(r);
        }
        if (n_done == 0) {
            common_sleep(r->order->nap_ns);
        }
    }
}

/**
 * Finds a rate from the first arrival to the last one, if they lie near the window's ends. A flow
 * that came to a standstill has the whole window.
 */
static double rate_of(const struct running *r)
{
    const struct arrivals *a = &r->arrivals;
    const double window = (double) (r->order->window_end_ns - r->order->window_begin_ns),
                 bytes = (double) r->order->bytes, time = (double) (a->last_ns - a->first_ns);
    if (a->n > 3 && window - time < 4 * time / (a->n - 1)) {
        return bytes * (a->n - 1) * 1e9 / time;
    }
    return bytes * (a->n > 0 ? a->n : 0.1) * 1e9 / window;
}

/** Both ends of each flow know of each other before the beginning, so that they are connected. */
static void greet(const tune_flows_t *flows, const struct order *order)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int done = 0;
    if (order->from >= 0) {
        MPI_Irecv(NULL, 0, MPI_BYTE, (int) order->from, TAG_HELLO, flows->comm, &requests[0]);
    }
    if (order->to >= 0) {
        MPI_Isend(NULL, 0, MPI_BYTE, (int) order->to, TAG_HELLO, flows->comm, &requests[1]);
    }
    while (!done) {
        MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
        if (!done) {
            common_sleep(order->nap_ns);
        }
    }
}

static struct result take_part(const tune_flows_t *flows, const struct order *order)
{
    struct running r = {.flows = flows, .order = order, .sends = order->to >= 0};
    for (int slot = 0; slot < 2 * UNDER_WAY; slot++) {
        r.requests[slot] = MPI_REQUEST_NULL;
    }
    for (int slot = UNDER_WAY; order->from >= 0 && slot < 2 * UNDER_WAY; slot++) {
        start_receive(&r, slot);
    }
    greet(flows, order);
    const int64_t late = common_clock_agreed(&flows->clock) - order->begin_ns;
    common_clock_wait_until(&flows->clock, order->begin_ns);
    run_flows(&r);
    return (struct result){.rate = order->from >= 0 ? rate_of(&r) : 0, .late_ns = late};
}

/* ---- orders ---- */

static void flows_follow(tune_flows_t *flows)
{
    struct order order;
    for (;;) {
        common_quiet_recv(&order, sizeof order, MPI_BYTE, 0, TAG_ORDER, flows->comm);
        if (order.part == PART_END) {
            return;
        }
        if (order.part == PART_SYNC) {
            common_clock_sync(&flows->clock);
        } else {
            const struct result result = take_part(flows, &order);
            MPI_Send(&result, sizeof result, MPI_BYTE, 0, TAG_RESULT, flows->comm);
        }
    }
}

static void order_all(const tune_flows_t *flows, enum part part)
{
    const struct order order = {.part = part};
    int n_ranks;
    MPI_Comm_size(flows->comm, &n_ranks);
    for (int rank = 1; rank < n_ranks; rank++) {
        MPI_Send(&order, sizeof order, MPI_BYTE, rank, TAG_ORDER, flows->comm);
    }
}

/** Clocks drift apart by microseconds in a second, and a window is milliseconds. */
static void sync_clocks(tune_flows_t *flows)
{
    if (coll_pipebcast_now() - flows->synced_ns > SYNC_EVERY) {
        order_all(flows, PART_SYNC);
        common_clock_sync(&flows->clock);
        flows->synced_ns = coll_pipebcast_now();
    }
}

static bool *connected(tune_flows_t *flows, pb_flow_t flow)
{
    return &flows->connected[(size_t) flow.from * (size_t) flows->n_hosts + (size_t) flow.to];
}

static int64_t nap_of(const tune_flows_t *flows)
{
    const int64_t nap = flows->message_ns / NAPS_OF_MESSAGE;
    return nap < LEAST_NAP ? LEAST_NAP : nap > MOST_NAP ? MOST_NAP : nap;
}

/** The part of each host; those without a flow have part PART_END. */
static void make_orders(tune_flows_t *flows, const pb_flow_t *list, int n, struct order *orders)
{
    int64_t lead = flows->lead_ns;
    for (int i = 0; i < n; i++) {
        if (!*connected(flows, list[i])) {
            *connected(flows, list[i]) = true;
            *connected(flows, (pb_flow_t){list[i].to, list[i].from}) = true;
            lead = flows->lead_ns + CONNECT_TIME;
        }
    }
    const int64_t begin = common_clock_agreed(&flows->clock) + lead, warm = flows->window_ns / 3;
    for (int host = 0; host < flows->n_hosts; host++) {
        orders[host] = (struct order){.part = PART_END,
                                      .to = -1,
                                      .from = -1,
                                      .bytes = flows->bytes,
                                      .begin_ns = begin,
                                      .window_begin_ns = begin + warm,
                                      .window_end_ns = begin + warm + flows->window_ns,
                                      .nap_ns = nap_of(flows)};
    }
    for (int i = 0; i < n; i++) {
        orders[list[i].from].part = orders[list[i].to].part = PART_FLOWS;
        orders[list[i].from].to = flows->rank_of[list[i].to];
        orders[list[i].to].from = flows->rank_of[list[i].from];
    }
}

/** Runs the orders; the results by host. Returns the longest time that a rank was late. */
static int64_t run_orders(tune_flows_t *flows, const struct order *orders, struct result *results)
{
    int64_t late = 0;
    int own = -1;
    for (int host = 0; host < flows->n_hosts; host++) {
        if (orders[host].part == PART_FLOWS && flows->rank_of[host] != 0) {
            MPI_Send(&orders[host], sizeof orders[host], MPI_BYTE, flows->rank_of[host], TAG_ORDER,
                     flows->comm);
        }
        own = orders[host].part == PART_FLOWS && flows->rank_of[host] == 0 ? host : own;
    }
    if (own >= 0) {
        results[own] = take_part(flows, &orders[own]);
    }
    for (int host = 0; host < flows->n_hosts; host++) {
        if (orders[host].part == PART_FLOWS) {
            if (host != own) {
                common_quiet_recv(&results[host], sizeof results[host], MPI_BYTE,
                                  flows->rank_of[host], TAG_RESULT, flows->comm);
            }
            late = results[host].late_ns > late ? results[host].late_ns : late;
        }
    }
    return late;
}

/** A trial whose ranks were late is repeated with more lead. */
static int try_trial(tune_flows_t *flows, const pb_flow_t *list, int n, struct order *orders,
                     struct result *results)
{
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const int64_t before = coll_pipebcast_now();
        if (before > flows->deadline_ns) {
            return PB_ERR_UNFIT;
        }
        sync_clocks(flows);
        make_orders(flows, list, n, orders);
        const int64_t late = run_orders(flows, orders, results);
        const int64_t spent = coll_pipebcast_now() - before;
        flows->busy_ns += spent;
        common_sleep((int64_t) ((double) spent * (1 / flows->load - 1)));
        if (late < flows->window_ns / 6) {
            flows->lead_ns =
                late < 0 && flows->lead_ns > LEAST_LEAD ? flows->lead_ns * 19 / 20 : flows->lead_ns;
            return PB_SUCCESS;
        }
        flows->lead_ns = 2 * flows->lead_ns < MOST_LEAD ? 2 * flows->lead_ns : MOST_LEAD;
    }
    common_report("the ranks of a trial are never ready at the same time; are there more ranks on "
                  "a host than processors, or does something else use them?");
    return PB_ERR_IO;
}

static int measure_trial(void *context, const pb_flow_t *list, int n, double *rates)
{
    tune_flows_t *flows = context;
    struct order *orders = common_alloc((size_t) flows->n_hosts, sizeof *orders);
    struct result *results = common_alloc((size_t) flows->n_hosts, sizeof *results);
    const int code = try_trial(flows, list, n, orders, results);
    for (int i = 0; code == PB_SUCCESS && i < n; i++) {
        rates[i] = results[list[i].to].rate;
    }
    free(orders);
    free(results);
    return code;
}

static void lengthen_trials(void *context)
{
    tune_flows_t *flows = context;
    if (flows->window_ns < LONGEST * IN_WINDOW * flows->message_ns) {
        flows->window_ns *= 2;
    }
}

pb_meter_t tune_flows_meter(tune_flows_t *flows, int most)
{
    return (pb_meter_t){.n_hosts = flows->n_hosts,
                        .max_flows = most > 0 && most < flows->n_hosts ? most : flows->n_hosts,
                        .measure = measure_trial,
                        .lengthen = lengthen_trials,
                        .context = flows};
}

/* ---- messages and windows ---- */

/** Sets bytes and window for IN_WINDOW messages at this rate; the window is no shorter than
 * LEAST_WINDOW. */
static void suit(tune_flows_t *flows, double rate)
{
    const double bytes = rate * (double) LEAST_WINDOW * 1e-9 / IN_WINDOW;
    flows->bytes = bytes < LEAST_BYTES  ? LEAST_BYTES
                   : bytes > MOST_BYTES ? MOST_BYTES
                                        : (int64_t) bytes;
    const double window = IN_WINDOW * (double) flows->bytes * 1e9 / rate;
    flows->window_ns = window < (double) LEAST_WINDOW ? LEAST_WINDOW : (int64_t) window;
    flows->message_ns = flows->window_ns / IN_WINDOW;
}

/** Flows of several hosts, as one may be slow: the fastest counts. Larger messages may be faster.
 */
int tune_flows_calibrate(tune_flows_t *flows)
{
    double fastest = 0;
    int code = PB_SUCCESS;
    flows->bytes = LEAST_BYTES;
    flows->window_ns = 2 * LEAST_WINDOW;
    flows->message_ns = flows->window_ns / IN_WINDOW;
    for (int i = 0; code == PB_SUCCESS && i < CALIBRATIONS; i++) {
        const int from = i % flows->n_hosts;
        const pb_flow_t flow = {from, (from + 1) % flows->n_hosts};
        double rate;
        code = measure_trial(flows, &flow, 1, &rate);
        if (code == PB_SUCCESS && rate > fastest) {
            fastest = rate;
            suit(flows, fastest);
        }
    }
    return code;
}

/* ---- hosts ---- */

/** Rank 0's part. */
static bool keep_hosts(tune_flows_t *flows, char *const *hosts, int n_ranks)
{
    flows->rank_of = common_hosts_leaders(hosts, n_ranks, &flows->n_hosts);
    const size_t n = (size_t) flows->n_hosts;
    flows->names = common_alloc(n, sizeof *flows->names);
    flows->connected = common_alloc(n * n, sizeof *flows->connected);
    for (size_t host = 0; host < n; host++) {
        flows->names[host] = common_copy(hosts[flows->rank_of[host]]);
    }
    if (n < 2) {
        common_report(
            "all %d ranks are on the host '%s', but flows go between hosts; run with a "
            "rank on each of two hosts or more (for a trial on one host, give --pretend-hosts)",
            n_ranks, hosts[0]);
    }
    return n > 1;
}

static void flows_init(tune_flows_t *flows, MPI_Comm comm, const struct tune_options *options)
{
    char **hosts;
    int n_ranks;
    *flows = (tune_flows_t){.comm = comm,
                            .memory = common_alloc((size_t) 2 * UNDER_WAY, MOST_BYTES),
                            .lead_ns = 2 * LEAST_LEAD,
                            .deadline_ns =
                                coll_pipebcast_now() + (int64_t) (options->time_limit_s * 1e9),
                            .load = options->load,
                            .synced_ns = coll_pipebcast_now()};
    MPI_Comm_rank(comm, &flows->rank);
    MPI_Comm_size(comm, &n_ranks);
    common_require(common_hosts_find(comm, options->hosts, &hosts), comm);
    common_require(flows->rank != 0 || keep_hosts(flows, hosts, n_ranks), comm);
    common_hosts_free(hosts, n_ranks);
    common_clock_init(&flows->clock, comm, false);
}

static void flows_free(tune_flows_t *flows)
{
    common_hosts_free(flows->names, flows->n_hosts);
    free(flows->rank_of);
    free(flows->memory);
    free(flows->connected);
}

void tune_flows_run(tune_flows_t *flows, MPI_Comm comm, const struct tune_options *options,
                    tune_flows_part_t *prepare, tune_flows_part_t *lead, void *context)
{
    bool good = true;
    flows_init(flows, comm, options);
    common_require(flows->rank != 0 || prepare(context), comm);
    if (flows->rank == 0) {
        good = lead(context);
        order_all(flows, PART_END);
    } else {
        flows_follow(flows);
    }
    common_require(good, comm);
    flows_free(flows);
}
