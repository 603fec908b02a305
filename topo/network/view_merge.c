#include "topo/network/view_merge.h"

#include <stdlib.h>

typedef struct merger {
    const pb_view_t *view;
    pb_view_t *merged;
    int *vertex; /**< by vertex of the view: the merged one that it is part of */
    int *next;   /**< by vertex of the view: the next part of the same merged one, -1 */
    int *last;   /**< by merged vertex: its last part so far */
} merger_t;

/**
 * Finds the parts of each merged vertex. The highest parts come in preorder of
 * the merged view, as all that is below one of them is a range of vertices.
 */
static void group(merger_t *m, const bool *joined)
{
    pb_vertex_t *merged = m->merged->vertices;
    for (int v = 0; v < m->view->n_vertices; v++) {
        const int parent = m->view->vertices[v].parent;
        m->next[v] = -1;
        if (v > 0 && joined[v]) {
            m->vertex[v] = m->vertex[parent];
            m->next[m->last[m->vertex[v]]] = v;
        } else {
            m->vertex[v] = m->merged->n_vertices++;
            merged[m->vertex[v]] = m->view->vertices[v];
            merged[m->vertex[v]].parent = v > 0 ? m->vertex[parent] : -1;
            merged[m->vertex[v]].end = m->vertex[v] + 1;
        }
        m->last[m->vertex[v]] = v;
    }
    for (int v = m->merged->n_vertices - 1; v > 0; v--) {
        pb_vertex_t *parent = &merged[merged[v].parent];
        parent->end = merged[v].end > parent->end ? merged[v].end : parent->end;
    }
}

/** Attaches the ranks of the part `from` to v. */
static void attach(merger_t *m, int from, int v, int *n_positions)
{
    const pb_vertex_t *part = &m->view->vertices[from];
    for (int p = part->first_rank; p < part->end_local; p++) {
        const int to = (*n_positions)++;
        m->merged->order[to] = m->view->order[p];
        m->merged->position[m->view->order[p]] = to;
        m->merged->attached[to] = v;
        m->merged->speed[to] = m->view->speed[p];
    }
}

static void attach_all(merger_t *m)
{
    int n_positions = 0;
    for (int top = 0; top < m->view->n_vertices; top++) {
        const int v = m->vertex[top], parent = m->view->vertices[top].parent;
        if (top > 0 && m->vertex[parent] == v) {
            continue;
        }
        pb_vertex_t *vertex = &m->merged->vertices[v];
        const int n_ranks = vertex->end_rank - vertex->first_rank;
        vertex->first_rank = n_positions;
        vertex->end_rank = n_positions + n_ranks;
        for (int part = top; part >= 0; part = m->next[part]) {
            attach(m, part, v, &n_positions);
        }
        vertex->end_local = n_positions;
    }
}

int pb_view_merge(const pb_view_t *view, const bool *joined, pb_view_t **merged_p)
{
    const size_t n_vertices = (size_t) view->n_vertices;
    merger_t m = {.view = view};
    m.merged = pb_view_alloc(view->placement, view->n_ranks);
    m.vertex = malloc(n_vertices * sizeof(*m.vertex));
    m.next = malloc(n_vertices * sizeof(*m.next));
    m.last = malloc(n_vertices * sizeof(*m.last));
    int rc = PB_ERR_NO_MEMORY;
    *merged_p = NULL;
    if (m.merged != NULL && m.vertex != NULL && m.next != NULL && m.last != NULL) {
        group(&m, joined);
        attach_all(&m);
        *merged_p = m.merged;
        m.merged = NULL;
        rc = PB_SUCCESS;
    }
    pb_view_free(m.merged);
    free(m.vertex);
    free(m.next);
    free(m.last);
    return rc;
}
