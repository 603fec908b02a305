#include "topo/network/addresses.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/network/builder.h"
#include "topo/network/spines.h"
#include "topo/util/kit.h"

/* ---- where the parts of an address end ---- */

/* Parts between dots that are outside brackets. */
#define MAX_PARTS 256

typedef struct parts {
    char *at[MAX_PARTS];
    int n;
} parts_t;

/* The levels of a pattern: the words before its last one, which is "node"; -1: it is none. */
static int count_levels(const char *pattern)
{
    int n = 0;
    for (const char *dot = strchr(pattern, '.'); dot != NULL; dot = strchr(pattern, '.')) {
        if (dot == pattern) {
            return -1;
        }
        pattern = dot + 1;
        n++;
    }
    return strcmp(pattern, "node") == 0 ? n : -1;
}

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), n = strlen(end);
    return n > 0 && length >= n && strcmp(text + length - n, end) == 0 &&
           (length == n || text[length - n - 1] == '.');
}

/* Takes the node's name from the end of an address; levels are left, each with a '.' behind it.
 * False if it is not there. Without a name it is the host's, or the last part. */
static bool cut_node(const pb_address_t *of, char *text)
{
    const char *node = of->node[0] != '\0' ? of->node : of->host;
    const char *dot = strrchr(text, '.');
    if (ends_in(text, node)) {
        text[strlen(text) - strlen(node)] = '\0';
    } else if (of->node[0] == '\0') {
        text[dot != NULL ? dot - text + 1 : 0] = '\0';
    } else {
        return false;
    }
    return true;
}

/* Takes the position of the node in a ring or torus from the last level's name: as many numbers
 * as the pattern has colons. */
static void cut_position(const char *pattern, char *text)
{
    for (; *pattern != '\0'; pattern++) {
        char *colon = *pattern == ':' ? strrchr(text, ':') : NULL;
        if (colon != NULL) {
            strcpy(colon, ".");
        }
    }
}

/* Cuts a text at dots outside brackets; a dot ends the last part, too. False if there are too
 * many. */
static bool cut_parts(char *text, parts_t *parts)
{
    char *begin = text;
    bool inside = false;
    parts->n = 0;
    for (char *at = text; *at != '\0'; at++) {
        inside = *at == '[' || (inside && *at != ']');
        if (*at != '.' || inside) {
            continue;
        }
        if (parts->n == MAX_PARTS) {
            return false;
        }
        *at = '\0';
        parts->at[parts->n++] = begin;
        begin = at + 1;
    }
    return true;
}

/* Joins the parts [first, end) again and returns the text. */
static const char *join_parts(const parts_t *parts, int first, int end)
{
    for (int i = first + 1; i < end; i++) {
        *(parts->at[i] - 1) = '.';
    }
    return parts->at[first];
}

/* Tells whether parts [first, end) are the name of a known switch. */
static bool is_known(const parts_t *parts, int first, int end, const pb_network_t *known)
{
    char name[PB_ADDRESS_MAX_LENGTH + 1];
    size_t length = 0;
    for (int i = first; i < end; i++) {
        length += (size_t) snprintf(name + length, sizeof(name) - length, "%s%s",
                                    i > first ? "." : "", parts->at[i]);
    }
    return name[0] == '\0' ? end == first + 1 : pb_network_find_switch(known, name) >= 0;
}

/* Cuts by names that are known: the only way to cut into n levels. ways[k][i] counts, up to 2, the
 * ways in which the first i parts are k levels. */
static bool cut_by_names(const parts_t *parts, int n, const pb_network_t *known, int *end)
{
    static const int most = PB_ADDRESS_MAX_LEVELS;
    unsigned char ways[PB_ADDRESS_MAX_LEVELS + 1][MAX_PARTS + 1];
    int from[PB_ADDRESS_MAX_LEVELS + 1][MAX_PARTS + 1];
    if (known == NULL || n > most) {
        return false;
    }
    memset(ways, 0, sizeof(ways));
    ways[0][0] = 1;
    for (int first = 0; first < parts->n; first++) {
        for (int last = first + 1; last <= parts->n; last++) {
            if (!is_known(parts, first, last, known)) {
                continue;
            }
            for (int k = 0; k < n; k++) {
                if (ways[k][first] > 0) {
                    ways[k + 1][last] =
                        (unsigned char) pb_min(2, ways[k + 1][last] + ways[k][first]);
                    from[k + 1][last] = first;
                }
            }
        }
    }
    for (int k = n, at = parts->n; ways[n][parts->n] == 1 && k > 0; k--) {
        end[k - 1] = at;
        at = from[k][at];
    }
    return ways[n][parts->n] == 1;
}

/* Bytes of the letters at the beginning of a part. */
static size_t stem_of(const char *part)
{
    size_t length = 0;
    while (pb_is_letter(part[length])) {
        length++;
    }
    return length;
}

/* Cuts before each part that begins with the first one's word. Empty parts are levels. */
static bool cut_by_word(const parts_t *parts, int n, int *end)
{
    int n_levels = 0, first = 0;
    while (first < parts->n - 1 && parts->at[first][0] == '\0') {
        first++;
    }
    const char *word = parts->at[first];
    const size_t length = stem_of(word);
    for (int i = 0; i < parts->n && length > 0; i++) {
        const bool begins = parts->at[i][0] == '\0' || (stem_of(parts->at[i]) == length &&
                                                        strncmp(parts->at[i], word, length) == 0);
        if (begins && ++n_levels > n) {
            return false;
        }
        if (n_levels > 0) {
            end[n_levels - 1] = i + 1;
        }
    }
    return n_levels == n;
}

static bool is_number(const char *part)
{
    return part[0] != '\0' && part[strspn(part, "0123456789")] == '\0';
}

/* Cuts into names of as many parts each. Behind the first, their parts are the same, as a domain
 * is, or numbers: "spine.1.leaf.23", or IP addresses. */
static bool cut_by_size(const parts_t *parts, int n, int *end)
{
    if (n == 0 || parts->n % n != 0) {
        return false;
    }
    const int size = parts->n / n;
    for (int i = size; i < parts->n; i++) {
        const char *part = parts->at[i], *like = parts->at[i % size];
        const bool are_numbers = is_number(part) && is_number(like), is_of_ip = size == 4;
        const bool begin_with_words =
            !is_number(parts->at[0]) && !is_number(parts->at[i - i % size]);
        if (i % size != 0 && strcmp(part, like) != 0 &&
            !(are_numbers && (is_of_ip || begin_with_words))) {
            return false;
        }
    }
    for (int i = 0; i < n; i++) {
        end[i] = (i + 1) * size;
    }
    return true;
}

/* Cuts behind each part that ends the last name, too, as a domain's does: "core.dc.leaf.3.dc". */
static bool cut_by_end(const parts_t *parts, int n, int *end)
{
    const char *last = parts->at[parts->n - 1];
    int n_levels = 0, first = 0;
    for (int i = 0; i < parts->n; i++) {
        if (strcmp(parts->at[i], last) == 0) {
            if (n_levels == n || i == first) {
                return false;
            }
            end[n_levels++] = first = i + 1;
        }
    }
    return n_levels == n && pb_is_letter(last[0]);
}

static bool cut_levels(const parts_t *parts, int n, const pb_network_t *known,
                       pb_address_path_t *path)
{
    int end[PB_ADDRESS_MAX_LEVELS];
    if (parts->n < n ||
        (parts->n > n && !cut_by_names(parts, n, known, end) && !cut_by_word(parts, n, end) &&
         !cut_by_size(parts, n, end) && !cut_by_end(parts, n, end))) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        const int last = parts->n == n ? i + 1 : end[i];
        const int first = i == 0 ? 0 : parts->n == n ? i : end[i - 1];
        const char *name = join_parts(parts, first, last);
        if (name[0] != '\0') {
            path->level[path->n_levels++] = name;
        }
    }
    return true;
}

static int refuse(const pb_address_t *of, pb_diag_t *warnings, const char *why)
{
    char address[PB_DIAG_QUOTE_SIZE], pattern[PB_DIAG_QUOTE_SIZE];
    pb_diag_error(warnings, NULL, 0, "host '%s': the address '%s' with the pattern '%s' %s",
                  of->host, pb_diag_quote_text(address, of->address),
                  pb_diag_quote_text(pattern, of->pattern), why);
    return PB_ERR_INPUT;
}

int pb_address_cut(const pb_address_t *of, const pb_network_t *known, pb_address_path_t *path,
                   pb_diag_t *warnings)
{
    parts_t parts;
    const int n = count_levels(of->pattern);
    path->n_levels = 0;
    if (of->address[0] == '\0' || n == 0) {
        return PB_ERR_UNKNOWN;
    }
    if (strlen(of->address) > PB_ADDRESS_MAX_LENGTH) {
        return refuse(of, warnings, "is too long");
    }
    if (n < 0 || n > PB_ADDRESS_MAX_LEVELS) {
        return refuse(of, warnings, "is not understood; a pattern is such as switch.switch.node");
    }
    strcpy(path->text, of->address);
    if (!cut_node(of, path->text)) {
        return refuse(of, warnings, "does not end with the node's name");
    }
    cut_position(of->pattern, path->text);
    if (!cut_parts(path->text, &parts) || !cut_levels(&parts, n, known, path)) {
        return refuse(of, warnings, "does not tell where each switch's name ends");
    }
    return path->n_levels > 0 ? PB_SUCCESS : PB_ERR_UNKNOWN;
}

/* ---- one address for each host, in order ---- */

/* Tells whether Slurm names several switches next to a host: "s1.l[3,1].n7", "s1.a,b.n7". */
static bool has_several_leaves(const pb_address_t *of)
{
    const char *node = of->node[0] != '\0' ? of->node : of->host;
    size_t at = ends_in(of->address, node) ? strlen(of->address) - strlen(node) : 0;
    for (at = at > 0 ? at - 1 : 0; at > 0 && strchr(".,]", of->address[at - 1]) == NULL;) {
        at--;
    }
    return at > 0 && of->address[at - 1] != '.';
}

/* Hosts of several leaves are last, where others have told what is above each leaf. */
static int compare_addresses(const void *a, const void *b)
{
    const pb_address_t *left = a, *right = b;
    int order = has_several_leaves(left) - has_several_leaves(right);
    order = order != 0 ? order : strverscmp(left->address, right->address);
    return order != 0 ? order : strverscmp(left->host, right->host);
}

/* Processes of a host side by side, those with an address first; 0 only for equal ones. */
static int compare_hosts(const void *a, const void *b)
{
    const pb_address_t *left = a, *right = b;
    int order = strcmp(left->host, right->host);
    order = order != 0 ? order : strcmp(right->address, left->address);
    order = order != 0 ? order : strcmp(left->pattern, right->pattern);
    return order != 0 ? order : strcmp(left->node, right->node);
}

static void forget(pb_address_t *host)
{
    host->address = host->pattern = "";
}

static bool is_address_of(const pb_address_t *host)
{
    const size_t n = strcspn(host->host, ".");
    return strncmp(host->node, host->host, n) == 0 && strcspn(host->node, ".") == n;
}

/* Keeps one entry for each host that `network` does not name, in natural order of the addresses.
 * Hosts with several addresses, or the same one, have none. Returns their number. */
static int choose_hosts(const pb_network_t *network, pb_address_t *hosts, int n,
                        pb_diag_t *warnings)
{
    int n_hosts = 0;
    qsort(hosts, (size_t) n, sizeof(*hosts), compare_hosts);
    for (int i = 0, end; i < n; i = end) {
        bool differs = false;
        for (end = i + 1; end < n && strcmp(hosts[end].host, hosts[i].host) == 0; end++) {
            differs |=
                hosts[end].address[0] != '\0' && strcmp(hosts[end].address, hosts[i].address) != 0;
        }
        if (hosts[i].host[0] == '\0' ||
            (network != NULL && pb_network_find_host(network, hosts[i].host) >= 0)) {
            continue;
        }
        hosts[n_hosts++] = hosts[i];
        if (differs) {
            refuse(&hosts[n_hosts - 1], warnings,
                   "differs from the one of another of its processes");
            forget(&hosts[n_hosts - 1]);
        }
    }
    qsort(hosts, (size_t) n_hosts, sizeof(*hosts), compare_addresses);
    for (int i = 0, end; i < n_hosts; i = end) {
        const char *address = hosts[i].address;
        for (end = i + 1; end < n_hosts && strcmp(hosts[end].address, address) == 0; end++) {
        }
        for (int k = i; k < end && end > i + 1 && address[0] != '\0'; k++) {
            if (!is_address_of(&hosts[k])) {
                refuse(&hosts[k], warnings,
                       "is another host's, too, whose environment was passed on");
                forget(&hosts[k]);
            }
        }
    }
    return n_hosts;
}

/* ---- switches ---- */

/* The switches of a level, as nodes in rising order, or as names where some are new. */
typedef struct level {
    char **names;
    int n, capacity;
} level_t;

typedef struct joiner {
    pb_builder_t builder;
    char **above; /* by node: the names of the level above a switch that an address named; "": none;
                     NULL: no address named it */
    int above_capacity, n_above;
    int *merged; /* switches of the network that stand for several */
    int merged_capacity, n_merged;
    level_t levels[PB_ADDRESS_MAX_LEVELS]; /* of the address that is read */
    pb_diag_t *warnings;
} joiner_t;

static int found_name(void *context, const char *name)
{
    level_t *level = context;
    char **names = pb_grow(level->names, level->n, &level->capacity, sizeof(*names));
    if (names == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    level->names = names;
    names[level->n] = strdup(name);
    return names[level->n] != NULL ? (level->n++, 0) : PB_ERR_NO_MEMORY;
}

static void clear_level(level_t *level)
{
    for (int i = 0; i < level->n; i++) {
        free(level->names[i]);
    }
    level->n = 0;
}

static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(char *const *) a, *(char *const *) b);
}

static bool is_name(const char *text)
{
    for (; (unsigned char) *text >= ' ' && *text != 127; text++) {
    }
    return *text == '\0';
}

/* One of the names of a merged switch. */
typedef struct sought {
    const char *name;
    bool is_found;
} sought_t;

static int compare_with(void *context, const char *name)
{
    sought_t *sought = context;
    sought->is_found |= strcmp(name, sought->name) == 0;
    return PB_SUCCESS;
}

/* Replaces a level that is not known by the switch in which the network has merged its first one.
 * Slurm writes several spines in another way, and names those above one leaf alone. */
static int take_merged(const joiner_t *j, level_t *level)
{
    char why[200];
    for (int i = 0; i < j->n_merged; i++) {
        const char *name = pb_network_node(j->builder.network, j->merged[i])->name;
        sought_t sought = {.name = level->names[0]};
        const int error =
            pb_hostlist_expand(name, PB_SPINES_MAX, compare_with, &sought, why, sizeof(why));
        if (error == PB_ERR_NO_MEMORY) {
            return error;
        }
        if (sought.is_found) {
            clear_level(level);
            return found_name(level, name);
        }
    }
    return PB_SUCCESS;
}

/* Notes the merged switches of the network that is joined. */
static int note_merged(joiner_t *j)
{
    for (int i = 0; i < pb_network_size(j->builder.network); i++) {
        if (pb_network_node(j->builder.network, i)->spines > 1) {
            int *merged = pb_grow(j->merged, j->n_merged, &j->merged_capacity, sizeof(*merged));
            if (merged == NULL) {
                return PB_ERR_NO_MEMORY;
            }
            j->merged = merged;
            merged[j->n_merged++] = i;
        }
    }
    return PB_SUCCESS;
}

/* Reads a level: the name of a switch that is known, one name, or a hostlist of several. */
static int read_level(joiner_t *j, const pb_address_t *of, const char *text, level_t *level)
{
    char why[200];
    clear_level(level);
    if (!is_name(text)) {
        return refuse(of, j->warnings, "has a character that no switch's name has");
    }
    if (text[0] == ' ' || text[strlen(text) - 1] == ' ') {
        return refuse(of, j->warnings, "has a blank at the edge of a switch's name");
    }
    if (pb_network_find_switch(j->builder.network, text) >= 0) {
        return found_name(level, text);
    }
    const int error =
        strpbrk(text, "[,") == NULL
            ? found_name(level, text)
            : pb_hostlist_expand(text, PB_SPINES_MAX, found_name, level, why, sizeof(why));
    return error == PB_SUCCESS     ? take_merged(j, level)
           : error == PB_ERR_INPUT ? refuse(of, j->warnings, why)
                                   : error;
}

/* The names of a level as one text, to be freed; NULL if out of memory. */
static char *text_of(const level_t *level)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    for (int i = 0; level != NULL && i < level->n; i++) {
        fprintf(out, "%s ", level->names[i]);
    }
    fclose(out);
    return text;
}

/* Tells whether the switches of a level are where they were named first, or where the network has
 * them. */
static bool fits(const joiner_t *j, const level_t *level, const char *above)
{
    for (int i = 0; i < level->n; i++) {
        const int node = pb_network_find_switch(j->builder.network, level->names[i]);
        if (i > 0 && strcmp(level->names[i - 1], level->names[i]) == 0) {
            return false;
        }
        if (node >= 0 && node < j->n_above && j->above[node] != NULL &&
            strcmp(j->above[node], above) != 0) {
            return false;
        }
    }
    return true;
}

static bool is_there(const joiner_t *j, const level_t *level)
{
    for (int i = 0; i < level->n; i++) {
        if (pb_network_find_switch(j->builder.network, level->names[i]) < 0) {
            return false;
        }
    }
    return true;
}

/* Leaves one of several switches next to a host: the first that is there, or the first. */
static void keep_one(joiner_t *j, const pb_address_t *of, level_t *level)
{
    int kept = 0;
    while (kept < level->n && pb_network_find_switch(j->builder.network, level->names[kept]) < 0) {
        kept++;
    }
    kept = kept < level->n ? kept : 0;
    char *name = level->names[kept];
    level->names[kept] = level->names[0];
    level->names[0] = name;
    while (level->n > 1) {
        free(level->names[--level->n]);
    }
    refuse(of, j->warnings, "has several switches next to the host; only one counts");
}

/* Reads the levels of a path, and checks that they fit to those before. */
static int read_path(joiner_t *j, const pb_address_t *of, const pb_address_path_t *path)
{
    int error = PB_SUCCESS;
    for (int i = 0; i < path->n_levels && error == PB_SUCCESS; i++) {
        level_t *level = &j->levels[i];
        error = read_level(j, of, path->level[i], level);
        if (level->n > 1 && i < path->n_levels - 1) {
            qsort(level->names, (size_t) level->n, sizeof(*level->names), compare_names);
        } else if (level->n > 1) {
            keep_one(j, of, level);
            if (is_there(j, level)) {
                return error; /* what is above it has been entered, or is the network's */
            }
        }
    }
    for (int i = 0; i < path->n_levels && error == PB_SUCCESS; i++) {
        char *above = text_of(i > 0 ? &j->levels[i - 1] : NULL);
        if (above == NULL) {
            error = PB_ERR_NO_MEMORY;
        } else if (!fits(j, &j->levels[i], above)) {
            error = refuse(
                of, j->warnings,
                "names a switch twice, or at another place than the address of an earlier host");
        }
        free(above);
    }
    return error;
}

/* Notes what is above a switch that is new. */
static int note_above(joiner_t *j, int node, const level_t *above)
{
    while (j->n_above <= node) {
        char **texts = pb_grow(j->above, j->n_above, &j->above_capacity, sizeof(*texts));
        if (texts == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        j->above = texts;
        texts[j->n_above++] = NULL;
    }
    j->above[node] = text_of(above);
    return j->above[node] != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

static int add_link(joiner_t *j, int parent, pb_node_kind_t kind, const char *name)
{
    const pb_builder_list_t list = {.kind = kind, .parent = parent};
    return pb_builder_name(&j->builder, &list, name);
}

/* Enters the switches of a level that are new. Of two levels of several switches each, an address
 * does not tell which is connected to which. That need not be known, as each level becomes one
 * node. The first switch is linked to all above it, and the others to the first one above. */
static int enter_level(joiner_t *j, const level_t *level, const level_t *above)
{
    pb_builder_t *b = &j->builder;
    int error = PB_SUCCESS;
    for (int i = 0; i < level->n && error == PB_SUCCESS; i++) {
        if (pb_network_find_switch(b->network, level->names[i]) >= 0) {
            continue;
        }
        const int node = pb_builder_switch(b, 0, level->names[i]);
        error = node >= 0 ? note_above(j, node, above) : node;
        const int n_parents = above == NULL ? 0 : i == 0 ? above->n : 1;
        for (int k = 0; k < n_parents && error == PB_SUCCESS; k++) {
            error = add_link(j, pb_network_find_switch(b->network, above->names[k]), PB_NODE_SWITCH,
                             level->names[i]);
        }
    }
    return error;
}

/* Enters the switches above a host, and the host below the last one. */
static int enter_host(joiner_t *j, const pb_address_t *of, const pb_address_path_t *path)
{
    int error = PB_SUCCESS, level = path->n_levels - 1;
    while (level > 0 && !is_there(j, &j->levels[level])) {
        level--; /* what is above a level that is there has been entered, or is the network's */
    }
    for (; level < path->n_levels && error == PB_SUCCESS; level++) {
        error = enter_level(j, &j->levels[level], level > 0 ? &j->levels[level - 1] : NULL);
    }
    if (error != PB_SUCCESS) {
        return error;
    }
    const level_t *last = &j->levels[path->n_levels - 1];
    return add_link(j, pb_network_find_switch(j->builder.network, last->names[0]), PB_NODE_HOST,
                    of->host);
}

/* Enters the hosts whose addresses are understood; *n_left of them are not, and come first then. */
static int enter_hosts(joiner_t *j, const pb_network_t *known, pb_address_t *hosts, int n,
                       int *n_left)
{
    pb_address_path_t path;
    int error = PB_SUCCESS;
    *n_left = 0;
    for (int i = 0; i < n && error == PB_SUCCESS; i++) {
        error = pb_address_cut(&hosts[i], known, &path, j->warnings);
        error = error == PB_SUCCESS ? read_path(j, &hosts[i], &path) : error;
        error = error == PB_SUCCESS ? enter_host(j, &hosts[i], &path) : error;
        if (error == PB_ERR_INPUT || error == PB_ERR_UNKNOWN) {
            hosts[(*n_left)++] = hosts[i];
            error = PB_SUCCESS;
        }
    }
    return error;
}

/* Puts the hosts that are left below the switch of all others, or the top of a finished network. */
static int add_others(joiner_t *j, pb_network_t *network, const pb_address_t *hosts, int n)
{
    const int others = pb_network_others(network);
    const int parent = others >= 0 ? others : pb_network_top(network);
    if (others < 0) {
        pb_diag_error(j->warnings, NULL, 0,
                      "no switch of host '%s' is known, so it is taken to be below '%s' (hosts "
                      "like this: %d)",
                      hosts[0].host, pb_network_node(network, parent)->name, n);
    }
    for (int i = 0; i < n; i++) {
        const int host = pb_network_add(network, PB_NODE_HOST, hosts[i].host);
        if (host < 0) {
            return host;
        }
        pb_network_connect(network, parent, host, 0);
    }
    return PB_SUCCESS;
}

static int join(joiner_t *j, const pb_network_t *network, pb_address_t *hosts, int n,
                pb_network_t **joined_p)
{
    int n_left = 0;
    int error = pb_builder_init(&j->builder, NULL, "address", j->warnings);
    error = error == PB_SUCCESS && network != NULL ? pb_builder_copy(&j->builder, network) : error;
    error = error == PB_SUCCESS ? note_merged(j) : error;
    error = error == PB_SUCCESS ? enter_hosts(j, network, hosts, n, &n_left) : error;
    if (error == PB_SUCCESS && pb_network_size(j->builder.network) == 0) {
        error = PB_ERR_UNKNOWN;
    }
    pb_network_t *joined = NULL;
    error = error == PB_SUCCESS ? pb_builder_finish(&j->builder, "", NULL, NULL, &joined) : error;
    if (error == PB_SUCCESS && n_left > 0) {
        error = add_others(j, joined, hosts, n_left);
        error = error == PB_SUCCESS ? pb_network_finish(joined, NULL, NULL) : error;
    }
    if (error != PB_SUCCESS) {
        pb_network_free(joined);
        joined = NULL;
    }
    *joined_p = joined;
    return error == PB_ERR_INPUT ? PB_ERR_UNKNOWN : error; /* too many names, as a warning says */
}

/* Tells whether the joined network has each host by its name. A new host may have the short name of
 * a host that the network has by a full one. The only warning says so then. */
static bool has_all(const pb_network_t *joined, const pb_address_t *addresses, int n,
                    pb_diag_t *warnings)
{
    for (int i = 0; i < n; i++) {
        const char *host = addresses[i].host;
        if (host[0] != '\0' && pb_network_find_host(joined, host) < 0) {
            pb_diag_clear(warnings);
            pb_diag_error(warnings, NULL, 0,
                          "host '%s' is one of several of this short name; give all hosts their "
                          "full names",
                          host);
            return false;
        }
    }
    return true;
}

int pb_addresses_join(const pb_network_t *network, const pb_address_t *addresses, int n,
                      pb_network_t **joined_p, pb_diag_t *warnings)
{
    joiner_t *j = calloc(1, sizeof(*j));
    pb_address_t *hosts = malloc(((size_t) n + 1) * sizeof(*hosts));
    int error = j != NULL && hosts != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    *joined_p = NULL;
    if (error == PB_SUCCESS) {
        j->warnings = warnings;
        memcpy(hosts, addresses, (size_t) n * sizeof(*hosts));
        const int n_hosts = choose_hosts(network, hosts, n, warnings);
        error = n_hosts > 0 || network == NULL ? join(j, network, hosts, n_hosts, joined_p)
                                               : PB_SUCCESS;
        pb_builder_clear(&j->builder);
    }
    if (*joined_p != NULL && !has_all(*joined_p, addresses, n, warnings)) {
        pb_network_free(*joined_p);
        *joined_p = NULL;
        error = PB_ERR_UNKNOWN;
    }
    if (*joined_p != NULL && network != NULL) {
        pb_network_set_described(*joined_p, network);
    }
    for (int i = 0; j != NULL && i < j->n_above; i++) {
        free(j->above[i]);
    }
    for (int i = 0; j != NULL && i < PB_ADDRESS_MAX_LEVELS; i++) {
        clear_level(&j->levels[i]);
        free(j->levels[i].names);
    }
    free(j != NULL ? j->above : NULL);
    free(j != NULL ? j->merged : NULL);
    free(j);
    free(hosts);
    return error;
}
