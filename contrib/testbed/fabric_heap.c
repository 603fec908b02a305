#include "contrib/testbed/fabric_heap.h"

#include <stdlib.h>

typedef struct entry {
    int64_t time;
    int id;
} entry_t;

/* Invariant: entries[place[id]].id == id for every id in the heap; place is -1 for the others. */
struct fabric_heap {
    int n;
    entry_t *entries;
    int *place;
};

fabric_heap_t *fabric_heap_new(int size)
{
    fabric_heap_t *heap = calloc(1, sizeof(*heap));
    if (heap == NULL) {
        return NULL;
    }
    heap->entries = malloc((size_t) size * sizeof(*heap->entries) + 1);
    heap->place = malloc((size_t) size * sizeof(*heap->place) + 1);
    if (heap->entries == NULL || heap->place == NULL) {
        fabric_heap_free(heap);
        return NULL;
    }
    for (int id = 0; id < size; id++) {
        heap->place[id] = -1;
    }
    return heap;
}

void fabric_heap_free(fabric_heap_t *heap)
{
    if (heap != NULL) {
        free(heap->entries);
        free(heap->place);
        free(heap);
    }
}

static int before(entry_t a, entry_t b)
{
    return a.time < b.time || (a.time == b.time && a.id < b.id);
}

static void put(fabric_heap_t *heap, int at, entry_t entry)
{
    heap->entries[at] = entry;
    heap->place[entry.id] = at;
}

/** Moves `entry` from the hole `at` towards the top until its parent is before it. */
static int sift_up(fabric_heap_t *heap, int at, entry_t entry)
{
    while (at > 0 && before(entry, heap->entries[(at - 1) / 2])) {
        put(heap, at, heap->entries[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(heap, at, entry);
    return at;
}

static void sift_down(fabric_heap_t *heap, int at, entry_t entry)
{
    for (;;) {
        int child = 2 * at + 1;
        if (child >= heap->n) {
            break;
        }
        if (child + 1 < heap->n && before(heap->entries[child + 1], heap->entries[child])) {
            child++;
        }
        if (!before(heap->entries[child], entry)) {
            break;
        }
        put(heap, at, heap->entries[child]);
        at = child;
    }
    put(heap, at, entry);
}

void fabric_heap_set(fabric_heap_t *heap, int id, int64_t time)
{
    entry_t entry = {time, id};
    int at = heap->place[id];
    if (at < 0) {
        at = heap->n++;
    }
    sift_down(heap, sift_up(heap, at, entry), entry);
}

void fabric_heap_remove(fabric_heap_t *heap, int id)
{
    int at = heap->place[id];
    if (at < 0) {
        return;
    }
    heap->place[id] = -1;
    heap->n--;
    if (at < heap->n) {
        entry_t last = heap->entries[heap->n];
        sift_down(heap, sift_up(heap, at, last), last);
    }
}

int fabric_heap_first(const fabric_heap_t *heap)
{
    return heap->n > 0 ? heap->entries[0].id : -1;
}

int64_t fabric_heap_time(const fabric_heap_t *heap)
{
    return heap->n > 0 ? heap->entries[0].time : INT64_MAX;
}
