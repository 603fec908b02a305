/* Costs of messages by a model: its tables interpolated, in integers. */
#include "topo/model/model.h"

#include <string.h>

#include "topo/util/error.h"
#include "topo/util/hash.h"
#include "topo/util/kit.h"
#include "topo/util/times.h"

const uint16_t pb_whole_segments[PB_WHOLE_COUNT] = {1,  2,  3,  4,  6,   8,   12, 16,
                                                    22, 32, 44, 88, 176, 352, 704};

const char *pb_place_name(pb_place_t place)
{
    static const char *const names[PB_PLACE_COUNT] = {
        [PB_PLACE_HOST] = "machine", [PB_PLACE_SWITCH] = "switch", [PB_PLACE_FAR] = "far"};
    return names[place];
}

/*
 * Assumed of a link: a full frame's bytes on the wire beyond the MTU (preamble 8, header 14, check
 * sum 4, gap 12). Then bytes of TCP and IP headers with timestamps, and the shortest frame.
 */
#define FRAME_BYTES 38
#define TCP_IP_BYTES 52
#define SHORTEST_FRAME 84

/*
 * Assumed of the software: processor time of a send or receive through MPI and TCP, by message, TCP
 * segment and KiB. Then the time that a link with its interrupt, and a switch, add to each message.
 */
#define CPU_MESSAGE_NS 3000
#define CPU_SEGMENT_NS 400
#define CPU_KIBYTE_NS 250
#define WAY_NS 15000
#define SWITCH_NS 5000

/** Bytes up to which the TCP transport sends without asking the receiver first. */
#define EAGER_BYTES 65536

/** Memory inside a host where it was not measured: 4 GiB/s after 1 us. */
#define MEMORY_MESSAGE_NS 1000
#define MEMORY_KIBYTE_NS 250

/** The value at x on the line through (x0, y0) and (x1, y1), x0 < x1; within the bounds of
 * topo/util/times.h.
 */
static int64_t on_line(uint64_t x0, int64_t y0, uint64_t x1, int64_t y1, uint64_t x)
{
    const int64_t step =
        x < x0 ? -pb_time_scale(y1 - y0, x0 - x, x1 - x0) : pb_time_scale(y1 - y0, x - x0, x1 - x0);
    return pb_time_limited(y0 + step);
}

/**
 * The value at x beyond the last row (x1, y1), on the line from (x0, y0). It is in proportion where
 * that line does not grow, as with noise of small sizes.
 */
static int64_t beyond(uint64_t x0, int64_t y0, uint64_t x1, int64_t y1, uint64_t x)
{
    return y1 > y0 ? on_line(x0, y0, x1, y1, x) : pb_time_scale(y1, x, x1);
}

/** A function as on_line() or beyond(). */
typedef int64_t line_t(uint64_t x0, int64_t y0, uint64_t x1, int64_t y1, uint64_t x);

/** The cost at x by a at x0 and b at x1. */
static pb_cost_t cost_by(line_t *line, const pb_cost_t *a, uint64_t x0, const pb_cost_t *b,
                         uint64_t x1, uint64_t x)
{
    pb_cost_t cost = {.bytes = a->bytes};
    cost.gap = line(x0, a->gap, x1, b->gap, x);
    cost.rtt = line(x0, a->rtt, x1, b->rtt, x);
    cost.both = line(x0, a->both, x1, b->both, x);
    cost.send = line(x0, a->send, x1, b->send, x);
    cost.receive = line(x0, a->receive, x1, b->receive, x);
    cost.both = cost.both > cost.gap ? cost.both : cost.gap;
    return cost;
}

/** The row by which interpolation at `bytes` begins; it is not the last of several. */
static const pb_cost_t *find_row(const pb_costs_t *costs, uint64_t bytes)
{
    int low = 0, high = costs->n_rows - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (costs->rows[middle].bytes <= bytes) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &costs->rows[low];
}

/* The row from which the line through the last row is drawn that goes on beyond it. It is the last
 * one of at most half the last row's size, or else the first of 2 rows or more. Rows next to each
 * other may be a few bytes apart, and their difference but noise. */
static const pb_cost_t *slope_row(const pb_costs_t *costs)
{
    const uint64_t half = costs->rows[costs->n_rows - 1].bytes / 2;
    int row = costs->n_rows - 2;
    while (row > 0 && costs->rows[row].bytes > half) {
        row--;
    }
    return &costs->rows[row];
}

/** The cost of `bytes` at one place, which has rows. */
static pb_cost_t cost_at_place(const pb_costs_t *costs, uint64_t bytes)
{
    const pb_cost_t *rows = costs->rows, *last = &rows[costs->n_rows - 1];
    pb_cost_t cost = rows[0];
    if (costs->n_rows > 1 && bytes > last->bytes) {
        const pb_cost_t *row = slope_row(costs);
        cost = cost_by(beyond, row, row->bytes, last, last->bytes, bytes);
    } else if (costs->n_rows > 1) {
        const pb_cost_t *row = find_row(costs, bytes);
        cost = cost_by(on_line, row, row->bytes, &row[1], row[1].bytes, bytes);
    }
    cost.bytes = bytes;
    return cost;
}

static pb_cost_t cost_in_memory(uint64_t bytes)
{
    const int64_t copy =
        pb_time_limited(MEMORY_MESSAGE_NS + pb_time_scale(MEMORY_KIBYTE_NS, bytes, 1024));
    const pb_cost_t cost = {.bytes = bytes,
                            .gap = copy,
                            .rtt = 4 * copy,
                            .both = 2 * copy,
                            .send = copy,
                            .receive = copy};
    return cost;
}

int64_t pb_model_byte_time(const pb_model_t *model, uint64_t bytes)
{
    const pb_costs_t *costs = &model->costs[PB_PLACE_SWITCH];
    if (costs->n_rows < 2) {
        return 0;
    }
    const pb_cost_t *a = slope_row(costs), *b = &costs->rows[costs->n_rows - 1];
    return b->gap > a->gap ? pb_time_scale(b->gap - a->gap, bytes, b->bytes - a->bytes) : 0;
}

/**
 * Nanoseconds that a frame with `payload` bytes behind its headers takes over a link. The byte time
 * of long messages includes the headers of full frames; scaling takes them off, so that headers
 * count once.
 */
static int64_t frame_time(const pb_model_t *model, uint64_t payload)
{
    const uint64_t around = TCP_IP_BYTES + FRAME_BYTES;
    return pb_time_scale(pb_model_byte_time(model, payload + around), model->payload,
                         model->payload + around);
}

/** Nanoseconds that a further link and switch add to a message's: they store and forward a
 * frame. */
static int64_t further_link(const pb_model_t *model, uint64_t bytes)
{
    const uint64_t stream = bytes + model->overhead;
    return frame_time(model, stream < model->payload ? stream : model->payload) + SWITCH_NS;
}

pb_cost_t pb_model_cost(const pb_model_t *model, int n_links, uint64_t bytes)
{
    const pb_costs_t *near = &model->costs[PB_PLACE_SWITCH];
    const pb_costs_t *far = &model->costs[PB_PLACE_FAR];
    if (n_links <= 0) {
        const pb_costs_t *host = &model->costs[PB_PLACE_HOST];
        return host->n_rows > 0 ? cost_at_place(host, bytes) : cost_in_memory(bytes);
    }
    pb_cost_t cost = cost_at_place(near, bytes);
    const int further = n_links > near->n_links ? n_links - near->n_links : 0;
    if (further == 0) {
        return cost;
    }
    if (far->n_rows > 0 && far->n_links > near->n_links) {
        const pb_cost_t at_far = cost_at_place(far, bytes);
        cost = cost_by(on_line, &cost, 0, &at_far, (uint64_t) (far->n_links - near->n_links),
                       (uint64_t) further);
        cost.bytes = bytes;
        return cost;
    }
    cost.rtt = pb_time_limited(
        cost.rtt + 2 * pb_time_scale(further_link(model, bytes), (uint64_t) further, 1));
    return cost;
}

/* ---- datagrams ---- */

/**
 * Bytes of the message that is as long on the wire as a datagram with `payload` bytes of ours.
 * Headers of a datagram are taken to be as long as those of TCP/IP, but a message also has MPI's
 * overhead.
 */
static uint64_t as_message(const pb_model_t *model, uint64_t payload)
{
    return payload > model->overhead ? payload - model->overhead : 1;
}

pb_cost_t pb_model_datagram(const pb_model_t *model, uint64_t payload)
{
    pb_cost_t cost =
        pb_model_cost(model, model->costs[PB_PLACE_SWITCH].n_links, as_message(model, payload));
    cost.bytes = payload;
    return cost;
}

int64_t pb_model_further_datagram(const pb_model_t *model, uint64_t payload)
{
    const int n_links = model->costs[PB_PLACE_SWITCH].n_links;
    if (model->costs[PB_PLACE_FAR].n_rows == 0) {
        return frame_time(model, payload) + SWITCH_NS;
    }
    const uint64_t bytes = as_message(model, payload);
    return (pb_model_cost(model, n_links + 1, bytes).rtt -
            pb_model_cost(model, n_links, bytes).rtt) /
           2;
}

/* ---- what is assumed ---- */

/** A message on the wire. */
typedef struct wire {
    uint64_t frames;
    uint64_t bytes;   /**< of all frames with everything around them */
    uint64_t largest; /**< of the largest frame */
} wire_t;

static wire_t on_wire(const pb_model_t *model, uint64_t bytes)
{
    const uint64_t stream = bytes + model->overhead;
    const uint64_t around = TCP_IP_BYTES + FRAME_BYTES;
    wire_t wire = {.frames = (stream + model->payload - 1) / model->payload};
    wire.frames = wire.frames > 0 ? wire.frames : 1;
    wire.bytes = stream + wire.frames * around;
    wire.bytes = wire.bytes > SHORTEST_FRAME ? wire.bytes : SHORTEST_FRAME;
    wire.largest = wire.frames > 1 ? model->payload + around : wire.bytes;
    return wire;
}

static int64_t wire_time(uint64_t bytes, uint64_t bits_per_second)
{
    /* Up to 2^22 bytes: eight bits and 10^9 ns do not overflow. */
    return pb_time_limited((int64_t) (bytes * UINT64_C(8000000000) / bits_per_second));
}

/** TCP acknowledges every second segment, against the direction of the data. */
static uint64_t acknowledged_bytes(const wire_t *wire)
{
    return (wire->frames + 1) / 2 * (TCP_IP_BYTES + FRAME_BYTES);
}

/** The row of a message between two hosts of one switch. */
static pb_cost_t assumed_cost(const pb_model_t *model, uint64_t bits_per_second, uint64_t bytes)
{
    const wire_t wire = on_wire(model, bytes);
    const int64_t way =
        wire_time(wire.largest, bits_per_second) + WAY_NS + SWITCH_NS; /* the second link */
    pb_cost_t cost = {.bytes = bytes};
    cost.send = CPU_MESSAGE_NS + (int64_t) wire.frames * CPU_SEGMENT_NS +
                pb_time_scale(CPU_KIBYTE_NS, bytes, 1024);
    cost.receive = cost.send;
    cost.gap = pb_max64(wire_time(wire.bytes, bits_per_second), cost.send);
    cost.both = pb_max64(wire_time(wire.bytes + acknowledged_bytes(&wire), bits_per_second),
                         cost.send + cost.receive);
    cost.rtt = 2 * (cost.gap + way + cost.receive);
    if (bytes + model->overhead > EAGER_BYTES) {
        cost.rtt += 4 * (way + cost.receive);
    }
    return cost;
}

int pb_model_add_size(uint64_t *sizes, int n, uint64_t size)
{
    int at = n;
    while (at > 0 && sizes[at - 1] >= size) {
        at--;
    }
    if (at < n && sizes[at] == size) {
        return n;
    }
    memmove(&sizes[at + 1], &sizes[at], (size_t) (n - at) * sizeof(*sizes));
    sizes[at] = size;
    return n + 1;
}

/** Smallest size with a row. Rows are powers of two from here on, and pb_whole_segments. */
#define SMALLEST_ROW 16

void pb_model_assume(uint64_t bits_per_second, uint32_t mtu, pb_model_t *model)
{
    uint64_t sizes[PB_MODEL_MAX_ROWS] = {0};
    int n = pb_model_add_size(sizes, 0, SMALLEST_ROW);
    bits_per_second = bits_per_second > 0 ? bits_per_second : UINT64_C(1000000000);
    mtu = mtu > 0 ? mtu : 1500;
    mtu = mtu < 576 ? 576 : mtu > 65535 ? 65535 : mtu;
    memset(model, 0, sizeof(*model));
    model->speed = bits_per_second;
    model->payload = mtu - TCP_IP_BYTES;
    model->overhead = PB_MODEL_ASSUMED_OVERHEAD;
    for (uint64_t size = 256; size <= (1 << 20); size *= 2) {
        n = pb_model_add_size(sizes, n, size);
    }
    for (int i = 0; i < PB_WHOLE_ROWS; i++) {
        const uint64_t whole = (uint64_t) pb_whole_segments[i] * model->payload - model->overhead;
        n = pb_model_add_size(sizes, n, whole);
        /* One byte more is one frame more, which shows while frames are few. */
        n = pb_whole_segments[i] <= 4 ? pb_model_add_size(sizes, n, whole + 1) : n;
    }
    pb_costs_t *costs = &model->costs[PB_PLACE_SWITCH];
    costs->n_links = 2;
    costs->n_rows = n;
    for (int i = 0; i < n; i++) {
        costs->rows[i] = assumed_cost(model, bits_per_second, sizes[i]);
    }
}

void pb_model_assume_other(const pb_model_t *model, uint64_t bits_per_second, pb_model_t *other)
{
    pb_model_assume(bits_per_second, model->payload + TCP_IP_BYTES, other);
}

uint64_t pb_model_hash(const pb_model_t *model)
{
    return pb_hash_end(pb_hash_bytes(PB_HASH_START, model, sizeof(*model)));
}
