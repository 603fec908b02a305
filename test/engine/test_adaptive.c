/*
 * Adaptive broadcasts: their header, and the rates at which parents deliver. The group of ranks
 * that a header announces is tested with arrivals (test_arrival.c).
 */
#include <string.h>

#include "adaptive/delivery.h"
#include "adaptive/header.h"
#include "test/tap.h"

/* Headers. */

static void test_header(void)
{
    uint8_t bytes[64 * PB_ADVICE_MAX_STREAMS];
    const int parent[] = {2, 0, -1, 2};
    const int place[] = {1, 0, 0, 0};
    pb_tree_t *stream = pb_tree_new(4, 2);
    memcpy(stream->parent, parent, sizeof(parent));
    memcpy(stream->child_index, place, sizeof(place));
    const pb_advice_tree_t tree = {
        .root = 2, .segment = 1426, .n_streams = 2, .streams = {stream, stream}};
    pb_advice_tree_t read;
    const size_t length = pb_adaptive_header_write(&tree, 4, bytes);
    ok(length == 8 + 2 * 3 * 4 && length <= pb_adaptive_header_room(4), "a header of two streams");
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, length) == PB_SUCCESS && read.segment == 1426 &&
           read.n_streams == 2 && memcmp(read.streams[1]->parent, parent, sizeof(parent)) == 0 &&
           memcmp(read.streams[1]->child_index, place, sizeof(place)) == 0,
       "is read as it was written");
    pb_advice_tree_clear(&read);
    ok(pb_adaptive_header_read(&read, 4, 1, bytes, length) == PB_ERR_INPUT, "not for another root");
    ok(pb_adaptive_header_read(&read, 5, 2, bytes, length) == PB_ERR_INPUT, "nor other hosts");
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, length - 1) == PB_ERR_INPUT &&
           pb_adaptive_header_read(&read, 4, 2, bytes, 3) == PB_ERR_INPUT,
       "nor if it is short");
    bytes[8] = 1; /* 0 and 1 below each other */
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, length) == PB_ERR_INPUT, "a cycle");
    bytes[8] = 200;
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, length) == PB_ERR_INPUT, "no such host");
    bytes[8] = 2;
    memset(bytes + 4, 0, 4);
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, length) == PB_ERR_INPUT, "no segment");
    const size_t short_length = pb_adaptive_header_write(NULL, 4, bytes);
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, short_length) == PB_SUCCESS &&
           read.n_streams == 0,
       "the static plan");
    bytes[0] = 99;
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, short_length) == PB_ERR_INPUT, "another form");
    pb_tree_free(stream);
}

/* Rates. */

static void test_delivery(void)
{
    pb_delivery_t delivery = {.looked = false};
    pb_lane_t lanes[2] = {{.rank = 5, .mask = 1}, {.rank = 6, .mask = 2}};
    pb_message_t message = {.total = 1950};
    pb_transfer_t t = {.lanes = lanes,
                       .missing = {0, 7},
                       .n_parents = 2,
                       .n_streams = 2,
                       .segment_size = 100,
                       .n_segments = 20,
                       .message = &message};
    uint64_t bytes;
    int64_t taken;
    pb_delivery_look(&delivery, &t, 1000);
    t.missing[0] = 2;
    pb_delivery_look(&delivery, &t, 2000);
    t.missing[0] = 20;
    t.missing[1] = 21;
    pb_delivery_look(&delivery, &t, 5000);
    ok(pb_delivery_rate(&delivery, &t, 0, &bytes, &taken) && bytes == 900 && taken == 3000,
       "what came after the first segment, and the time");
    ok(!pb_delivery_rate(&delivery, &t, 1, &bytes, &taken),
       "nothing is said of a parent that was there before the child");
    delivery.parent[1].waited = true;
    delivery.parent[1].first = 1500;
    ok(pb_delivery_rate(&delivery, &t, 1, &bytes, &taken) && bytes == 650 && taken == 3500,
       "the last segment is shorter");
    pb_delivery_t later = {.waited = true};
    pb_delivery_look(&later, &t, 1000);
    ok(later.parent[1].waited, "unless the child had waited for the header");
    t.error = 1;
    ok(!pb_delivery_rate(&delivery, &t, 0, &bytes, &taken), "nothing after an error");
    t.error = 0;
    delivery.parent[0].n_first = 7;
    ok(!pb_delivery_rate(&delivery, &t, 0, &bytes, &taken), "nothing of few segments");
}

int main(void)
{
    test_header();
    test_delivery();
    return tap_done();
}
