/*
 * The file of links, version 1 (see link_matrix.h): a reader and a writer.
 *
 * Lines become records, as the number of names is not known in advance; at the end the records fill
 * a matrix. Every error is reported with its line, and reading goes on, so that one run shows all.
 * Names are remembered as soon as they are legible: an error on their own line is not repeated for
 * lines that use them.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/search/link_matrix.h"
#include "topo/util/error.h"
#include "topo/util/hash.h"
#include "topo/util/item_file.h"
#include "topo/util/text_file.h"

/** Bytes of a whole file: a line for each pair of nodes of the largest matrix, and more. */
#define MAX_FILE ((size_t) 256 << 20)

/** Slots of the table of names: a power of two, at least twice the names. */
#define N_SLOTS (4 * PB_LINK_MATRIX_MAX_NODES)

/** A site, cluster or node. */
typedef struct entry {
    char *name;
    int line;   /**< where it was defined */
    int parent; /**< a cluster's site, a node's cluster; -1 if that is invalid */
    int64_t latency, startup;
    uint64_t bandwidth;
} entry_t;

typedef enum { LEVEL_SITE, LEVEL_CLUSTER, LEVEL_NODE, N_LEVELS } level_t;

static const char *const level_names[N_LEVELS] = {"site", "cluster", "node"};

/** Everything of one level that the file names. */
typedef struct table {
    entry_t *entries;
    int n;
    int *slots; /**< an entry, or -1 */
} table_t;

/** A `link` or `pair` line. */
typedef struct record {
    int from, to, line;
    int64_t latency;
    uint64_t bandwidth;
} record_t;

typedef struct records {
    record_t *all;
    size_t n, capacity;
} records_t;

typedef struct reader {
    pb_item_reader_t item;
    table_t tables[N_LEVELS];
    records_t links, pairs;
} reader_t;

static bool read_time(pb_item_reader_t *item, int i, int64_t *time_p)
{
    uint64_t value = 0;
    bool good = pb_item_number(item, NULL, i, 0, (uint64_t) PB_LINK_MATRIX_MAX_NS, &value);
    *time_p = (int64_t) value;
    return good;
}

/** `latency NS bandwidth BYTES` from word i on. */
static bool read_link(pb_item_reader_t *item, int i, int64_t *latency_p, uint64_t *bandwidth_p)
{
    *bandwidth_p = 1;
    bool good = read_time(item, i + 1, latency_p);
    return pb_item_number(item, NULL, i + 3, 1, PB_LINK_MATRIX_MAX_BANDWIDTH, bandwidth_p) && good;
}

/* ---- names ---- */

/** The slot of a name: where it is, or where it would go. */
static int *find_slot(const table_t *table, const char *name)
{
    uint64_t at = pb_hash_end(pb_hash_string(PB_HASH_START, name));
    for (;; at++) {
        int *slot = &table->slots[at % N_SLOTS];
        if (*slot < 0 || strcmp(table->entries[*slot].name, name) == 0) {
            return slot;
        }
    }
}

/** The entry of a level that word i names; -1 after an error. */
static int use_name(reader_t *r, level_t level, int i)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    int entry = *find_slot(&r->tables[level], r->item.words[i]);
    if (entry < 0) {
        pb_item_fault(&r->item, "%s '%s' is not defined before this line", level_names[level],
                      pb_item_quote(quote, r->item.words[i]));
    }
    return entry;
}

static bool may_define(reader_t *r, level_t level, const char *name)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    const table_t *table = &r->tables[level];
    int entry = *find_slot(table, name);
    if (entry >= 0) {
        pb_item_fault(&r->item, "%s '%s' is defined already, on line %d", level_names[level],
                      pb_item_quote(quote, name), table->entries[entry].line);
        return false;
    }
    if (strlen(name) > PB_LINK_MATRIX_MAX_NAME) {
        pb_item_fault(&r->item, "the name '%s' is longer than %d bytes", pb_item_quote(quote, name),
                      PB_LINK_MATRIX_MAX_NAME);
        return false;
    }
    if (table->n == PB_LINK_MATRIX_MAX_NODES) {
        pb_item_fault(&r->item, "with %s '%s' there are more than %d", level_names[level],
                      pb_item_quote(quote, name), PB_LINK_MATRIX_MAX_NODES);
        r->item.stop = true;
        return false;
    }
    return true;
}

/** Defines the name in word 1. */
static void define(reader_t *r, level_t level, const entry_t *values)
{
    table_t *table = &r->tables[level];
    const char *name = r->item.words[1];
    if (!may_define(r, level, name)) {
        return;
    }
    char *copy = strdup(name);
    if (copy == NULL) {
        r->item.error = PB_ERR_NO_MEMORY;
        return;
    }
    *find_slot(table, name) = table->n;
    entry_t *entry = &table->entries[table->n++];
    *entry = *values;
    entry->name = copy;
    entry->line = r->item.line;
}

/* ---- items ---- */

static void item_site(pb_item_reader_t *item)
{
    const entry_t entry = {.parent = -1};
    define(item->context, LEVEL_SITE, &entry);
}

static void item_cluster(pb_item_reader_t *item)
{
    entry_t entry = {.parent = use_name(item->context, LEVEL_SITE, 3)};
    read_link(item, 4, &entry.latency, &entry.bandwidth);
    define(item->context, LEVEL_CLUSTER, &entry);
}

static void item_node(pb_item_reader_t *item)
{
    entry_t entry = {.parent = use_name(item->context, LEVEL_CLUSTER, 3)};
    read_time(item, 5, &entry.startup);
    define(item->context, LEVEL_NODE, &entry);
}

static int append(records_t *records, const record_t *record)
{
    if (records->n == records->capacity) {
        size_t capacity = records->capacity > 0 ? 2 * records->capacity : 64;
        record_t *all = realloc(records->all, capacity * sizeof(*all));
        if (all == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        records->all = all;
        records->capacity = capacity;
    }
    records->all[records->n++] = *record;
    return PB_SUCCESS;
}

/** A line of what lies between two names of a level. */
static void item_between(reader_t *r, level_t level, records_t *records)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    record_t record = {.line = r->item.line};
    record.from = use_name(r, level, 1);
    record.to = use_name(r, level, 2);
    bool good = read_link(&r->item, 3, &record.latency, &record.bandwidth);
    if (!good || record.from < 0 || record.to < 0) {
        return;
    }
    if (record.from == record.to) {
        pb_item_fault(&r->item, "'%s' is on both sides%s", pb_item_quote(quote, r->item.words[1]),
                      level == LEVEL_CLUSTER ? "; its cluster line says what is inside it" : "");
        return;
    }
    r->item.error = append(records, &record);
}

static void item_link(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    item_between(r, LEVEL_CLUSTER, &r->links);
}

static void item_pair(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    item_between(r, LEVEL_NODE, &r->pairs);
}

static const pb_item_t items[] = {
    {"site NAME", item_site, NULL},
    {"cluster NAME site NAME latency NS bandwidth BYTES_PER_SECOND", item_cluster, NULL},
    {"node NAME cluster NAME startup NS", item_node, NULL},
    {"link CLUSTER CLUSTER latency NS bandwidth BYTES_PER_SECOND", item_link, NULL},
    {"pair NODE NODE latency NS bandwidth BYTES_PER_SECOND", item_pair, NULL},
    PB_ITEM_END,
};

static const pb_item_file_t links_file = {
    .name = "pipebcast-links",
    .version = PB_LINK_MATRIX_VERSION,
    .remedy = "measure anew, or use one version everywhere",
    .items = items,
    .n_items = sizeof(items) / sizeof(items[0]),
    .has_end = true,
};

/* ---- the matrix ---- */

/** Lines for all ordered pairs of `n` clusters or nodes. */
typedef struct grid {
    int n;
    const record_t **records; /**< by pair; NULL: none */
} grid_t;

static int grid_init(reader_t *r, grid_t *grid, const records_t *records, level_t level)
{
    char from[PB_DIAG_QUOTE_SIZE], to[PB_DIAG_QUOTE_SIZE];
    const table_t *table = &r->tables[level];
    const size_t n = (size_t) table->n;
    grid->n = table->n;
    grid->records = calloc(n * n + 1, sizeof(*grid->records));
    if (grid->records == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < records->n; i++) {
        const record_t *record = &records->all[i];
        const record_t **cell = &grid->records[(size_t) record->from * n + (size_t) record->to];
        if (*cell != NULL) {
            pb_diag_fault(r->item.diag, r->item.file, record->line,
                          "from '%s' to '%s' is given already, on line %d",
                          pb_item_quote(from, table->entries[record->from].name),
                          pb_item_quote(to, table->entries[record->to].name), (*cell)->line);
        } else {
            *cell = record;
        }
    }
    return PB_SUCCESS;
}

static const record_t *grid_at(const grid_t *grid, int from, int to)
{
    return grid->records[(size_t) from * (size_t) grid->n + (size_t) to];
}

/** Reports all links that a cluster lacks in one message. */
static void check_links(reader_t *r, const grid_t *links)
{
    char from[PB_DIAG_QUOTE_SIZE], to[PB_DIAG_QUOTE_SIZE];
    const entry_t *clusters = r->tables[LEVEL_CLUSTER].entries;
    for (int i = 0; i < links->n; i++) {
        int n_missing = 0, first = -1;
        for (int j = 0; j < links->n; j++) {
            if (i != j && grid_at(links, i, j) == NULL) {
                first = n_missing++ == 0 ? j : first;
            }
        }
        char others[64] = "";
        if (n_missing > 1) {
            snprintf(others, sizeof(others), " (nor to %d more)", n_missing - 1);
        }
        if (n_missing > 0) {
            pb_diag_fault(r->item.diag, r->item.file, clusters[i].line,
                          "there is no link from cluster '%s' to '%s'%s",
                          pb_item_quote(from, clusters[i].name),
                          pb_item_quote(to, clusters[first].name), others);
        }
    }
}

static void fill_pair(const reader_t *r, const grid_t *links, const grid_t *pairs, int from, int to,
                      pb_link_matrix_t *matrix)
{
    const entry_t *nodes = r->tables[LEVEL_NODE].entries;
    const int a = nodes[from].parent, b = nodes[to].parent;
    const entry_t *inside = &r->tables[LEVEL_CLUSTER].entries[a];
    const record_t *record = grid_at(pairs, from, to);
    record = record == NULL && a != b ? grid_at(links, a, b) : record;
    const size_t at = (size_t) from * (size_t) matrix->n_nodes + (size_t) to;
    matrix->latency[at] = record != NULL ? record->latency : inside->latency;
    matrix->bandwidth[at] = record != NULL ? record->bandwidth : inside->bandwidth;
}

/** Moves the names of a table into a matrix. */
static void give_names(table_t *table, char **names)
{
    for (int i = 0; i < table->n; i++) {
        names[i] = table->entries[i].name;
        table->entries[i].name = NULL;
    }
}

static pb_link_matrix_t *make_matrix(reader_t *r, const grid_t *links, const grid_t *pairs)
{
    table_t *sites = &r->tables[LEVEL_SITE], *clusters = &r->tables[LEVEL_CLUSTER],
            *nodes = &r->tables[LEVEL_NODE];
    pb_link_matrix_t *matrix = pb_link_matrix_new(sites->n, clusters->n, nodes->n);
    if (matrix == NULL) {
        return NULL;
    }
    for (int i = 0; i < clusters->n; i++) {
        matrix->cluster_site[i] = clusters->entries[i].parent;
    }
    for (int i = 0; i < nodes->n; i++) {
        matrix->node_cluster[i] = nodes->entries[i].parent;
        matrix->startup[i] = nodes->entries[i].startup;
        for (int j = 0; j < nodes->n; j++) {
            fill_pair(r, links, pairs, i, j, matrix);
        }
    }
    give_names(sites, matrix->site);
    give_names(clusters, matrix->cluster);
    give_names(nodes, matrix->node);
    return matrix;
}

/** Judges what follows only from the whole file, and makes the matrix if all is well. */
static int finish(reader_t *r, pb_link_matrix_t **matrix_p)
{
    grid_t links = {.n = 0}, pairs = {.n = 0};
    int error = grid_init(r, &links, &r->links, LEVEL_CLUSTER);
    if (error == PB_SUCCESS) {
        error = grid_init(r, &pairs, &r->pairs, LEVEL_NODE);
    }
    if (error == PB_SUCCESS && !pb_item_has_faults(&r->item)) {
        check_links(r, &links);
        if (r->tables[LEVEL_NODE].n == 0) {
            pb_diag_fault(r->item.diag, r->item.file, 0, "there is no node");
        }
    }
    if (error == PB_SUCCESS && !pb_item_has_faults(&r->item)) {
        *matrix_p = make_matrix(r, &links, &pairs);
        error = *matrix_p != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    }
    free(links.records);
    free(pairs.records);
    return error;
}

static bool tables_init(table_t *tables)
{
    bool good = true;
    for (int level = 0; level < N_LEVELS; level++) {
        table_t *table = &tables[level];
        table->entries = calloc(PB_LINK_MATRIX_MAX_NODES, sizeof(*table->entries));
        table->slots = malloc(N_SLOTS * sizeof(*table->slots));
        good = good && table->entries != NULL && table->slots != NULL;
        for (int i = 0; i < N_SLOTS && table->slots != NULL; i++) {
            table->slots[i] = -1;
        }
    }
    return good;
}

static void reader_clear(reader_t *r)
{
    for (int level = 0; level < N_LEVELS; level++) {
        table_t *table = &r->tables[level];
        for (int i = 0; i < table->n; i++) {
            free(table->entries[i].name);
        }
        free(table->entries);
        free(table->slots);
    }
    free(r->links.all);
    free(r->pairs.all);
}

int pb_link_matrix_parse(const char *text, size_t length, const char *name,
                         pb_link_matrix_t **matrix_p, pb_diag_t *diag)
{
    reader_t reader = {.links = {0}};
    *matrix_p = NULL;
    int error = tables_init(reader.tables) ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    if (error == PB_SUCCESS) {
        error = pb_item_read(&reader.item, &links_file, text, length, name, diag, &reader);
    }
    /* Errors of the whole file are reported together with those of lines. */
    if (error != PB_ERR_NO_MEMORY) {
        error = finish(&reader, matrix_p);
    }
    if (error == PB_SUCCESS && pb_item_has_faults(&reader.item)) {
        error = PB_ERR_INPUT;
    }
    reader_clear(&reader);
    return error;
}

int pb_link_matrix_read(const char *path, pb_link_matrix_t **matrix_p, pb_diag_t *diag)
{
    char *text;
    size_t length;
    *matrix_p = NULL;
    int error = pb_text_file_read(path, "file of links", MAX_FILE, &text, &length, diag);
    if (error == PB_SUCCESS) {
        error = pb_link_matrix_parse(text, length, path, matrix_p, diag);
        free(text);
    }
    return error;
}

/* ---- writing ---- */

typedef struct writer {
    const pb_link_matrix_t *matrix;
    FILE *stream;
    int *first; /**< by cluster: its first node, -1: none */
    int64_t n_items;
} writer_t;

static void write_values(writer_t *w, int from, int to)
{
    fprintf(w->stream, " latency %" PRId64 " bandwidth %" PRIu64 "\n",
            pb_link_latency(w->matrix, from, to), pb_link_bandwidth(w->matrix, from, to));
    w->n_items++;
}

static void write_clusters(writer_t *w)
{
    const pb_link_matrix_t *m = w->matrix;
    for (int i = 0; i < m->n_sites; i++, w->n_items++) {
        fprintf(w->stream, "site %s\n", m->site[i]);
    }
    for (int i = 0; i < m->n_clusters; i++) {
        if (w->first[i] >= 0) {
            fprintf(w->stream, "cluster %s site %s", m->cluster[i], m->site[m->cluster_site[i]]);
            write_values(w, w->first[i], w->first[i]);
        }
    }
    for (int i = 0; i < m->n_nodes; i++, w->n_items++) {
        fprintf(w->stream, "node %s cluster %s startup %" PRId64 "\n", m->node[i],
                m->cluster[m->node_cluster[i]], m->startup[i]);
    }
}

static void write_links(writer_t *w)
{
    const pb_link_matrix_t *m = w->matrix;
    for (int a = 0; a < m->n_clusters; a++) {
        for (int b = 0; b < m->n_clusters; b++) {
            if (a != b && w->first[a] >= 0 && w->first[b] >= 0) {
                fprintf(w->stream, "link %s %s", m->cluster[a], m->cluster[b]);
                write_values(w, w->first[a], w->first[b]);
            }
        }
    }
}

/** Pairs that are not as their clusters' lines say. */
static void write_pairs(writer_t *w)
{
    const pb_link_matrix_t *m = w->matrix;
    for (int i = 0; i < m->n_nodes; i++) {
        for (int j = 0; j < m->n_nodes; j++) {
            const int a = w->first[m->node_cluster[i]], b = w->first[m->node_cluster[j]];
            if (i != j && (pb_link_latency(m, i, j) != pb_link_latency(m, a, b) ||
                           pb_link_bandwidth(m, i, j) != pb_link_bandwidth(m, a, b))) {
                fprintf(w->stream, "pair %s %s", m->node[i], m->node[j]);
                write_values(w, i, j);
            }
        }
    }
}

static bool all_named(char *const *names, int n)
{
    for (int i = 0; i < n; i++) {
        if (names[i] == NULL) {
            return false;
        }
    }
    return true;
}

int pb_link_matrix_write(const pb_link_matrix_t *matrix, FILE *stream)
{
    writer_t writer = {.matrix = matrix, .stream = stream};
    if (!all_named(matrix->site, matrix->n_sites) ||
        !all_named(matrix->cluster, matrix->n_clusters) ||
        !all_named(matrix->node, matrix->n_nodes)) {
        return PB_ERR_INPUT;
    }
    writer.first = malloc((size_t) matrix->n_clusters * sizeof(*writer.first));
    if (writer.first == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i < matrix->n_clusters; i++) {
        writer.first[i] = -1;
    }
    for (int i = matrix->n_nodes - 1; i >= 0; i--) {
        writer.first[matrix->node_cluster[i]] = i;
    }
    fprintf(stream, "pipebcast-links %d\n", PB_LINK_MATRIX_VERSION);
    write_clusters(&writer);
    write_links(&writer);
    write_pairs(&writer);
    fprintf(stream, "end %" PRId64 "\n", writer.n_items);
    free(writer.first);
    return fflush(stream) == 0 && !ferror(stream) ? PB_SUCCESS : PB_ERR_IO;
}
