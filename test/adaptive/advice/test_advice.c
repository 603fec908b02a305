/* Advice: its file, good, invalid and half-written; its place in a directory; its version. */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contrib/adaptive/advice/advice.h"
#include "test/tap.h"
#include "test/topo/util/golden.h"

static const char *const hosts[] = {"n2", "n0", "n1", "n3"};
enum { N_HOSTS = 4 };

static char dir[] = "/tmp/pipebcast-advice.XXXXXX";

static char *path_in_dir(const char *name)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

static char *advice_path(const pb_host_set_t *set)
{
    char name[64];
    snprintf(name, sizeof(name), "advice-%016" PRIx64, set->hash);
    return path_in_dir(name);
}

/** The tree in which `root` sends to all others, the highest number first. */
static pb_tree_t *star(int root)
{
    pb_tree_t *tree = pb_tree_new(N_HOSTS, root);
    for (int i = 0; i < N_HOSTS; i++) {
        tree->parent[i] = i == root ? -1 : root;
        tree->child_index[i] = N_HOSTS - i;
    }
    return tree;
}

/** Advice with a tree of one stream from n0 and one of two streams from n3. */
static pb_advice_t *some_advice(void)
{
    pb_advice_t *advice;
    ok(pb_advice_new(hosts, N_HOSTS, 60, &advice) == PB_SUCCESS, "advice for four hosts");
    pb_tree_t *from_0 = star(0), *from_3 = star(3);
    pb_advice_tree_t tree = {.root = 0,
                             .least = 1024,
                             .most = 99999,
                             .segment = 1426,
                             .n_streams = 1,
                             .streams = {from_0}};
    ok(pb_advice_add(advice, &tree) == PB_SUCCESS, "a tree is added");
    tree = (pb_advice_tree_t){.root = 3,
                              .least = 0,
                              .most = 4096,
                              .segment = 100,
                              .n_streams = 2,
                              .streams = {from_3, from_3}};
    ok(pb_advice_add(advice, &tree) == PB_SUCCESS, "another one");
    pb_tree_free(from_0);
    pb_tree_free(from_3);
    return advice;
}

static char *text_of(const pb_advice_t *advice, size_t *length_p)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length_p);
    const int error = pb_advice_write(advice, stream);
    fclose(stream);
    ok(error == PB_SUCCESS, "advice is written");
    return text;
}

static void test_add(void)
{
    pb_advice_t *advice = some_advice(), *none;
    pb_tree_t *tree = star(0);
    const pb_advice_tree_t good = {.root = 0,
                                   .least = 100000,
                                   .most = 200000,
                                   .segment = 1,
                                   .n_streams = 1,
                                   .streams = {tree}};
    pb_advice_tree_t bad = good;
    ok(pb_advice_find(advice, 0, 1024) == &advice->trees[0] &&
           pb_advice_find(advice, 0, 99999) == &advice->trees[0] &&
           pb_advice_find(advice, 3, 0) == &advice->trees[1] &&
           pb_advice_find(advice, 0, 1023) == NULL && pb_advice_find(advice, 0, 100000) == NULL &&
           pb_advice_find(advice, 1, 2000) == NULL,
       "a tree is found for its root and its sizes alone");
    bad.least = 99999;
    ok(pb_advice_add(advice, &bad) == PB_ERR_INPUT, "overlapping sizes");
    bad = good;
    bad.root = 4;
    ok(pb_advice_add(advice, &bad) == PB_ERR_INPUT, "no such root");
    bad.root = 1;
    ok(pb_advice_add(advice, &bad) == PB_ERR_INPUT, "the tree has another root");
    bad = good;
    bad.most = 99999;
    ok(pb_advice_add(advice, &bad) == PB_ERR_INPUT, "no sizes");
    bad = good;
    bad.segment = 0;
    ok(pb_advice_add(advice, &bad) == PB_ERR_INPUT, "no segment");
    bad = good;
    bad.n_streams = 0;
    ok(pb_advice_add(advice, &bad) == PB_ERR_INPUT, "no stream");
    tree->parent[2] = PB_TREE_OUTSIDE;
    ok(pb_advice_add(advice, &good) == PB_ERR_INPUT, "a host outside of the tree");
    tree->parent[2] = 3;
    tree->parent[3] = 2;
    ok(pb_advice_add(advice, &good) == PB_ERR_INPUT, "a cycle");
    ok(pb_advice_new(hosts, 0, 60, &none) == PB_ERR_INPUT && none == NULL, "no hosts");
    ok(pb_advice_new(hosts, 4, 0, &none) == PB_ERR_INPUT && none == NULL, "no age");
    pb_tree_free(tree);
    pb_advice_free(advice);
}

static void test_age(void)
{
    pb_advice_t *advice = some_advice();
    const int64_t second = 1000000000, then = 5000 * second;
    advice->written = then;
    ok(!pb_advice_is_stale(advice, then) && !pb_advice_is_stale(advice, then + 60 * second),
       "fresh until its age limit");
    ok(pb_advice_is_stale(advice, then + 60 * second + 1), "stale beyond");
    ok(pb_advice_is_stale(advice, then - 61 * second), "from the future: stale");
    pb_advice_free(advice);
}

static int parse(const char *text, size_t length, pb_advice_t **advice_p, char *fault, size_t size)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = pb_advice_parse(text, length, "x", advice_p, &diag);
    snprintf(fault, size, "%s", diag.n_errors > 0 ? pb_diag_first(&diag) : "");
    ok((error == PB_SUCCESS) == (diag.n_errors == 0) &&
           (error == PB_SUCCESS) == (*advice_p != NULL),
       "faults, result and advice go together");
    pb_diag_clear(&diag);
    return error;
}

static void test_round_trip(void)
{
    char fault[256];
    size_t length, again_length;
    pb_advice_t *advice = some_advice(), *again;
    advice->written = 1763728000123456789;
    char *text = text_of(advice, &length);
    ok(parse(text, length, &again, fault, sizeof(fault)) == PB_SUCCESS, "it is read again: %s",
       fault);
    char *again_text = text_of(again, &again_length);
    ok(length == again_length && memcmp(text, again_text, length) == 0,
       "and written again as it was");
    ok(again->written == advice->written && again->max_age == 60 &&
           again->trees[1].n_streams == 2 && again->trees[1].streams[1]->parent[0] == 3,
       "and says the same");
    int n_read = 0;
    for (size_t n = 0; n < length; n++) {
        pb_diag_t diag;
        pb_advice_t *half;
        pb_diag_init(&diag);
        n_read += pb_advice_parse(text, n, "x", &half, &diag) == PB_SUCCESS && n + 1 < length;
        pb_advice_free(half);
        pb_diag_clear(&diag);
    }
    ok(n_read == 0, "cut off after any of its %zu bytes it is not read", length);
    free(text);
    free(again_text);
    pb_advice_free(advice);
    pb_advice_free(again);
}

/** A text whose end is right, and its first error. */
static void check_faulty(char *const *columns, int n)
{
    char text[1024], fault[256];
    int n_items = -1;
    pb_advice_t *advice;
    for (const char *at = columns[0]; (at = strchr(at, '\n')) != NULL; at++) {
        n_items++;
    }
    snprintf(text, sizeof(text), "%send %d\n", columns[0], n_items);
    const int error = parse(text, strlen(text), &advice, fault, sizeof(fault));
    ok(n == 2 && error == PB_ERR_INPUT && strncmp(fault, columns[1], strlen(columns[1])) == 0,
       "fault: %s", fault);
}

static void test_faulty(void)
{
    char fault[256];
    pb_advice_t *advice;
    ok(golden_rows("advice/faulty.rows", check_faulty) == 30, "there are rows");
    ok(parse("", 0, &advice, fault, sizeof(fault)) == PB_ERR_INPUT, "an empty file: %s", fault);
}

static void write_file(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    ok(file != NULL && fwrite(text, 1, length, file) == length && fclose(file) == 0,
       "a file is there");
}

/** A reader recognizes each publication by the file's version. */
static void test_versions(pb_advice_t *advice)
{
    char long_path[5000];
    pb_diag_t diag;
    pb_diag_init(&diag);
    memset(long_path, 'x', sizeof(long_path) - 1);
    long_path[sizeof(long_path) - 1] = '\0';
    const pb_advice_version_t none = pb_advice_version(dir, advice->hosts);
    ok(none.inode == 0 && pb_advice_version(long_path, advice->hosts).inode == 0,
       "no version without a file, nor of a path that is too long");
    ok(pb_advice_publish(dir, advice, &diag) == PB_SUCCESS, "advice is published");
    const pb_advice_version_t first = pb_advice_version(dir, advice->hosts);
    const pb_advice_version_t same = pb_advice_version(dir, advice->hosts);
    ok(!pb_advice_version_is(&first, &none) && pb_advice_version_is(&first, &same),
       "it has a version, which stays");
    ok(pb_advice_publish(dir, advice, &diag) == PB_SUCCESS, "it is published again");
    const pb_advice_version_t second = pb_advice_version(dir, advice->hosts);
    ok(!pb_advice_version_is(&first, &second), "and has another version");
    pb_diag_clear(&diag);
}

static void test_folder(void)
{
    size_t length;
    pb_diag_t diag;
    pb_advice_t *advice = some_advice(), *read, *other;
    pb_diag_init(&diag);
    ok(pb_advice_read(dir, advice->hosts, &read, &diag) == PB_SUCCESS && read == NULL,
       "no advice yet");
    test_versions(advice);
    ok(pb_advice_read(dir, advice->hosts, &read, &diag) == PB_SUCCESS && read != NULL &&
           read->written == advice->written && !pb_advice_is_stale(read, pb_advice_now()),
       "and is read, and fresh");
    pb_advice_free(read);
    ok(pb_advice_new(hosts, 3, 60, &other) == PB_SUCCESS &&
           pb_advice_read(dir, other->hosts, &read, &diag) == PB_SUCCESS && read == NULL,
       "other hosts have none");
    char *text = text_of(advice, &length);
    write_file(advice_path(other->hosts), text, length);
    ok(pb_advice_read(dir, other->hosts, &read, &diag) == PB_ERR_INPUT && read == NULL,
       "advice under another set's name: %s", pb_diag_first(&diag));
    unlink(advice_path(other->hosts));
    write_file(advice_path(advice->hosts), text, length / 2);
    pb_diag_clear(&diag);
    ok(pb_advice_read(dir, advice->hosts, &read, &diag) == PB_ERR_INPUT && read == NULL,
       "half of it: %s", pb_diag_first(&diag));
    ok(pb_advice_publish("/nonexistent", advice, &diag) == PB_ERR_IO, "no directory");
    pb_diag_clear(&diag);
    unlink(advice_path(advice->hosts));
    ok(rmdir(dir) == 0, "nothing else is left in the directory");
    free(text);
    pb_advice_free(advice);
    pb_advice_free(other);
}

int main(void)
{
    if (mkdtemp(dir) == NULL) {
        return 99;
    }
    test_add();
    test_age();
    test_round_trip();
    test_faulty();
    test_folder();
    return tap_done();
}
