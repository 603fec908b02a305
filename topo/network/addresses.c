/*
 * Hosts enter the network first, in the natural order of their addresses. Then each address is
 * followed from the top: a switch enters with its links when it is first named, and whatever names
 * it later must have the same switches above it. So an address can contradict another one, but no
 * cycle can come of them, which would have to name some switch below two different ones.
 *
 * Of two levels of several switches each, an address does not tell which is connected to which.
 * That need not be known, as each level becomes one node: the first switch is linked to all
 * above it, and the others to the first one above, which is enough for that.
 */
#include "topo/network/addresses.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/network/spines.h"

/* What connects the blocks. */
static const char above_blocks[] = "blocks";

/* What a callback returns after a fault that it has reported itself. */
enum { STOP = 1 };

typedef enum { KIND_NODE, KIND_TREE, KIND_BLOCK } kind_t;

/* The levels of an address that have switches, from the top; texts are inside a copy of it. */
typedef struct path {
    const char *level[PB_ADDRESS_MAX_LEVELS];
    int n_levels;
    kind_t kind;
} path_t;

/* How a switch was first named. */
typedef struct mention {
    const char *host;
    const char *above; /* the level above it; NULL: it is at the top */
    size_t last;       /* level in which it was named last, as n_levels counts them */
} mention_t;

typedef struct node_list {
    int *nodes;
    int n, capacity;
} node_list_t;

typedef struct reader {
    const pb_address_t **hosts; /* in natural order of their addresses, one for each */
    int n_hosts;
    char **copies; /* of their addresses */
    kind_t kind;   /* of those so far; KIND_NODE: of none */
    pb_network_t *network;
    mention_t *mentions; /* by node less n_hosts, as the hosts are the first nodes */
    int n_mentions;      /* room for them */
    pb_uplink_t *uplinks;
    int n_uplinks, max_uplinks;
    bool is_fabric; /* a switch has several above it */
    pb_diag_t *diag;

    /* The level that is being read. */
    const char *host, *above;
    size_t n_levels;      /* that were read, of all addresses */
    node_list_t lists[2]; /* its switches, and those of the level above, by turns */
    node_list_t *level, *upper;
} reader_t;

/* ---- one host, one address ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *text)
{
    size_t n = 0;
    while (is_digit(text[n])) {
        n++;
    }
    return n;
}

/* Compares the numbers at two texts, and moves behind them. */
static int compare_numbers(const char **a, const char **b)
{
    *a += strspn(*a, "0");
    *b += strspn(*b, "0");
    const size_t n_a = count_digits(*a), n_b = count_digits(*b);
    const int order = n_a != n_b ? (n_a < n_b ? -1 : 1) : memcmp(*a, *b, n_a);
    *a += n_a;
    *b += n_b;
    return order;
}

/* Behind the next character; of dots that follow each other, behind the last one. */
static const char *behind(const char *text)
{
    return text + (*text == '.' ? strspn(text, ".") : 1);
}

/* The order of addresses in which s2 is before s10, and levels without a switch do not count; 0
 * only for equal ones. */
static int compare_naturally(const char *left, const char *right)
{
    const char *a = left + strspn(left, "."), *b = right + strspn(right, ".");
    while (*a != '\0' && *b != '\0') {
        if (is_digit(*a) && is_digit(*b)) {
            const int order = compare_numbers(&a, &b);
            if (order != 0) {
                return order;
            }
        } else if (*a != *b) {
            break;
        } else {
            a = behind(a);
            b = behind(b);
        }
    }
    const int order = (int) (unsigned char) *a - (int) (unsigned char) *b;
    return order != 0 ? order : strcmp(left, right);
}

static int compare_addresses(const void *a, const void *b)
{
    const pb_address_t *left = *(const pb_address_t *const *) a;
    const pb_address_t *right = *(const pb_address_t *const *) b;
    const int order = compare_naturally(left->address, right->address);
    return order != 0 ? order : strcmp(left->host, right->host);
}

/* Processes of a host side by side, those with an address first; 0 only for equal ones. */
static int compare_hosts(const void *a, const void *b)
{
    const pb_address_t *left = *(const pb_address_t *const *) a;
    const pb_address_t *right = *(const pb_address_t *const *) b;
    int order = strcmp(left->host, right->host);
    order = order != 0 ? order : strcmp(right->address, left->address);
    order = order != 0 ? order : strcmp(left->pattern, right->pattern);
    return order != 0 ? order : strcmp(left->node, right->node);
}

static const char *quoted(char quote[PB_DIAG_QUOTE_SIZE], const char *text)
{
    return pb_diag_quote(quote, text, strlen(text));
}

/* Keeps one address of each host, and reports hosts that have another one. */
static void choose_hosts(reader_t *r, const pb_address_t *addresses, int n)
{
    char one[PB_DIAG_QUOTE_SIZE], other[PB_DIAG_QUOTE_SIZE];
    for (int i = 0; i < n; i++) {
        r->hosts[i] = &addresses[i];
    }
    qsort(r->hosts, (size_t) n, sizeof(*r->hosts), compare_hosts);
    for (int i = 0; i < n; i++) {
        const pb_address_t *next = r->hosts[i];
        const pb_address_t *last = r->n_hosts > 0 ? r->hosts[r->n_hosts - 1] : NULL;
        if (last == NULL || strcmp(last->host, next->host) != 0) {
            r->hosts[r->n_hosts++] = next;
        } else if (next->address[0] != '\0' && strcmp(last->address, next->address) != 0) {
            pb_diag_fault(r->diag, NULL, 0,
                          "processes of host '%s' have different addresses, '%s' and '%s'",
                          next->host, quoted(one, last->address), quoted(other, next->address));
        }
    }
    qsort(r->hosts, (size_t) r->n_hosts, sizeof(*r->hosts), compare_addresses);
}

/* Whether no process has an address that names a switch: then there is nothing to read. */
static bool none_names_a_switch(const pb_address_t *addresses, int n)
{
    for (int i = 0; i < n; i++) {
        if (addresses[i].address[0] != '\0' && strcmp(addresses[i].pattern, "node") != 0) {
            return false;
        }
    }
    return true;
}

/* The levels of a pattern, or -1 if it is none of a tree or of blocks. */
static int read_pattern(const char *pattern, kind_t *kind_p)
{
    static const char level[] = "switch.";
    int n = 0;
    if (strcmp(pattern, "block.node") == 0) {
        *kind_p = KIND_BLOCK;
        return 1;
    }
    while (strncmp(pattern, level, sizeof(level) - 1) == 0) {
        pattern += sizeof(level) - 1;
        n++;
    }
    *kind_p = n > 0 ? KIND_TREE : KIND_NODE;
    return strcmp(pattern, "node") == 0 ? n : -1;
}

/* Takes the node's name from the end of an address; false if it is not there. Then only the levels
 * are left, each with a '.' behind it. */
static bool cut_node(const pb_address_t *of, char *copy)
{
    const char *dot = strrchr(copy, '.');
    size_t end = dot != NULL ? (size_t) (dot - copy) + 1 : 0;
    if (of->node[0] != '\0') {
        const size_t all = strlen(copy), node = strlen(of->node);
        if (node > all || strcmp(copy + all - node, of->node) != 0) {
            return false;
        }
        end = all - node;
    }
    copy[end] = '\0';
    return end == 0 || copy[end - 1] == '.';
}

/* Cuts the levels apart; the number of them, also of those without a switch. */
static int cut_levels(char *copy, path_t *path)
{
    int n = 0;
    for (char *at = copy, *dot = strchr(at, '.'); dot != NULL;
         at = dot + 1, dot = strchr(at, '.')) {
        *dot = '\0';
        if (at < dot && path->n_levels < PB_ADDRESS_MAX_LEVELS) {
            path->level[path->n_levels++] = at;
        }
        n++;
    }
    return n;
}

/* Cuts a copy of an address into its levels. PB_ERR_INPUT after a fault. */
static int read_path(const reader_t *r, const pb_address_t *of, char *copy, path_t *path)
{
    char address[PB_DIAG_QUOTE_SIZE], pattern[PB_DIAG_QUOTE_SIZE];
    const int n_expected = read_pattern(of->pattern, &path->kind);
    const size_t n_faults = r->diag->n_faults;
    quoted(address, of->address);
    quoted(pattern, of->pattern);
    if (n_expected < 0) {
        pb_diag_fault(r->diag, NULL, 0,
                      "the pattern '%s' of host '%s' is not that of a tree (switch.switch.node) "
                      "nor of blocks (block.node)",
                      pattern, of->host);
    } else if (n_expected > PB_ADDRESS_MAX_LEVELS) {
        pb_diag_fault(r->diag, NULL, 0,
                      "there are %d levels of switches above host '%s'; "
                      "%d are taken",
                      n_expected, of->host, PB_ADDRESS_MAX_LEVELS);
    } else if (!cut_node(of, copy)) {
        pb_diag_fault(r->diag, NULL, 0,
                      "the address '%s' of host '%s' does not end with the node's name, '%s'",
                      address, of->host, of->node);
    } else if (cut_levels(copy, path) != n_expected) {
        pb_diag_fault(r->diag, NULL, 0,
                      "the address '%s' of host '%s' does not fit its pattern, '%s'; names of "
                      "switches with a '.' cannot be told apart",
                      address, of->host, pattern);
    } else if (path->n_levels == 0) {
        pb_diag_fault(r->diag, NULL, 0,
                      "the address '%s' of host '%s' names no switch, but others do", address,
                      of->host);
    }
    return r->diag->n_faults == n_faults ? PB_SUCCESS : PB_ERR_INPUT;
}

/* ---- switches ---- */

/* Room for one more of something; the array or NULL. */
static void *with_room(void *array, int n, int *capacity, size_t size)
{
    if (n < *capacity) {
        return array;
    }
    const int more = *capacity > 0 ? 2 * *capacity : 64;
    void *larger = realloc(array, (size_t) more * size);
    *capacity = larger != NULL ? more : *capacity;
    return larger;
}

static int add_uplink(reader_t *r, int child, int parent)
{
    pb_uplink_t *uplinks = with_room(r->uplinks, r->n_uplinks, &r->max_uplinks, sizeof(*uplinks));
    if (uplinks == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    r->uplinks = uplinks;
    r->uplinks[r->n_uplinks++] = (pb_uplink_t){.child = child, .parent = parent, .members = 1};
    if (pb_network_connect(r->network, parent, child, 0) != PB_SUCCESS) {
        r->is_fabric = true;
    }
    return PB_SUCCESS;
}

/* The links of a switch that is new in its level. */
static int link_switch(reader_t *r, int node)
{
    const int n_parents = r->level->n == 0 ? r->upper->n : r->upper->n > 0;
    int error = PB_SUCCESS;
    for (int i = 0; i < n_parents && error == PB_SUCCESS; i++) {
        error = add_uplink(r, node, r->upper->nodes[i]);
    }
    return error;
}

static int add_switch(reader_t *r, const char *name)
{
    const int node = pb_network_add(r->network, PB_NODE_SWITCH, name);
    if (node < 0) {
        if (node == PB_ERR_INPUT) {
            pb_diag_fault(r->diag, NULL, 0, "there are more than %d switches and hosts",
                          PB_NETWORK_MAX_NODES);
        }
        return node;
    }
    mention_t *mentions =
        with_room(r->mentions, node - r->n_hosts, &r->n_mentions, sizeof(*mentions));
    if (mentions == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    r->mentions = mentions;
    r->mentions[node - r->n_hosts] =
        (mention_t){.host = r->host, .above = r->above, .last = r->n_levels};
    const int error = link_switch(r, node);
    return error == PB_SUCCESS ? node : error;
}

/* Where a level is, for a message. */
static const char *place_of(char place[PB_DIAG_QUOTE_SIZE + 16], const char *above)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    if (above == NULL) {
        return strcpy(place, "at the top");
    }
    snprintf(place, PB_DIAG_QUOTE_SIZE + 16, "below '%s'", quoted(quote, above));
    return place;
}

/* Whether a switch that was named before is at the same place now, and once. */
static int check_again(reader_t *r, int node)
{
    char name[PB_DIAG_QUOTE_SIZE], first[PB_DIAG_QUOTE_SIZE + 16], now[PB_DIAG_QUOTE_SIZE + 16];
    quoted(name, pb_network_node(r->network, node)->name);
    if (node < r->n_hosts) {
        pb_diag_fault(r->diag, NULL, 0, "a switch above host '%s' has the name of a host, '%s'",
                      r->host, name);
        return PB_ERR_INPUT;
    }
    mention_t *mention = &r->mentions[node - r->n_hosts];
    if (mention->last == r->n_levels) {
        pb_diag_fault(r->diag, NULL, 0, "switch '%s' is named twice in one level above host '%s'",
                      name, r->host);
        return PB_ERR_INPUT;
    }
    mention->last = r->n_levels;
    const bool is_same = mention->above == NULL || r->above == NULL
                             ? mention->above == r->above
                             : strcmp(mention->above, r->above) == 0;
    if (!is_same) {
        pb_diag_fault(r->diag, NULL, 0,
                      "switch '%s' is %s by the address of host '%s', but %s by that of host '%s'",
                      name, place_of(first, mention->above), mention->host, place_of(now, r->above),
                      r->host);
    }
    return is_same ? PB_SUCCESS : PB_ERR_INPUT;
}

static bool is_name(const char *text)
{
    for (; (unsigned char) *text > ' ' && *text != 127; text++) {
    }
    return *text == '\0';
}

/* Enters one switch of the level that is being read. */
static int found_switch(void *context, const char *name)
{
    reader_t *r = context;
    int node = pb_network_find(r->network, name);
    if (node < 0) {
        node = add_switch(r, name);
    } else if (check_again(r, node) != PB_SUCCESS) {
        return STOP;
    }
    if (node < 0) {
        return node == PB_ERR_INPUT ? STOP : node;
    }
    node_list_t *level = r->level;
    int *nodes = with_room(level->nodes, level->n, &level->capacity, sizeof(*nodes));
    if (nodes == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    level->nodes = nodes;
    level->nodes[level->n++] = node;
    return 0;
}

/* Enters a level: one name, whatever its characters, or a hostlist of several. */
static int read_level(reader_t *r, const char *text)
{
    char why[200], quote[PB_DIAG_QUOTE_SIZE];
    node_list_t *above = r->level;
    r->level = r->upper;
    r->upper = above;
    r->level->n = 0;
    r->n_levels++;
    if (!is_name(text)) {
        pb_diag_fault(r->diag, NULL, 0,
                      "'%s' above host '%s' has a character that no switch's name has",
                      quoted(quote, text), r->host);
        return PB_ERR_INPUT;
    }
    if (strpbrk(text, "[,") == NULL) {
        const int error = found_switch(r, text);
        return error == STOP ? PB_ERR_INPUT : error;
    }
    const int error = pb_hostlist_expand(text, PB_SPINES_MAX, found_switch, r, why, sizeof(why));
    if (error == PB_ERR_INPUT) {
        pb_diag_fault(r->diag, NULL, 0, "above host '%s': %s", r->host, why);
    }
    return error == STOP ? PB_ERR_INPUT : error;
}

/* Enters the switches of a path, and the host, which is node number `node`, below the last one. */
static int enter_path(reader_t *r, const path_t *path, int node)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    int error = PB_SUCCESS;
    r->above = NULL;
    r->level->n = 0;
    for (int i = 0; i < path->n_levels && error == PB_SUCCESS; i++) {
        error = read_level(r, path->level[i]);
        r->above = path->level[i];
    }
    if (error != PB_SUCCESS) {
        return error;
    }
    if (r->level->n > 1) {
        pb_diag_fault(r->diag, NULL, 0,
                      "host '%s' is on several switches, '%s'; messages to it take one of several "
                      "ways, which no tree has",
                      r->host, quoted(quote, r->above));
        return PB_ERR_INPUT;
    }
    pb_network_connect(r->network, r->level->nodes[0], node, 0);
    return PB_SUCCESS;
}

/* ---- all of them ---- */

/* Reports hosts that have the same address, or none, beside one that has. */
static void check_hosts(const reader_t *r)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    const pb_address_t *last = r->hosts[r->n_hosts - 1];
    for (int i = 0; i < r->n_hosts; i++) {
        const pb_address_t *host = r->hosts[i];
        if (host->address[0] == '\0') {
            pb_diag_fault(r->diag, NULL, 0,
                          "host '%s' has none, but host '%s' has; no process there was started by "
                          "Slurm",
                          host->host, last->host);
        } else if (i > 0 && strcmp(host->address, r->hosts[i - 1]->address) == 0) {
            pb_diag_fault(r->diag, NULL, 0,
                          "hosts '%s' and '%s' have the same one, '%s'; the environment of one was "
                          "passed on to the other",
                          r->hosts[i - 1]->host, host->host, quoted(quote, host->address));
        } else if (strlen(host->address) > PB_ADDRESS_MAX_LENGTH ||
                   strlen(host->pattern) > PB_ADDRESS_MAX_LENGTH) {
            pb_diag_fault(r->diag, NULL, 0, "that of host '%s' is longer than %d bytes", host->host,
                          PB_ADDRESS_MAX_LENGTH);
        }
    }
}

static int add_hosts(reader_t *r)
{
    for (int i = 0; i < r->n_hosts; i++) {
        const int node = pb_network_add(r->network, PB_NODE_HOST, r->hosts[i]->host);
        if (node == PB_ERR_INPUT) {
            pb_diag_fault(r->diag, NULL, 0, "'%s' cannot be the name of a host", r->hosts[i]->host);
        }
        if (node < 0) {
            return node;
        }
    }
    return PB_SUCCESS;
}

/* Follows the address of host number `host`. */
static int read_host(reader_t *r, int host)
{
    path_t path = {.n_levels = 0};
    const pb_address_t *of = r->hosts[host];
    r->host = of->host;
    r->copies[host] = strdup(of->address);
    if (r->copies[host] == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const int error = read_path(r, of, r->copies[host], &path);
    if (error != PB_SUCCESS) {
        return error;
    }
    r->kind = r->kind == KIND_NODE ? path.kind : r->kind;
    if (path.kind != r->kind) {
        pb_diag_fault(r->diag, NULL, 0, "some are of a tree, and some of blocks");
        return PB_ERR_INPUT;
    }
    return enter_path(r, &path, host);
}

/* Puts a switch above several blocks. */
static int connect_blocks(reader_t *r)
{
    const int n = pb_network_size(r->network);
    if (r->kind != KIND_BLOCK || n == r->n_hosts + 1) {
        return PB_SUCCESS;
    }
    const int top = pb_network_add(r->network, PB_NODE_SWITCH, above_blocks);
    if (top == PB_ERR_INPUT) {
        pb_diag_fault(r->diag, NULL, 0, "a block or host has the name '%s'", above_blocks);
    }
    for (int block = r->n_hosts; block < n && top >= 0; block++) {
        pb_network_connect(r->network, top, block, 0);
    }
    return top >= 0 ? PB_SUCCESS : top;
}

/* The network, finished. Faults of hosts are all reported, but each host only with its first. */
static int read_network(reader_t *r, pb_network_t **network_p)
{
    check_hosts(r);
    int error = r->diag->n_faults == 0 ? add_hosts(r) : PB_ERR_INPUT;
    if (error != PB_SUCCESS) {
        return error;
    }
    for (int host = 0; host < r->n_hosts && error != PB_ERR_NO_MEMORY; host++) {
        error = read_host(r, host);
    }
    if (error == PB_ERR_NO_MEMORY || r->diag->n_faults > 0) {
        return error == PB_ERR_NO_MEMORY ? error : PB_ERR_INPUT;
    }
    error = connect_blocks(r);
    if (error == PB_SUCCESS && r->is_fabric) {
        return pb_spines_merge(r->network, r->uplinks, r->n_uplinks, NULL, r->diag, network_p);
    }
    if (error == PB_SUCCESS) {
        error = pb_network_finish(r->network, NULL, r->diag);
    }
    if (error == PB_SUCCESS) {
        *network_p = r->network;
        r->network = NULL;
    }
    return error;
}

int pb_addresses_network(const pb_address_t *addresses, int n, pb_network_t **network_p,
                         pb_diag_t *diag)
{
    reader_t r = {.diag = diag, .level = &r.lists[0], .upper = &r.lists[1]};
    const size_t room = (size_t) n;
    int error = PB_ERR_NO_MEMORY;
    *network_p = NULL;
    if (none_names_a_switch(addresses, n)) {
        return PB_ERR_UNKNOWN;
    }
    r.hosts = malloc(room * sizeof(*r.hosts));
    r.copies = calloc(room, sizeof(*r.copies));
    r.network = pb_network_new();
    if (r.hosts != NULL && r.copies != NULL && r.network != NULL) {
        choose_hosts(&r, addresses, n);
        error = read_network(&r, network_p);
    }
    for (int i = 0; r.copies != NULL && i < r.n_hosts; i++) {
        free(r.copies[i]);
    }
    free(r.copies);
    free(r.hosts);
    free(r.mentions);
    free(r.uplinks);
    free(r.lists[0].nodes);
    free(r.lists[1].nodes);
    pb_network_free(r.network);
    return error;
}
