/*
 * The plugin's message of segments over real datatypes (pml/message.c),
 * without a broadcast: segments of any size arrive and leave in any order, as
 * plans of several streams let them. One process.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "layouts.h"
#include "pml/message.h"
#include "topo/util/random.h"

#define ROOM (2 * LAYOUTS_REACH)
#define START LAYOUTS_REACH
#define MAX_RECEIVING 2
#define MAX_SENDING 4
#define GAP_BYTE 0x5c

/** One message and its packed bytes. */
typedef struct test {
    const char *name;
    pb_message_t message;
    char *packed;
    size_t total, segment_size;
} test_t;

static size_t bytes_of(const test_t *t, uint64_t segment)
{
    const size_t rest = t->total - segment * t->segment_size;
    return rest < t->segment_size ? rest : t->segment_size;
}

static void arrive(test_t *t, uint64_t segment)
{
    void *place = NULL;
    const size_t offset = segment * t->segment_size, bytes = bytes_of(t, segment);
    char *in_place = pb_message_in_place(&t->message);
    if (in_place != NULL) {
        memcpy(in_place + offset, t->packed + offset, bytes);
        return;
    }
    int rc = pb_message_to_receive(&t->message, segment, offset, bytes, &place);
    check(rc == 0, "%s: no place for a segment: %d", t->name, rc);
    if (rc != 0) {
        return;
    }
    memcpy(place, t->packed + offset, bytes);
    rc = pb_message_received(&t->message, segment, offset, bytes, place);
    check(rc == 0, "%s, segments of %zu: segment %d is not received: %d", t->name, t->segment_size,
          (int) segment, rc);
    pb_message_release(&t->message, segment, place);
}

static void leave(test_t *t, uint64_t segment)
{
    const void *place = NULL;
    const size_t offset = segment * t->segment_size, bytes = bytes_of(t, segment);
    const char *in_place = pb_message_in_place(&t->message);
    if (in_place != NULL) {
        check(memcmp(in_place + offset, t->packed + offset, bytes) == 0,
              "%s: segment %d does not lie in place", t->name, (int) segment);
        return;
    }
    int rc = pb_message_to_send(&t->message, segment, offset, bytes, &place);
    check(rc == 0, "%s, segments of %zu: segment %d cannot be sent: %d", t->name, t->segment_size,
          (int) segment, rc);
    if (rc == 0) {
        check(memcmp(place, t->packed + offset, bytes) == 0,
              "%s, segments of %zu: segment %d is packed wrongly", t->name, t->segment_size,
              (int) segment);
        pb_message_release(&t->message, segment, place);
    }
}

/** In order, in streams of every second or third, or at random. */
static void choose_order(pb_random_t *random, int *order, int n)
{
    const int n_streams = pb_random_below(random, 4);
    int at = 0;
    for (int stream = 0; stream < n_streams; stream++) {
        for (int segment = stream; segment < n; segment += n_streams) {
            order[at++] = segment;
        }
    }
    for (; at < n; at++) {
        order[at] = at;
    }
    if (n_streams == 0) {
        pb_random_shuffle(random, order, n);
    }
}

static void test_layout(const layout_t *layout, size_t segment_size, pb_random_t *random)
{
    int type_size, at = 0;
    MPI_Type_size(layout->type, &type_size);
    const int bytes = type_size * layout->count;
    test_t t = {.name = layout->name, .total = (size_t) bytes, .segment_size = segment_size};
    char *room = must_malloc(ROOM), *expected = must_malloc(ROOM);
    t.packed = must_malloc(t.total);
    memset(room, GAP_BYTE, ROOM);
    memset(expected, GAP_BYTE, ROOM);
    pattern_fill(t.packed, t.total, (unsigned) pb_random_below(random, 1000));
    MPI_Unpack(t.packed, bytes, &at, expected + START, layout->count, layout->type, MPI_COMM_SELF);

    const int n = (int) ((t.total - 1) / segment_size + 1);
    int *order = must_malloc((size_t) n * sizeof(*order));
    choose_order(random, order, n);
    check(coll_pipebcast_message_init(&t.message, room + START, (size_t) layout->count,
                                      layout->type, segment_size, MAX_RECEIVING, MAX_SENDING) == 0,
          "%s: no message", layout->name);
    for (int i = 0; i < n; i++) {
        arrive(&t, (uint64_t) order[i]);
        leave(&t, (uint64_t) order[pb_random_below(random, i + 1)]);
    }
    check(memcmp(room, expected, ROOM) == 0, "%s, segments of %zu: wrong bytes", layout->name,
          segment_size);
    coll_pipebcast_message_fini(&t.message);
    free(order);
    free(t.packed);
    free(expected);
    free(room);
}

static void test_family(layouts_t family, unsigned seed)
{
    static const size_t segment_sizes[] = {16, 17, 23, 24, 31, 32, 33, 64, 100, 1000, 1023, 100000};
    pb_random_t random = pb_random_seed(seed);
    for (int i = 0; i < family.n; i++) {
        for (size_t s = 0; s < sizeof(segment_sizes) / sizeof(segment_sizes[0]); s++) {
            for (int trial = 0; trial < 4; trial++) {
                test_layout(&family.layout[i], segment_sizes[s], &random);
            }
        }
    }
    layouts_free(&family);
}

/** Receives that wait leave bounce buffers to sends, and the other way round. */
static void test_sharing(bool receives_first)
{
    static double values[200];
    const size_t bytes = 10 * sizeof(double);
    const void *sent[MAX_SENDING + 1] = {NULL}, *again;
    void *places[MAX_RECEIVING] = {NULL};
    pb_message_t message;
    MPI_Datatype column;
    MPI_Type_vector(100, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    coll_pipebcast_message_init(&message, values, 1, column, bytes, MAX_RECEIVING, MAX_SENDING);
    for (int turn = 0; turn < 2; turn++) {
        for (uint64_t i = 0; i < MAX_RECEIVING && receives_first == (turn == 0); i++) {
            check(pb_message_to_receive(&message, i, i * bytes, bytes, &places[i]) == 0,
                  "receive %d finds no place", (int) i);
        }
        for (uint64_t i = 0; i <= MAX_SENDING && receives_first == (turn == 1); i++) {
            const uint64_t segment = MAX_RECEIVING + i;
            const int rc = pb_message_to_send(&message, segment, segment * bytes, bytes, &sent[i]);
            check(rc == (i < MAX_SENDING ? 0 : PB_MESSAGE_BUSY), "send %d: %d", (int) i, rc);
        }
    }
    /* A second child gets a segment that is held already. */
    check(pb_message_to_send(&message, MAX_RECEIVING, MAX_RECEIVING * bytes, bytes, &again) == 0 &&
              again == sent[0],
          "one bounce buffer serves two children");
    pb_message_release(&message, MAX_RECEIVING, sent[0]);
    pb_message_release(&message, MAX_RECEIVING, sent[0]);
    const uint64_t last = MAX_RECEIVING + MAX_SENDING;
    check(pb_message_to_send(&message, last, last * bytes, bytes, &sent[0]) == 0,
          "what was released can be taken");
    pb_message_release(&message, last, sent[0]);
    for (uint64_t i = 1; i < MAX_SENDING; i++) {
        pb_message_release(&message, MAX_RECEIVING + i, sent[i]);
    }
    for (uint64_t i = 0; i < MAX_RECEIVING; i++) {
        pb_message_release(&message, i, places[i]);
    }
    coll_pipebcast_message_fini(&message);
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    test_sharing(true);
    test_sharing(false);
    test_family(layouts_of_elements(MPI_CHAR, 240), 1);
    test_family(layouts_of_elements(MPI_SHORT, 240), 2);
    test_family(layouts_of_elements(MPI_DOUBLE, 96), 3);
    test_family(layouts_of_elements(MPI_C_DOUBLE_COMPLEX, 96), 4);
    test_family(layouts_of_elements(MPI_DOUBLE_INT, 96), 6);
    test_family(layouts_of_elements(MPI_LONG_DOUBLE_INT, 48), 7);
    test_family(layouts_of_structs(60), 8);
#if OMPI_MAJOR_VERSION < 5 /* later ones copy values, not the bytes that pad them */
    test_family(layouts_of_elements(MPI_LONG_DOUBLE, 96), 5);
    test_family(layouts_of_elements(MPI_C_LONG_DOUBLE_COMPLEX, 48), 9);
#endif
    return check_done("run_message");
}
