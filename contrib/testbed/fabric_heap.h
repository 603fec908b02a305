/*
 * A heap of times, one per id: which link has the next event.
 *
 * Ids are 0 .. size - 1; each is in the heap at most once, with one time. Times
 * are nanoseconds of the fabric's clock. Ids of equal times come out in the order
 * of their numbers, so that a run depends on nothing but its input.
 */
#ifndef FABRIC_HEAP_H
#define FABRIC_HEAP_H

#include <stdint.h>

typedef struct fabric_heap fabric_heap_t;

/** An empty heap for ids below `size`, or NULL if memory is out. */
fabric_heap_t *fabric_heap_new(int size);
void fabric_heap_free(fabric_heap_t *heap);

/** Puts `id` at `time`, whether or not it was in the heap. O(log size). */
void fabric_heap_set(fabric_heap_t *heap, int id, int64_t time);

/** Takes `id` out; nothing happens if it is not in. O(log size). */
void fabric_heap_remove(fabric_heap_t *heap, int id);

/** The id of the earliest time, -1 if the heap is empty. O(1). */
int fabric_heap_first(const fabric_heap_t *heap);

/** The earliest time, INT64_MAX if the heap is empty. O(1). */
int64_t fabric_heap_time(const fabric_heap_t *heap);

#endif
