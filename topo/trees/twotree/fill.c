/*
 * One vertex in one tree: which item takes which slot.
 *
 * Slots are taken in order of time. Items that open slots go first, as slots multiply; before them
 * subtrees that must start now or miss the deadline. Items that open nothing go last.
 *
 * It makes no difference to times which of the slots of one time is taken. So tables have numbers
 * of slots alone; the replay also keeps who opened each.
 */
#include "topo/trees/twotree/internal.h"

/** Filling is most of what a plan costs: all of it in one function keeps its state in registers. */
#define HOT static inline __attribute__((always_inline))

/* ---- times at which slots are open ---- */

/** Times of one word of pb_tt_pool_t.times. */
#define WORD_BITS 64U

/** The first time from `time` on at which a slot is open; there is one. */
HOT int next_time(const pb_tt_pool_t *pool, int time)
{
    unsigned at = (unsigned) time / WORD_BITS;
    uint64_t word = pool->times[at] & (UINT64_MAX << ((unsigned) time % WORD_BITS));
    while (word == 0) {
        word = pool->times[++at];
    }
    return (int) (WORD_BITS * at) + __builtin_ctzll(word);
}

HOT void set_time(pb_tt_pool_t *pool, int time)
{
    const unsigned at = (unsigned) time;
    pool->times[at / WORD_BITS] |= UINT64_C(1) << at % WORD_BITS;
}

HOT void clear_time(pb_tt_pool_t *pool, int time)
{
    const unsigned at = (unsigned) time;
    pool->times[at / WORD_BITS] &= ~(UINT64_C(1) << at % WORD_BITS);
}

/* ---- who opened them ---- */

static void push_source(pb_tt_pool_t *pool, int time, int source)
{
    int at = pool->n_heap++;
    while (at > 0 && time < pool->heap[(at - 1) / 2].time) {
        pool->heap[at] = pool->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    pool->heap[at] = (pb_tt_slot_t){.time = time, .source = source};
}

static int pop_source(pb_tt_pool_t *pool)
{
    const int first = pool->heap[0].source;
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

/* ---- filling ---- */

/** As many as anybody asks for. */
#define MANY (1 << 28)

/** Guests that are left to place at a vertex, with their times. */
typedef struct filling {
    pb_tt_pool_t *pool;
    int deadline;
    bool with_sources;
    int now;       /**< time of the slot that is being taken */
    int n_open;    /**< slots */
    int locals[3]; /**< by what they give */
    int next[3];   /**< by what they give: the first guest that is not placed; n_guests: none */
    int n_items;
} filling_t;

/** Opens n slots at a time. Each will be taken, so that it is too late if the time is. */
HOT bool open_slots(filling_t *f, int time, int n)
{
    pb_tt_pool_t *pool = f->pool;
    if (time > f->deadline) {
        return false;
    }
    set_time(pool, time);
    pool->n_open[time] += n;
    f->n_open += n;
    return true;
}

HOT bool open_slot(filling_t *f, int time, int source)
{
    if (f->with_sources) {
        push_source(f->pool, time, source);
    }
    return open_slots(f, time, 1);
}

/** Takes n of the slots of `now`, where there are as many. */
HOT void take_slots(filling_t *f, int n)
{
    pb_tt_pool_t *pool = f->pool;
    f->n_open -= n;
    pool->n_open[f->now] -= n;
    if (pool->n_open[f->now] == 0) {
        clear_time(pool, f->now);
    }
}

/** Takes the earliest slot; returns its source, where these are kept. */
HOT int take_slot(filling_t *f)
{
    f->now = next_time(f->pool, f->now);
    take_slots(f, 1);
    return f->with_sources ? pop_source(f->pool) : PB_TT_ENTRY;
}

/** The unplaced guest with the least time left; n_guests if there is none. */
HOT int first_guest(const filling_t *f)
{
    int first = f->next[0] < f->next[1] ? f->next[0] : f->next[1];
    return first < f->next[2] ? first : f->next[2];
}

HOT bool is_too_late(const filling_t *f, int g)
{
    return f->deadline - f->pool->guests[g].lead < f->now;
}

/**
 * Number of slots of `now` that others may take before the first unplaced guest must take one; 0:
 * it must take this one. As many guests as there are slots cannot wait for a new one; their leads
 * differ by less than PB_TT_FIRST.
 */
HOT int slots_to_spare(const filling_t *f, int guest)
{
    const pb_tt_pool_t *pool = f->pool;
    int n_pressed = 0, n_slots = 1, time = f->now, least = MANY;
    for (int lead = pool->guests[guest].lead_index; lead < pool->n_leads; lead++) {
        const int last = f->deadline - pool->leads[lead].lead;
        if (last >= f->now + PB_TT_FIRST) {
            break;
        }
        for (; time <= last; time++) {
            n_slots += pool->n_open[time];
        }
        n_pressed += pool->leads[lead].n_left;
        if (n_slots <= n_pressed) {
            return 0;
        }
        least = n_slots - n_pressed < least ? n_slots - n_pressed : least;
    }
    return least;
}

HOT bool place_guest(filling_t *f, int g, int source)
{
    pb_tt_pool_t *pool = f->pool;
    const pb_tt_guest_t *guest = &pool->guests[g];
    const int item = pool->n_locals + g;
    int index = f->deadline - f->now - guest->table->need;
    index = index < guest->table->n ? index : guest->table->n - 1;
    const pb_tt_reply_t *reply = &guest->table->replies[index];
    f->next[guest->gives] = guest->next_alike;
    f->n_items--;
    pool->leads[guest->lead_index].n_left--;
    pool->source[item] = source;
    pool->time[item] = f->now;
    bool good = true;
    for (int i = 0; i < guest->gives && good; i++) {
        good = open_slot(f, f->now + reply->out[i], 2 * item + i);
    }
    return good;
}

/**
 * Places a local rank that gives so much; without sources, as many of them as there are slots
 * now, but no more than `most`.
 */
HOT bool place_locals(filling_t *f, int gives, int source, int most)
{
    pb_tt_pool_t *pool = f->pool;
    int n = 1;
    if (f->with_sources) {
        int item = pool->n_giving[gives] - f->locals[gives];
        for (int more = gives + 1; more <= 2; more++) {
            item += pool->n_giving[more];
        }
        pool->source[item] = source;
        pool->time[item] = f->now;
        source = 2 * item;
    } else if (pool->n_open[f->now] > 0) {
        n = 1 + pool->n_open[f->now];
        n = n < f->locals[gives] ? n : f->locals[gives];
        n = n < most ? n : most;
        take_slots(f, n - 1);
    }
    f->locals[gives] -= n;
    f->n_items -= n;
    bool good = true;
    for (int i = 0; i < gives && good; i++) {
        const int time = f->now + PB_TT_FIRST + i * PB_TT_STEP;
        good = f->with_sources ? open_slot(f, time, source + i) : open_slots(f, time, n);
    }
    return good;
}

/** Gives the slot to an item; false if a guest has become too late, or a slot is. */
HOT bool place(filling_t *f, int source)
{
    const int n_guests = f->pool->n_guests;
    int guest = first_guest(f), spare = MANY;
    if (guest < n_guests) {
        if (is_too_late(f, guest)) {
            return false;
        }
        spare = slots_to_spare(f, guest);
        if (spare == 0) {
            return place_guest(f, guest, source);
        }
    }
    if (f->locals[2] > 0) {
        return place_locals(f, 2, source, spare);
    }
    if (f->next[2] < n_guests || f->next[1] < n_guests) {
        guest = f->next[2] < n_guests ? f->next[2] : f->next[1];
        return place_guest(f, guest, source);
    }
    if (f->locals[1] > 0) {
        return place_locals(f, 1, source, spare);
    }
    return f->next[0] < n_guests ? place_guest(f, f->next[0], source)
                                 : place_locals(f, 0, source, spare);
}

HOT void begin(filling_t *f)
{
    pb_tt_pool_t *pool = f->pool;
    f->n_items = pool->n_locals + pool->n_guests;
    for (int gives = 0; gives <= 2; gives++) {
        f->locals[gives] = pool->n_giving[gives];
        f->next[gives] = pool->first_giving[gives];
    }
    for (int lead = 0; lead < pool->n_leads; lead++) {
        pool->leads[lead].n_left = pool->leads[lead].n;
    }
    pool->n_heap = 0;
}

/** Leaves no slot open, where the filling failed. */
HOT void end(filling_t *f)
{
    while (f->n_open > 0) {
        f->now = next_time(f->pool, f->now);
        take_slots(f, f->pool->n_open[f->now]);
    }
}

HOT bool fill(filling_t *f, const int hold[2])
{
    pb_tt_pool_t *pool = f->pool;
    int n_exported = 0;
    pool->hold_end[0] = pool->hold_end[1] = PB_TT_NEVER;
    pool->export_time[0] = pool->export_time[1] = PB_TT_NEVER;
    begin(f);
    bool good = open_slot(f, pool->entry, PB_TT_ENTRY);
    while (f->n_open > 0 && good) {
        const int source = take_slot(f);
        /* The last slot stays while something is to be placed. */
        const bool wanted = n_exported < pool->n_exports && f->now >= hold[n_exported];
        if (f->n_items == 0 || (wanted && f->n_open > 0)) {
            if (f->n_items > 0) {
                pool->hold_end[n_exported] = f->now;
            }
            pool->export_source[n_exported] = source;
            pool->export_time[n_exported++] = f->now;
        } else {
            good = place(f, source);
        }
    }
    end(f);
    return good && f->n_items == 0;
}

bool pb_tt_fill(pb_tt_pool_t *pool, int deadline, const int hold[2])
{
    filling_t f = {.pool = pool, .deadline = deadline};
    return fill(&f, hold);
}

bool pb_tt_fill_sources(pb_tt_pool_t *pool, int deadline, const int hold[2])
{
    filling_t f = {.pool = pool, .deadline = deadline, .with_sources = true};
    return fill(&f, hold);
}
