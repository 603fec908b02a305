/*
 * Level by level, each rank of the level is given none, one or two children. The
 * ranks of a vertex are alike until they have children, so that only the vertex
 * of a child is chosen. Each directed link between vertices belongs to the first
 * rank that sends over it.
 */
#include "test/topo/trees/exact_binary.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RANKS 64

typedef struct search {
    const pb_view_t *view;
    int height;
    long steps_left;
    int left[MAX_RANKS];      /* by vertex: ranks that have no parent yet */
    int n_left;               /* of all vertices */
    int owner[2 * MAX_RANKS]; /* by directed link, see claim(); -1: none */
    int vertex[MAX_RANKS];    /* of placed ranks, in order of level */
    int choice[MAX_RANKS];    /* of placed ranks: which children, as a number */
    int n_placed;
} search_t;

/* Claims the links from the vertex of `sender` to `target` (2 v: up from v, 2 v +
 * 1: down to v). Claimed ones are noted in `claimed`. False if another has one. */
static bool claim(search_t *s, int sender, int target, int *claimed, int *n_claimed)
{
    const pb_vertex_t *vertices = s->view->vertices;
    int v = s->vertex[sender], w = target;
    while (v != w) {
        int link;
        if (v > w) {
            link = 2 * v;
            v = vertices[v].parent;
        } else {
            link = 2 * w + 1;
            w = vertices[w].parent;
        }
        if (s->owner[link] >= 0 && s->owner[link] != sender) {
            return false;
        }
        if (s->owner[link] < 0) {
            s->owner[link] = sender;
            claimed[(*n_claimed)++] = link;
        }
    }
    return true;
}

/* Ranks that can still be placed below the ranks at `next` .. and further. */
static long room(const search_t *s, int next, int level_end, int level)
{
    int here = level_end - next, below = s->n_placed - level_end, deep = s->height - level;
    long room_below = deep > 0 ? (2L << (deep - 1)) - 2 : 0;
    return here * ((2L << deep) - 2) + below * room_below;
}

static bool fill(search_t *s, int next, int level_begin, int level_end, int level);

/* The children that a choice stands for: 0 none, else vertices a <= b, b = none
 * being n_vertices. */
static bool try_choice(search_t *s, int next, int level_begin, int level_end, int level, int choice)
{
    int n_vertices = s->view->n_vertices, claimed[4 * MAX_RANKS], n_claimed = 0;
    int n_before = s->n_placed;
    int children[2] = {n_vertices, n_vertices};
    if (choice > 0) {
        children[0] = (choice - 1) / (n_vertices + 1);
        children[1] = (choice - 1) % (n_vertices + 1);
    }
    bool good = children[0] <= children[1];
    for (int i = 0; i < 2 && good; i++) {
        int v = children[i];
        if (v == n_vertices) {
            continue;
        }
        good = s->left[v] > 0 && claim(s, next, v, claimed, &n_claimed);
        if (good) {
            s->left[v]--;
            s->n_left--;
            s->vertex[s->n_placed++] = v;
        }
    }
    s->choice[next] = choice;
    good = good && fill(s, next + 1, level_begin, level_end, level);
    if (!good) {
        while (s->n_placed > n_before) {
            s->left[s->vertex[--s->n_placed]]++;
            s->n_left++;
        }
        while (n_claimed > 0) {
            s->owner[claimed[--n_claimed]] = -1;
        }
    }
    return good;
}

/* Children for the ranks from `next` on; those before level_end are at `level`. */
static bool fill(search_t *s, int next, int level_begin, int level_end, int level)
{
    if (s->n_left == 0) {
        return true;
    }
    if (next == level_end) {
        level++;
        level_begin = level_end;
        level_end = s->n_placed;
    }
    if (level >= s->height || next == level_end || room(s, next, level_end, level) < s->n_left ||
        s->steps_left-- <= 0) {
        return false;
    }
    int n_vertices = s->view->n_vertices, most = n_vertices * (n_vertices + 1);
    /* Ranks of one level and vertex are alike: their choices do not rise. */
    if (next > level_begin && s->vertex[next - 1] == s->vertex[next]) {
        most = s->choice[next - 1];
    }
    for (int choice = most; choice >= 0; choice--) {
        if (try_choice(s, next, level_begin, level_end, level, choice)) {
            return true;
        }
    }
    return false;
}

int exact_binary_exists(const pb_view_t *view, int height, long max_steps)
{
    search_t *s = calloc(1, sizeof(*s));
    if (s == NULL || view->n_ranks > MAX_RANKS || view->n_vertices > MAX_RANKS) {
        abort();
    }
    s->view = view;
    s->height = height;
    s->steps_left = max_steps;
    memset(s->owner, 0xff, sizeof(s->owner));
    for (int i = 1; i < view->n_ranks; i++) {
        s->left[view->attached[i]]++;
    }
    s->n_left = view->n_ranks - 1;
    s->vertex[0] = 0;
    s->n_placed = 1;
    int found = fill(s, 0, 0, 1, 0);
    int result = found ? 1 : s->steps_left <= 0 ? -1 : 0;
    free(s);
    return result;
}
