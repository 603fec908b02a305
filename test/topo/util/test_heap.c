/* The heap of events against a plain search. */
#include "topo/util/heap.h"

#include <stdbool.h>

#include "test/tap.h"
#include "topo/util/error.h"
#include "topo/util/random.h"

#define SIZE 200

static bool before(const pb_event_t *a, const pb_event_t *b)
{
    const int64_t of_a[] = {a->time, a->major, a->minor, a->id};
    const int64_t of_b[] = {b->time, b->major, b->minor, b->id};
    for (int i = 0; i < 4; i++) {
        if (of_a[i] != of_b[i]) {
            return of_a[i] < of_b[i];
        }
    }
    return false;
}

static pb_event_t take_plain(pb_event_t *events, int *n)
{
    int first = 0;
    for (int i = 1; i < *n; i++) {
        first = before(&events[i], &events[first]) ? i : first;
    }
    const pb_event_t taken = events[first];
    events[first] = events[--*n];
    return taken;
}

static void random_order(void)
{
    pb_heap_t heap = {0};
    pb_event_t plain[SIZE];
    pb_random_t random = pb_random_seed(1);
    int n = 0, wrong = 0;
    for (int step = 0; step < 20000; step++) {
        if (n < SIZE && (n == 0 || pb_random_below(&random, 2) == 0)) {
            const pb_event_t event = {.time = pb_random_below(&random, 10),
                                      .major = pb_random_below(&random, 3),
                                      .minor = pb_random_below(&random, 3),
                                      .id = step,
                                      .note = -step};
            plain[n++] = event;
            wrong += pb_heap_push(&heap, &event) != PB_SUCCESS;
        } else {
            const pb_event_t wanted = take_plain(plain, &n), found = pb_heap_pop(&heap);
            wrong += found.id != wanted.id || found.note != -wanted.id;
        }
        wrong += heap.n_events != n;
    }
    ok(wrong == 0, "20000 events come out by time, major, minor and id, with their notes");
    pb_heap_clear(&heap);
    ok(heap.n_events == 0 && heap.events == NULL, "a heap that is cleared is empty");
}

static void reserved(void)
{
    pb_heap_t heap = {0};
    ok(pb_heap_reserve(&heap, 100) == PB_SUCCESS && heap.n_events == 0, "room for 100 events");
    const pb_event_t *events = heap.events;
    for (int i = 0; i < 100; i++) {
        pb_heap_push(&heap, &(pb_event_t){.time = 100 - i});
    }
    ok(heap.events == events && heap.n_events == 100, "100 events fit without more memory");
    ok(heap.events[0].time == 1, "the first may be looked at");
    pb_heap_clear(&heap);
}

int main(void)
{
    random_order();
    reserved();
    return tap_done();
}
