/*
 * The file of advice, version 1 (see advice.h): reader, writer, and its path in a directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contrib/adaptive/advice/advice.h"
#include "topo/util/error.h"
#include "topo/util/item_file.h"
#include "topo/util/text_file.h"

/** Bytes of a whole file: trees for many roots over many hosts. */
#define MAX_FILE ((size_t) 256 << 20)

typedef struct reader {
    pb_item_reader_t item;
    int64_t written, max_age; /**< -1: not yet */
    char **hosts;             /**< read so far, in the file's order */
    int n_hosts;
    pb_advice_t *advice;   /**< NULL until the hosts are known */
    pb_advice_tree_t tree; /**< being read; n_streams == 0: none */
    int tree_line;
    int *n_children; /**< by stream and host, so far */
} reader_t;

/* ---- the head ---- */

static void read_head(reader_t *r, int64_t *value, uint64_t high)
{
    uint64_t number;
    if (*value >= 0) {
        pb_item_error(&r->item, "%s is given twice", r->item.words[0]);
    } else if (pb_item_number(&r->item, NULL, 1, value == &r->max_age, high, &number)) {
        *value = (int64_t) number;
    }
}

static void read_host(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    if (r->advice != NULL) {
        pb_item_error(&r->item, "a host after the first tree");
        return;
    }
    if (r->n_hosts >= PB_HOST_SET_MAX) {
        pb_item_error(&r->item, "there are more than %d hosts", PB_HOST_SET_MAX);
        return;
    }
    r->hosts[r->n_hosts] = strdup(r->item.words[1]);
    if (r->hosts[r->n_hosts] == NULL) {
        r->item.error = PB_ERR_NO_MEMORY;
        return;
    }
    r->n_hosts++;
}

/** The head and the hosts are over: makes the advice that trees are added to. */
static bool end_head(reader_t *r)
{
    if (r->advice != NULL || pb_item_has_errors(&r->item)) {
        return r->advice != NULL;
    }
    if (r->written < 0 || r->max_age < 0) {
        pb_diag_error(r->item.diag, r->item.file, 0, "the line '%s' is missing before the trees",
                      r->written < 0 ? "written NANOSECONDS" : "max-age SECONDS");
        return false;
    }
    const int error =
        pb_advice_new((const char *const *) r->hosts, r->n_hosts, (int) r->max_age, &r->advice);
    if (error == PB_ERR_INPUT || (error == PB_SUCCESS && r->advice->hosts->n != r->n_hosts)) {
        pb_diag_error(r->item.diag, r->item.file, 0,
                      "the hosts are none, repeat, or have odd names");
    } else {
        r->item.error = error;
    }
    if (error == PB_SUCCESS) {
        r->advice->written = r->written;
    }
    return !pb_item_has_errors(&r->item) && error == PB_SUCCESS;
}

static void read_written(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    read_head(r, &r->written, INT64_MAX);
}

static void read_max_age(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    read_head(r, &r->max_age, PB_ADVICE_MAX_AGE);
}

/* ---- trees ---- */

static void drop_tree(reader_t *r)
{
    pb_advice_tree_clear(&r->tree);
    free(r->n_children);
    r->n_children = NULL;
}

/** The tree that was read so far is over. */
static void end_tree(reader_t *r)
{
    if (r->tree.n_streams == 0 || r->item.error != PB_SUCCESS) {
        return;
    }
    const int error = pb_advice_add(r->advice, &r->tree);
    if (error == PB_ERR_INPUT) {
        pb_diag_error(r->item.diag, r->item.file, r->tree_line,
                      "is no tree from its root over all hosts in each stream, or its sizes "
                      "overlap with those of another from this root, or there are more than %d",
                      PB_ADVICE_MAX_TREES);
    } else {
        r->item.error = error;
    }
    drop_tree(r);
}

/** The host that word i names, or an error. */
static int read_member(reader_t *r, int i)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    const int host = pb_host_set_find(r->advice->hosts, r->item.words[i]);
    if (host < 0) {
        pb_item_error(&r->item, "'%s' is not among the hosts",
                      pb_diag_quote_text(quote, r->item.words[i]));
    }
    return host;
}

static void read_tree(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    uint64_t segment, n_streams;
    end_tree(r);
    if (!end_head(r) || r->item.error != PB_SUCCESS) {
        return;
    }
    pb_advice_tree_t *tree = &r->tree;
    const int root = read_member(r, 1);
    if (root < 0 || !pb_item_number(&r->item, "the smallest size", 3, 0, INT64_MAX, &tree->least) ||
        !pb_item_number(&r->item, "the largest size", 5, 0, INT64_MAX, &tree->most) ||
        !pb_item_number(&r->item, NULL, 7, 1, PB_ADVICE_MAX_SEGMENT, &segment) ||
        !pb_item_number(&r->item, NULL, 9, 1, PB_ADVICE_MAX_STREAMS, &n_streams)) {
        return;
    }
    tree->root = root;
    tree->segment = (uint32_t) segment;
    r->tree_line = r->item.line;
    r->n_children =
        calloc((size_t) n_streams * (size_t) r->advice->hosts->n, sizeof(*r->n_children));
    if (r->n_children == NULL) {
        r->item.error = PB_ERR_NO_MEMORY;
        return;
    }
    for (uint64_t i = 0; i < n_streams; i++) {
        tree->streams[i] = pb_tree_new(r->advice->hosts->n, root);
        if (tree->streams[i] == NULL) {
            r->item.error = PB_ERR_NO_MEMORY;
            return;
        }
    }
    tree->n_streams = (int) n_streams;
}

static void read_edge(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    uint64_t stream;
    if (r->tree.n_streams == 0) {
        if (!pb_item_has_errors(&r->item)) {
            pb_item_error(&r->item, "an edge has no tree before it");
        }
        return;
    }
    if (!pb_item_number(&r->item, "the stream", 1, 0, (uint64_t) r->tree.n_streams - 1, &stream)) {
        return;
    }
    const int parent = read_member(r, 2), child = read_member(r, 3);
    if (parent < 0 || child < 0) {
        return;
    }
    pb_tree_t *tree = r->tree.streams[stream];
    if (tree->parent[child] != PB_TREE_OUTSIDE) {
        pb_item_error(&r->item, "this child is the root, or has a parent already");
        return;
    }
    tree->parent[child] = parent;
    tree->child_index[child] =
        r->n_children[stream * (uint64_t) r->advice->hosts->n + (uint64_t) parent]++;
}

/* ---- the file ---- */

static const pb_item_t items[] = {
    {"written NANOSECONDS", read_written, NULL},
    {"max-age SECONDS", read_max_age, NULL},
    {"host NAME", read_host, NULL},
    {"tree HOST from BYTES to BYTES segment BYTES streams NUMBER", read_tree, NULL},
    {"edge STREAM HOST HOST", read_edge, NULL},
    PB_ITEM_END,
};

static const pb_item_file_t advice_file = {.name = "pipebcast-advice",
                                           .version = PB_ADVICE_VERSION,
                                           .remedy = "use one version everywhere",
                                           .items = items,
                                           .n_items = sizeof(items) / sizeof(items[0]),
                                           .strict = true,
                                           .has_end = true};

/** Reads all lines. */
static int read_items(reader_t *r, const char *text, size_t length, const char *name,
                      pb_diag_t *diag)
{
    (void) pb_item_read(&r->item, &advice_file, text, length, name, diag, r);
    end_tree(r);
    if (r->item.error == PB_SUCCESS) {
        (void) end_head(r);
    }
    if (r->item.error != PB_SUCCESS) {
        return r->item.error;
    }
    return pb_item_has_errors(&r->item) ? PB_ERR_INPUT : PB_SUCCESS;
}

int pb_advice_parse(const char *text, size_t length, const char *name, pb_advice_t **advice_p,
                    pb_diag_t *diag)
{
    reader_t r = {.written = -1, .max_age = -1};
    *advice_p = NULL;
    r.hosts = calloc(PB_HOST_SET_MAX, sizeof(*r.hosts));
    if (r.hosts == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const int error = read_items(&r, text, length, name, diag);
    drop_tree(&r);
    for (int i = 0; i < r.n_hosts; i++) {
        free(r.hosts[i]);
    }
    free(r.hosts);
    if (error == PB_SUCCESS) {
        *advice_p = r.advice;
    } else {
        pb_advice_free(r.advice);
    }
    return error;
}

/* ---- writing ---- */

typedef struct edge {
    int child_index, child;
} edge_t;

static int compare_edges(const void *a, const void *b)
{
    const edge_t *x = a, *y = b;
    if (x->child_index != y->child_index) {
        return x->child_index < y->child_index ? -1 : 1;
    }
    return x->child < y->child ? -1 : x->child > y->child;
}

/** The edges of one stream; `edges` has room for the hosts. */
static void write_stream(const pb_host_set_t *hosts, const pb_tree_t *tree, int stream,
                         edge_t *edges, FILE *file)
{
    size_t n = 0;
    for (int i = 0; i < tree->n_nodes; i++) {
        if (i != tree->root) {
            edges[n++] = (edge_t){.child_index = tree->child_index[i], .child = i};
        }
    }
    qsort(edges, n, sizeof(*edges), compare_edges);
    for (size_t i = 0; i < n; i++) {
        fprintf(file, "edge %d %s %s\n", stream, hosts->name[tree->parent[edges[i].child]],
                hosts->name[edges[i].child]);
    }
}

int pb_advice_write(const pb_advice_t *advice, FILE *stream)
{
    const int n_hosts = advice->hosts->n;
    int64_t n_items = 2 + n_hosts;
    edge_t *edges = malloc((size_t) n_hosts * sizeof(*edges));
    if (edges == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    fprintf(stream, "pipebcast-advice %d\nwritten %" PRId64 "\nmax-age %d\n", PB_ADVICE_VERSION,
            advice->written, advice->max_age);
    for (int i = 0; i < n_hosts; i++) {
        fprintf(stream, "host %s\n", advice->hosts->name[i]);
    }
    for (int i = 0; i < advice->n_trees; i++) {
        const pb_advice_tree_t *tree = &advice->trees[i];
        fprintf(stream, "tree %s from %" PRIu64 " to %" PRIu64 " segment %" PRIu32 " streams %d\n",
                advice->hosts->name[tree->root], tree->least, tree->most, tree->segment,
                tree->n_streams);
        for (int s = 0; s < tree->n_streams; s++) {
            write_stream(advice->hosts, tree->streams[s], s, edges, stream);
        }
        n_items += 1 + (int64_t) tree->n_streams * (n_hosts - 1);
    }
    fprintf(stream, "end %" PRId64 "\n", n_items);
    free(edges);
    return fflush(stream) == 0 && !ferror(stream) ? PB_SUCCESS : PB_ERR_IO;
}

/* ---- the directory ---- */

/** Makes the path of a file; false if it is too long. */
static bool make_path(const char *dir, const pb_host_set_t *hosts, char path[PATH_MAX])
{
    return (size_t) snprintf(path, PATH_MAX, "%s/advice-%016" PRIx64, dir, hosts->hash) < PATH_MAX;
}

static int path_of(const char *dir, const pb_host_set_t *hosts, char path[PATH_MAX],
                   pb_diag_t *diag)
{
    if (!make_path(dir, hosts, path)) {
        pb_diag_error(diag, dir, 0, "is too long a path");
        return PB_ERR_IO;
    }
    return PB_SUCCESS;
}

static int read_path(const char *path, const pb_host_set_t *hosts, pb_advice_t **advice_p,
                     pb_diag_t *diag)
{
    char *text;
    size_t length;
    int error = pb_text_file_read(path, "file of advice", MAX_FILE, &text, &length, diag);
    if (error != PB_SUCCESS) {
        return error;
    }
    error = pb_advice_parse(text, length, path, advice_p, diag);
    free(text);
    if (error == PB_SUCCESS && !pb_host_set_equal((*advice_p)->hosts, hosts)) {
        pb_diag_error(diag, path, 0, "is for other hosts than its name says");
        pb_advice_free(*advice_p);
        *advice_p = NULL;
        error = PB_ERR_INPUT;
    }
    return error;
}

int pb_advice_read(const char *dir, const pb_host_set_t *hosts, pb_advice_t **advice_p,
                   pb_diag_t *diag)
{
    char path[PATH_MAX];
    *advice_p = NULL;
    const int error = path_of(dir, hosts, path, diag);
    if (error != PB_SUCCESS) {
        return error;
    }
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        return PB_SUCCESS;
    }
    return read_path(path, hosts, advice_p, diag);
}

pb_advice_version_t pb_advice_version(const char *dir, const pb_host_set_t *hosts)
{
    char path[PATH_MAX];
    struct stat file;
    if (!make_path(dir, hosts, path) || stat(path, &file) != 0) {
        return (pb_advice_version_t){0};
    }
    return (pb_advice_version_t){.inode = (uint64_t) file.st_ino,
                                 .bytes = (int64_t) file.st_size,
                                 .written = (int64_t) file.st_mtim.tv_sec * 1000000000 +
                                            file.st_mtim.tv_nsec};
}

bool pb_advice_version_is(const pb_advice_version_t *a, const pb_advice_version_t *b)
{
    return a->inode == b->inode && a->bytes == b->bytes && a->written == b->written;
}

/** Writes to a file in the same directory and renames it. */
static int replace(const pb_advice_t *advice, const char *path, pb_diag_t *diag)
{
    char beside[PATH_MAX + 16];
    int error = PB_ERR_IO;
    snprintf(beside, sizeof(beside), "%s.XXXXXX", path);
    const int fd = mkstemp(beside);
    FILE *stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (stream != NULL) {
        (void) fchmod(fd, 0644); /* jobs of other users may read it */
        error = pb_advice_write(advice, stream);
        error = fclose(stream) != 0 && error == PB_SUCCESS ? PB_ERR_IO : error;
    } else if (fd >= 0) {
        close(fd);
    }
    if (error == PB_SUCCESS && rename(beside, path) != 0) {
        error = PB_ERR_IO;
    }
    if (error == PB_ERR_IO) {
        pb_diag_error(diag, path, 0, "cannot be written: %s", strerror(errno));
    }
    if (error != PB_SUCCESS && fd >= 0) {
        (void) unlink(beside);
    }
    return error;
}

int pb_advice_publish(const char *dir, pb_advice_t *advice, pb_diag_t *diag)
{
    char path[PATH_MAX];
    const int error = path_of(dir, advice->hosts, path, diag);
    if (error != PB_SUCCESS) {
        return error;
    }
    advice->written = pb_advice_now();
    return replace(advice, path, diag);
}
