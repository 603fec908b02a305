/*
 * One vertex in one tree: which item takes which slot.
 *
 * Slots are taken in order of time. What opens slots goes first, because slots
 * multiply; a subtree that must start now or miss the deadline goes before
 * that; what opens nothing goes last.
 */
#include "topo/trees/twotree/internal.h"

static void push(pb_tt_pool_t *pool, int time, int source)
{
    int at = pool->n_heap++;
    while (at > 0 && time < pool->heap[(at - 1) / 2].time) {
        pool->heap[at] = pool->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    pool->heap[at] = (pb_tt_slot_t){.time = time, .source = source};
}

static pb_tt_slot_t pop(pb_tt_pool_t *pool)
{
    const pb_tt_slot_t first = pool->heap[0];
    const pb_tt_slot_t moved = pool->heap[--pool->n_heap];
    int at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= pool->n_heap) {
            break;
        }
        if (child + 1 < pool->n_heap && pool->heap[child + 1].time < pool->heap[child].time) {
            child++;
        }
        if (pool->heap[child].time >= moved.time) {
            break;
        }
        pool->heap[at] = pool->heap[child];
        at = child;
    }
    pool->heap[at] = moved;
    return first;
}

static int slots_until(const pb_tt_pool_t *pool, int time)
{
    int n = 0;
    for (int i = 0; i < pool->n_heap; i++) {
        n += pool->heap[i].time <= time;
    }
    return n;
}

/**
 * The guest that must take the slot of `now`, because as many guests as there
 * are slots cannot wait for a new one; -1 if none must, -2 if one is too late.
 */
static int forced_guest(const pb_tt_pool_t *pool, int now, int deadline)
{
    int first = -1, n_pressed = 0;
    for (int g = 0; g < pool->n_guests; g++) {
        if (pool->guests[g].placed) {
            continue;
        }
        const int last = deadline - pool->guests[g].lead;
        if (last >= now + pool->first) {
            break;
        }
        if (last < now) {
            return -2;
        }
        first = first < 0 ? g : first;
        n_pressed++;
        if (1 + slots_until(pool, last) <= n_pressed) {
            return first;
        }
    }
    return -1;
}

/** The unplaced guest with the least time left among those that give `gives`. */
static int next_guest(const pb_tt_pool_t *pool, int gives)
{
    for (int g = 0; g < pool->n_guests; g++) {
        if (!pool->guests[g].placed && pool->guests[g].gives == gives) {
            return g;
        }
    }
    return -1;
}

static void place_local(pb_tt_pool_t *pool, int item, int gives, const pb_tt_slot_t *slot)
{
    pool->source[item] = slot->source;
    pool->time[item] = slot->time;
    for (int i = 0; i < gives; i++) {
        push(pool, slot->time + pool->first + i * pool->step, 2 * item + i);
    }
}

static void place_guest(pb_tt_pool_t *pool, int g, const pb_tt_slot_t *slot, int deadline)
{
    pb_tt_guest_t *guest = &pool->guests[g];
    const int item = pool->n_locals + g;
    const int slack = deadline - slot->time;
    int index = slack - guest->table->need;
    index = index < guest->table->n ? index : guest->table->n - 1;
    const pb_tt_reply_t *reply = &guest->table->replies[index];
    guest->placed = true;
    pool->source[item] = slot->source;
    pool->time[item] = slot->time;
    for (int i = 0; i < guest->gives; i++) {
        push(pool, slot->time + reply->out[i], 2 * item + i);
    }
}

/** What is left to place at a vertex. */
typedef struct left {
    int locals[3]; /**< by what they give */
    int items;
} left_t;

static void take_local(pb_tt_pool_t *pool, left_t *left, int gives, const pb_tt_slot_t *slot)
{
    int item = pool->n_giving[gives] - left->locals[gives]--;
    for (int more = gives + 1; more <= 2; more++) {
        item += pool->n_giving[more];
    }
    place_local(pool, item, gives, slot);
}

/** Gives the slot to an item; false if a guest has become too late. */
static bool place(pb_tt_pool_t *pool, left_t *left, const pb_tt_slot_t *slot, int deadline)
{
    int guest = forced_guest(pool, slot->time, deadline);
    if (guest == -2) {
        return false;
    }
    left->items--;
    if (guest < 0 && left->locals[2] > 0) {
        take_local(pool, left, 2, slot);
        return true;
    }
    guest = guest >= 0 ? guest : next_guest(pool, 2);
    guest = guest >= 0 ? guest : next_guest(pool, 1);
    if (guest < 0 && left->locals[1] > 0) {
        take_local(pool, left, 1, slot);
        return true;
    }
    guest = guest >= 0 ? guest : next_guest(pool, 0);
    if (guest < 0) {
        take_local(pool, left, 0, slot);
        return true;
    }
    if (deadline - pool->guests[guest].lead < slot->time) {
        return false;
    }
    place_guest(pool, guest, slot, deadline);
    return true;
}

bool pb_tt_fill(pb_tt_pool_t *pool, int deadline, const int hold[2])
{
    left_t left = {.items = pool->n_locals + pool->n_guests};
    int n_exported = 0;
    for (int gives = 0; gives <= 2; gives++) {
        left.locals[gives] = pool->n_giving[gives];
    }
    for (int g = 0; g < pool->n_guests; g++) {
        pool->guests[g].placed = false;
    }
    pool->n_heap = 0;
    push(pool, pool->entry, PB_TT_ENTRY);
    while (pool->n_heap > 0) {
        const pb_tt_slot_t slot = pop(pool);
        if (slot.time > deadline) {
            return false;
        }
        /* The last slot stays while something is to be placed. */
        const bool wanted = n_exported < pool->n_exports && slot.time >= hold[n_exported];
        if (left.items == 0 || (wanted && pool->n_heap > 0)) {
            pool->export_source[n_exported] = slot.source;
            pool->export_time[n_exported++] = slot.time;
        } else if (!place(pool, &left, &slot, deadline)) {
            return false;
        }
    }
    return left.items == 0;
}
