/*
 * The slot method (ours): a contention-free binary tree, far lower than that of
 * Algorithm 2.
 *
 * Root the view at the root's vertex. If each directed link between vertices
 * has one sender, then a subtree of vertices is entered by one rank outside, by
 * a slot or by the pair of its slots, and left by one rank inside, likewise. So
 * all that a subtree is to its surroundings is: entered by so many slots with so
 * many levels left, can it place all its ranks, and how soon can it give one
 * slot, or a pair, to the outside? Early exports serve wherever late ones do,
 * hence a table of the least delay for each way in, way out and number of levels
 * left says everything, and the tables are made bottom-up, each vertex from its
 * children's (fill.c). The height is the least number of levels with which
 * the root's vertex succeeds. Only the filling of one vertex is a heuristic.
 *
 * Tables depend on the number of levels left, not on the height tried, and they
 * are steps: below some number of levels nothing works, and from some number on
 * more levels do not help. Only the steps are kept.
 *
 * Into a host of several ranks, and into a place of one, leads one slot and no
 * pair (pb_view_enters_host()), so that it is entered once.
 *
 * A link of c times the speed of a host's may have c senders: then it is
 * crossed by up to 2 c slots, in pairs (fill.h). Where trunks are fast,
 * cutting the depth-first order in halves may be lower still (bisect.c).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "topo/trees/kary.h"
#include "topo/trees/plan.h"
#include "topo/trees/slot/bisect.h"
#include "topo/trees/slot/fill.h"
#include "topo/trees/slot/kept.h"
#include "topo/trees/slot/speed.h"
#include "topo/trees/tables.h"

/* Entries kept of one way in and out, so that the effort stays bounded on
 * networks like long lines; what lies between them uses the slower entry. */
#define MAX_ENTRIES 16

typedef struct slot {
    const pb_view_t *view;
    pb_slot_tables_t *kept;   /* borrowed */
    int *n_in;                /* by vertex: ways in that its link allows */
    int *n_out;               /* by vertex: ways out */
    int *shape;               /* by vertex */
    int *key;                 /* room for the list of a shape */
    pb_slot_table_t **tables; /* by vertex: those that are kept of its shape */
    pb_slot_vertex_t vertex;  /* being filled */
    int *children;            /* room for the children of a vertex */
} slot_t;

/* A pair of consecutive children in `children` keeps the order of the view. */
static void select_vertex(slot_t *s, int v)
{
    const pb_vertex_t *vertices = s->view->vertices;
    int n = 0;
    for (int c = pb_view_first_child(s->view, v); c < vertices[v].end; c = vertices[c].end) {
        s->children[n++] = c;
    }
    s->vertex.n_children = n;
    s->vertex.n_local = vertices[v].end_local - vertices[v].first_rank;
}

static int size_of(const slot_t *s, int v)
{
    return s->view->vertices[v].end_rank - s->view->vertices[v].first_rank;
}

/* Whether some policy meets the demand; sets the policy. */
static bool try_policies(const slot_t *s, pb_slot_demand_t *demand)
{
    /* Policies are about children. */
    int n_policies = s->vertex.n_children > 0 ? pb_slot_n_policies() : 1;
    for (demand->policy = 0; demand->policy < n_policies; demand->policy++) {
        if (pb_slot_fill(&s->vertex, demand, NULL, NULL)) {
            return true;
        }
    }
    return false;
}

/* The two parameters of a demand that are searched for. */
static void set_levels(pb_slot_demand_t *demand, int levels)
{
    demand->levels = levels;
    demand->export_level = levels;
}

static void set_delay(pb_slot_demand_t *demand, int delay)
{
    demand->export_level = delay;
}

/*
 * The least value in [low, high] with which the demand is met, if more is never
 * worse; high + 1 if there is none. Most answers are at low or just above, so
 * that the steps double. `demand` is left as it was met.
 */
static int search(const slot_t *s, pb_slot_demand_t *demand, int low, int high,
                  void (*set)(pb_slot_demand_t *demand, int value))
{
    int step = 1, value = low;
    for (;; step *= 2) {
        if (low > high) {
            return high + 1;
        }
        value = value < high ? value : high;
        set(demand, value);
        if (try_policies(s, demand)) {
            break;
        }
        low = value + 1;
        value += step;
    }
    pb_slot_demand_t met = *demand;
    high = value;
    while (low < high) {
        int middle = low + (high - low) / 2;
        set(demand, middle);
        if (try_policies(s, demand)) {
            met = *demand;
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *demand = met;
    return high;
}

/* Levels that a subtree of n ranks needs at least if n_in slots enter it. */
static int least_levels(int n, int n_in)
{
    int levels = 0;
    for (long room = n_in; room < n; room = 2 * room + n_in) {
        levels++;
    }
    return levels;
}

/* A bound from below on the levels that v needs, from its size and its children. */
static int levels_bound(const slot_t *s, int v, int in)
{
    int bound = least_levels(size_of(s, v), in < 0 ? 1 : pb_slot_in(in));
    for (int i = 0; i < s->vertex.n_children; i++) {
        int least = size_of(s, v);
        for (int way = 0; way < PB_SLOT_WAYS_IN; way++) {
            const pb_slot_ways_t *ways = &(*s->tables[s->children[i]])[way][0];
            /* What enters v may go on to a child; more slots are made in v. */
            if (ways->n > 0 && ways->entries[0].levels + (way > in) < least) {
                least = ways->entries[0].levels + (way > in);
            }
        }
        bound = least > bound ? least : bound;
    }
    return bound;
}

/* The entries of the table of the selected vertex for one way in and out. */
static int make_ways(slot_t *s, int v, int in, int out, int *bound)
{
    pb_slot_entry_t entries[MAX_ENTRIES + 1];
    pb_slot_demand_t demand = {.in = in, .out = out};
    pb_slot_ways_t *ways = &(*s->tables[v])[in][out];
    int most = size_of(s, v), n = 0;
    int levels = search(s, &demand, *bound, most, set_levels);
    if (levels > most) {
        return PB_SUCCESS;
    }
    if (out == 0) {
        *bound = levels;
        return pb_slot_keep(s->kept, ways, &(pb_slot_entry_t){levels, 0, demand.policy}, 1);
    }
    pb_slot_demand_t free_demand = {.levels = most, .in = in, .out = out};
    int least = search(s, &free_demand, 1, most, set_delay);
    pb_slot_entry_t last = {most, least, free_demand.policy};
    int delay = levels + 1;
    for (; levels < most && n < MAX_ENTRIES && delay > least; levels++) {
        demand.levels = levels;
        int found = search(s, &demand, least, delay - 1, set_delay);
        if (found < delay) {
            delay = found;
            entries[n++] = (pb_slot_entry_t){levels, delay, demand.policy};
        }
    }
    if (delay > least) {
        entries[n++] = last;
    }
    return pb_slot_keep(s->kept, ways, entries, n);
}

static int make_table(slot_t *s, int v)
{
    for (int in = 0; in < s->n_in[v]; in++) {
        int bound = levels_bound(s, v, in);
        for (int out = 0; out < s->n_out[v]; out++) {
            int error = make_ways(s, v, in, out, &bound);
            if (error != PB_SUCCESS) {
                return error;
            }
        }
    }
    return PB_SUCCESS;
}

/* --- From tables to a tree --- */

/* Where a slot comes from: the position of a rank, or export group g of vertex
 * v, which is not known before v is built. */
static int export_source(int v, int group)
{
    return -1 - (v * PB_SLOT_MAX_GROUPS + group);
}

typedef struct source_event {
    int level;
    int n; /* slots of each group: 1 or 2 */
    int n_groups;
    int first; /* sources first, first + step, ... */
    int step;
} source_event_t;

typedef struct builder {
    slot_t *slot;
    pb_slot_demand_t *demands;          /* by vertex: what is asked of it */
    int (*imports)[PB_SLOT_MAX_GROUPS]; /* by vertex and group: sources */
    int (*exports)[PB_SLOT_MAX_GROUPS]; /* by vertex and group: sources */
    int *parent;                        /* by position: the source of its slot */
    pb_slot_pool_t pool;
    int *stacks[PB_SLOT_KINDS]; /* the sources of what is in the pool */
    source_event_t *events;     /* sorted by level */
    int n_events;
    int next_event;
    pb_slot_step_t *steps;
} builder_t;

static void push(builder_t *b, pb_slot_kind_t kind, int source)
{
    b->stacks[kind][b->pool.count[kind]++] = source;
}

/* The kind was just taken from the pool: the source of it. Half of a pair that
 * is left becomes a single. */
static int pop_single(builder_t *b, bool own)
{
    pb_slot_kind_t kind = pb_slot_take_single(&b->pool, own);
    assert(kind != PB_SLOT_NONE);
    int source = b->stacks[kind][b->pool.count[kind]];
    if (kind == PB_SLOT_PAIR || kind == PB_SLOT_IMPORTED_PAIR) {
        b->stacks[kind - 1][b->pool.count[kind - 1] - 1] = source;
    }
    return source;
}

static int pop_pair(builder_t *b, bool own)
{
    pb_slot_kind_t kind = pb_slot_take_pair(&b->pool, own);
    assert(kind != PB_SLOT_NONE);
    return b->stacks[kind][b->pool.count[kind]];
}

/* The sources of n slots that cross a link. */
static void pop_groups(builder_t *b, int n, bool own, int *sources)
{
    for (int group = 0; group < pb_slot_groups(n); group++) {
        sources[group] = n == 1 ? pop_single(b, own) : pop_pair(b, own);
    }
}

static void add_event(builder_t *b, source_event_t event)
{
    int i = b->n_events++;
    for (; i > b->next_event && b->events[i - 1].level > event.level; i--) {
        b->events[i] = b->events[i - 1];
    }
    b->events[i] = event;
}

static void deliver(builder_t *b, int level)
{
    for (; b->next_event < b->n_events && b->events[b->next_event].level <= level;
         b->next_event++) {
        const source_event_t *event = &b->events[b->next_event];
        for (int i = 0; i < event->n_groups; i++) {
            push(b, event->n == 1 ? PB_SLOT_SINGLE : PB_SLOT_PAIR, event->first + i * event->step);
        }
    }
}

/* Ranks at positions first .. first + n - 1 take a slot each and make a pair. */
static void build_locals(builder_t *b, int first, int n, int level)
{
    for (int i = 0; i < n; i++) {
        b->parent[first + i] = pop_single(b, false);
    }
    add_event(b, (source_event_t){level + 1, 2, n, first, 1});
}

static void build_child(builder_t *b, const pb_slot_step_t *step)
{
    pop_groups(b, pb_slot_in(step->in), false, b->imports[step->child]);
    b->demands[step->child] = (pb_slot_demand_t){.levels = step->entry->levels,
                                                 .in = step->in,
                                                 .out = step->out,
                                                 .export_level = step->entry->delay,
                                                 .policy = step->entry->policy};
    int n = pb_slot_out(step->out);
    if (n > 0) {
        add_event(b, (source_event_t){step->level + step->entry->delay, n == 1 ? 1 : 2,
                                      pb_slot_groups(n), export_source(step->child, 0), -1});
    }
}

static void start_vertex(builder_t *b, int v)
{
    const pb_slot_demand_t *demand = &b->demands[v];
    memset(&b->pool, 0, sizeof(b->pool));
    b->n_events = 0;
    b->next_event = 0;
    if (demand->in < 0) {
        b->parent[0] = 0;
        add_event(b, (source_event_t){1, 2, 1, 0, 1});
        return;
    }
    int n = pb_slot_in(demand->in);
    for (int group = 0; group < pb_slot_groups(n); group++) {
        push(b, n == 1 ? PB_SLOT_IMPORTED_SINGLE : PB_SLOT_IMPORTED_PAIR, b->imports[v][group]);
    }
}

/* Repeats the filling that met the demand, now with sources. */
static void build_vertex(builder_t *b, int v)
{
    int n_steps = 0;
    select_vertex(b->slot, v);
    start_vertex(b, v);
    bool met = pb_slot_fill(&b->slot->vertex, &b->demands[v], b->steps, &n_steps);
    assert(met);
    (void) met;
    int local = b->slot->view->vertices[v].first_rank + (v == 0);
    for (int i = 0; i < n_steps; i++) {
        const pb_slot_step_t *step = &b->steps[i];
        deliver(b, step->level);
        if (step->act == PB_SLOT_LOCAL) {
            build_locals(b, local, step->n_local, step->level);
            local += step->n_local;
        } else if (step->act == PB_SLOT_CHILD) {
            build_child(b, step);
        } else {
            pop_groups(b, pb_slot_out(step->out), true, b->exports[v]);
        }
    }
}

static int resolve(const builder_t *b, int source)
{
    if (source >= 0) {
        return source;
    }
    int index = -1 - source;
    return b->exports[index / PB_SLOT_MAX_GROUPS][index % PB_SLOT_MAX_GROUPS];
}

/* Exports come from further down: a vertex's sources are known once those of its
 * children are, which have higher numbers. */
static void resolve_sources(builder_t *b, const pb_view_t *view, int *parent)
{
    for (int v = view->n_vertices - 1; v > 0; v--) {
        int n_groups = pb_slot_groups(pb_slot_out(b->demands[v].out));
        for (int group = 0; group < n_groups; group++) {
            b->exports[v][group] = resolve(b, b->exports[v][group]);
        }
    }
    for (int i = 1; i < view->n_ranks; i++) {
        parent[view->order[i]] = view->order[resolve(b, b->parent[i])];
    }
}

static void builder_clear(builder_t *b)
{
    free(b->demands);
    free(b->imports);
    free(b->exports);
    free(b->parent);
    for (int kind = 0; kind < PB_SLOT_KINDS; kind++) {
        free(b->stacks[kind]);
    }
    free(b->events);
    free(b->steps);
}

static bool builder_init(builder_t *b)
{
    const pb_view_t *view = b->slot->view;
    size_t n_vertices = (size_t) view->n_vertices, n = (size_t) view->n_ranks;
    /* Each rank and each child vertex puts slots into the pool once, and two
     * vertices are never open at a time. */
    size_t room = 2 * n + PB_SLOT_MAX_GROUPS * (n_vertices + 1);
    bool good = true;
    b->demands = calloc(n_vertices, sizeof(*b->demands));
    b->imports = malloc(n_vertices * sizeof(*b->imports));
    b->exports = malloc(n_vertices * sizeof(*b->exports));
    b->parent = malloc(n * sizeof(*b->parent));
    for (int kind = 0; kind < PB_SLOT_KINDS; kind++) {
        b->stacks[kind] = malloc(room * sizeof(int));
        good = good && b->stacks[kind] != NULL;
    }
    b->events = malloc((n + n_vertices + 2) * sizeof(*b->events));
    b->steps = malloc((n + n_vertices + 2) * sizeof(*b->steps));
    return good && b->demands != NULL && b->imports != NULL && b->exports != NULL &&
           b->parent != NULL && b->events != NULL && b->steps != NULL;
}

/* The tree that meets the demand of the root's vertex. */
static int build(slot_t *s, const pb_slot_demand_t *demand, int *parent)
{
    builder_t builder = {.slot = s};
    int error = PB_ERR_NO_MEMORY;
    if (builder_init(&builder)) {
        builder.demands[0] = *demand;
        for (int v = 0; v < s->view->n_vertices; v++) {
            build_vertex(&builder, v);
        }
        resolve_sources(&builder, s->view, parent);
        error = PB_SUCCESS;
    }
    builder_clear(&builder);
    return error;
}

/* --- All together --- */

static void slot_clear(slot_t *s)
{
    free(s->tables);
    free(s->shape);
    free(s->key);
    free(s->n_in);
    free(s->n_out);
    free(s->children);
    free(s->vertex.pending);
    free(s->vertex.arrivals);
}

static bool slot_init(slot_t *s)
{
    size_t n = (size_t) s->view->n_vertices;
    s->n_in = malloc(n * sizeof(*s->n_in));
    s->n_out = malloc(n * sizeof(*s->n_out));
    s->shape = malloc(n * sizeof(*s->shape));
    s->key = malloc((n + 3) * sizeof(*s->key));
    s->tables = malloc(n * sizeof(*s->tables));
    s->children = malloc(n * sizeof(*s->children));
    s->vertex.pending = malloc(n * sizeof(*s->vertex.pending));
    s->vertex.arrivals = malloc(n * sizeof(*s->vertex.arrivals));
    s->vertex.children = s->children;
    s->vertex.tables = s->tables;
    return s->n_in != NULL && s->n_out != NULL && s->shape != NULL && s->key != NULL &&
           s->tables != NULL && s->children != NULL && s->vertex.pending != NULL &&
           s->vertex.arrivals != NULL;
}

/* One way for one slot, and one per doubling of the senders that a link allows. */
static int n_ways(uint32_t speed, uint32_t sender_speed, int most)
{
    int capacity = pb_slot_capacity(speed, sender_speed);
    int ways = capacity >= 4 ? 4 : capacity >= 2 ? 3 : 2;
    return ways < most ? ways : most;
}

/* The shape of the selected vertex: in two numbers what its link allows, or what the root is for.
 */
static int find_shape(slot_t *s, int v, int first, int second, bool *is_new)
{
    int n = 0;
    s->key[n++] = s->vertex.n_local;
    s->key[n++] = first;
    s->key[n++] = second;
    for (int i = 0; i < s->vertex.n_children; i++) {
        s->key[n++] = s->shape[s->children[i]];
    }
    return pb_slot_find_shape(s->kept, s->key, n, v == 0, is_new);
}

static int make_tables(slot_t *s, int most_ways)
{
    const pb_view_t *view = s->view;
    uint32_t sender = pb_slot_sender_speed(view);
    for (int v = view->n_vertices - 1; v > 0; v--) {
        const pb_vertex_t *vertex = &view->vertices[v];
        int most_in = pb_view_enters_host(view, v) ? 1 : most_ways;
        int most_out = pb_view_leaves_to_host(view, v) ? 1 : most_ways;
        s->n_in[v] = n_ways(vertex->speed_in, sender, most_in);
        s->n_out[v] = 1 + n_ways(vertex->speed_out, sender, most_out);
        bool is_new;
        select_vertex(s, v);
        s->shape[v] = find_shape(s, v, s->n_in[v], s->n_out[v], &is_new);
        if (s->shape[v] < 0) {
            return s->shape[v];
        }
        s->tables[v] = s->kept->kept[s->shape[v]].table;
        int error = is_new ? make_table(s, v) : PB_SUCCESS;
        if (error != PB_SUCCESS) {
            return error;
        }
    }
    return PB_SUCCESS;
}

/* The least height below `height` with which the root's vertex succeeds, else `height`. */
static int search_root(slot_t *s, int height, const pb_slot_kept_t **kept_p)
{
    bool is_new;
    select_vertex(s, 0);
    const int shape = find_shape(s, 0, -1, height, &is_new);
    if (shape < 0) {
        return shape;
    }
    pb_slot_kept_t *kept = &s->kept->kept[shape];
    if (is_new) {
        kept->demand.in = -1;
        kept->height = search(s, &kept->demand, levels_bound(s, 0, -1), height - 1, set_levels);
    }
    *kept_p = kept;
    return PB_SUCCESS;
}

/*
 * If the slot method has a tree lower than *height_p that crosses links in at
 * most `most_ways` ways, sets the parents, indexed by rank, and *height_p. Otherwise, as
 * when the heuristic finds none, both are left alone.
 */
static int slot_lower(const pb_view_t *view, pb_slot_tables_t *tables, int most_ways, int *parent,
                      int *height_p)
{
    slot_t slot = {.view = view, .kept = tables};
    const pb_slot_kept_t *kept;
    int error = slot_init(&slot) ? make_tables(&slot, most_ways) : PB_ERR_NO_MEMORY;
    if (error == PB_SUCCESS) {
        error = search_root(&slot, *height_p, &kept);
    }
    if (error == PB_SUCCESS && kept->height < *height_p) {
        *height_p = kept->height;
        error = build(&slot, &kept->demand, parent);
    }
    slot_clear(&slot);
    return error;
}

/* Whether a link carries more than one sender. */
static bool has_fast_link(const pb_view_t *view)
{
    uint32_t sender = pb_slot_sender_speed(view);
    for (int v = 1; v < view->n_vertices; v++) {
        if (pb_slot_capacity(view->vertices[v].speed_in, sender) > 1 ||
            pb_slot_capacity(view->vertices[v].speed_out, sender) > 1) {
            return true;
        }
    }
    return false;
}

/*
 * The lowest tree of all methods. More ways across a link can mislead the
 * heuristic, so that the few ways of one sender are tried first: faster trunks
 * never make a tree higher.
 */
static int find_lowest(const pb_view_t *view, pb_slot_tables_t *tables, int *parent)
{
    int height = view->n_ranks;
    for (int i = 1; i < view->n_ranks; i++) {
        parent[view->order[i]] = view->order[i - 1];
    }
    int error = slot_lower(view, tables, 2, parent, &height);
    if (has_fast_link(view)) {
        for (int ways = 3; ways <= PB_SLOT_WAYS_IN && error == PB_SUCCESS; ways++) {
            error = slot_lower(view, tables, ways, parent, &height);
        }
        if (error == PB_SUCCESS) {
            error = pb_slot_bisect_lower(view, parent, &height);
        }
    }
    return error == PB_SUCCESS ? pb_kary_lower(view, 2, parent, &height) : error;
}

/* Sets, indexed by rank, the order in which its parent sends to it: higher subtrees first,
 * since what is below them has the longest way to go. `key` gets minus the
 * height of each rank's subtree. */
static int send_order(const pb_view_t *view, const int *parent, int *key)
{
    int n = view->placement->n_ranks;
    int *n_waiting = calloc((size_t) n, sizeof(*n_waiting));
    int *queue = malloc((size_t) view->n_ranks * sizeof(*queue));
    if (n_waiting == NULL || queue == NULL) {
        free(n_waiting);
        free(queue);
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 1; i < view->n_ranks; i++) {
        n_waiting[parent[view->order[i]]]++;
    }
    int n_queue = 0;
    for (int i = 0; i < view->n_ranks; i++) {
        if (n_waiting[view->order[i]] == 0) {
            queue[n_queue++] = view->order[i];
        }
    }
    for (int i = 0; i < n_queue; i++) {
        int above = parent[queue[i]];
        if (above < 0) {
            continue;
        }
        key[above] = key[queue[i]] - 1 < key[above] ? key[queue[i]] - 1 : key[above];
        if (--n_waiting[above] == 0) {
            queue[n_queue++] = above;
        }
    }
    free(n_waiting);
    free(queue);
    return PB_SUCCESS;
}

static int compute(const pb_view_t *view, pb_slot_tables_t *tables, pb_plan_t *plan)
{
    int *parent = plan->streams[0].parent;
    int *key = calloc((size_t) plan->n_ranks, sizeof(*key));
    int error = key != NULL ? find_lowest(view, tables, parent) : PB_ERR_NO_MEMORY;
    if (error == PB_SUCCESS) {
        error = send_order(view, parent, key);
    }
    if (error == PB_SUCCESS) {
        error = pb_plan_link_children(plan, 0, view, key);
    }
    free(key);
    return error;
}

/* As compute(), with tables that are made where there are none. */
static int compute_with(const pb_view_t *view, pb_tables_t *tables, pb_plan_t *plan)
{
    if (tables->slot == NULL) {
        tables->slot = pb_slot_tables_new();
    }
    int error = tables->slot != NULL ? compute(view, tables->slot, plan) : PB_ERR_NO_MEMORY;
    if (error != PB_SUCCESS) {
        /* There may be a shape whose table is not complete. */
        pb_slot_tables_free(tables->slot);
        tables->slot = NULL;
    }
    return error;
}

int pb_plan_slot(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    pb_tables_t own = {0};
    *plan_p = NULL;
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_BINARY, 1);
    int error = plan != NULL
                    ? compute_with(view, options->tables != NULL ? options->tables : &own, plan)
                    : PB_ERR_NO_MEMORY;
    pb_tables_clear(&own);
    if (error != PB_SUCCESS) {
        pb_plan_free(plan);
        return error;
    }
    *plan_p = plan;
    return PB_SUCCESS;
}
