/*
 * The file of links, version 1 (see link_matrix.h): a reader and a writer.
 *
 * Every error is reported with its line, and reading goes on, so that one run shows all. Names are
 * remembered as soon as they are legible: an error on their own line is not repeated for lines that
 * use them.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/search/link_matrix.h"
#include "topo/util/error.h"
#include "topo/util/item_file.h"
#include "topo/util/text_file.h"

/** Bytes of a whole file: a line for each pair of nodes of the largest matrix, and more. */
#define MAX_FILE ((size_t) 256 << 20)

/** A site, cluster or node. */
typedef struct entry {
    char *name;
    int line;   /**< where it was defined */
    int parent; /**< a cluster's site, a node's cluster; -1 if that is invalid */
    int64_t startup;
} entry_t;

typedef enum { LEVEL_SITE, LEVEL_CLUSTER, LEVEL_NODE, N_LEVELS } level_t;

static const char *const level_names[N_LEVELS] = {"site", "cluster", "node"};

/** The way from one name to another of its level, or inside a cluster, as a line has it. */
typedef struct way {
    int line; /**< 0: there is none */
    int64_t latency;
    uint64_t bandwidth;
} way_t;

/** Everything of one level that the file names. */
typedef struct table {
    entry_t *entries;
    int n;
    way_t *ways; /**< at [from * PB_LINK_MATRIX_MAX_NODES + to]; sites have none */
} table_t;

typedef struct reader {
    pb_item_reader_t item;
    table_t tables[N_LEVELS];
} reader_t;

static way_t *way_at(const reader_t *r, level_t level, int from, int to)
{
    return &r->tables[level].ways[(size_t) from * PB_LINK_MATRIX_MAX_NODES + (size_t) to];
}

static bool read_time(pb_item_reader_t *item, int i, int64_t *time_p)
{
    uint64_t value = 0;
    bool good = pb_item_number(item, NULL, i, 0, (uint64_t) PB_LINK_MATRIX_MAX_NS, &value);
    *time_p = (int64_t) value;
    return good;
}

/** `latency NS bandwidth BYTES` from word i on. */
static bool read_way(pb_item_reader_t *item, int i, way_t *way)
{
    *way = (way_t){.line = item->line, .bandwidth = 1};
    bool good = read_time(item, i + 1, &way->latency);
    return pb_item_number(item, NULL, i + 3, 1, PB_LINK_MATRIX_MAX_BANDWIDTH, &way->bandwidth) &&
           good;
}

/* ---- names ---- */

/** The entry of a name; -1: there is none. */
static int find_entry(const table_t *table, const char *name)
{
    int i = table->n - 1;
    while (i >= 0 && strcmp(table->entries[i].name, name) != 0) {
        i--;
    }
    return i;
}

/** The entry of a level that word i names; -1 after an error. */
static int use_name(reader_t *r, level_t level, int i)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    const int entry = find_entry(&r->tables[level], r->item.words[i]);
    if (entry < 0) {
        pb_item_error(&r->item, "%s '%s' is not defined before this line", level_names[level],
                      pb_diag_quote_text(quote, r->item.words[i]));
    }
    return entry;
}

static bool may_define(reader_t *r, level_t level, const char *name)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    const table_t *table = &r->tables[level];
    const int entry = find_entry(table, name);
    if (entry >= 0) {
        pb_item_error(&r->item, "%s '%s' is defined already, on line %d", level_names[level],
                      pb_diag_quote_text(quote, name), table->entries[entry].line);
        return false;
    }
    if (strlen(name) > PB_LINK_MATRIX_MAX_NAME) {
        pb_item_error(&r->item, "the name '%s' is longer than %d bytes",
                      pb_diag_quote_text(quote, name), PB_LINK_MATRIX_MAX_NAME);
        return false;
    }
    if (table->n == PB_LINK_MATRIX_MAX_NODES) {
        pb_item_error(&r->item, "with %s '%s' there are more than %d", level_names[level],
                      pb_diag_quote_text(quote, name), PB_LINK_MATRIX_MAX_NODES);
        r->item.stop = true;
        return false;
    }
    return true;
}

/** Defines the name in word 1. NULL if it cannot be defined. */
static entry_t *define(reader_t *r, level_t level, int parent)
{
    table_t *table = &r->tables[level];
    if (!may_define(r, level, r->item.words[1])) {
        return NULL;
    }
    entry_t *entry = &table->entries[table->n];
    *entry = (entry_t){.name = strdup(r->item.words[1]), .line = r->item.line, .parent = parent};
    if (entry->name == NULL) {
        r->item.error = PB_ERR_NO_MEMORY;
        return NULL;
    }
    table->n++;
    return entry;
}

/* ---- items ---- */

static void item_site(pb_item_reader_t *item)
{
    (void) define(item->context, LEVEL_SITE, -1);
}

static void item_cluster(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    way_t inside;
    const int site = use_name(r, LEVEL_SITE, 3), number = r->tables[LEVEL_CLUSTER].n;
    (void) read_way(item, 4, &inside);
    if (define(r, LEVEL_CLUSTER, site) != NULL) {
        *way_at(r, LEVEL_CLUSTER, number, number) = inside;
    }
}

static void item_node(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    int64_t startup;
    const int cluster = use_name(r, LEVEL_CLUSTER, 3);
    (void) read_time(item, 5, &startup);
    entry_t *node = define(r, LEVEL_NODE, cluster);
    if (node != NULL) {
        node->startup = startup;
    }
}

/** A line of the way between two names of a level. */
static void item_between(reader_t *r, level_t level)
{
    char quote[PB_DIAG_QUOTE_SIZE], other[PB_DIAG_QUOTE_SIZE];
    way_t way;
    const int from = use_name(r, level, 1), to = use_name(r, level, 2);
    const bool good = read_way(&r->item, 3, &way);
    if (!good || from < 0 || to < 0) {
        return;
    }
    way_t *place = way_at(r, level, from, to);
    pb_diag_quote_text(quote, r->item.words[1]);
    if (from == to) {
        pb_item_error(&r->item, "'%s' is on both sides%s", quote,
                      level == LEVEL_CLUSTER ? "; its cluster line says what is inside it" : "");
    } else if (place->line > 0) {
        pb_item_error(&r->item, "from '%s' to '%s' is given already, on line %d", quote,
                      pb_diag_quote_text(other, r->item.words[2]), place->line);
    } else {
        *place = way;
    }
}

static void item_link(pb_item_reader_t *item)
{
    item_between(item->context, LEVEL_CLUSTER);
}

static void item_pair(pb_item_reader_t *item)
{
    item_between(item->context, LEVEL_NODE);
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

/** Reports all links that a cluster lacks in one message. */
static void check_links(reader_t *r)
{
    char from[PB_DIAG_QUOTE_SIZE], to[PB_DIAG_QUOTE_SIZE];
    const table_t *clusters = &r->tables[LEVEL_CLUSTER];
    for (int i = 0; i < clusters->n; i++) {
        int n_missing = 0, first = -1;
        for (int j = 0; j < clusters->n; j++) {
            if (way_at(r, LEVEL_CLUSTER, i, j)->line == 0) {
                first = n_missing++ == 0 ? j : first;
            }
        }
        char others[64] = "";
        if (n_missing > 1) {
            snprintf(others, sizeof(others), " (nor to %d more)", n_missing - 1);
        }
        if (n_missing > 0) {
            pb_diag_error(r->item.diag, r->item.file, clusters->entries[i].line,
                          "there is no link from cluster '%s' to '%s'%s",
                          pb_diag_quote_text(from, clusters->entries[i].name),
                          pb_diag_quote_text(to, clusters->entries[first].name), others);
        }
    }
}

/** Moves the names of a table into a matrix. */
static void give_names(table_t *table, char **names)
{
    for (int i = 0; i < table->n; i++) {
        names[i] = table->entries[i].name;
        table->entries[i].name = NULL;
    }
}

static pb_link_matrix_t *make_matrix(reader_t *r)
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
        const int cluster = nodes->entries[i].parent;
        matrix->node_cluster[i] = cluster;
        matrix->startup[i] = nodes->entries[i].startup;
        for (int j = 0; j < nodes->n; j++) {
            const size_t at = (size_t) i * (size_t) nodes->n + (size_t) j;
            const way_t *way = way_at(r, LEVEL_NODE, i, j);
            if (way->line == 0) {
                way = way_at(r, LEVEL_CLUSTER, cluster, nodes->entries[j].parent);
            }
            matrix->latency[at] = way->latency;
            matrix->bandwidth[at] = way->bandwidth;
        }
    }
    give_names(sites, matrix->site);
    give_names(clusters, matrix->cluster);
    give_names(nodes, matrix->node);
    return matrix;
}

static bool tables_init(table_t *tables)
{
    const size_t n = PB_LINK_MATRIX_MAX_NODES;
    bool good = true;
    for (int level = 0; level < N_LEVELS; level++) {
        /* Of large memory that is zero the system gives only the pages that are touched. */
        tables[level].entries = calloc(n, sizeof(entry_t));
        tables[level].ways = calloc(level == LEVEL_SITE ? 1 : n * n, sizeof(way_t));
        good = good && tables[level].entries != NULL && tables[level].ways != NULL;
    }
    return good;
}

static void tables_clear(table_t *tables)
{
    for (int level = 0; level < N_LEVELS; level++) {
        for (int i = 0; i < tables[level].n; i++) {
            free(tables[level].entries[i].name);
        }
        free(tables[level].entries);
        free(tables[level].ways);
    }
}

int pb_link_matrix_parse(const char *text, size_t length, const char *name,
                         pb_link_matrix_t **matrix_p, pb_diag_t *diag)
{
    reader_t reader = {.tables = {{.n = 0}}};
    *matrix_p = NULL;
    int error = tables_init(reader.tables) ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    if (error == PB_SUCCESS) {
        error = pb_item_read(&reader.item, &links_file, text, length, name, diag, &reader);
    }
    if (error == PB_SUCCESS) {
        check_links(&reader);
        if (reader.tables[LEVEL_NODE].n == 0) {
            pb_diag_error(diag, name, 0, "there is no node");
        }
        error = pb_item_has_errors(&reader.item) ? PB_ERR_INPUT : PB_SUCCESS;
    }
    if (error == PB_SUCCESS) {
        *matrix_p = make_matrix(&reader);
        error = *matrix_p != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    }
    tables_clear(reader.tables);
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

int pb_link_matrix_write(const pb_link_matrix_t *matrix, FILE *stream)
{
    writer_t writer = {.matrix = matrix, .stream = stream};
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
