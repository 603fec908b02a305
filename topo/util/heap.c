#include "topo/util/heap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "topo/util/error.h"

static bool before(const pb_event_t *a, const pb_event_t *b)
{
    if (a->time != b->time) {
        return a->time < b->time;
    }
    if (a->major != b->major) {
        return a->major < b->major;
    }
    if (a->minor != b->minor) {
        return a->minor < b->minor;
    }
    return a->id < b->id;
}

int pb_heap_reserve(pb_heap_t *heap, int capacity)
{
    if (capacity <= heap->capacity) {
        return PB_SUCCESS;
    }
    pb_event_t *events = realloc(heap->events, (size_t) capacity * sizeof(*events));
    if (events == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    heap->events = events;
    heap->capacity = capacity;
    return PB_SUCCESS;
}

int pb_heap_push(pb_heap_t *heap, const pb_event_t *event)
{
    if (heap->n_events == heap->capacity &&
        pb_heap_reserve(heap, heap->capacity > 0 ? 2 * heap->capacity : 64) != PB_SUCCESS) {
        return PB_ERR_NO_MEMORY;
    }
    int at = heap->n_events++;
    while (at > 0 && before(event, &heap->events[(at - 1) / 2])) {
        heap->events[at] = heap->events[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->events[at] = *event;
    return PB_SUCCESS;
}

pb_event_t pb_heap_pop(pb_heap_t *heap)
{
    const pb_event_t first = heap->events[0];
    const pb_event_t moved = heap->events[--heap->n_events];
    int at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= heap->n_events) {
            break;
        }
        if (child + 1 < heap->n_events && before(&heap->events[child + 1], &heap->events[child])) {
            child++;
        }
        if (!before(&heap->events[child], &moved)) {
            break;
        }
        heap->events[at] = heap->events[child];
        at = child;
    }
    heap->events[at] = moved;
    return first;
}

void pb_heap_clear(pb_heap_t *heap)
{
    free(heap->events);
    *heap = (pb_heap_t){0};
}
