#include "topo/network/slurm/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/network/builder.h"
#include "topo/network/slurm/additions.h"
#include "topo/network/slurm/beside.h"
#include "topo/network/slurm/lines.h"
#include "topo/network/slurm/partition.h"
#include "topo/util/error.h"
#include "topo/util/kit.h"
#include "topo/util/yaml_tree.h"

/** Topologies of one file. */
#define MAX_TOPOLOGIES 1000

/** Names that a message lists. */
#define MAX_LISTED 8

static const char slurm_conf[] = "slurm.conf";

/* Form of a kind of topology: a list of entries, each with a name, hosts, and perhaps children.
 * Each entry is a switch. */
typedef struct kind {
    const char *key;
    const char *list, *name, *children; /* keys; NULL: there is none */
    const char *what;                   /* for people */
    bool is_tree;                       /* links are as the file tells */
} kind_t;

static const kind_t kinds[] = {
    {"tree", "switches", "switch", "children", "a tree", true},
    {"block", "blocks", "block", NULL, "blocks", true},
    {"ring", "rings", "ring", NULL, "rings", false},
    {"torus3d", "toruses", "name", NULL, "3D tori", false},
    {"flat", NULL, NULL, NULL, "flat", true},
    {NULL, NULL, NULL, NULL, NULL, false},
};

typedef struct reader {
    const pb_topology_text_t *text;
    const pb_topology_request_t *request;
    pb_yaml_t yaml;
    const pb_yaml_node_t **named; /* topologies that have a name of their own */
    int n_named;
    pb_topology_t *topology;
    pb_diag_t *diag;
} reader_t;

static void warn(reader_t *r, const pb_yaml_node_t *node, const char *format, const char *text)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    pb_diag_error(&r->topology->warnings, r->text->name, node->line, format,
                  pb_diag_quote_text(quote, text));
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
    return length >= n && pb_is_like(name + length - n, suffix, n);
}

/* Skips blanks, empty lines and comments. */
static size_t skip_comments(const char *text, size_t length)
{
    size_t at = pb_slurm_mark(text, length);
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
           starts_with(rest, length, "-\n") || starts_with(rest, length, "-\r\n") ||
           starts_with(rest, length, "topology:") || starts_with(rest, length, "%YAML");
}

/* ---- values ---- */

/* The text of a scalar; NULL: it is empty or null. */
static const char *text_in(const pb_yaml_node_t *value)
{
    const char *text = value != NULL && value->kind == PB_YAML_SCALAR ? value->text : "";
    return text[0] == '\0' || strcmp(text, "~") == 0 || pb_is_like(text, "null", SIZE_MAX) ? NULL
                                                                                           : text;
}

static const char *text_of(const reader_t *r, const pb_yaml_node_t *map, const char *key)
{
    return text_in(pb_yaml_get(&r->yaml, map, key));
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && !pb_is_like(word, *words, SIZE_MAX)) {
        words++;
    }
    return *words != NULL;
}

/* Tells whether a key is there and true; warns of values other than true or false, and ignores
 * them. */
static bool is_true(reader_t *r, const pb_yaml_node_t *map, const char *key)
{
    static const char *const yes[] = {"true", "yes", "on", "1", NULL};
    static const char *const no[] = {"false", "no", "off", "0", NULL};
    const char *text = text_of(r, map, key);
    if (text == NULL || is_one_of(text, yes)) {
        return text != NULL;
    }
    if (!is_one_of(text, no)) {
        warn(r, map, "'%s' is neither true nor false, and ignored", text);
    }
    return false;
}

/* Warns of keys that a map should not have; `keys` ends with NULL. */
static void check_keys(reader_t *r, const pb_yaml_node_t *map, const char *const *keys)
{
    for (const pb_yaml_node_t *child = pb_yaml_first(&r->yaml, map); child != NULL;
         child = pb_yaml_next(&r->yaml, child)) {
        if (child->key[0] != '\0' && !is_one_of(child->key, keys)) {
            warn(r, child, "unknown key '%s' is ignored", child->key);
        }
    }
}

/* ---- the topologies ---- */

/* The first element of a list, or the only one, and the next. */
static const pb_yaml_node_t *first_of(const reader_t *r, const pb_yaml_node_t *list)
{
    return list->kind == PB_YAML_LIST ? pb_yaml_first(&r->yaml, list) : list;
}

static const pb_yaml_node_t *next_of(const reader_t *r, const pb_yaml_node_t *list,
                                     const pb_yaml_node_t *element)
{
    return list->kind == PB_YAML_LIST ? pb_yaml_next(&r->yaml, element) : NULL;
}

static const char *name_of(const reader_t *r, const pb_yaml_node_t *topology)
{
    return text_of(r, topology, "topology");
}

static const pb_yaml_node_t *topology_called(const reader_t *r, const char *name)
{
    for (int i = 0; i < r->n_named; i++) {
        if (strcmp(name_of(r, r->named[i]), name) == 0) {
            return r->named[i];
        }
    }
    return NULL;
}

/* Finds the topologies that have a name of their own. */
static int find_topologies(reader_t *r)
{
    const pb_yaml_node_t *root = &r->yaml.nodes[0];
    r->named = calloc(MAX_TOPOLOGIES, sizeof(*r->named));
    if (r->named == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (const pb_yaml_node_t *t = first_of(r, root); t != NULL; t = next_of(r, root, t)) {
        const char *name = name_of(r, t);
        if (name == NULL) {
            warn(r, t, "%s without a name is ignored; begin with 'topology: NAME'",
                 t->kind == PB_YAML_MAP ? "a topology" : pb_yaml_kind_name(t->kind));
        } else if (topology_called(r, name) != NULL) {
            warn(r, t, "there is a topology '%s' already, so this one is ignored", name);
        } else if (r->n_named == MAX_TOPOLOGIES) {
            warn(r, t, "there are too many topologies; '%s' and what follows are ignored", name);
            break;
        } else {
            r->named[r->n_named++] = t;
        }
    }
    if (r->n_named == 0) {
        pb_diag_error(r->diag, r->text->name, 0,
                      "there is no topology in this file; begin each with '- topology: NAME'");
    }
    return r->n_named > 0 ? PB_SUCCESS : PB_ERR_INPUT;
}

/* ---- which one is meant ---- */

/* Reports that the topology of a name is not there, and which ones are. */
static void report_none(const reader_t *r, pb_diag_t *to, const char *name, const char *whose)
{
    char quote[PB_DIAG_QUOTE_SIZE], *names = NULL;
    size_t size;
    FILE *out = open_memstream(&names, &size);
    if (out == NULL) {
        return;
    }
    for (int i = 0; i < r->n_named && i < MAX_LISTED; i++) {
        fprintf(out, "%s%s", i > 0 ? ", " : "", name_of(r, r->named[i]));
    }
    if (r->n_named > MAX_LISTED) {
        fprintf(out, " and %d more", r->n_named - MAX_LISTED);
    }
    fclose(out);
    pb_diag_error(to, r->text->name, 0,
                  "there is no topology '%s'%s; there are %s: name one by "
                  "coll_pipebcast_topology_name or --topology-name",
                  pb_diag_quote_text(quote, name), whose, names);
    free(names);
}

/* The topology that slurm.conf has for the partition, NULL: none. */
static int find_partitions(reader_t *r, const char *path, const pb_yaml_node_t **topology_p)
{
    char *name;
    const int error = pb_slurm_partition_topology(path, r->text->files, r->request->partition,
                                                  &name, &r->topology->warnings);
    if (error == PB_SUCCESS && name != NULL) {
        *topology_p = topology_called(r, name);
        if (*topology_p == NULL) {
            report_none(r, &r->topology->warnings, name,
                        ", which slurm.conf has for the job's partition");
        }
    }
    free(name);
    return error == PB_ERR_NO_MEMORY ? error : PB_SUCCESS;
}

static int choose_by_partition(reader_t *r, const pb_yaml_node_t **topology_p)
{
    const pb_topology_files_t *files = r->text->files;
    const char *partition = r->request->partition;
    if (files == NULL || partition == NULL || partition[0] == '\0' || r->n_named == 1) {
        return PB_SUCCESS;
    }
    char *path = pb_slurm_beside(r->text->name, slurm_conf);
    if (path == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const int error =
        files->exists(files->context, path) ? find_partitions(r, path, topology_p) : PB_SUCCESS;
    free(path);
    return error;
}

/* The first with cluster_default, or the first. */
static const pb_yaml_node_t *choose_default(reader_t *r, const char **why_p)
{
    for (int i = 0; i < r->n_named; i++) {
        if (is_true(r, r->named[i], "cluster_default")) {
            *why_p = "the cluster's default";
            return r->named[i];
        }
    }
    *why_p = r->n_named == 1 ? "the only one" : "the first, as none has cluster_default: true";
    return r->named[0];
}

static int choose(reader_t *r, const pb_yaml_node_t **topology_p, const char **why_p)
{
    const char *name = r->request->name;
    *topology_p = NULL;
    if (name != NULL && name[0] != '\0') {
        *topology_p = topology_called(r, name);
        *why_p = "which was named";
        if (*topology_p == NULL) {
            report_none(r, r->diag, name, "");
        }
        return *topology_p != NULL ? PB_SUCCESS : PB_ERR_INPUT;
    }
    *why_p = "the one of the job's partition in slurm.conf";
    const int error = choose_by_partition(r, topology_p);
    if (error == PB_SUCCESS && *topology_p == NULL) {
        *topology_p = choose_default(r, why_p);
    }
    return error;
}

/* ---- its switches ---- */

/* Enters a list of names: a text, or a list of texts. */
static int enter_list(reader_t *r, pb_builder_t *b, const pb_yaml_node_t *map, int parent,
                      const char *key, pb_node_kind_t kind)
{
    const pb_yaml_node_t *value = pb_yaml_get(&r->yaml, map, key);
    int error = PB_SUCCESS;
    if (value == NULL || value->kind == PB_YAML_MAP) {
        if (value != NULL) {
            warn(r, value, "%s is a map, but must be a text; ignored", key);
        }
        return PB_SUCCESS;
    }
    for (const pb_yaml_node_t *text = first_of(r, value); text != NULL && error == PB_SUCCESS;
         text = next_of(r, value, text)) {
        const pb_builder_list_t list = {
            .line = map->line, .key = key, .names = text_in(text), .kind = kind, .parent = parent};
        error = list.names != NULL ? pb_builder_list(b, &list) : PB_SUCCESS;
    }
    return error;
}

/* Enters the hosts of the regions of a torus. */
static int enter_regions(reader_t *r, pb_builder_t *b, const pb_yaml_node_t *torus, int node)
{
    const pb_yaml_node_t *regions = pb_yaml_get(&r->yaml, torus, "regions");
    const pb_yaml_node_t *region = regions != NULL ? first_of(r, regions) : NULL;
    int error = PB_SUCCESS;
    for (; region != NULL && error == PB_SUCCESS; region = next_of(r, regions, region)) {
        error = enter_list(r, b, region, node, "nodes", PB_NODE_HOST);
    }
    return error;
}

static int enter_entry(reader_t *r, pb_builder_t *b, const pb_yaml_node_t *entry,
                       const kind_t *kind)
{
    const char *const keys[] = {kind->name, "nodes", kind->children, NULL};
    const char *name = text_of(r, entry, kind->name);
    if (name == NULL) {
        warn(r, entry, "an entry without a name is ignored; begin with '%s: NAME'", kind->name);
        return PB_SUCCESS;
    }
    if (kind->is_tree) {
        check_keys(r, entry, keys);
    }
    const int node = pb_builder_switch(b, entry->line, name);
    if (node < 0) {
        return node == PB_ERR_INPUT ? PB_SUCCESS : node;
    }
    int error = enter_list(r, b, entry, node, "nodes", PB_NODE_HOST);
    if (error == PB_SUCCESS && kind->children != NULL) {
        error = enter_list(r, b, entry, node, kind->children, PB_NODE_SWITCH);
    }
    return error == PB_SUCCESS && !kind->is_tree ? enter_regions(r, b, entry, node) : error;
}

/* All hosts of a job are on one switch. */
static int enter_flat(pb_builder_t *b, const pb_yaml_node_t *topology)
{
    const int node = pb_builder_switch(b, topology->line, "switch");
    const pb_builder_list_t all = {.line = topology->line,
                                   .key = "flat",
                                   .names = "ALL",
                                   .kind = PB_NODE_HOST,
                                   .parent = node};
    return node >= 0 ? pb_builder_list(b, &all) : node;
}

static int enter_topology(reader_t *r, pb_builder_t *b, const pb_yaml_node_t *topology,
                          const kind_t *kind)
{
    if (kind->list == NULL) {
        return enter_flat(b, topology);
    }
    const pb_yaml_node_t *content = pb_yaml_get(&r->yaml, topology, kind->key);
    const pb_yaml_node_t *list = pb_yaml_get(&r->yaml, content, kind->list);
    if (!kind->is_tree) {
        warn(r, content, "each element of '%s' is taken to be one switch", kind->list);
    }
    const char *const keys[] = {kind->list, "block_sizes", NULL};
    check_keys(r, content, keys);
    int error = PB_SUCCESS;
    for (const pb_yaml_node_t *entry = list != NULL ? first_of(r, list) : NULL;
         entry != NULL && error == PB_SUCCESS && !b->full; entry = next_of(r, list, entry)) {
        error = enter_entry(r, b, entry, kind);
    }
    return error;
}

/* Keeps the lines of ours that stand in comments. */
static int keep_additions(const pb_topology_text_t *text, pb_slurm_additions_t *additions)
{
    int error = PB_SUCCESS, line = 1;
    for (size_t at = pb_slurm_mark(text->text, text->length);
         at < text->length && error == PB_SUCCESS; line++) {
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

static int read_network(reader_t *r, const pb_yaml_node_t *topology, const kind_t *kind,
                        pb_source_lines_t *where)
{
    pb_builder_t builder;
    pb_slurm_additions_t additions = {.lines = NULL};
    int error = pb_builder_init(&builder, r->text->name, "entry", &r->topology->warnings);
    error = error == PB_SUCCESS ? enter_topology(r, &builder, topology, kind) : error;
    error = error == PB_SUCCESS ? keep_additions(r->text, &additions) : error;
    if (error == PB_SUCCESS) {
        /* Lines of other files are numbered behind all that this text can have. */
        error = pb_slurm_additions_enter(&additions, r->text, name_of(r, topology), &builder, where,
                                         (int) r->text->length + 2, r->topology);
    }
    if (error == PB_SUCCESS) {
        error = pb_builder_finish(&builder, "write each as '- switch: NAME'", &r->topology->notes,
                                  r->diag, &r->topology->network);
    }
    pb_slurm_additions_clear(&additions);
    pb_builder_clear(&builder);
    return error;
}

/* ---- the kinds of topologies ---- */

/* Tells whether a topology is of a kind: its content is a map or, of a flat one, true. Slurm writes
 * an empty map, or false, for other kinds. */
static bool is_of_kind(reader_t *r, const pb_yaml_node_t *topology, const kind_t *kind)
{
    const pb_yaml_node_t *content = pb_yaml_get(&r->yaml, topology, kind->key);
    if (content == NULL || content->kind != PB_YAML_SCALAR) {
        return content != NULL && content->kind == PB_YAML_MAP && content->n_children > 0;
    }
    return kind->list == NULL && is_true(r, topology, kind->key);
}

static int read_topology(reader_t *r, const pb_yaml_node_t *t, const char *why,
                         pb_source_lines_t *where)
{
    static const char *const keys[] = {"topology", "cluster_default", "tree", "block", "flat",
                                       "ring",     "torus3d",         NULL};
    const kind_t *kind = kinds, *other;
    while (kind->key != NULL && !is_of_kind(r, t, kind)) {
        kind++;
    }
    const pb_yaml_node_t *flat = pb_yaml_get(&r->yaml, t, "flat");
    if (kind->key == NULL && flat != NULL && flat->kind == PB_YAML_MAP) {
        kind--; /* the last one, without options */
    }
    check_keys(r, t, keys);
    if (kind->key == NULL) {
        pb_diag_error(r->diag, r->text->name, t->line,
                      "the topology '%s' has neither switches (tree), blocks (block) nor "
                      "'flat: true'",
                      name_of(r, t));
        return PB_ERR_INPUT;
    }
    for (other = kind + 1; other->key != NULL; other++) {
        if (is_of_kind(r, t, other)) {
            warn(r, t, "the topology is of several kinds; '%s' is ignored", other->key);
        }
    }
    const int error = read_network(r, t, kind, where);
    if (error == PB_SUCCESS && asprintf(&r->topology->picked, "topology '%s' (%s), %s",
                                        name_of(r, t), kind->what, why) < 0) {
        r->topology->picked = NULL;
        return PB_ERR_NO_MEMORY;
    }
    return error;
}

static int read_file(reader_t *r, pb_source_lines_t *where)
{
    const pb_yaml_node_t *topology;
    const char *why;
    int error = pb_yaml_read(r->text->text, r->text->length, r->text->name, r->diag,
                             &r->topology->warnings, &r->yaml);
    error = error == PB_SUCCESS ? find_topologies(r) : error;
    error = error == PB_SUCCESS ? choose(r, &topology, &why) : error;
    return error == PB_SUCCESS ? read_topology(r, topology, why, where) : error;
}

int pb_slurm_yaml_parse(const pb_topology_text_t *text, const pb_topology_request_t *request,
                        pb_topology_t *topology, pb_diag_t *diag)
{
    pb_source_lines_t where = {.parts = NULL};
    reader_t reader = {.text = text, .request = request, .topology = topology, .diag = diag};
    int error = pb_source_lines_part(&where, 1, text->name, 1);
    if (error == PB_SUCCESS) {
        pb_topology_set_lines(topology, diag, &where);
        error = read_file(&reader, &where);
        pb_topology_set_lines(topology, diag, NULL);
    }
    free(reader.named);
    pb_yaml_clear(&reader.yaml);
    pb_source_lines_clear(&where);
    return error;
}
