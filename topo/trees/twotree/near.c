/*
 * Slots of ranks where vertices were merged: parents and children near each other.
 *
 * In a merged view the ranks of several vertices are alike. The trees that were made for it say
 * only where a rank stands in a tree, its *slot*, and what it gives there. Ranks of one merged
 * vertex may take each other's slots where these give as much. That changes neither the trees'
 * shapes nor the edges over links that were not merged.
 *
 * The ranks in depth-first order take the slots in in-order, so ranks below a slot are nearly a
 * range. A range, such as the ranks below a link, has about as many edges at its border as the tree
 * has levels.
 */
#include <stdlib.h>
#include <string.h>

#include "topo/trees/twotree/internal.h"

typedef struct dealing {
    pb_tt_t *tt;
    int n_ranks;
    pb_tt_option_t *option; /**< by position */
    int *child;             /**< by 2 * slot + order, of one tree: the child's slot, -1 */
    int *taker;             /**< by slot of that tree: the position that takes it */
    int *next;              /**< by 3 * vertex + gives: the next rank that may take a slot */
    int *stack;             /**< by level of the tree; then by position */
    int *order;             /**< by position */
} dealing_t;

/** Deals the options of v's ranks out evenly along their order. */
static void deal_options(dealing_t *d, int v)
{
    const pb_tt_t *tt = d->tt;
    const int first = pb_tt_first_local(tt, v), n = tt->view->vertices[v].end_local - first;
    int total[PB_TT_OPTIONS] = {0}, dealt[PB_TT_OPTIONS] = {0};
    for (int i = 0; i < n; i++) {
        total[tt->rank_option[first + i]]++;
    }
    for (int i = 0; i < n; i++) {
        int most = 0;
        long most_due = -1;
        for (int option = 0; option < PB_TT_OPTIONS; option++) {
            const long due = (long) total[option] * (i + 1) - (long) dealt[option] * n;
            if (dealt[option] < total[option] && due > most_due) {
                most = option;
                most_due = due;
            }
        }
        dealt[most]++;
        d->option[first + i] = (pb_tt_option_t) most;
    }
}

/** Gives a slot to the next rank of its vertex, in order, that gives as much in the tree. */
static void take(dealing_t *d, int tree, int slot)
{
    const pb_tt_t *tt = d->tt;
    d->taker[slot] = 0;
    if (slot > 0) {
        const int gives = pb_tt_gives(tt->rank_option[slot], tree);
        int *next = &d->next[3 * tt->view->attached[slot] + gives];
        while (pb_tt_gives(d->option[*next], tree) != gives) {
            (*next)++;
        }
        d->taker[slot] = (*next)++;
    }
}

static void take_in_order(dealing_t *d, int tree)
{
    int n = 0;
    for (int v = 0; v < d->tt->view->n_vertices; v++) {
        for (int gives = 0; gives < 3; gives++) {
            d->next[3 * v + gives] = pb_tt_first_local(d->tt, v);
        }
    }
    for (int at = 0; at >= 0 || n > 0;) {
        if (at >= 0) {
            d->stack[n++] = at;
            at = d->child[2 * at];
        } else {
            at = d->stack[--n];
            take(d, tree, at);
            at = d->child[2 * at + 1];
        }
    }
}

static void list_children(dealing_t *d, int tree)
{
    const pb_tt_t *tt = d->tt;
    memset(d->child, 0xff, 2 * (size_t) d->n_ranks * sizeof(*d->child));
    for (int p = 1; p < d->n_ranks; p++) {
        d->child[2 * tt->parent[tree][p] + tt->order[tree][p]] = p;
    }
}

/** Moves ranks to the slots that they take. */
static void move_ranks(dealing_t *d, int tree)
{
    pb_tt_t *tt = d->tt;
    int *parent = d->stack;
    for (int slot = 1; slot < d->n_ranks; slot++) {
        parent[d->taker[slot]] = d->taker[tt->parent[tree][slot]];
        d->order[d->taker[slot]] = tt->order[tree][slot];
    }
    for (int p = 1; p < d->n_ranks; p++) {
        tt->parent[tree][p] = parent[p];
        tt->order[tree][p] = d->order[p];
    }
}

int pb_tt_settle_near(pb_tt_t *tt)
{
    const size_t n = (size_t) tt->view->n_ranks, n_vertices = (size_t) tt->view->n_vertices;
    dealing_t d = {.tt = tt, .n_ranks = tt->view->n_ranks};
    int *ints = malloc((5 * n + 3 * n_vertices) * sizeof(*ints));
    d.option = malloc(n * sizeof(*d.option));
    int rc = PB_ERR_NO_MEMORY;
    if (ints != NULL && d.option != NULL) {
        d.child = ints;
        d.taker = d.child + 2 * n;
        d.stack = d.taker + n;
        d.order = d.stack + n;
        d.next = d.order + n;
        for (int v = 0; v < tt->view->n_vertices; v++) {
            deal_options(&d, v);
        }
        for (int tree = 0; tree < 2; tree++) {
            list_children(&d, tree);
            take_in_order(&d, tree);
            move_ranks(&d, tree);
        }
        rc = PB_SUCCESS;
    }
    free(ints);
    free(d.option);
    return rc;
}
