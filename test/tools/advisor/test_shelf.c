/* Trees with sizes and times, and what a new one does to them; test_advisor.sh has those of a
 * program before. */
#include "contrib/adaptive/advisor/shelf.h"

#include <stdlib.h>
#include <unistd.h>

#include "test/tap.h"

#define SECOND INT64_C(1000000000)

static const char *const names[] = {"a", "b", "c"};

static pb_advice_tree_t make_tree(int root, uint64_t least, uint64_t most, uint32_t segment)
{
    pb_advice_tree_t tree = {.root = root,
                             .least = least,
                             .most = most,
                             .segment = segment,
                             .n_streams = 1,
                             .streams = {pb_tree_new(3, root)}};
    for (int i = 0; i < 3; i++) {
        tree.streams[0]->parent[i] = i == root ? -1 : root;
    }
    return tree;
}

static int put(pb_advice_t **shelf, int root, uint64_t least, uint64_t most, uint32_t segment,
               int64_t now)
{
    pb_advice_tree_t tree = make_tree(root, least, most, segment);
    tree.found = now;
    const int error = advise_shelf_put(shelf, &tree);
    pb_tree_free(tree.streams[0]);
    return error;
}

/** The segment size of the tree for a size, which tells trees apart here; 0: none. */
static uint32_t segment_at(const pb_advice_t *shelf, int root, uint64_t bytes, int64_t now)
{
    const pb_advice_tree_t *tree = advise_shelf_find(shelf, root, bytes, now);
    return tree != NULL ? tree->segment : 0;
}

static void test_ranges(const pb_host_set_t *hosts, const char *dir)
{
    pb_advice_t *shelf;
    const int64_t now = 1000 * SECOND;
    ok(advise_shelf_open(dir, hosts, 10, &shelf) == PB_SUCCESS && shelf->n_trees == 0,
       "an empty directory, an empty shelf");
    ok(put(&shelf, 0, 100, 199, 1, now) == PB_SUCCESS && put(&shelf, 0, 200, 999, 2, now) == 0 &&
           put(&shelf, 1, 100, 999, 3, now) == PB_SUCCESS,
       "three trees");
    ok(put(&shelf, 0, 150, 300, 4, now) == PB_SUCCESS && segment_at(shelf, 0, 149, now) == 1 &&
           segment_at(shelf, 0, 150, now) == 4 && segment_at(shelf, 0, 300, now) == 4 &&
           segment_at(shelf, 0, 301, now) == 2,
       "a new one takes its sizes from two");
    ok(put(&shelf, 0, 500, 600, 5, now) == PB_SUCCESS && segment_at(shelf, 0, 499, now) == 2 &&
           segment_at(shelf, 0, 550, now) == 5 && segment_at(shelf, 0, 601, now) == 2,
       "or from the middle of one");
    ok(segment_at(shelf, 1, 550, now) == 3, "another root's trees stay");
    ok(put(&shelf, 0, 400, 100, 6, now) == PB_ERR_INPUT && segment_at(shelf, 0, 550, now) == 5,
       "no sizes at all leave the shelf as it was");
    pb_advice_free(shelf);
}

static void test_ages(const pb_host_set_t *hosts, const char *dir)
{
    pb_advice_t *shelf;
    (void) advise_shelf_open(dir, hosts, 10, &shelf);
    (void) put(&shelf, 0, 100, 199, 1, 1000 * SECOND);
    ok(segment_at(shelf, 0, 150, 1010 * SECOND) == 1 &&
           segment_at(shelf, 0, 150, 1011 * SECOND) == 0,
       "a tree holds for its age");
    (void) put(&shelf, 0, 300, 399, 2, 1011 * SECOND);
    ok(shelf->n_trees == 1, "an old one is thrown away when another is written");
    pb_advice_free(shelf);
}

int main(void)
{
    char dir[] = "shelf.XXXXXX", command[64];
    pb_host_set_t *hosts;
    if (mkdtemp(dir) == NULL || pb_host_set_new(names, 3, &hosts) != PB_SUCCESS) {
        return EXIT_FAILURE;
    }
    test_ranges(hosts, dir);
    test_ages(hosts, dir);
    pb_host_set_free(hosts);
    snprintf(command, sizeof command, "rm -r '%s'", dir);
    ok(system(command) == 0, "cleared up");
    return tap_done();
}
