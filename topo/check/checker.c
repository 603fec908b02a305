/*
 * Edges are taken from the child arrays, as these are what ranks send by; the
 * parents, what ranks receive by, must then agree with them.
 */
#include "topo/check/checker.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The check of one plan; arrays by rank are used anew for each stream. */
typedef struct walk {
    const pb_placement_t *placement;
    const pb_network_t *network;
    const pb_plan_t *plan;
    const char *members; /* NULL: all ranks */
    pb_check_t *check;
    pb_diag_t *diag;
    int *sent_by;     /* by rank: who sends to it in this stream, -1: nobody yet */
    int *queue;       /* of ranks, for reaching them breadth-first */
    char *reached;    /* by rank */
    int *last_sender; /* by link: the last rank counted as a sender, -1: none */
    int *path;        /* links of one edge */
} walk_t;

static bool is_member(const walk_t *w, int rank)
{
    return w->members == NULL || w->members[rank];
}

void pb_check_clear(pb_check_t *check)
{
    free(check->links);
    free(check->sends);
    memset(check, 0, sizeof(*check));
}

/* Room for n counters, at least one, all 0. */
static void *counters(int n, size_t size)
{
    return calloc((size_t) n + 1, size);
}

static int check_alloc(pb_check_t *check, int n_links, int n_ranks)
{
    memset(check, 0, sizeof(*check));
    check->n_links = n_links;
    check->links = counters(n_links, sizeof(*check->links));
    check->sends = counters(n_ranks, sizeof(*check->sends));
    if (check->links == NULL || check->sends == NULL) {
        pb_check_clear(check);
        return PB_ERR_NO_MEMORY;
    }
    return PB_SUCCESS;
}

static int walk_alloc(walk_t *w)
{
    int n_ranks = w->plan->n_ranks;
    w->sent_by = counters(n_ranks, sizeof(*w->sent_by));
    w->queue = counters(n_ranks, sizeof(*w->queue));
    w->reached = counters(n_ranks, sizeof(*w->reached));
    w->last_sender = counters(w->check->n_links, sizeof(*w->last_sender));
    w->path = counters(pb_network_max_path(w->network), sizeof(*w->path));
    if (w->sent_by == NULL || w->queue == NULL || w->reached == NULL || w->last_sender == NULL ||
        w->path == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int link = 0; link < w->check->n_links; link++) {
        w->last_sender[link] = -1;
    }
    return PB_SUCCESS;
}

static void walk_clear(walk_t *w)
{
    free(w->sent_by);
    free(w->queue);
    free(w->reached);
    free(w->last_sender);
    free(w->path);
}

/* Preconditions of a walk over the streams. */
static bool frame_is_sound(const walk_t *w)
{
    const pb_plan_t *plan = w->plan;
    if (plan->n_ranks != w->placement->n_ranks) {
        pb_diag_error(w->diag, NULL, 0, "the plan is for %d ranks, the placement for %d",
                      plan->n_ranks, w->placement->n_ranks);
        return false;
    }
    if (plan->n_streams < 1 || plan->n_streams > PB_PLAN_MAX_STREAMS) {
        pb_diag_error(w->diag, NULL, 0, "the plan has %d streams instead of 1 to %d",
                      plan->n_streams, PB_PLAN_MAX_STREAMS);
        return false;
    }
    if (plan->root < 0 || plan->root >= plan->n_ranks || !is_member(w, plan->root)) {
        pb_diag_error(w->diag, NULL, 0, "the root, %d, is no member of the plan", plan->root);
        return false;
    }
    int n_members = 0;
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        n_members += is_member(w, rank);
    }
    if (n_members != plan->n_members) {
        pb_diag_error(w->diag, NULL, 0, "the plan has %d members instead of %d", plan->n_members,
                      n_members);
        return false;
    }
    return true;
}

static bool hosts_are_set(const walk_t *w)
{
    int n_nodes = pb_network_size(w->network);
    for (int rank = 0; rank < w->placement->n_ranks; rank++) {
        int host = w->placement->host[rank];
        if (is_member(w, rank) && (host < 0 || host >= n_nodes)) {
            pb_diag_error(w->diag, NULL, 0, "rank %d is on no host", rank);
            return false;
        }
    }
    return true;
}

/* Tells whether the child ranges are ordered and stay in the array. */
static bool ranges_are_sound(const walk_t *w, int s)
{
    const int *first = w->plan->streams[s].first_child;
    bool sound = first[0] == 0 && first[w->plan->n_ranks] <= w->plan->n_members - 1;
    for (int rank = 0; rank < w->plan->n_ranks && sound; rank++) {
        sound = first[rank] <= first[rank + 1];
    }
    if (!sound) {
        pb_diag_error(w->diag, NULL, 0,
                      "stream %d: first_child is not ordered from 0 to %d, the number of edges", s,
                      w->plan->n_members - 1);
    }
    return sound;
}

/* Counts an edge on the links of its path. Senders are counted right because
 * all edges of one sender, in all streams, are counted one after the other. */
static void load_path(walk_t *w, int from, int to)
{
    const int *host = w->placement->host;
    int n_links = pb_network_path(w->network, host[from], host[to], w->path);
    for (int i = 0; i < n_links; i++) {
        pb_link_load_t *load = &w->check->links[w->path[i]];
        load->edges++;
        if (w->last_sender[w->path[i]] != from) {
            w->last_sender[w->path[i]] = from;
            load->senders++;
        }
    }
}

static void load_links(walk_t *w, const bool *sound)
{
    const pb_plan_t *plan = w->plan;
    for (int from = 0; from < plan->n_ranks; from++) {
        for (int s = 0; s < plan->n_streams; s++) {
            const pb_stream_t *stream = &plan->streams[s];
            if (!sound[s] || !is_member(w, from)) {
                continue;
            }
            for (int i = stream->first_child[from]; i < stream->first_child[from + 1]; i++) {
                int to = stream->child[i];
                if (to >= 0 && to < plan->n_ranks && is_member(w, to)) {
                    load_path(w, from, to);
                }
            }
        }
    }
}

/* Judges one edge by itself, and counts it at its sender. */
static void check_edge(walk_t *w, int s, int from, int to)
{
    if (to < 0 || to >= w->plan->n_ranks) {
        pb_diag_error(w->diag, NULL, 0, "stream %d: rank %d has a child %d, which is no rank", s,
                      from, to);
        return;
    }
    w->check->sends[from]++;
    if (!is_member(w, from) || !is_member(w, to)) {
        pb_diag_error(w->diag, NULL, 0,
                      "stream %d: the edge %d -> %d meets a rank that is no member", s, from, to);
        return;
    }
    if (to == w->plan->root) {
        pb_diag_error(w->diag, NULL, 0, "stream %d: rank %d sends to the root, %d", s, from, to);
    } else if (w->sent_by[to] >= 0) {
        pb_diag_error(w->diag, NULL, 0, "stream %d: rank %d receives twice, from %d and from %d", s,
                      to, w->sent_by[to], from);
    } else if (w->plan->streams[s].parent[to] != from) {
        pb_diag_error(w->diag, NULL, 0, "stream %d: rank %d sends to %d, whose parent is %d", s,
                      from, to, w->plan->streams[s].parent[to]);
    }
    w->sent_by[to] = from;
}

static void check_edges(walk_t *w, int s)
{
    const pb_stream_t *stream = &w->plan->streams[s];
    for (int rank = 0; rank < w->plan->n_ranks; rank++) {
        w->sent_by[rank] = -1;
    }
    for (int from = 0; from < w->plan->n_ranks; from++) {
        for (int i = stream->first_child[from]; i < stream->first_child[from + 1]; i++) {
            check_edge(w, s, from, stream->child[i]);
        }
    }
}

/* Each parent must send to the rank; a rank without one must be the root or no
 * member. */
static void check_parents(walk_t *w, int s)
{
    for (int rank = 0; rank < w->plan->n_ranks; rank++) {
        int parent = w->plan->streams[s].parent[rank];
        if (parent >= 0 && w->sent_by[rank] < 0) {
            pb_diag_error(w->diag, NULL, 0,
                          "stream %d: rank %d waits for its parent %d, which does not send to it",
                          s, rank, parent);
        }
        if (parent < -1 || (parent >= 0 && rank == w->plan->root)) {
            pb_diag_error(w->diag, NULL, 0, "stream %d: rank %d%s must not have the parent %d", s,
                          rank, rank == w->plan->root ? ", the root," : "", parent);
        }
    }
}

/* Marks what the root reaches, each rank once however often it is sent to, and
 * returns the depth of the deepest. */
static int reach(walk_t *w, int s)
{
    const pb_stream_t *stream = &w->plan->streams[s];
    int begin = 0, end = 0, depth = -1;
    memset(w->reached, 0, (size_t) w->plan->n_ranks);
    w->queue[end++] = w->plan->root;
    w->reached[w->plan->root] = 1;
    while (begin < end) {
        int level_end = end;
        depth++;
        for (; begin < level_end; begin++) {
            int from = w->queue[begin];
            for (int i = stream->first_child[from]; i < stream->first_child[from + 1]; i++) {
                int to = stream->child[i];
                if (to >= 0 && to < w->plan->n_ranks && !w->reached[to]) {
                    w->reached[to] = 1;
                    w->queue[end++] = to;
                }
            }
        }
    }
    return depth;
}

/* A member that is sent to but not reached is on a cycle, or below one, or below
 * a rank that is not sent to. */
static void check_reached(walk_t *w, int s)
{
    int height = reach(w, s);
    for (int rank = 0; rank < w->plan->n_ranks; rank++) {
        if (is_member(w, rank) && !w->reached[rank]) {
            pb_diag_error(w->diag, NULL, 0, "stream %d: rank %d is never reached%s", s, rank,
                          w->sent_by[rank] < 0 ? ": nobody sends to it"
                                               : ": the ranks above it are a cycle or not reached");
        }
    }
    if (height != w->plan->streams[s].height) {
        pb_diag_error(w->diag, NULL, 0, "stream %d: the height is %d, not %d", s, height,
                      w->plan->streams[s].height);
    }
    if (height > w->check->height) {
        w->check->height = height;
    }
}

static void check_streams(walk_t *w)
{
    bool sound[PB_PLAN_MAX_STREAMS];
    for (int s = 0; s < w->plan->n_streams; s++) {
        sound[s] = ranges_are_sound(w, s);
        if (sound[s]) {
            check_edges(w, s);
            check_parents(w, s);
            check_reached(w, s);
        }
    }
    load_links(w, sound);
}

static void find_maxima(pb_check_t *check, int n_ranks)
{
    for (int link = 0; link < check->n_links; link++) {
        const int edges = check->links[link].edges;
        check->max_edges = edges > check->max_edges ? edges : check->max_edges;
    }
    for (int rank = 0; rank < n_ranks; rank++) {
        check->max_sends =
            check->sends[rank] > check->max_sends ? check->sends[rank] : check->max_sends;
    }
}

int pb_check_plan(const pb_placement_t *placement, const pb_plan_t *plan, const char *members,
                  pb_check_t *check, pb_diag_t *diag)
{
    int n_links = 2 * pb_network_size(placement->network);
    if (check_alloc(check, n_links, plan->n_ranks) != PB_SUCCESS) {
        return PB_ERR_NO_MEMORY;
    }
    walk_t walk = {.placement = placement,
                   .network = placement->network,
                   .plan = plan,
                   .members = members,
                   .check = check,
                   .diag = diag};
    size_t n_before = diag->n_errors;
    int error = walk_alloc(&walk);
    if (error != PB_SUCCESS) {
        pb_check_clear(check);
    } else if (frame_is_sound(&walk) && hosts_are_set(&walk)) {
        check_streams(&walk);
        find_maxima(check, plan->n_ranks);
    }
    walk_clear(&walk);
    if (error == PB_SUCCESS && diag->n_errors > n_before) {
        error = PB_ERR_INPUT;
    }
    return error;
}
