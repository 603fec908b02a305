#include "topo/network/slurm/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topo/network/builder.h"
#include "topo/network/slurm/additions.h"
#include "topo/network/slurm/beside.h"
#include "topo/network/slurm/lines.h"
#include "topo/network/slurm/partition.h"
#include "topo/util/error.h"
#include "topo/util/yaml_tree.h"

/** Topologies of one file. */
#define MAX_TOPOLOGIES 1000

/** Names that a message lists. */
#define MAX_LISTED 8

static const char slurm_conf[] = "slurm.conf";

/** Joins the blocks; with '+' behind it if a block or host has that name. */
static const char joins_blocks[] = "blocks";

typedef struct reader {
    const pb_topology_text_t *text;
    const pb_topology_request_t *request;
    pb_yaml_t yaml;
    pb_topology_t *topology;
    pb_diag_t *diag;
} reader_t;

static void fault(reader_t *r, const pb_yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void fault(reader_t *r, const pb_yaml_node_t *node, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    const int rc = vasprintf(&text, format, args);
    va_end(args);
    pb_diag_fault(r->diag, r->text->name, node != NULL ? node->line : 0, "%s",
                  rc >= 0 ? text : "out of memory for what is wrong here");
    if (rc >= 0) {
        free(text);
    }
}

/* ---- recognition ---- */

static bool starts_with(const char *text, size_t length, const char *word)
{
    const size_t n = strlen(word);
    return length >= n && memcmp(text, word, n) == 0;
}

static bool ends_in(const char *name, const char *suffix)
{
    const size_t length = strlen(name), n = strlen(suffix);
    return length >= n && strcasecmp(name + length - n, suffix) == 0;
}

/* Skips blanks, empty lines and comments. */
static size_t skip_comments(const char *text, size_t length)
{
    size_t at = starts_with(text, length, "\xef\xbb\xbf") ? 3 : 0;
    while (at < length && (pb_slurm_is_blank(text[at]) || text[at] == '\n' || text[at] == '#')) {
        const char *end = text[at] == '#' ? memchr(text + at, '\n', length - at) : text + at;
        at = end != NULL ? (size_t) (end - text) + 1 : length;
    }
    return at;
}

bool pb_slurm_yaml_recognises(const pb_topology_text_t *text)
{
    if (text->separator != '\0') {
        return false;
    }
    if (ends_in(text->name, ".yaml") || ends_in(text->name, ".yml")) {
        return true;
    }
    const size_t at = skip_comments(text->text, text->length);
    const char *rest = text->text + at;
    const size_t length = text->length - at;
    return starts_with(rest, length, "---") || starts_with(rest, length, "- ") ||
           starts_with(rest, length, "-\n") || starts_with(rest, length, "topology:") ||
           starts_with(rest, length, "%YAML");
}

/* ---- values ---- */

/* The text of a key; NULL: there is none, or it is empty or null, or no text, which is a fault. */
static const char *text_of(reader_t *r, const pb_yaml_node_t *map, const char *key)
{
    const pb_yaml_node_t *value = pb_yaml_get(&r->yaml, map, key);
    if (value == NULL) {
        return NULL;
    }
    if (value->kind != PB_YAML_SCALAR) {
        fault(r, value, "%s is %s, but must be one text", key, pb_yaml_kind_name(value->kind));
        return NULL;
    }
    return value->text[0] == '\0' || strcmp(value->text, "~") == 0 ||
                   strcasecmp(value->text, "null") == 0
               ? NULL
               : value->text;
}

/* The text of a key that must be there; NULL after a fault. */
static const char *name_in(reader_t *r, const pb_yaml_node_t *map, const char *key)
{
    const size_t n_before = r->diag->n_faults;
    const char *name = text_of(r, map, key);
    if (name == NULL && r->diag->n_faults == n_before) {
        fault(r, map, "there is no name here; begin with '%s: NAME'", key);
    }
    return name;
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcasecmp(word, *words) != 0) {
        words++;
    }
    return *words != NULL;
}

/* Whether a key is true; a fault if it is neither true nor false. */
static bool is_true(reader_t *r, const pb_yaml_node_t *map, const char *key)
{
    static const char *const yes[] = {"true", "yes", "on", "1", NULL};
    static const char *const no[] = {"false", "no", "off", "0", NULL};
    char quote[PB_DIAG_QUOTE_SIZE];
    const char *text = text_of(r, map, key);
    if (text == NULL || is_one_of(text, no)) {
        return false;
    }
    if (!is_one_of(text, yes)) {
        fault(r, pb_yaml_get(&r->yaml, map, key), "%s is '%s', but must be true or false", key,
              pb_diag_quote(quote, text, strlen(text)));
        return false;
    }
    return true;
}

static bool has_true(const reader_t *r, const pb_yaml_node_t *map, const char *key)
{
    reader_t quiet = *r;
    pb_diag_t ignored;
    pb_diag_init(&ignored);
    quiet.diag = &ignored;
    const bool result = is_true(&quiet, map, key);
    pb_diag_clear(&ignored);
    return result;
}

/* Reports keys that a map may not have. */
static void check_keys(reader_t *r, const pb_yaml_node_t *map, const char *const *keys,
                       const char *known)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    for (const pb_yaml_node_t *child = pb_yaml_first(&r->yaml, map); child != NULL;
         child = pb_yaml_next(&r->yaml, child)) {
        const char *const *key = keys;
        while (*key != NULL && strcmp(*key, child->key) != 0) {
            key++;
        }
        if (*key == NULL) {
            fault(r, child, "unknown key '%s'; known are %s",
                  pb_diag_quote(quote, child->key, strlen(child->key)), known);
        }
    }
}

/* ---- the topologies ---- */

/* The first topology, and the next: elements of a list, or the only one. */
static const pb_yaml_node_t *first_topology(const reader_t *r)
{
    const pb_yaml_node_t *root = &r->yaml.nodes[0];
    return root->kind == PB_YAML_LIST ? pb_yaml_first(&r->yaml, root) : root;
}

static const pb_yaml_node_t *next_topology(const reader_t *r, const pb_yaml_node_t *topology)
{
    return r->yaml.nodes[0].kind == PB_YAML_LIST ? pb_yaml_next(&r->yaml, topology) : NULL;
}

static const char *name_of(const reader_t *r, const pb_yaml_node_t *topology)
{
    return pb_yaml_get(&r->yaml, topology, "topology")->text;
}

static const pb_yaml_node_t *topology_called(const reader_t *r, const char *name)
{
    const pb_yaml_node_t *topology = first_topology(r);
    while (topology != NULL && strcmp(name_of(r, topology), name) != 0) {
        topology = next_topology(r, topology);
    }
    return topology;
}

/* Every topology has a name of its own. */
static int check_topologies(reader_t *r)
{
    const size_t n_before = r->diag->n_faults;
    const pb_yaml_node_t *root = &r->yaml.nodes[0];
    if (root->kind == PB_YAML_SCALAR || (root->kind == PB_YAML_LIST && root->n_children == 0)) {
        fault(r, root, "there is no topology in this file; begin each with '- topology: NAME'");
    } else if (root->kind == PB_YAML_LIST && root->n_children > MAX_TOPOLOGIES) {
        fault(r, root, "there are more than %d topologies", MAX_TOPOLOGIES);
    }
    if (r->diag->n_faults > n_before) {
        return PB_ERR_INPUT;
    }
    for (const pb_yaml_node_t *t = first_topology(r); t != NULL; t = next_topology(r, t)) {
        if (t->kind != PB_YAML_MAP) {
            fault(r, t, "a topology is %s, but must be a map that begins with 'topology: NAME'",
                  pb_yaml_kind_name(t->kind));
        } else {
            name_in(r, t, "topology");
        }
    }
    if (r->diag->n_faults > n_before) {
        return PB_ERR_INPUT;
    }
    for (const pb_yaml_node_t *t = first_topology(r); t != NULL; t = next_topology(r, t)) {
        const pb_yaml_node_t *other = topology_called(r, name_of(r, t));
        if (other != t) {
            fault(r, t, "there is a topology '%s' on line %d already; give this another name",
                  name_of(r, t), other->line);
        }
    }
    return r->diag->n_faults > n_before ? PB_ERR_INPUT : PB_SUCCESS;
}

/* Reports, with the topologies that there are, that none of them is meant. */
static void fault_none(reader_t *r, const char *what)
{
    char *names = NULL;
    size_t size;
    int n = 0;
    FILE *out = open_memstream(&names, &size);
    if (out == NULL) {
        fault(r, NULL, "%s", what);
        return;
    }
    for (const pb_yaml_node_t *t = first_topology(r); t != NULL; t = next_topology(r, t)) {
        if (n++ < MAX_LISTED) {
            fprintf(out, "%s%s", n > 1 ? ", " : "", name_of(r, t));
        }
    }
    if (n > MAX_LISTED) {
        fprintf(out, " and %d more", n - MAX_LISTED);
    }
    fclose(out);
    fault(r, NULL, "%s; there are %s: name one by coll_pipebcast_topology_name or --topology-name",
          what, names);
    free(names);
}

/* ---- which one is meant ---- */

typedef struct choice {
    const pb_yaml_node_t *topology; /* NULL: not chosen yet */
    char why[200];
} choice_t;

static int choose_by_name(reader_t *r, choice_t *choice)
{
    char what[200], quote[PB_DIAG_QUOTE_SIZE];
    const char *name = r->request->name;
    if (name == NULL || name[0] == '\0') {
        return PB_SUCCESS;
    }
    choice->topology = topology_called(r, name);
    snprintf(choice->why, sizeof(choice->why), "which was named");
    if (choice->topology == NULL) {
        snprintf(what, sizeof(what), "there is no topology '%s'",
                 pb_diag_quote(quote, name, strlen(name)));
        fault_none(r, what);
        return PB_ERR_INPUT;
    }
    return PB_SUCCESS;
}

/* Takes the topology that slurm.conf has for the partition, if it has one. */
static int take_partitions(reader_t *r, const char *path, choice_t *choice)
{
    char quote[PB_DIAG_QUOTE_SIZE], shown[PB_DIAG_QUOTE_SIZE], what[300];
    const char *partition = r->request->partition;
    char *name;
    const int error = pb_slurm_partition_topology(path, r->text->files, partition, &name, r->diag);
    if (error != PB_SUCCESS || name == NULL) {
        return error;
    }
    pb_diag_quote(quote, partition, strlen(partition));
    choice->topology = topology_called(r, name);
    snprintf(choice->why, sizeof(choice->why), "that of the partition '%s' in slurm.conf", quote);
    if (choice->topology == NULL) {
        snprintf(what, sizeof(what),
                 "there is no topology '%s', which slurm.conf has for the "
                 "partition '%s'",
                 pb_diag_quote(shown, name, strlen(name)), quote);
        fault_none(r, what);
    }
    free(name);
    return choice->topology != NULL ? PB_SUCCESS : PB_ERR_INPUT;
}

static int choose_by_partition(reader_t *r, choice_t *choice)
{
    const pb_topology_files_t *files = r->text->files;
    const char *partition = r->request->partition;
    const pb_yaml_node_t *first = first_topology(r);
    if (choice->topology != NULL || files == NULL || partition == NULL || partition[0] == '\0' ||
        next_topology(r, first) == NULL) {
        return PB_SUCCESS;
    }
    char *path = pb_slurm_beside(r->text->name, slurm_conf);
    if (path == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const int error =
        files->exists(files->context, path) ? take_partitions(r, path, choice) : PB_SUCCESS;
    free(path);
    return error;
}

static int choose_default(reader_t *r, choice_t *choice)
{
    if (choice->topology != NULL) {
        return PB_SUCCESS;
    }
    const size_t n_before = r->diag->n_faults;
    const pb_yaml_node_t *first = first_topology(r);
    for (const pb_yaml_node_t *t = first; t != NULL; t = next_topology(r, t)) {
        if (is_true(r, t, "cluster_default") && choice->topology == NULL) {
            choice->topology = t;
            snprintf(choice->why, sizeof(choice->why), "the cluster's default");
        }
    }
    if (r->diag->n_faults > n_before) {
        return PB_ERR_INPUT;
    }
    if (choice->topology == NULL && next_topology(r, first) == NULL) {
        choice->topology = first;
        snprintf(choice->why, sizeof(choice->why), "the only one");
    }
    if (choice->topology == NULL) {
        fault_none(r, "no topology has cluster_default: true");
        return PB_ERR_INPUT;
    }
    return PB_SUCCESS;
}

static int choose(reader_t *r, choice_t *choice)
{
    int error = choose_by_name(r, choice);
    error = error == PB_SUCCESS ? choose_by_partition(r, choice) : error;
    return error == PB_SUCCESS ? choose_default(r, choice) : error;
}

/* ---- its switches ---- */

/* What a switch is called in a tree, and a block among blocks. */
typedef struct words {
    const char *list, *name, *children; /* keys; children NULL: there are none */
    const char *const *keys;
    const char *known;
} words_t;

static int enter_list(pb_builder_t *b, const pb_yaml_node_t *entry, int parent, const char *key,
                      const char *names, pb_node_kind_t kind)
{
    const pb_builder_list_t list = {
        .line = entry->line, .key = key, .names = names, .kind = kind, .parent = parent};
    return names != NULL ? pb_builder_list(b, &list) : PB_SUCCESS;
}

static int enter_switch(reader_t *r, pb_builder_t *b, const pb_yaml_node_t *entry,
                        const words_t *words)
{
    if (entry->kind != PB_YAML_MAP) {
        fault(r, entry, "an element of %s is %s, but must be a map that begins with '%s: NAME'",
              words->list, pb_yaml_kind_name(entry->kind), words->name);
        b->lost_switch = true;
        return PB_SUCCESS;
    }
    check_keys(r, entry, words->keys, words->known);
    const char *name = name_in(r, entry, words->name);
    if (name == NULL) {
        b->lost_switch = true;
        return PB_SUCCESS;
    }
    const int node = pb_builder_switch(b, entry->line, words->name, name);
    if (node < 0) {
        return node == PB_ERR_INPUT ? PB_SUCCESS : node;
    }
    int error = enter_list(b, entry, node, "nodes", text_of(r, entry, "nodes"), PB_NODE_HOST);
    if (error == PB_SUCCESS && words->children != NULL) {
        error = enter_list(b, entry, node, words->children, text_of(r, entry, words->children),
                           PB_NODE_SWITCH);
    }
    return error;
}

/* Enters all elements of a list, or the only one. */
static int enter_switches(reader_t *r, pb_builder_t *b, const pb_yaml_node_t *list,
                          const words_t *words)
{
    if (list->kind == PB_YAML_MAP) {
        return enter_switch(r, b, list, words);
    }
    int error = PB_SUCCESS;
    for (const pb_yaml_node_t *entry = pb_yaml_first(&r->yaml, list);
         entry != NULL && error == PB_SUCCESS && !b->full; entry = pb_yaml_next(&r->yaml, entry)) {
        error = enter_switch(r, b, entry, words);
    }
    return error;
}

/* The list of a tree's switches, or of blocks; NULL after a fault. */
static const pb_yaml_node_t *list_of(reader_t *r, const pb_yaml_node_t *map, const words_t *words)
{
    const pb_yaml_node_t *list = pb_yaml_get(&r->yaml, map, words->list);
    if (list == NULL || list->kind == PB_YAML_SCALAR) {
        fault(r, map, "there is no list '%s' here; write one, as in topology.yaml(5)", words->list);
        return NULL;
    }
    return list;
}

static int enter_tree(reader_t *r, pb_builder_t *b, const pb_yaml_node_t *tree)
{
    static const char *const keys[] = {"switch", "children", "nodes", NULL};
    static const char *const tree_keys[] = {"switches", NULL};
    const words_t words = {.list = "switches",
                           .name = "switch",
                           .children = "children",
                           .keys = keys,
                           .known = "switch, children and nodes"};
    check_keys(r, tree, tree_keys, "switches");
    const pb_yaml_node_t *list = list_of(r, tree, &words);
    return list != NULL ? enter_switches(r, b, list, &words) : PB_SUCCESS;
}

/* One switch above all blocks. */
static int join_blocks(reader_t *r, pb_builder_t *b, const pb_yaml_node_t *list)
{
    char name[PB_DIAG_QUOTE_SIZE];
    size_t length = (size_t) snprintf(name, sizeof(name), "%s", joins_blocks);
    while (pb_network_find(b->network, name) >= 0 && length + 1 < sizeof(name)) {
        name[length++] = '+';
        name[length] = '\0';
    }
    const int top = pb_builder_switch(b, list->line, "blocks", name);
    if (top < 0) {
        return top == PB_ERR_INPUT ? PB_SUCCESS : top;
    }
    int error = PB_SUCCESS;
    for (const pb_yaml_node_t *block = pb_yaml_first(&r->yaml, list);
         block != NULL && error == PB_SUCCESS; block = pb_yaml_next(&r->yaml, block)) {
        error = enter_list(b, block, top, "block", text_of(r, block, "block"), PB_NODE_SWITCH);
    }
    return error;
}

static int enter_blocks(reader_t *r, pb_builder_t *b, const pb_yaml_node_t *blocks)
{
    static const char *const keys[] = {"block", "nodes", NULL};
    static const char *const block_keys[] = {"block_sizes", "blocks", NULL};
    const words_t words = {
        .list = "blocks", .name = "block", .keys = keys, .known = "block and nodes"};
    check_keys(r, blocks, block_keys, "block_sizes and blocks");
    const pb_yaml_node_t *list = list_of(r, blocks, &words);
    int error = list != NULL ? enter_switches(r, b, list, &words) : PB_SUCCESS;
    const bool several = list != NULL && list->kind == PB_YAML_LIST && list->n_children > 1;
    if (error == PB_SUCCESS && several && !b->full && r->diag->n_faults == b->n_faults_before) {
        error = join_blocks(r, b, list);
    }
    return error;
}

/* Keeps the lines of ours that stand in comments. */
static int keep_additions(const pb_topology_text_t *text, pb_slurm_additions_t *additions)
{
    int error = PB_SUCCESS, line = 1;
    for (size_t at = 0; at < text->length && error == PB_SUCCESS; line++) {
        const char *start = text->text + at, *ours;
        const char *end = memchr(start, '\n', text->length - at);
        const size_t length = end != NULL ? (size_t) (end - start) : text->length - at;
        const size_t ours_length = pb_slurm_ours(start, length, &ours);
        if (ours_length > 0) {
            error = pb_slurm_additions_keep(additions, ours, ours_length, line);
        }
        at += length + 1;
    }
    return error;
}

/* The numbers of lines of other files begin behind all that a text of this length can have. */
static int number_behind(const pb_topology_text_t *text)
{
    return (int) text->length + 2;
}

typedef int enter_t(reader_t *r, pb_builder_t *b, const pb_yaml_node_t *content);

static int read_network(reader_t *r, const pb_yaml_node_t *content, enter_t *enter,
                        const char *name, pb_source_lines_t *where)
{
    pb_builder_t builder;
    pb_slurm_additions_t additions = {.lines = NULL};
    int error = pb_builder_init(&builder, r->text->name, "entry", r->diag);
    error = error == PB_SUCCESS ? enter(r, &builder, content) : error;
    error = error == PB_SUCCESS ? keep_additions(r->text, &additions) : error;
    if (error == PB_SUCCESS) {
        error = pb_slurm_additions_enter(&additions, r->text, name, &builder, where,
                                         number_behind(r->text), r->topology);
    }
    if (error == PB_SUCCESS) {
        error =
            pb_builder_finish(&builder, "write each as '- switch: NAME'", &r->topology->network);
    }
    pb_slurm_additions_clear(&additions);
    pb_builder_clear(&builder);
    return error;
}

/* ---- the kinds of topologies ---- */

static const char *const topology_keys[] = {"topology", "cluster_default", "tree", "block", "flat",
                                            "ring",     "torus3d",         NULL};

/* The content of a kind that a topology has; NULL: it is of another kind. Slurm writes an empty
 * map, or false, for kinds that it is not. */
static const pb_yaml_node_t *content_of(const reader_t *r, const pb_yaml_node_t *topology,
                                        const char *kind)
{
    const pb_yaml_node_t *content = pb_yaml_get(&r->yaml, topology, kind);
    if (content == NULL) {
        return NULL;
    }
    const bool is_there =
        content->kind == PB_YAML_SCALAR ? has_true(r, topology, kind) : content->n_children > 0;
    return is_there ? content : NULL;
}

static int count_kinds(const reader_t *r, const pb_yaml_node_t *topology)
{
    int n = 0;
    for (int i = 2; topology_keys[i] != NULL; i++) {
        n += content_of(r, topology, topology_keys[i]) != NULL;
    }
    return n;
}

static int read_kind(reader_t *r, const pb_yaml_node_t *t, pb_source_lines_t *where,
                     const char **kind_p)
{
    const pb_yaml_node_t *tree = content_of(r, t, "tree"), *block = content_of(r, t, "block");
    *kind_p = tree != NULL ? "a tree" : block != NULL ? "blocks" : "flat";
    if (tree != NULL && tree->kind == PB_YAML_MAP) {
        return read_network(r, tree, enter_tree, name_of(r, t), where);
    }
    if (block != NULL && block->kind == PB_YAML_MAP) {
        return read_network(r, block, enter_blocks, name_of(r, t), where);
    }
    r->topology->is_flat = content_of(r, t, "flat") != NULL;
    if (!r->topology->is_flat) {
        fault(r, t,
              "the topology '%s' has neither switches (tree), blocks (block) nor 'flat: true', and "
              "others are no network of switches",
              name_of(r, t));
        return PB_ERR_INPUT;
    }
    return PB_SUCCESS;
}

static int read_topology(reader_t *r, const choice_t *choice, pb_source_lines_t *where)
{
    const pb_yaml_node_t *t = choice->topology;
    const size_t n_before = r->diag->n_faults;
    const char *kind;
    check_keys(r, t, topology_keys, "topology, cluster_default, tree, block and flat");
    if (count_kinds(r, t) > 1) {
        fault(r, t, "the topology '%s' is of several kinds; leave it one of tree, block and flat",
              name_of(r, t));
    }
    if (r->diag->n_faults > n_before) {
        return PB_ERR_INPUT;
    }
    const int error = read_kind(r, t, where, &kind);
    if (error != PB_SUCCESS) {
        return error;
    }
    const int rc =
        asprintf(&r->topology->picked, "topology '%s' (%s), %s", name_of(r, t), kind, choice->why);
    if (rc < 0) {
        r->topology->picked = NULL;
        return PB_ERR_NO_MEMORY;
    }
    return PB_SUCCESS;
}

static int read_file(reader_t *r, pb_source_lines_t *where)
{
    choice_t choice = {.topology = NULL};
    int error = pb_yaml_read(r->text->text, r->text->length, r->text->name, r->diag, &r->yaml);
    error = error == PB_SUCCESS ? check_topologies(r) : error;
    error = error == PB_SUCCESS ? choose(r, &choice) : error;
    return error == PB_SUCCESS ? read_topology(r, &choice, where) : error;
}

int pb_slurm_yaml_parse(const pb_topology_text_t *text, const pb_topology_request_t *request,
                        pb_topology_t *topology, pb_diag_t *diag)
{
    pb_source_lines_t where = {.parts = NULL};
    reader_t reader = {.text = text, .request = request, .topology = topology, .diag = diag};
    int error = pb_source_lines_part(&where, 1, text->name, 1);
    if (error == PB_SUCCESS) {
        const pb_source_lines_t *before = diag->lines;
        diag->lines = &where;
        error = read_file(&reader, &where);
        diag->lines = before;
    }
    pb_yaml_clear(&reader.yaml);
    pb_source_lines_clear(&where);
    return error;
}
