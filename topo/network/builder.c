#include "topo/network/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topo/network/hostlist.h"
#include "topo/util/error.h"

typedef struct pb_builder_mention mention_t;
typedef struct pb_builder_link link_t;
typedef struct pb_builder_group group_t;

/* What is known of a node beside the network. */
struct pb_builder_mention {
    bool defined;   /* a switch that a line describes */
    int first_link; /* up from it, in order; -1: none */
    int last_link;
    int above; /* the mark that found it above a switch last, 0: none */
};

typedef enum { LINK_IS, LINK_REPEATS, LINK_TWICE } link_state_t;

/* A node was named below a switch. */
struct pb_builder_link {
    int child, parent;
    int next; /* of the same child */
    uint32_t speed;
    int members;
    int line;
    int group; /* of hosts: the list; -1: a switch's */
    int added; /* line that adds to it, or adds it; 0: none */
    link_state_t state;
};

/* A list of hosts. What became of its links is counted at the end. */
struct pb_builder_group {
    int line;
    bool repeats;
    bool adds;
    int first_repeated, n_repeated;
    int first_own, n_own;     /* links of hosts that have them here */
    int first_twice, n_twice; /* links of hosts that have theirs elsewhere */
};

static const pb_node_t *node_of(const pb_builder_t *b, int node)
{
    return pb_network_node(b->network, node);
}

static const char *kind_name(pb_node_kind_t kind)
{
    return kind == PB_NODE_SWITCH ? "switch" : "host";
}

int pb_builder_init(pb_builder_t *builder, const char *file, const char *entry, pb_diag_t *diag)
{
    *builder = (pb_builder_t){.file = file,
                              .entry = entry,
                              .diag = diag,
                              .n_faults_before = diag->n_faults,
                              .network = pb_network_new()};
    return builder->network != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

void pb_builder_clear(pb_builder_t *builder)
{
    pb_network_free(builder->network);
    free(builder->mentions);
    free(builder->links);
    free(builder->groups);
    *builder = (pb_builder_t){.network = NULL};
}

/* Makes room for one more than n elements; NULL if out of memory. */
static void *make_room(void *elements, int n, int *capacity_p, size_t size)
{
    if (n < *capacity_p) {
        return elements;
    }
    const int capacity = *capacity_p > 0 ? 2 * *capacity_p : 64;
    void *more = realloc(elements, (size_t) capacity * size);
    if (more != NULL) {
        *capacity_p = capacity;
    }
    return more;
}

/* ---- what is named ---- */

static int add_node(pb_builder_t *b, int line, pb_node_kind_t kind, const char *name)
{
    const int node = pb_network_add(b->network, kind, name);
    if (node < 0) {
        return node;
    }
    pb_network_set_line(b->network, node, line);
    mention_t *mentions = make_room(b->mentions, node, &b->mentions_capacity, sizeof(*b->mentions));
    if (mentions == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    b->mentions = mentions;
    b->mentions[node] = (mention_t){.first_link = -1, .last_link = -1};
    return node;
}

/* The node of this name and kind, made if it is new; PB_ERR_INPUT after a fault
 * if it is of the other kind or there is no room for it. */
static int intern(pb_builder_t *b, int line, pb_node_kind_t kind, const char *name)
{
    const int node = pb_network_find(b->network, name);
    if (node >= 0 && node_of(b, node)->kind == kind) {
        return node;
    }
    if (node >= 0) {
        char there[PB_DIAG_LINE_SIZE];
        pb_diag_fault(b->diag, b->file, line,
                      "'%s' is a %s here and a %s on %s; give them different names", name,
                      kind_name(kind), kind_name(node_of(b, node)->kind),
                      pb_diag_line(there, b->diag, line, node_of(b, node)->line));
        return PB_ERR_INPUT;
    }
    if (pb_network_size(b->network) == PB_NETWORK_MAX_NODES) {
        pb_diag_fault(b->diag, b->file, line, "with '%s' there are more than %d switches and hosts",
                      name, PB_NETWORK_MAX_NODES);
        b->full = true;
        return PB_ERR_INPUT;
    }
    return add_node(b, line, kind, name);
}

/* Keeps the only name of a list. */
static int found_switch(void *context, const char *name)
{
    char **name_p = context;
    *name_p = strdup(name);
    return *name_p != NULL ? 0 : PB_ERR_NO_MEMORY;
}

int pb_builder_switch(pb_builder_t *b, int line, const char *key, const char *list)
{
    char why[200], *name = NULL;
    int result = pb_hostlist_expand(list, 1, found_switch, &name, why, sizeof(why));
    if (result == PB_SUCCESS) {
        result = intern(b, line, PB_NODE_SWITCH, name);
    } else if (result == PB_ERR_INPUT) {
        pb_diag_fault(b->diag, b->file, line, "%s must be one name: %s", key, why);
    }
    if (result >= 0) {
        b->mentions[result].defined = true;
    }
    b->lost_switch |= result < 0;
    free(name);
    return result;
}

static int note_link(pb_builder_t *b, int child)
{
    const pb_builder_list_t *list = b->list;
    link_t *links = make_room(b->links, b->n_links, &b->links_capacity, sizeof(*links));
    if (links == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const int link = b->n_links++;
    b->links = links;
    links[link] = (link_t){.child = child,
                           .parent = list->parent,
                           .next = -1,
                           .speed = list->speed,
                           .members = list->members > 0 ? list->members : 1,
                           .line = list->line,
                           .group = list->kind == PB_NODE_HOST ? b->n_groups - 1 : -1,
                           .added = list->adds ? list->line : 0};
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

/* What found_child() returns to end a list early, beside errors. */
#define END_OF_LIST 1

static void give(pb_builder_t *b, link_t *link, int line, uint32_t speed, int members)
{
    link->speed = speed > 0 ? speed : link->speed;
    link->members = members > 0 ? members : link->members;
    link->added = line;
    b->n_added++;
}

/* Adds to a link that is there, or adds one down to what is there. */
static int add_to(pb_builder_t *b, const char *name)
{
    const pb_builder_list_t *list = b->list;
    const int child = pb_network_find(b->network, name);
    if (child < 0 || node_of(b, child)->kind != list->kind) {
        pb_diag_fault(b->diag, b->file, list->line,
                      "there is no %s '%s' to add to; correct the name", kind_name(list->kind),
                      name);
        return 0;
    }
    for (int i = b->mentions[child].first_link; i >= 0; i = b->links[i].next) {
        if (b->links[i].parent == list->parent) {
            give(b, &b->links[i], list->line, list->speed, list->members);
            return 0;
        }
    }
    if (child == list->parent) {
        pb_diag_fault(b->diag, b->file, list->line, "switch '%s' is named below itself", name);
        return 0;
    }
    b->n_added++;
    return note_link(b, child);
}

/* Takes one name of a list. */
static int found_child(void *context, const char *name)
{
    pb_builder_t *b = context;
    const pb_builder_list_t *list = b->list;
    if (b->n_named == PB_NETWORK_MAX_NODES) {
        pb_diag_fault(
            b->diag, b->file, list->line,
            "with '%s' the lists up to here have more than %d names; leave out what no job uses",
            name, PB_NETWORK_MAX_NODES);
        b->full = true;
        return END_OF_LIST;
    }
    b->n_named++;
    if (list->adds) {
        return add_to(b, name);
    }
    const int child = intern(b, list->line, list->kind, name);
    if (child < 0) {
        return child == PB_ERR_NO_MEMORY ? child : b->full ? END_OF_LIST : 0;
    }
    if (child == list->parent) {
        pb_diag_fault(b->diag, b->file, list->line, "switch '%s' is named below itself", name);
        return 0;
    }
    return note_link(b, child);
}

static int start_group(pb_builder_t *b, const pb_builder_list_t *list)
{
    group_t *groups = make_room(b->groups, b->n_groups, &b->groups_capacity, sizeof(*groups));
    if (groups == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    b->groups = groups;
    groups[b->n_groups++] =
        (group_t){.line = list->line, .repeats = list->repeats, .adds = list->adds};
    return PB_SUCCESS;
}

int pb_builder_list(pb_builder_t *b, const pb_builder_list_t *list)
{
    char why[200];
    if (list->names[0] == '\0') {
        pb_diag_fault(b->diag, b->file, list->line, "%s is empty; name something or leave it out",
                      list->key);
        return PB_SUCCESS;
    }
    if (strcasecmp(list->names, "ALL") == 0) {
        pb_diag_fault(b->diag, b->file, list->line,
                      "%s=%s is not supported, as only Slurm knows all names; list them", list->key,
                      list->names);
        return PB_SUCCESS;
    }
    b->list = list;
    int error = list->kind == PB_NODE_HOST ? start_group(b, list) : PB_SUCCESS;
    if (error == PB_SUCCESS) {
        error =
            pb_hostlist_expand(list->names, PB_NETWORK_MAX_NODES, found_child, b, why, sizeof(why));
    }
    b->list = NULL;
    if (error == PB_ERR_INPUT) {
        pb_diag_fault(b->diag, b->file, list->line, "%s: %s", list->key, why);
    }
    return error == PB_ERR_NO_MEMORY ? error : PB_SUCCESS;
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
            if (parent->above != b->n_marks) {
                parent->above = b->n_marks;
                stack[n++] = b->links[i].parent;
            }
        }
    }
    b->mentions[node].above = 0; /* not above itself */
}

/* Whether a switch is above the one that was marked last. */
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

/* The link of a host at the lowest of the switches that name it. */
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
        pb_diag_fault(b->diag, b->file, line,
                      "no link goes down from switch '%s'; name one that has some, or correct the "
                      "name",
                      node_of(b, parent)->name);
    }
    return PB_SUCCESS;
}

/* Counts what became of the links of each list. */
static void count_groups(pb_builder_t *b)
{
    for (int i = 0; i < b->n_links; i++) {
        const link_t *link = &b->links[i];
        if (link->group < 0) {
            continue;
        }
        group_t *group = &b->groups[link->group];
        if (link->state == LINK_REPEATS) {
            group->first_repeated = group->n_repeated++ == 0 ? i : group->first_repeated;
        } else if (link->state == LINK_TWICE) {
            group->first_twice = group->n_twice++ == 0 ? i : group->first_twice;
        } else {
            group->first_own = group->n_own++ == 0 ? i : group->first_own;
        }
    }
}

/* "" or how many more names of a list have the same fault. */
static const char *others_of(char text[64], int n)
{
    text[0] = '\0';
    if (n > 1) {
        snprintf(text, 64, " (names of this list with the same fault: %d)", n);
    }
    return text;
}

/* The link at which a host is. */
static const link_t *own_link(const pb_builder_t *b, int host)
{
    int i = b->mentions[host].first_link;
    while (b->links[i].state != LINK_IS) {
        i = b->links[i].next;
    }
    return &b->links[i];
}

static void report_twice(const pb_builder_t *b, const group_t *group)
{
    char others[64], there[PB_DIAG_LINE_SIZE];
    const link_t *link = &b->links[group->first_twice], *own = own_link(b, link->child);
    pb_diag_fault(b->diag, b->file, group->line,
                  "host '%s' is below switch '%s' already (%s); a host has one link up%s",
                  node_of(b, link->child)->name, node_of(b, own->parent)->name,
                  pb_diag_line(there, b->diag, group->line, own->line),
                  others_of(others, group->n_twice));
}

static void report_not_below(const pb_builder_t *b, const group_t *group)
{
    char others[64], there[PB_DIAG_LINE_SIZE];
    const link_t *link = &b->links[group->first_own];
    const char *host = node_of(b, link->child)->name, *parent = node_of(b, link->parent)->name;
    others_of(others, group->n_own);
    if (group->n_repeated == 0) {
        pb_diag_fault(b->diag, b->file, group->line,
                      "host '%s' is at no switch below '%s', which has Level=1 or more; name it at "
                      "its own switch%s",
                      host, parent, others);
        return;
    }
    const int repeated = b->links[group->first_repeated].child;
    pb_diag_fault(b->diag, b->file, group->line,
                  "host '%s' is at no switch below '%s', but '%s', which this list repeats, is "
                  "(%s); name each host at its own switch%s",
                  host, parent, node_of(b, repeated)->name,
                  pb_diag_line(there, b->diag, group->line, own_link(b, repeated)->line), others);
}

/* An upper switch repeats hosts of those below it, all of which must be there. */
static void check_groups(pb_builder_t *b)
{
    for (int i = 0; i < b->n_groups; i++) {
        const group_t *group = &b->groups[i];
        if (group->n_twice > 0) {
            report_twice(b, group);
        }
        if ((group->repeats || group->n_repeated > 0) && group->n_own > 0) {
            report_not_below(b, group);
        }
    }
}

static void check_added(pb_builder_t *b)
{
    for (int i = 0; i < b->n_links; i++) {
        const link_t *link = &b->links[i];
        if (link->added > 0 && link->state == LINK_REPEATS) {
            pb_diag_fault(b->diag, b->file, link->added,
                          "host '%s' has its link at a switch below '%s'; add to that one",
                          node_of(b, link->child)->name, node_of(b, link->parent)->name);
            return;
        }
    }
}

/* ---- the network ---- */

/* Connects nodes in the order of the file; true if a switch has several links up. */
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

/* One message for all switches that one line named first. */
static void report_undefined(const pb_builder_t *b)
{
    const int n_nodes = pb_network_size(b->network);
    for (int i = 0; i < n_nodes;) {
        const pb_node_t *first = NULL;
        const int line = node_of(b, i)->line;
        int n_more = -1;
        for (; i < n_nodes && node_of(b, i)->line == line; i++) {
            if (node_of(b, i)->kind == PB_NODE_SWITCH && !b->mentions[i].defined) {
                first = first == NULL ? node_of(b, i) : first;
                n_more++;
            }
        }
        if (first != NULL) {
            char others[64] = "";
            if (n_more > 0) {
                snprintf(others, sizeof(others), " (nor have %d more of this line)", n_more);
            }
            pb_diag_fault(b->diag, b->file, line,
                          "switch '%s' has no %s of its own%s; add one, or correct the name",
                          first->name, b->entry, others);
        }
    }
}

/* Reports the first node that is too far below the top. */
static int check_depth(const pb_builder_t *b, const pb_network_t *network)
{
    for (int i = 0; i < pb_network_size(network); i++) {
        if (pb_network_depth(network, i) > PB_BUILDER_MAX_DEPTH) {
            const pb_node_t *node = pb_network_node(network, i);
            pb_diag_fault(b->diag, b->file, node->line,
                          "%s '%s' is more than %d links below the top switch '%s', which no "
                          "Ethernet allows; name its switch below one that is nearer to the top",
                          kind_name(node->kind), node->name, PB_BUILDER_MAX_DEPTH,
                          pb_network_node(network, pb_network_top(network))->name);
            return PB_ERR_INPUT;
        }
    }
    return PB_SUCCESS;
}

/* The tree of a network in which switches have several above them. */
static int merge(pb_builder_t *b, pb_network_t **tree_p)
{
    int n = 0;
    pb_uplink_t *uplinks = malloc(((size_t) b->n_links + 1) * sizeof(*uplinks));
    if (uplinks == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i < b->n_links; i++) {
        const link_t *link = &b->links[i];
        if (link->group < 0) {
            uplinks[n++] = (pb_uplink_t){.child = link->child,
                                         .parent = link->parent,
                                         .speed = link->speed,
                                         .members = link->members,
                                         .line = link->line};
        }
    }
    const int error = pb_spines_merge(b->network, uplinks, n, b->file, b->diag, tree_p);
    free(uplinks);
    return error;
}

/* Makes the network ready for use, and hands it over. */
static int hand_over(pb_builder_t *b, bool is_fabric, pb_network_t **network_p)
{
    pb_network_t *network = NULL;
    int error = PB_SUCCESS;
    if (is_fabric) {
        error = merge(b, &network);
    } else {
        error = pb_network_finish(b->network, b->file, b->diag);
        network = b->network;
        b->network = NULL;
    }
    error = error == PB_SUCCESS ? check_depth(b, network) : error;
    if (error == PB_SUCCESS) {
        *network_p = network;
    } else {
        pb_network_free(network);
    }
    return error;
}

int pb_builder_finish(pb_builder_t *b, const char *hint, pb_network_t **network_p)
{
    bool is_fabric = false;
    *network_p = NULL;
    int error = settle_hosts(b);
    if (error == PB_SUCCESS) {
        count_groups(b);
        check_groups(b);
        check_added(b);
        error = connect_nodes(b, &is_fabric);
    }
    if (error != PB_SUCCESS) {
        return error;
    }
    if (!b->lost_switch && !b->full) {
        report_undefined(b);
    }
    if (b->diag->n_faults > b->n_faults_before) {
        pb_network_check_cycles(b->network, b->file, b->diag);
        return PB_ERR_INPUT;
    }
    if (pb_network_size(b->network) == 0) {
        pb_diag_fault(b->diag, b->file, 0, "no switch is described; %s", hint);
        return PB_ERR_INPUT;
    }
    return hand_over(b, is_fabric, network_p);
}
