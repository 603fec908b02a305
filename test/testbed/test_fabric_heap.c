/* The heap of event times against a plain search. */
#include <stdbool.h>
#include <stdint.h>

#include "contrib/testbed/fabric_heap.h"
#include "test/tap.h"

#define SIZE 50

/** A small generator of its own, so that a failure repeats. */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static int plain_first(const int64_t *time, const bool *in)
{
    int first = -1;
    for (int id = 0; id < SIZE; id++) {
        if (in[id] && (first < 0 || time[id] < time[first])) {
            first = id;
        }
    }
    return first;
}

static void random_changes(void)
{
    fabric_heap_t *heap = fabric_heap_new(SIZE);
    int64_t time[SIZE] = {0};
    bool in[SIZE] = {false};
    uint32_t state = 1;
    int wrong = 0;
    for (int step = 0; step < 20000; step++) {
        int id = (int) (next_random(&state) % SIZE);
        if (next_random(&state) % 3 == 0) {
            fabric_heap_remove(heap, id);
            in[id] = false;
        } else {
            time[id] = next_random(&state) % 100;
            in[id] = true;
            fabric_heap_set(heap, id, time[id]);
        }
        int first = plain_first(time, in);
        wrong += fabric_heap_first(heap) != first;
        wrong += fabric_heap_time(heap) != (first < 0 ? INT64_MAX : time[first]);
    }
    ok(wrong == 0, "20000 random changes: the first is always the earliest, then the lowest");
    fabric_heap_free(heap);
}

int main(void)
{
    fabric_heap_t *heap = fabric_heap_new(3);
    ok(fabric_heap_first(heap) == -1 && fabric_heap_time(heap) == INT64_MAX, "an empty heap");
    fabric_heap_remove(heap, 2);
    ok(fabric_heap_first(heap) == -1, "removing what is not in does nothing");
    fabric_heap_set(heap, 2, 5);
    fabric_heap_set(heap, 0, 5);
    ok(fabric_heap_first(heap) == 0, "equal times come in the order of their numbers");
    fabric_heap_free(heap);
    random_changes();
    return tap_done();
}
