#include "topo/trees/slot/fill.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* In which order children are entered when no rank is left to take a slot. */
typedef enum { ORDER_DUE, ORDER_GAIN, ORDER_LATEST } child_order_t;

/* Which exports to ask of a child; all are free. */
typedef enum { EXPORT_GAIN, EXPORT_SOON } export_choice_t;

typedef struct policy {
    child_order_t order;
    export_choice_t exports;
    int slack;        /* levels before the last one at which a child may be due */
    bool prefer_pair; /* of two ways that use the same room, the wider */
    bool lazy;        /* let slots wait rather than enter children that export nothing */
    bool early;       /* enter children that give two soon before ranks are placed */
} policy_t;

static const policy_t policies[] = {
    {ORDER_GAIN, EXPORT_GAIN, 0, false, false, false},
    {ORDER_DUE, EXPORT_GAIN, 2, false, false, false},
    {ORDER_GAIN, EXPORT_GAIN, 2, false, true, false},
    {ORDER_GAIN, EXPORT_SOON, 1, false, false, false},
    {ORDER_LATEST, EXPORT_GAIN, 0, false, false, false},
    {ORDER_GAIN, EXPORT_GAIN, 2, true, false, true},
    {ORDER_DUE, EXPORT_SOON, 0, true, false, false},
    {ORDER_GAIN, EXPORT_GAIN, 0, true, true, true},
};

int pb_slot_n_policies(void)
{
    return (int) (sizeof(policies) / sizeof(policies[0]));
}

typedef struct fill {
    const pb_slot_vertex_t *vertex;
    const pb_slot_demand_t *demand;
    const policy_t *policy;
    pb_slot_pool_t pool;
    int level;
    int n_local;      /* ranks still to be placed */
    int n_pending;    /* children still to be entered */
    int n_made;       /* pairs that ranks placed at this level make at the next */
    int next_arrival; /* in vertex->arrivals, which are sorted by level */
    int n_arrivals;
    bool exported;
    bool is_uniform; /* the pending children have one table and are due alike, as below a spine:
                        then one of them says what is to be known of all */
    bool is_ordered; /* those of uniform ones are in the order in which they are to be entered */
    pb_slot_step_t *steps;
    int n_steps;
} fill_t;

/* The best entry for `levels` levels left, or NULL. */
static const pb_slot_entry_t *look_up(const pb_slot_ways_t *ways, int levels)
{
    for (int i = ways->n - 1; i >= 0; i--) {
        if (ways->entries[i].levels <= levels) {
            return &ways->entries[i];
        }
    }
    return NULL;
}

pb_slot_kind_t pb_slot_take_single(pb_slot_pool_t *pool, bool own)
{
    for (int kind = own ? PB_SLOT_SINGLE : PB_SLOT_IMPORTED_SINGLE; kind < PB_SLOT_KINDS; kind++) {
        if (pool->count[kind] > 0) {
            pool->count[kind]--;
            if (kind == PB_SLOT_IMPORTED_PAIR || kind == PB_SLOT_PAIR) {
                pool->count[kind - 1]++;
            }
            return (pb_slot_kind_t) kind;
        }
    }
    return PB_SLOT_NONE;
}

pb_slot_kind_t pb_slot_take_pair(pb_slot_pool_t *pool, bool own)
{
    pb_slot_kind_t kind = PB_SLOT_PAIR;
    if (!own && pool->count[PB_SLOT_IMPORTED_PAIR] > 0) {
        kind = PB_SLOT_IMPORTED_PAIR;
    }
    if (pool->count[kind] == 0) {
        return PB_SLOT_NONE;
    }
    pool->count[kind]--;
    return kind;
}

static int slots_left(const fill_t *f)
{
    const int *count = f->pool.count;
    return count[PB_SLOT_IMPORTED_SINGLE] + count[PB_SLOT_SINGLE] +
           2 * (count[PB_SLOT_IMPORTED_PAIR] + count[PB_SLOT_PAIR]);
}

/* Takes n slots in as many groups as they cross a link in. False, with nothing
 * taken, if there are not enough. */
static bool take(fill_t *f, int n, bool own)
{
    const int *count = f->pool.count;
    int pairs = count[PB_SLOT_PAIR] + (own ? 0 : count[PB_SLOT_IMPORTED_PAIR]);
    if (n == 1) {
        return pb_slot_take_single(&f->pool, own) != PB_SLOT_NONE;
    }
    if (pairs < n / 2) {
        return false;
    }
    for (int i = 0; i < n / 2; i++) {
        pb_slot_take_pair(&f->pool, own);
    }
    return true;
}

static void record(fill_t *f, pb_slot_step_t step)
{
    if (f->steps != NULL) {
        step.level = f->level;
        f->steps[f->n_steps] = step;
    }
    f->n_steps++;
}

/* The last level at which a child can be entered by `in`, exporting nothing. */
static int last_level(const fill_t *f, int child, int in)
{
    const pb_slot_ways_t *ways = &(*f->vertex->tables[child])[in][0];
    return ways->n == 0 ? -1 : f->demand->levels - ways->entries[0].levels;
}

/* Ranks that fit below a slot at a level. Bounded, so that sums stay exact. */
static int64_t capacity(const fill_t *f, int level)
{
    int levels = f->demand->levels - level + 1;
    return levels <= 0 ? 0 : (INT64_C(1) << (levels < 56 ? levels : 56)) - 1;
}

/*
 * The exports to ask of a child entered at a level: all are free. The policy
 * prefers those with most room below them, or the soonest. Sets *room_p to the
 * room that they give back.
 */
static int choose_exports(const fill_t *f, int child, int in, int level,
                          const pb_slot_entry_t **entry_p, int64_t *room_p)
{
    int left = f->demand->levels - level, best_out = 0;
    int64_t best = INT64_MIN;
    *entry_p = look_up(&(*f->vertex->tables[child])[in][0], left);
    *room_p = 0;
    for (int out = 1; out < PB_SLOT_WAYS_OUT; out++) {
        const pb_slot_entry_t *entry = look_up(&(*f->vertex->tables[child])[in][out], left);
        if (entry == NULL || entry->delay > left) {
            continue;
        }
        int64_t room = pb_slot_out(out) * capacity(f, level + entry->delay);
        int64_t value = f->policy->exports == EXPORT_GAIN ? room : -entry->delay;
        if (value >= best) {
            best = value;
            best_out = out;
            *entry_p = entry;
            *room_p = room;
        }
    }
    return best_out;
}

/*
 * When a child has to be entered, and how, if not before `from`: of all ways in
 * and of the last levels for each, what uses the least room, counting what the
 * child's exports give back. False if it is too late.
 */
static bool set_due(const fill_t *f, struct pb_slot_pending *pending, int from, int least_in)
{
    int64_t best = INT64_MAX;
    for (int in = least_in; in < PB_SLOT_WAYS_IN; in++) {
        int last = last_level(f, pending->child, in);
        for (int level = last; level >= from && level >= last - f->policy->slack; level--) {
            const pb_slot_entry_t *entry;
            int64_t room;
            choose_exports(f, pending->child, in, level, &entry, &room);
            int64_t net = pb_slot_in(in) * capacity(f, level) - room;
            if (net < best || (net == best && f->policy->prefer_pair && in > pending->in)) {
                best = net;
                pending->due = level;
                pending->in = in;
            }
        }
    }
    return best < INT64_MAX;
}

static void add_arrival(fill_t *f, int level, int n)
{
    struct pb_slot_arrival *arrivals = f->vertex->arrivals;
    int i = f->n_arrivals;
    while (i > f->next_arrival && arrivals[i - 1].level > level) {
        i--;
    }
    if (i == f->next_arrival || arrivals[i - 1].level != level) {
        for (int k = f->n_arrivals; k > i; k--) {
            arrivals[k] = arrivals[k - 1];
        }
        f->n_arrivals++;
        arrivals[i++] = (struct pb_slot_arrival){.level = level};
    }
    arrivals[i - 1].singles += n == 1;
    arrivals[i - 1].pairs += n / 2;
}

/* Enters the pending child at `index` by `in`; the slots are taken. */
static void enter(fill_t *f, int index, int in)
{
    struct pb_slot_pending *pending = f->vertex->pending;
    const pb_slot_entry_t *entry;
    int child = pending[index].child;
    int64_t room;
    int out = choose_exports(f, child, in, f->level, &entry, &room);
    pending[index] = pending[--f->n_pending];
    bool more = f->n_pending > 0 || f->n_local > 0 || !f->exported;
    if (!more) {
        out = 0;
        entry = look_up(&(*f->vertex->tables[child])[in][0], f->demand->levels - f->level);
    }
    if (out > 0) {
        add_arrival(f, f->level + entry->delay, pb_slot_out(out));
    }
    record(f, (pb_slot_step_t){
                  .act = PB_SLOT_CHILD, .child = child, .in = in, .out = out, .entry = entry});
}

/* Enters all children that are due. False if one can not be. */
static bool enter_due(fill_t *f)
{
    struct pb_slot_pending *pending = f->vertex->pending;
    if (f->is_uniform && f->n_pending > 0 && pending[0].due != f->level) {
        return true;
    }
    for (int i = f->n_pending - 1; i >= 0; i--) {
        while (pending[i].due == f->level && !take(f, pb_slot_in(pending[i].in), false)) {
            f->is_uniform = false;
            if (!set_due(f, &pending[i], f->level, pending[i].in + 1)) {
                return false;
            }
        }
        if (pending[i].due == f->level) {
            enter(f, i, pending[i].in);
        }
    }
    return true;
}

static void place_locals(fill_t *f)
{
    int slots = slots_left(f);
    int n = f->n_local < slots ? f->n_local : slots;
    if (n == 0) {
        return;
    }
    for (int i = 0; i < n; i++) {
        pb_slot_take_single(&f->pool, false);
    }
    f->n_local -= n;
    f->n_made += n;
    record(f, (pb_slot_step_t){.act = PB_SLOT_LOCAL, .n_local = n});
}

/* The smallest way in that a child can be entered by now, or -1. */
static int smallest_in(const fill_t *f, int child)
{
    for (int in = 0; in < PB_SLOT_WAYS_IN; in++) {
        if (last_level(f, child, in) >= f->level) {
            return in;
        }
    }
    return -1;
}

/* How much the policy wants a pending child to be entered now. */
static int64_t rank_child(const fill_t *f, const struct pb_slot_pending *pending, int64_t net)
{
    switch (f->policy->order) {
    case ORDER_GAIN:
        return -net;
    case ORDER_LATEST:
        return pending->due;
    case ORDER_DUE:
    default:
        return -pending->due;
    }
}

/* Worst first; of equal ones that due last. */
static int compare_pending(const void *a, const void *b)
{
    const struct pb_slot_pending *x = a, *y = b;
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    if (x->due != y->due) {
        return x->due > y->due ? -1 : 1;
    }
    return x->child > y->child ? -1 : x->child < y->child;
}

/* Whether they are worst first, or the other way round. */
static bool is_in_order(const struct pb_slot_pending *pending, int n, bool worst_first)
{
    int i = 1;
    while (i < n && (compare_pending(&pending[i - 1], &pending[i]) < 0) == worst_first) {
        i++;
    }
    return i >= n;
}

/* They are in order where those that were entered were last, and the others change alike. Children
 * that are alike, as many below a spine, are first met the other way round. */
static void sort_pending(struct pb_slot_pending *pending, int n)
{
    if (is_in_order(pending, n, true)) {
        return;
    }
    if (!is_in_order(pending, n, false)) {
        qsort(pending, (size_t) n, sizeof(*pending), compare_pending);
        return;
    }
    for (int low = 0, high = n - 1; low < high; low++, high--) {
        const struct pb_slot_pending swap = pending[low];
        pending[low] = pending[high];
        pending[high] = swap;
    }
}

/* The smallest way in that a child can be entered by now, or -1; what it uses, and the room that
 * the child's exports give back. */
static int early_way(const fill_t *f, int child, int64_t *used_p, int64_t *room_p)
{
    const pb_slot_entry_t *entry;
    const int in = smallest_in(f, child);
    *used_p = *room_p = 0;
    if (in >= 0) {
        *used_p = pb_slot_in(in) * capacity(f, f->level);
        choose_exports(f, child, in, f->level, &entry, room_p);
    }
    return in;
}

/* Sorts the pending children by how much the policy wants them now. Children that
 * can not be entered now get no way in, nor do those that export nothing if
 * `exporting` asks for exports. */
static void rank_pending(fill_t *f, bool exporting)
{
    struct pb_slot_pending *pending = f->vertex->pending;
    const pb_slot_table_t *table = NULL;
    int64_t room = 0, used = 0;
    int in = -1;
    for (int i = 0; i < f->n_pending; i++) {
        /* Many children are often alike, and next to each other. */
        if (f->vertex->tables[pending[i].child] != table) {
            table = f->vertex->tables[pending[i].child];
            in = early_way(f, pending[i].child, &used, &room);
        }
        pending[i].early_in = exporting && room == 0 ? -1 : in;
        pending[i].rank = rank_child(f, &pending[i], used - room);
    }
    sort_pending(pending, f->n_pending);
}

/* As rank_pending() and entering, for uniform children. */
static void enter_uniform(fill_t *f, bool exporting)
{
    struct pb_slot_pending *pending = f->vertex->pending;
    int64_t room, used;
    const int in = early_way(f, pending[0].child, &used, &room);
    if (!f->is_ordered) {
        for (int i = 0; i < f->n_pending; i++) {
            pending[i].rank = 0;
        }
        sort_pending(pending, f->n_pending);
        f->is_ordered = true;
    }
    if (in < 0 || (exporting && room == 0)) {
        return;
    }
    while (f->n_pending > 0 && slots_left(f) > 0 && take(f, pb_slot_in(in), false)) {
        enter(f, f->n_pending - 1, in);
    }
}

/* Enters children while there are slots for them. */
static void enter_early(fill_t *f, bool exporting)
{
    if (f->n_pending == 0 || slots_left(f) == 0) {
        return;
    }
    if (f->is_uniform) {
        enter_uniform(f, exporting);
        return;
    }
    rank_pending(f, exporting);
    /* Entering a child moves the last one, which has been looked at, to its place. */
    for (int i = f->n_pending - 1; i >= 0 && slots_left(f) > 0; i--) {
        int in = f->vertex->pending[i].early_in;
        if (in >= 0 && take(f, pb_slot_in(in), false)) {
            enter(f, i, in);
        }
    }
}

/* No rank is left, so that a slot that waits loses half of its worth. */
static void use_idle_slots(fill_t *f)
{
    if (f->policy->lazy && slots_left(f) < f->n_pending) {
        enter_early(f, true);
    } else {
        enter_early(f, false);
    }
}

/* The next level at which something happens. */
static int next_level(const fill_t *f)
{
    int next = INT_MAX;
    if (f->n_made > 0) {
        return f->level + 1;
    }
    if (f->next_arrival < f->n_arrivals) {
        next = f->vertex->arrivals[f->next_arrival].level;
    }
    if (!f->exported && f->demand->export_level < next) {
        next = f->demand->export_level;
    }
    const int n_due = f->is_uniform && f->n_pending > 1 ? 1 : f->n_pending;
    for (int i = 0; i < n_due; i++) {
        if (f->vertex->pending[i].due < next) {
            next = f->vertex->pending[i].due;
        }
    }
    return next;
}

static void arrive(fill_t *f)
{
    f->pool.count[PB_SLOT_PAIR] += f->n_made;
    f->n_made = 0;
    while (f->next_arrival < f->n_arrivals &&
           f->vertex->arrivals[f->next_arrival].level <= f->level) {
        f->pool.count[PB_SLOT_SINGLE] += f->vertex->arrivals[f->next_arrival].singles;
        f->pool.count[PB_SLOT_PAIR] += f->vertex->arrivals[f->next_arrival].pairs;
        f->next_arrival++;
    }
}

/* Everything that happens at one level. False if the demand is not met. */
static bool fill_level(fill_t *f)
{
    arrive(f);
    if (!f->exported && f->level >= f->demand->export_level) {
        if (!take(f, pb_slot_out(f->demand->out), true)) {
            return false;
        }
        f->exported = true;
        record(f, (pb_slot_step_t){.act = PB_SLOT_EXPORT, .out = f->demand->out});
    }
    if (!enter_due(f)) {
        return false;
    }
    if (f->policy->early) {
        enter_early(f, true);
    }
    place_locals(f);
    if (f->n_local == 0) {
        use_idle_slots(f);
    }
    return true;
}

static bool start(fill_t *f)
{
    const pb_slot_vertex_t *vertex = f->vertex;
    f->n_local = vertex->n_local;
    f->exported = f->demand->out == 0;
    f->level = f->demand->in < 0 ? 1 : 0;
    f->is_uniform = true;
    for (int i = 0; i < vertex->n_children; i++) {
        struct pb_slot_pending *pending = &vertex->pending[i];
        const int child = vertex->children[i];
        if (i > 0 && vertex->tables[child] == vertex->tables[pending[-1].child]) {
            *pending = pending[-1];
            pending->child = child;
            continue;
        }
        f->is_uniform = i == 0;
        pending->child = child;
        if (!set_due(f, pending, f->level, 0)) {
            return false;
        }
    }
    f->n_pending = vertex->n_children;
    if (f->demand->in < 0) {
        f->n_local--;
        f->n_made = 1;
        return true;
    }
    int n = pb_slot_in(f->demand->in);
    f->pool.count[n == 1 ? PB_SLOT_IMPORTED_SINGLE : PB_SLOT_IMPORTED_PAIR] = pb_slot_groups(n);
    return true;
}

bool pb_slot_fill(const pb_slot_vertex_t *vertex, const pb_slot_demand_t *demand,
                  pb_slot_step_t *steps, int *n_steps_p)
{
    fill_t f = {
        .vertex = vertex, .demand = demand, .policy = &policies[demand->policy], .steps = steps};
    if (!start(&f)) {
        return false;
    }
    while (f.n_local > 0 || f.n_pending > 0 || !f.exported) {
        if (f.level > demand->levels || !fill_level(&f)) {
            return false;
        }
        int next = next_level(&f);
        if (next == INT_MAX) {
            break;
        }
        f.level = next;
    }
    if (n_steps_p != NULL) {
        *n_steps_p = f.n_steps;
    }
    return f.n_local == 0 && f.n_pending == 0 && f.exported;
}
