/*
 * A binary heap of events: the queue of the simulator and of the emulated fabric.
 *
 * Events come out by time, then major, then minor, then id, so that a run depends on
 * nothing but its input. What the numbers mean is the user's business.
 */
#ifndef PB_HEAP_H
#define PB_HEAP_H

#include <stdint.h>

typedef struct pb_event {
    int64_t time;
    int major, minor; /**< the order of events of one time, lower first */
    int id;           /**< what it happens to; lower first where all else is equal */
    int note;         /**< for the user; does not count in the order */
} pb_event_t;

/** An all-zero heap is empty. Its first event, if n_events > 0, may be read in events[0]. */
typedef struct pb_heap {
    pb_event_t *events; /**< owned; see pb_heap_clear() */
    int n_events, capacity;
} pb_heap_t;

/** Reserves room for `capacity` events in all: pushing these cannot fail. PB_ERR_NO_MEMORY. */
int pb_heap_reserve(pb_heap_t *heap, int capacity);

/** Adds an event. PB_ERR_NO_MEMORY. O(log n). */
int pb_heap_push(pb_heap_t *heap, const pb_event_t *event);

/** Takes the first event out of a heap that is not empty. O(log n). */
pb_event_t pb_heap_pop(pb_heap_t *heap);

/** Frees the memory and leaves the heap empty. */
void pb_heap_clear(pb_heap_t *heap);

#endif
