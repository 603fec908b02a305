#include "contrib/testbed/fabric_snooping.h"

#include <stdlib.h>

#include "contrib/testbed/fabric_igmp.h"
#include "topo/util/hash.h"

#define N_BUCKETS 1024

/* A host in a group, as a switch knows it. */
typedef struct member {
    int host;
    int link; /* on which the switch sends to it */
    int64_t expires;
} member_t;

/* What a switch knows of a group. */
typedef struct entry {
    struct entry *next; /* of the bucket */
    int node;
    uint32_t group;
    int n_members, capacity;
    member_t *members;
} entry_t;

struct fabric_snooping {
    const pb_network_t *network;
    fabric_snooping_kind_t kind;
    int64_t timeout;
    int n_entries;
    entry_t *buckets[N_BUCKETS];
    uint64_t n_selections;
    uint64_t *selected_in; /* by directed link: the last selection that found it */
};

fabric_snooping_t *fabric_snooping_new(const pb_network_t *network, fabric_snooping_kind_t kind,
                                       int64_t timeout)
{
    fabric_snooping_t *snooping = calloc(1, sizeof(*snooping));
    if (snooping == NULL) {
        return NULL;
    }
    snooping->network = network;
    snooping->kind = kind;
    snooping->timeout = timeout;
    snooping->selected_in =
        calloc(2 * (size_t) pb_network_size(network) + 1, sizeof(*snooping->selected_in));
    if (snooping->selected_in == NULL) {
        fabric_snooping_free(snooping);
        return NULL;
    }
    return snooping;
}

/** Takes an entry out of its bucket and frees it. */
static void drop_entry(fabric_snooping_t *snooping, entry_t **entry_p)
{
    entry_t *entry = *entry_p;
    *entry_p = entry->next;
    free(entry->members);
    free(entry);
    snooping->n_entries--;
}

void fabric_snooping_free(fabric_snooping_t *snooping)
{
    if (snooping == NULL) {
        return;
    }
    for (int i = 0; i < N_BUCKETS; i++) {
        while (snooping->buckets[i] != NULL) {
            drop_entry(snooping, &snooping->buckets[i]);
        }
    }
    free(snooping->selected_in);
    free(snooping);
}

/** Where the entry of a group at a switch is, or would be: *result is NULL. */
static entry_t **find(fabric_snooping_t *snooping, int node, uint32_t group)
{
    uint64_t hash = pb_hash_number(PB_HASH_START, (uint64_t) node << 32 | group);
    entry_t **entry_p = &snooping->buckets[pb_hash_end(hash) % N_BUCKETS];
    while (*entry_p != NULL && ((*entry_p)->node != node || (*entry_p)->group != group)) {
        entry_p = &(*entry_p)->next;
    }
    return entry_p;
}

/** Forgets the hosts of which nothing was heard for too long. */
static void expire(entry_t *entry, int64_t now)
{
    for (int i = entry->n_members - 1; i >= 0; i--) {
        if (entry->members[i].expires <= now) {
            entry->members[i] = entry->members[--entry->n_members];
        }
    }
}

/** Forgets the groups that have aged out everywhere. */
static void expire_all(fabric_snooping_t *snooping, int64_t now)
{
    for (int i = 0; i < N_BUCKETS; i++) {
        entry_t **entry_p = &snooping->buckets[i];
        while (*entry_p != NULL) {
            expire(*entry_p, now);
            if ((*entry_p)->n_members == 0) {
                drop_entry(snooping, entry_p);
            } else {
                entry_p = &(*entry_p)->next;
            }
        }
    }
}

/** A new entry at the end of its bucket, or NULL: there are too many, or out of memory. */
static entry_t *add_entry(fabric_snooping_t *snooping, int node, uint32_t group, int64_t now)
{
    if (snooping->n_entries == FABRIC_MAX_GROUPS) {
        expire_all(snooping, now);
    }
    entry_t *entry = snooping->n_entries < FABRIC_MAX_GROUPS ? calloc(1, sizeof(*entry)) : NULL;
    if (entry == NULL) {
        return NULL;
    }
    entry->node = node;
    entry->group = group;
    *find(snooping, node, group) = entry;
    snooping->n_entries++;
    return entry;
}

/** The member of an entry that is a host; NULL if it is not in the group. */
static member_t *find_member(entry_t *entry, int host)
{
    for (int i = 0; i < entry->n_members; i++) {
        if (entry->members[i].host == host) {
            return &entry->members[i];
        }
    }
    return NULL;
}

/** Adds a member, to be filled in; NULL if out of memory. */
static member_t *add_member(entry_t *entry)
{
    if (entry->n_members == entry->capacity) {
        const int capacity = entry->capacity > 0 ? 2 * entry->capacity : 8;
        member_t *members = realloc(entry->members, (size_t) capacity * sizeof(*members));
        if (members == NULL) {
            return NULL;
        }
        entry->members = members;
        entry->capacity = capacity;
    }
    return &entry->members[entry->n_members++];
}

/* ---- reports ---- */

/* Where and when a report is heard, and whose it is. */
typedef struct hearing {
    fabric_snooping_t *snooping;
    int node, link, host;
    int64_t now;
} hearing_t;

static void join(const hearing_t *hearing, uint32_t group)
{
    fabric_snooping_t *snooping = hearing->snooping;
    entry_t *entry = *find(snooping, hearing->node, group);
    if (entry == NULL) {
        entry = add_entry(snooping, hearing->node, group, hearing->now);
    }
    if (entry == NULL) {
        return;
    }
    expire(entry, hearing->now);
    member_t *member = find_member(entry, hearing->host);
    member = member != NULL ? member : add_member(entry);
    if (member != NULL) {
        *member = (member_t){hearing->host, hearing->link, hearing->now + snooping->timeout};
    }
}

static void leave(const hearing_t *hearing, uint32_t group)
{
    entry_t **entry_p = find(hearing->snooping, hearing->node, group);
    entry_t *entry = *entry_p;
    member_t *member = entry != NULL ? find_member(entry, hearing->host) : NULL;
    if (member != NULL) {
        *member = entry->members[--entry->n_members];
    }
    if (entry != NULL && entry->n_members == 0) {
        drop_entry(hearing->snooping, entry_p);
    }
}

static void note(void *context, uint32_t group, bool is_member)
{
    if (is_member) {
        join(context, group);
    } else {
        leave(context, group);
    }
}

void fabric_snooping_hear(fabric_snooping_t *snooping, int node, int came_by,
                          const fabric_frame_t *frame, int64_t now)
{
    const int below = pb_link_node(came_by);
    const int back = pb_link_is_up(came_by) ? pb_link_down(below) : pb_link_up(below);
    hearing_t hearing = {snooping, node, back, frame->source, now};
    fabric_igmp_read(frame->data, frame->length, note, &hearing);
}

/* ---- forwarding ---- */

static void mark(fabric_snooping_t *snooping, int link)
{
    snooping->selected_in[link] = snooping->n_selections;
}

/** All links to other switches. */
static void mark_switches(fabric_snooping_t *snooping, int node)
{
    const pb_node_t *below;
    mark(snooping, pb_link_up(node));
    for (int child = pb_network_node(snooping->network, node)->first_child; child >= 0;
         child = below->next_sibling) {
        below = pb_network_node(snooping->network, child);
        if (below->kind == PB_NODE_SWITCH) {
            mark(snooping, pb_link_down(child));
        }
    }
}

void fabric_snooping_select(fabric_snooping_t *snooping, int node, const fabric_frame_t *frame,
                            int64_t now)
{
    snooping->n_selections++;
    if (snooping->kind == FABRIC_SNOOPING_QUERIER) {
        mark(snooping, pb_link_up(node));
    } else if (frame->cast == FABRIC_CAST_REPORT) {
        mark_switches(snooping, node);
    }
    if (frame->cast == FABRIC_CAST_REPORT) {
        return;
    }
    const entry_t *entry = *find(snooping, node, frame->group);
    for (int i = 0; entry != NULL && i < entry->n_members; i++) {
        if (entry->members[i].expires > now) {
            mark(snooping, entry->members[i].link);
        }
    }
}

bool fabric_snooping_selected(const fabric_snooping_t *snooping, int link)
{
    return snooping->selected_in[link] == snooping->n_selections;
}

static bool has_member(const entry_t *entry, int64_t now)
{
    for (int i = 0; i < entry->n_members; i++) {
        if (entry->members[i].expires > now) {
            return true;
        }
    }
    return false;
}

int fabric_snooping_count(const fabric_snooping_t *snooping, int node, int64_t now)
{
    int n = 0;
    for (int i = 0; i < N_BUCKETS; i++) {
        for (const entry_t *entry = snooping->buckets[i]; entry != NULL; entry = entry->next) {
            n += entry->node == node && has_member(entry, now);
        }
    }
    return n;
}
