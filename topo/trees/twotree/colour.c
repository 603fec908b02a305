/*
 * Two-colouring: which edges send in even slots, which in odd ones.
 *
 * An edge is known by the *place* in a tree that it leads to. Two places
 * differ in colour if the same rank sends to both, if their edges share a link,
 * or if the same rank takes both, one in each tree. The first two do not depend
 * on who takes a place. Ranks of one vertex that send nothing in a tree can
 * exchange their places in it: they are matched with places so that the colours
 * differ, which merges components of a union-find structure that knows colours
 * relative to its roots.
 */
#include <stdlib.h>
#include <string.h>

#include "topo/trees/twotree/internal.h"

/** Random orders in which ranks are matched, before giving up. */
#define MAX_TRIES 40

/** The places of one component at the vertex that is being matched. */
typedef struct group {
    int component;
    int excess;  /**< places of colour 0 less places of colour 1, relative to the component */
    bool turned; /**< in the orientation chosen for the vertex, the colours are exchanged */
} group_t;

typedef struct colouring {
    pb_tt_t *tt;
    int n_places;           /**< 2 * n_ranks; a place is tree * n_ranks + position */
    int *up;                /**< by place: union-find */
    unsigned char *differs; /**< by place: colour relative to `up` */
    int *size;
    int *start_up, *start_size; /**< the structure without matches */
    unsigned char *start_differs;
    int *taken[2]; /**< by tree and position: the position whose place the rank takes */
    int *free_places;
    int *ranks;
    int *vertex_order;                 /**< in which they are matched */
    int *matched_fixed, *matched_free; /**< pairs made at the vertex */
    int n_matched;
    unsigned char *turned; /**< by component: `turned` of its group */
    int *group_of;         /**< by component: index in groups, -1 */
    group_t *groups;
    int n_groups;
    unsigned int random;
} colouring_t;

/** The representative of a place; its colour relative to it in *differs. */
static int find(colouring_t *c, int place, unsigned char *differs)
{
    int root = place;
    unsigned char colour = 0;
    while (c->up[root] != root) {
        colour ^= c->differs[root];
        root = c->up[root];
    }
    *differs = colour;
    while (c->up[place] != root) {
        const int next = c->up[place];
        const unsigned char own = c->differs[place];
        c->up[place] = root;
        c->differs[place] = colour;
        colour ^= own;
        place = next;
    }
    return root;
}

/** Demands that two places differ; false if they cannot. */
static bool separate(colouring_t *c, int a, int b)
{
    unsigned char colour_a, colour_b;
    int root_a = find(c, a, &colour_a), root_b = find(c, b, &colour_b);
    if (root_a == root_b) {
        return colour_a != colour_b;
    }
    if (c->size[root_a] < c->size[root_b]) {
        const int root = root_a;
        root_a = root_b;
        root_b = root;
    }
    c->up[root_b] = root_a;
    c->differs[root_b] = colour_a ^ colour_b ^ 1;
    c->size[root_a] += c->size[root_b];
    return true;
}

/** Separates a place from the one seen before at the same sender or link. */
static bool meet(colouring_t *c, int *seen, int place)
{
    if (*seen < 0) {
        *seen = place;
        return true;
    }
    return separate(c, *seen, place);
}

/** The links that the edge into a place crosses: up from the sender, down to the receiver. */
static bool meet_links(colouring_t *c, int *seen_in, int *seen_out, int from, int to, int place)
{
    const pb_vertex_t *vertices = c->tt->view->vertices;
    bool possible = true;
    while (from != to) {
        /* The later vertex in preorder is not above the other. */
        if (from > to) {
            possible = meet(c, &seen_out[from], place) && possible;
            from = vertices[from].parent;
        } else {
            possible = meet(c, &seen_in[to], place) && possible;
            to = vertices[to].parent;
        }
    }
    return possible;
}

/** What does not depend on who takes a place. */
static bool separate_senders_and_links(colouring_t *c, int *seen)
{
    const pb_tt_t *tt = c->tt;
    const pb_view_t *view = tt->view;
    int *seen_in = seen + view->n_ranks, *seen_out = seen_in + view->n_vertices;
    bool possible = true;
    for (int i = 0; i < view->n_ranks + 2 * view->n_vertices; i++) {
        seen[i] = -1;
    }
    for (int i = 0; i < c->n_places; i++) {
        c->up[i] = i;
        c->differs[i] = 0;
        c->size[i] = 1;
    }
    for (int tree = 0; tree < 2; tree++) {
        for (int p = 1; p < view->n_ranks; p++) {
            const int place = tree * view->n_ranks + p, parent = tt->parent[tree][p];
            possible = meet(c, &seen[parent], place) && possible;
            possible = meet_links(c, seen_in, seen_out, view->attached[parent], view->attached[p],
                                  place) &&
                       possible;
        }
    }
    return possible;
}

static unsigned int random_below(colouring_t *c, unsigned int n)
{
    c->random = c->random * 1664525u + 1013904223u;
    return (unsigned int) (((unsigned long long) c->random * n) >> 32);
}

static void shuffle(colouring_t *c, int *values, int n)
{
    for (int i = n - 1; i > 0; i--) {
        const int j = (int) random_below(c, (unsigned int) i + 1);
        const int value = values[i];
        values[i] = values[j];
        values[j] = value;
    }
}

/** The group of a place at the vertex that is being matched; a new one if need be. */
static int find_group(colouring_t *c, int place)
{
    unsigned char colour;
    const int component = find(c, place, &colour);
    if (c->group_of[component] < 0) {
        c->group_of[component] = c->n_groups;
        c->groups[c->n_groups++] = (group_t){.component = component};
    }
    group_t *group = &c->groups[c->group_of[component]];
    group->excess += colour ? -1 : 1;
    return c->group_of[component];
}

static int compare_groups(const void *a, const void *b)
{
    const group_t *x = a, *y = b;
    const int size_x = abs(x->excess), size_y = abs(y->excess);
    return size_x != size_y ? size_y - size_x : x->component - y->component;
}

/**
 * Matching needs as many places of one colour among the fixed ones as of the
 * other among the free ones, so as many of each among all. Orients the groups
 * so, largest excess first; false if they do not come out even.
 */
static bool orient_groups(colouring_t *c)
{
    int sum = 0;
    qsort(c->groups, (size_t) c->n_groups, sizeof(*c->groups), compare_groups);
    for (int g = 0; g < c->n_groups; g++) {
        const int excess = c->groups[g].excess;
        c->groups[g].turned = sum != 0 && (sum > 0) == (excess > 0);
        sum += c->groups[g].turned ? -excess : excess;
    }
    return sum == 0;
}

/** The colour of a place in the orientation chosen for the vertex. */
static int oriented_colour(colouring_t *c, int place, int *component)
{
    unsigned char colour;
    *component = find(c, place, &colour);
    return colour ^ (c->turned[*component] != 0);
}

/**
 * Gives each rank a place of the other colour, one of its own component if
 * there is one, so that no more components are merged than need be.
 */
static bool pair_up(colouring_t *c, int tree, int n_free)
{
    const int n_ranks = c->tt->view->n_ranks;
    for (int pass = 0; pass < 2; pass++) {
        for (int r = n_free - 1; r >= 0; r--) {
            int component, other;
            const int rank = c->ranks[r];
            const int fixed = !tree * n_ranks + c->taken[!tree][rank];
            const int colour = oriented_colour(c, fixed, &component);
            int found = -1;
            for (int i = 0; i < n_free && found < 0; i++) {
                const int place = tree * n_ranks + c->free_places[i];
                if (oriented_colour(c, place, &other) != colour &&
                    (pass == 1 || other == component)) {
                    found = i;
                }
            }
            if (found < 0) {
                continue;
            }
            c->taken[tree][rank] = c->free_places[found];
            c->matched_fixed[c->n_matched] = fixed;
            c->matched_free[c->n_matched++] = tree * n_ranks + c->free_places[found];
            n_free--;
            c->free_places[found] = c->free_places[n_free];
            c->ranks[r] = c->ranks[n_free];
        }
    }
    return n_free == 0;
}

/** Matches the ranks of v that send nothing in `tree` with the places there. */
static bool match_vertex(colouring_t *c, int v, int tree, bool shuffled)
{
    const pb_tt_t *tt = c->tt;
    const int n_ranks = tt->view->n_ranks;
    int n_free = 0;
    for (int p = pb_tt_first_local(tt, v); p < tt->view->vertices[v].end_local; p++) {
        if (pb_tt_gives(tt->rank_option[p], tree) == 0) {
            c->free_places[n_free] = p;
            c->ranks[n_free++] = p;
        }
    }
    if (shuffled) {
        shuffle(c, c->free_places, n_free);
        shuffle(c, c->ranks, n_free);
    }
    c->n_groups = 0;
    for (int i = 0; i < n_free; i++) {
        find_group(c, !tree * n_ranks + c->taken[!tree][c->ranks[i]]);
        find_group(c, tree * n_ranks + c->free_places[i]);
    }
    for (int g = 0; g < c->n_groups; g++) {
        c->group_of[c->groups[g].component] = -1;
    }
    if (!orient_groups(c)) {
        return false;
    }
    for (int g = 0; g < c->n_groups; g++) {
        c->turned[c->groups[g].component] = c->groups[g].turned;
    }
    c->n_matched = 0;
    const bool paired = pair_up(c, tree, n_free);
    for (int g = 0; g < c->n_groups; g++) {
        c->turned[c->groups[g].component] = 0;
    }
    for (int i = 0; i < c->n_matched; i++) {
        separate(c, c->matched_fixed[i], c->matched_free[i]);
    }
    return paired;
}

/** Ranks that send in both trees have no choice of places. */
static bool separate_fixed_ranks(colouring_t *c)
{
    const pb_tt_t *tt = c->tt;
    bool possible = true;
    for (int p = 1; p < tt->view->n_ranks; p++) {
        if (tt->rank_option[p] / 2 == PB_TT_EACH) {
            possible = separate(c, p, tt->view->n_ranks + p) && possible;
        }
    }
    return possible;
}

/** One try, vertex by vertex. Returns the index in vertex_order that failed, -1 if none did. */
static int match_all(colouring_t *c, bool shuffled)
{
    const pb_tt_t *tt = c->tt;
    memcpy(c->up, c->start_up, (size_t) c->n_places * sizeof(int));
    memcpy(c->size, c->start_size, (size_t) c->n_places * sizeof(int));
    memcpy(c->differs, c->start_differs, (size_t) c->n_places);
    for (int p = 0; p < tt->view->n_ranks; p++) {
        c->taken[0][p] = c->taken[1][p] = p;
    }
    for (int i = 0; i < tt->view->n_vertices; i++) {
        const int v = c->vertex_order[i];
        if (!match_vertex(c, v, 0, shuffled) || !match_vertex(c, v, 1, shuffled)) {
            return i;
        }
    }
    return -1;
}

/**
 * Tries until all vertices are matched. The vertex that failed comes first in
 * the next try, when components are still small and can be oriented as it
 * needs them; if it failed as the first, no try can succeed.
 */
static bool match_repeatedly(colouring_t *c)
{
    for (int v = 0; v < c->tt->view->n_vertices; v++) {
        c->vertex_order[v] = v;
    }
    for (int i = 0; i < MAX_TRIES; i++) {
        const int failed = match_all(c, i > 0);
        if (failed < 0) {
            return true;
        }
        const int v = c->vertex_order[failed];
        memmove(c->vertex_order + 1, c->vertex_order, (size_t) failed * sizeof(int));
        c->vertex_order[0] = v;
    }
    return false;
}

/** Moves ranks to the places that they take. */
static void apply(colouring_t *c, int tree)
{
    pb_tt_t *tt = c->tt;
    const size_t bytes = (size_t) tt->view->n_ranks * sizeof(int);
    int *arrays[3] = {tt->parent[tree], tt->time[tree], tt->order[tree]};
    for (int a = 0; a < 3; a++) {
        memcpy(c->ranks, arrays[a], bytes);
        for (int p = 1; p < tt->view->n_ranks; p++) {
            arrays[a][p] = c->ranks[c->taken[tree][p]];
        }
    }
}

/**
 * The parities that the ranks get with their places. The root begins with
 * segment 0 in slot 0.
 */
static void read_colours(colouring_t *c)
{
    pb_tt_t *tt = c->tt;
    const int n_ranks = tt->view->n_ranks;
    unsigned char first = 0;
    for (int tree = 1; tree >= 0; tree--) {
        for (int p = 1; p < n_ranks; p++) {
            unsigned char colour;
            find(c, tree * n_ranks + c->taken[tree][p], &colour);
            tt->parity[tree][p] = colour;
            first = tt->parent[tree][c->taken[tree][p]] == 0 ? colour : first;
        }
    }
    for (int p = 1; p < n_ranks; p++) {
        tt->parity[0][p] ^= first;
        tt->parity[1][p] ^= first;
    }
}

int pb_tt_colour(pb_tt_t *tt)
{
    const size_t n_ranks = (size_t) tt->view->n_ranks, n_places = 2 * n_ranks;
    colouring_t c = {.tt = tt, .n_places = (int) n_places, .random = 1};
    int *ints =
        malloc((6 * n_places + 7 * n_ranks + 3 * (size_t) tt->view->n_vertices) * sizeof(int));
    unsigned char *bytes = calloc(3, n_places);
    c.groups = malloc(n_places * sizeof(*c.groups));
    tt->coloured = false;
    if (ints == NULL || bytes == NULL || c.groups == NULL) {
        free(ints);
        free(bytes);
        free(c.groups);
        return PB_ERR_NO_MEMORY;
    }
    c.differs = bytes;
    c.start_differs = bytes + n_places;
    c.turned = bytes + 2 * n_places;
    c.up = ints;
    c.size = c.up + n_places;
    c.start_up = c.size + n_places;
    c.start_size = c.start_up + n_places;
    c.group_of = c.start_size + n_places;
    c.taken[0] = c.group_of + n_places;
    c.taken[1] = c.taken[0] + n_ranks;
    c.free_places = c.taken[1] + n_ranks;
    c.ranks = c.free_places + n_ranks;
    c.matched_fixed = c.ranks + n_ranks;
    c.matched_free = c.matched_fixed + n_ranks;
    c.vertex_order = c.matched_free + n_ranks;
    int *seen = c.vertex_order + tt->view->n_vertices;
    for (size_t i = 0; i < n_places; i++) {
        c.group_of[i] = -1;
    }
    if (separate_senders_and_links(&c, seen) && separate_fixed_ranks(&c)) {
        memcpy(c.start_up, c.up, n_places * sizeof(int));
        memcpy(c.start_size, c.size, n_places * sizeof(int));
        memcpy(c.start_differs, c.differs, n_places);
        tt->coloured = match_repeatedly(&c);
    }
    if (tt->coloured) {
        read_colours(&c);
        apply(&c, 0);
        apply(&c, 1);
    }
    free(ints);
    free(bytes);
    free(c.groups);
    return PB_SUCCESS;
}
