#include "topo/network/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/network/hostlist.h"
#include "topo/network/spines.h"
#include "topo/util/error.h"
#include "topo/util/kit.h"

typedef struct pb_builder_mention mention_t;
typedef struct pb_builder_link link_t;

/* Builder's notes on a node. */
struct pb_builder_mention {
    bool defined;   /* a switch that a line describes */
    int first_link; /* up from it, in order; -1: none */
    int last_link;
    int above; /* the mark that found it above a switch last, 0: none */
};

typedef enum { LINK_IS, LINK_REPEATS, LINK_TWICE, LINK_CYCLE } link_state_t;

/* A node was named below a switch. */
struct pb_builder_link {
    int child, parent;
    int next; /* of the same child */
    uint32_t speed;
    int members;
    int line;
    int list;  /* its number; links of one list follow each other */
    int added; /* line that adds to it, or adds it; 0: none */
    bool repeats;
    link_state_t state;
};

/* Result by which found_child() ends a list early. */
#define END_OF_LIST 1

static const pb_node_t *node_of(const pb_builder_t *b, int node)
{
    return pb_network_node(b->network, node);
}

static const char *kind_name(pb_node_kind_t kind)
{
    return kind == PB_NODE_SWITCH ? "switch" : "host";
}

/* "" or how many more names of a list have the same problem. */
static const char *more_of(char text[64], int n)
{
    text[0] = '\0';
    if (n > 1) {
        snprintf(text, 64, " (and %d more of this list)", n - 1);
    }
    return text;
}

int pb_builder_init(pb_builder_t *builder, const char *file, const char *entry, pb_diag_t *warnings)
{
    *builder = (pb_builder_t){
        .file = file, .entry = entry, .warnings = warnings, .network = pb_network_new()};
    return builder->network != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

void pb_builder_clear(pb_builder_t *builder)
{
    pb_network_free(builder->network);
    free(builder->mentions);
    free(builder->links);
    *builder = (pb_builder_t){.network = NULL};
}

/* ---- what is named ---- */

static int add_node(pb_builder_t *b, int line, pb_node_kind_t kind, const char *name)
{
    const int node = pb_network_add(b->network, kind, name);
    if (node < 0) {
        return node;
    }
    pb_network_set_line(b->network, node, line);
    mention_t *mentions = pb_grow(b->mentions, node, &b->mentions_capacity, sizeof(*b->mentions));
    if (mentions == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    b->mentions = mentions;
    b->mentions[node] = (mention_t){.first_link = -1, .last_link = -1};
    return node;
}

/* Warns that no more can be taken. */
static int overflow(pb_builder_t *b, int line, const char *name)
{
    pb_diag_error(b->warnings, b->file, line,
                  "with '%s' there are more than %d names; the rest of the file is ignored", name,
                  PB_NETWORK_MAX_NODES);
    b->full = true;
    return PB_ERR_INPUT;
}

/* The node of this name and kind, or PB_ERR_UNKNOWN. */
static int find_named(const pb_builder_t *b, pb_node_kind_t kind, const char *name)
{
    if (kind == PB_NODE_SWITCH) {
        return pb_network_find_switch(b->network, name);
    }
    const int node = pb_network_find(b->network, name);
    return node >= 0 && node_of(b, node)->kind == kind ? node : PB_ERR_UNKNOWN;
}

/* The same, made if it is new. PB_ERR_INPUT after a warning, PB_ERR_NO_MEMORY. */
static int intern(pb_builder_t *b, int line, pb_node_kind_t kind, const char *name)
{
    const int node = find_named(b, kind, name);
    if (node >= 0) {
        return node;
    }
    return pb_network_size(b->network) < PB_NETWORK_MAX_NODES ? add_node(b, line, kind, name)
                                                              : overflow(b, line, name);
}

/* Keeps the only name of a list. */
static int keep_name(void *context, const char *name)
{
    return snprintf(context, PB_HOSTLIST_MAX_NAME + 1, "%s", name) < 0;
}

int pb_builder_switch(pb_builder_t *b, int line, const char *name)
{
    char only[PB_HOSTLIST_MAX_NAME + 1], why[200];
    char quote[PB_DIAG_QUOTE_SIZE];
    size_t length = 0;
    while ((unsigned char) name[length] >= ' ' && name[length] != 127) {
        length++;
    }
    if (length == 0 || name[length] != '\0' || length > PB_HOSTLIST_MAX_NAME) {
        pb_diag_error(b->warnings, b->file, line, "'%s' is no name of a switch; ignored",
                      pb_diag_quote_text(quote, name));
        return PB_ERR_INPUT;
    }
    /* A list of several names is a name itself, as Slurm has it. */
    const int error = pb_hostlist_expand(name, 1, keep_name, only, why, sizeof(why));
    if (error == PB_ERR_NO_MEMORY) {
        return error;
    }
    if (error == PB_SUCCESS) {
        name = only;
    }
    const int node = intern(b, line, PB_NODE_SWITCH, name);
    if (node >= 0) {
        b->mentions[node].defined = true;
    }
    return node;
}

static int note_link(pb_builder_t *b, int child)
{
    const pb_builder_list_t *list = b->list;
    link_t *links = pb_grow(b->links, b->n_links, &b->links_capacity, sizeof(*links));
    if (links == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const int link = b->n_links++;
    b->links = links;
    links[link] = (link_t){.child = child,
                           .parent = list->parent,
                           .next = -1,
                           .speed = list->speed,
                           .members = pb_max(list->members, 1),
                           .line = list->line,
                           .list = b->n_lists,
                           .added = list->adds ? list->line : 0,
                           .repeats = list->repeats};
    b->is_settled = b->is_settled && list->adds;
    mention_t *mention = &b->mentions[child];
    if (mention->first_link < 0) {
        mention->first_link = link;
    } else {
        links[mention->last_link].next = link;
    }
    mention->last_link = link;
    return PB_SUCCESS;
}

static void give(pb_builder_t *b, link_t *link, int line, uint32_t speed, int members)
{
    link->speed = speed > 0 ? speed : link->speed;
    link->members = members > 0 ? members : link->members;
    link->added = line;
    b->n_added++;
}

/* Notes a link, or adds to one that is there. */
static int link_child(pb_builder_t *b, int child)
{
    const pb_builder_list_t *list = b->list;
    if (child == list->parent) {
        pb_diag_error(b->warnings, b->file, list->line,
                      "switch '%s' is named below itself; ignored", node_of(b, child)->name);
        return 0;
    }
    for (int i = b->mentions[child].first_link; list->adds && i >= 0; i = b->links[i].next) {
        if (b->links[i].parent == list->parent) {
            give(b, &b->links[i], list->line, list->speed, list->members);
            return 0;
        }
    }
    b->n_added += list->adds;
    return note_link(b, child);
}

/* Takes one name of a list. */
static int found_child(void *context, const char *name)
{
    pb_builder_t *b = context;
    const pb_builder_list_t *list = b->list;
    if (b->n_named++ == PB_NETWORK_MAX_NODES) {
        overflow(b, list->line, name);
        return END_OF_LIST;
    }
    if (list->adds && find_named(b, list->kind, name) < 0) {
        pb_diag_error(b->warnings, b->file, list->line,
                      "there is no %s '%s' to add to; correct the name", kind_name(list->kind),
                      name);
        return 0;
    }
    const int child = intern(b, list->line, list->kind, name);
    if (child < 0) {
        return child == PB_ERR_NO_MEMORY ? child : END_OF_LIST;
    }
    return link_child(b, child);
}

/* ALL: the hosts of a job that no list names. */
static void take_others(pb_builder_t *b)
{
    const int before = pb_network_others(b->network);
    if (before < 0) {
        pb_network_set_others(b->network, b->list->parent);
    } else if (before != b->list->parent) {
        pb_diag_error(b->warnings, b->file, b->list->line,
                      "all hosts are below switch '%s' already; ALL is ignored here",
                      node_of(b, before)->name);
    }
}

/* Takes an item of a list, which ends at `end`. */
static int take_item(pb_builder_t *b, const char *at, const char *end)
{
    char why[200];
    char *item = strndup(at, (size_t) (end - at));
    if (item == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int error = PB_SUCCESS;
    if (b->list->kind == PB_NODE_HOST && pb_is_like(item, "ALL", SIZE_MAX)) {
        take_others(b);
    } else {
        error = pb_hostlist_expand(item, PB_NETWORK_MAX_NODES, found_child, b, why, sizeof(why));
    }
    free(item);
    if (error == PB_ERR_INPUT) {
        pb_diag_error(b->warnings, b->file, b->list->line, "%s: %s; ignored", b->list->key, why);
    }
    return error == PB_ERR_NO_MEMORY ? error : PB_SUCCESS;
}

int pb_builder_list(pb_builder_t *b, const pb_builder_list_t *list)
{
    int error = PB_SUCCESS;
    b->list = list;
    b->n_lists++;
    for (const char *at = list->names, *end; error == PB_SUCCESS && !b->full; at = end) {
        at = pb_hostlist_item(at, &end);
        if (at == end) {
            break;
        }
        error = take_item(b, at, end);
    }
    b->list = NULL;
    return error;
}

int pb_builder_name(pb_builder_t *b, const pb_builder_list_t *list, const char *name)
{
    b->list = list;
    b->n_lists++;
    const int error = found_child(b, name);
    b->list = NULL;
    return error == PB_ERR_NO_MEMORY ? error : PB_SUCCESS;
}

/* Links the copies of a node's children, in their order. */
static int copy_children(pb_builder_t *b, const pb_network_t *network, const pb_node_t *of)
{
    int error = PB_SUCCESS;
    const int parent = pb_network_find_switch(b->network, of->name);
    for (int i = of->first_child; i >= 0 && error == PB_SUCCESS;) {
        const pb_node_t *child = pb_network_node(network, i);
        const pb_builder_list_t list = {.line = child->line,
                                        .kind = child->kind,
                                        .parent = parent,
                                        .speed = child->speed_given ? child->speed : 0,
                                        .members = child->members};
        error = pb_builder_name(b, &list, child->name);
        i = child->next_sibling;
    }
    return error;
}

int pb_builder_copy(pb_builder_t *b, const pb_network_t *network)
{
    const int n = pb_network_size(network), others = pb_network_others(network);
    int error = PB_SUCCESS;
    for (int i = 0; i < n && error == PB_SUCCESS; i++) {
        const pb_node_t *node = pb_network_node(network, i);
        const int added =
            node->is_virtual ? PB_SUCCESS : intern(b, node->line, node->kind, node->name);
        error = added < 0 ? added : PB_SUCCESS;
        if (added >= 0 && node->kind == PB_NODE_SWITCH && !node->is_virtual) {
            b->mentions[added].defined = true;
            pb_network_set_spines(b->network, added, node->spines);
        }
    }
    for (int i = 0; i < n && error == PB_SUCCESS; i++) {
        const pb_node_t *node = pb_network_node(network, i);
        error = node->is_virtual ? PB_SUCCESS : copy_children(b, network, node);
    }
    if (error == PB_SUCCESS && others >= 0) {
        const char *name = pb_network_node(network, others)->name;
        pb_network_set_others(b->network, pb_network_find_switch(b->network, name));
    }
    return error;
}

/* ---- cycles ---- */

/* Walks up from a node over all links and ignores those that lead to a node of the walk. `next` is
 * by node the link to try next, PASSED behind the last; `below` is the node that the walk came
 * from. */
enum { PASSED = -2 };

static void cut_cycles_above(pb_builder_t *b, int node, int *next, int *below)
{
    below[node] = -1;
    b->mentions[node].above = 1; /* on the walk */
    for (int at = node; at >= 0;) {
        if (next[at] < 0) {
            next[at] = PASSED;
            b->mentions[at].above = 0;
            at = below[at];
            continue;
        }
        link_t *link = &b->links[next[at]];
        next[at] = link->next;
        if (b->mentions[link->parent].above != 0) {
            link->state = LINK_CYCLE;
            pb_diag_error(b->warnings, b->file, link->line,
                          "switch '%s' is above '%s' already, so they are in a cycle; this link is "
                          "ignored",
                          node_of(b, link->child)->name, node_of(b, link->parent)->name);
        } else if (next[link->parent] != PASSED) {
            below[link->parent] = at;
            b->mentions[link->parent].above = 1;
            at = link->parent;
        }
    }
}

static int cut_cycles(pb_builder_t *b)
{
    const int n = pb_network_size(b->network);
    int *next = malloc(((size_t) n + 1) * sizeof(*next)),
        *below = malloc(((size_t) n + 1) * sizeof(*below));
    if (next == NULL || below == NULL) {
        free(next);
        free(below);
        return PB_ERR_NO_MEMORY;
    }
    for (int node = 0; node < n; node++) {
        next[node] = b->mentions[node].first_link;
        b->mentions[node].above = 0;
    }
    for (int node = 0; node < n; node++) {
        if (next[node] != PASSED) {
            cut_cycles_above(b, node, next, below);
        }
    }
    free(next);
    free(below);
    b->n_marks = 0;
    return PB_SUCCESS;
}

/* ---- where each host has its link ---- */

/* Marks every switch above one, over all links up; cycles do no harm. `stack` has room for all
 * nodes. */
static void mark_above(pb_builder_t *b, int node, int *stack)
{
    int n = 0;
    if (b->marked == node) {
        return;
    }
    b->marked = node;
    b->n_marks++;
    stack[n++] = node;
    b->mentions[node].above = b->n_marks;
    while (n > 0) {
        const int at = stack[--n];
        for (int i = b->mentions[at].first_link; i >= 0; i = b->links[i].next) {
            mention_t *parent = &b->mentions[b->links[i].parent];
            if (parent->above != b->n_marks && b->links[i].state != LINK_CYCLE) {
                parent->above = b->n_marks;
                stack[n++] = b->links[i].parent;
            }
        }
    }
    b->mentions[node].above = 0; /* not above itself */
}

/* Tells whether a switch is above the one that was marked last. */
static bool is_above(const pb_builder_t *b, int node)
{
    return b->mentions[node].above == b->n_marks;
}

/* The link of a host at the switch that was marked last, if all others are above; -1: it has none.
 * Most hosts are of the same switch as the one before. */
static int link_at_marked(const pb_builder_t *b, int host)
{
    int found = -1;
    for (int i = b->mentions[host].first_link; i >= 0; i = b->links[i].next) {
        if (b->links[i].parent == b->marked) {
            found = found < 0 ? i : found;
        } else if (!is_above(b, b->links[i].parent)) {
            return -1;
        }
    }
    return found;
}

/* The link of a host at the lowest of the switches that name it, the first where none is below. */
static int lowest_link(pb_builder_t *b, int host, int *stack)
{
    int lowest = b->marked >= 0 ? link_at_marked(b, host) : -1;
    if (lowest >= 0) {
        return lowest;
    }
    lowest = b->mentions[host].first_link;
    for (int i = b->links[lowest].next; i >= 0; i = b->links[i].next) {
        mark_above(b, b->links[i].parent, stack);
        if (is_above(b, b->links[lowest].parent)) {
            lowest = i;
        }
    }
    return lowest;
}

/* Finds for each link of a host whether it is its own, repeats it above, or is one too many. */
static void settle_host(pb_builder_t *b, int host, int *stack)
{
    const int lowest = lowest_link(b, host, stack);
    b->links[lowest].state = LINK_IS;
    mark_above(b, b->links[lowest].parent, stack);
    for (int i = b->mentions[host].first_link; i >= 0; i = b->links[i].next) {
        if (i != lowest) {
            b->links[i].state = is_above(b, b->links[i].parent) ? LINK_REPEATS : LINK_TWICE;
        }
    }
}

static int settle_hosts(pb_builder_t *b)
{
    const int n = pb_network_size(b->network);
    int *stack = malloc(((size_t) n + 1) * sizeof(*stack));
    if (stack == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    b->marked = -1; /* links may have come since */
    for (int node = 0; node < n; node++) {
        const int first = b->mentions[node].first_link;
        if (node_of(b, node)->kind == PB_NODE_HOST && first >= 0 && b->links[first].next >= 0) {
            settle_host(b, node, stack);
        }
    }
    free(stack);
    b->is_settled = true;
    return PB_SUCCESS;
}

int pb_builder_add_all(pb_builder_t *b, int line, int parent, uint32_t speed, int members)
{
    const int n_before = b->n_added;
    const int error = b->is_settled ? PB_SUCCESS : settle_hosts(b);
    if (error != PB_SUCCESS) {
        return error;
    }
    for (int i = 0; i < b->n_links; i++) {
        if (b->links[i].parent == parent && b->links[i].state != LINK_REPEATS) {
            give(b, &b->links[i], line, speed, members);
        }
    }
    if (b->n_added == n_before) {
        pb_diag_error(b->warnings, b->file, line,
                      "no link goes down from switch '%s'; name one that has some, or correct the "
                      "name",
                      node_of(b, parent)->name);
    }
    return PB_SUCCESS;
}

/* ---- warnings ---- */

/* The switch and line at which a host is. */
static const link_t *own_link(const pb_builder_t *b, int host)
{
    int i = b->mentions[host].first_link;
    while (b->links[i].state != LINK_IS) {
        i = b->links[i].next;
    }
    return &b->links[i];
}

/* Warns of hosts of one list, links [first, end), that are at another switch. It also warns of
 * hosts at this one, if the list is to repeat those of switches below. */
static void check_hosts(const pb_builder_t *b, int first, int end)
{
    char more[64], there[PB_DIAG_LINE_SIZE];
    int n_twice = 0, n_own = 0;
    bool repeats = b->links[first].repeats;
    const link_t *twice = NULL, *own = NULL;
    for (int i = first; i < end; i++) {
        const link_t *link = &b->links[i];
        repeats |= link->state == LINK_REPEATS;
        if (link->state == LINK_TWICE && n_twice++ == 0) {
            twice = link;
        } else if (link->state == LINK_IS && n_own++ == 0) {
            own = link;
        }
    }
    if (twice != NULL) {
        const link_t *is = own_link(b, twice->child);
        pb_diag_error(b->warnings, b->file, twice->line,
                      "host '%s' is below switch '%s' already (%s), which counts; it is ignored "
                      "here%s",
                      node_of(b, twice->child)->name, node_of(b, is->parent)->name,
                      pb_diag_line(there, b->warnings, twice->line, is->line),
                      more_of(more, n_twice));
    }
    if (own != NULL && repeats) {
        pb_diag_error(b->warnings, b->file, own->line,
                      "host '%s' is at no switch below '%s', so it is taken to be at '%s' itself%s",
                      node_of(b, own->child)->name, node_of(b, own->parent)->name,
                      node_of(b, own->parent)->name, more_of(more, n_own));
    }
}

static void check_lists(const pb_builder_t *b)
{
    for (int i = 0, end; i < b->n_links; i = end) {
        for (end = i + 1; end < b->n_links && b->links[end].list == b->links[i].list; end++) {
        }
        if (node_of(b, b->links[i].child)->kind == PB_NODE_HOST) {
            check_hosts(b, i, end);
        }
    }
}

static void check_added(const pb_builder_t *b)
{
    for (int i = 0; i < b->n_links; i++) {
        const link_t *link = &b->links[i];
        if (link->added > 0 && link->state == LINK_REPEATS) {
            pb_diag_error(b->warnings, b->file, link->added,
                          "host '%s' has its link at a switch below '%s'; add to that one",
                          node_of(b, link->child)->name, node_of(b, link->parent)->name);
            return;
        }
    }
}

/* One message for all switches that one line named first. */
static void report_undefined(const pb_builder_t *b)
{
    const int n_nodes = pb_network_size(b->network);
    for (int i = 0; i < n_nodes;) {
        const pb_node_t *first = NULL;
        const int line = node_of(b, i)->line;
        char more[64];
        int n = 0;
        for (; i < n_nodes && node_of(b, i)->line == line; i++) {
            if (node_of(b, i)->kind == PB_NODE_SWITCH && !b->mentions[i].defined) {
                first = n++ == 0 ? node_of(b, i) : first;
            }
        }
        if (first != NULL) {
            pb_diag_error(b->warnings, b->file, line,
                          "switch '%s' has no %s of its own; no host is known below it%s",
                          first->name, b->entry, more_of(more, n));
        }
    }
}

/* ---- the network ---- */

/* Connects nodes in the order of the file; *is_fabric_p: a switch has several links up. */
static int connect_nodes(pb_builder_t *b, bool *is_fabric_p)
{
    for (int i = 0; i < b->n_links; i++) {
        const link_t *link = &b->links[i];
        if (link->state != LINK_IS) {
            continue;
        }
        if (node_of(b, link->child)->parent >= 0) {
            *is_fabric_p = true;
            continue;
        }
        int error = pb_network_connect(b->network, link->parent, link->child, link->speed);
        if (error == PB_SUCCESS) {
            error = pb_network_bundle(b->network, link->child, link->members);
        }
        if (error != PB_SUCCESS) {
            return error;
        }
    }
    return PB_SUCCESS;
}

/* The tree of a network in which switches have several above them; PB_ERR_INPUT: it has none. */
static int merge(pb_builder_t *b, pb_network_t **tree_p)
{
    int n = 0;
    pb_uplink_t *uplinks = malloc(((size_t) b->n_links + 1) * sizeof(*uplinks));
    if (uplinks == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i < b->n_links; i++) {
        const link_t *link = &b->links[i];
        if (node_of(b, link->child)->kind == PB_NODE_SWITCH && link->state == LINK_IS) {
            uplinks[n++] = (pb_uplink_t){.child = link->child,
                                         .parent = link->parent,
                                         .speed = link->speed,
                                         .members = link->members,
                                         .line = link->line};
        }
    }
    const int error = pb_spines_merge(b->network, uplinks, n, b->file, b->warnings, tree_p);
    free(uplinks);
    return error;
}

/* Reports the first node that is too far below the top. */
static int check_depth(const pb_builder_t *b, const pb_network_t *network, pb_diag_t *diag)
{
    for (int i = 0; i < pb_network_size(network); i++) {
        if (pb_network_depth(network, i) > PB_BUILDER_MAX_DEPTH) {
            const pb_node_t *node = pb_network_node(network, i);
            pb_diag_error(diag, b->file, node->line,
                          "%s '%s' is more than %d links below the top switch '%s', which no "
                          "Ethernet allows; name its switch below one that is nearer to the top",
                          kind_name(node->kind), node->name, PB_BUILDER_MAX_DEPTH,
                          pb_network_node(network, pb_network_top(network))->name);
            return PB_ERR_INPUT;
        }
    }
    return PB_SUCCESS;
}

/* Tells of several trees. */
static void note_forest(const pb_builder_t *b, const pb_network_t *network, pb_diag_t *notes)
{
    const pb_node_t *top = pb_network_node(network, pb_network_top(network));
    if (!top->is_virtual) {
        return;
    }
    const pb_node_t *last = pb_network_node(network, top->last_child);
    int n = 0;
    for (int i = top->first_child; i >= 0; i = pb_network_node(network, i)->next_sibling) {
        n++;
    }
    pb_diag_error(
        notes, b->file, last->line,
        "%d switches are at the top, from '%s' to '%s'; a job below several of them is on "
        "one virtual switch '%s' above them, whose links are as fast as hosts'",
        n, pb_network_node(network, top->first_child)->name, last->name, top->name);
}

int pb_builder_finish(pb_builder_t *b, const char *hint, pb_diag_t *notes, pb_diag_t *diag,
                      pb_network_t **network_p)
{
    bool is_fabric = false;
    pb_network_t *network = NULL;
    *network_p = NULL;
    if (pb_network_size(b->network) == 0) {
        pb_diag_error(diag, b->file, 0, "no switch is described; %s", hint);
        return PB_ERR_INPUT;
    }
    int error = cut_cycles(b);
    error = error == PB_SUCCESS ? settle_hosts(b) : error;
    if (error == PB_SUCCESS) {
        check_lists(b);
        check_added(b);
        report_undefined(b);
        error = connect_nodes(b, &is_fabric);
    }
    if (error == PB_SUCCESS && is_fabric) {
        error = merge(b, &network);
        error = error == PB_ERR_INPUT ? PB_SUCCESS : error;
    }
    if (error == PB_SUCCESS && network == NULL) {
        error = pb_network_finish(b->network, b->file, diag);
        network = b->network;
        b->network = NULL;
    }
    error = error == PB_SUCCESS ? check_depth(b, network, diag) : error;
    if (error != PB_SUCCESS) {
        pb_network_free(network);
        return error;
    }
    note_forest(b, network, notes);
    *network_p = network;
    return PB_SUCCESS;
}
