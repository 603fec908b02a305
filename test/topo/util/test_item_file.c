/* The reader of files of items, by a small kind of file. */
#include <string.h>

#include "test/tap.h"
#include "test/topo/util/golden.h"
#include "topo/util/error.h"
#include "topo/util/item_file.h"

typedef struct seen {
    int n_points, n_refused;
    uint64_t x, y;
    int fail_at; /* the point that is out of memory; 0: none */
} seen_t;

static void read_point(pb_item_reader_t *r)
{
    seen_t *seen = r->context;
    seen->n_points++;
    if (seen->n_points == seen->fail_at) {
        r->error = PB_ERR_NO_MEMORY;
    }
    if (pb_item_number(r, "the abscissa", 1, 0, 9, &seen->x)) {
        (void) pb_item_number(r, NULL, 3, 1, 9, &seen->y);
    }
}

static void refuse_point(pb_item_reader_t *r)
{
    seen_t *seen = r->context;
    seen->n_refused++;
}

static void read_stop(pb_item_reader_t *r)
{
    r->stop = true;
}

static const pb_item_t items[] = {
    {"point X at Y", read_point, refuse_point},
    {"point X at Y named NAME", read_point, refuse_point},
    {"stop", read_stop, NULL},
    PB_ITEM_END,
};

static pb_item_file_t kind = {.name = "points",
                              .version = 3,
                              .remedy = "draw again",
                              .items = items,
                              .n_items = sizeof(items) / sizeof(items[0])};

/* Reads a text whose first error begins with `error`; NULL: none. */
static int expect(const char *what, const char *text, size_t length, seen_t *seen,
                  const char *fault)
{
    pb_item_reader_t r;
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = pb_item_read(&r, &kind, text, length, "f", &diag, seen);
    const char *first = diag.n_errors > 0 ? pb_diag_first(&diag) : "none";
    ok(fault != NULL ? error == PB_ERR_INPUT && strncmp(first, fault, strlen(fault)) == 0
                     : error != PB_ERR_INPUT && diag.n_errors == 0,
       "%s: %s", what, first);
    pb_diag_clear(&diag);
    return error;
}

static void test_right(void)
{
    static const char text[] =
        "# a comment\n\n points\t3 # so\npoint 4 at 5\r\npoint 6 at 7 named x";
    seen_t seen = {.n_points = 0};
    expect("items, comments, blanks, no last newline", text, sizeof(text) - 1, &seen, NULL);
    ok(seen.n_points == 2 && seen.x == 6 && seen.y == 7, "both forms of an item");
    seen = (seen_t){.fail_at = 1};
    ok(expect("out of memory", text, sizeof(text) - 1, &seen, NULL) == PB_ERR_NO_MEMORY &&
           seen.n_points == 1,
       "ends the reading");
    seen = (seen_t){.fail_at = 0};
    expect("an item may stop it", "points 3\nstop\nwhat", 18, &seen, NULL);
}

/* Of a plain kind of file, one with an end, or a strict one. */
static void test_fault(char *const *columns, int n)
{
    seen_t seen = {.n_points = 0};
    kind.has_end = strcmp(columns[0], "end") == 0;
    kind.strict = strcmp(columns[0], "strict") == 0;
    expect(columns[1], columns[2], strlen(columns[2]), &seen,
           n == 4 && columns[3][0] != '\0' ? columns[3] : NULL);
    kind.has_end = kind.strict = false;
}

static void test_faults(void)
{
    ok(golden_rows("util/items.rows", test_fault) == 17, "there are rows");
    seen_t seen = {.n_points = 0};
    expect("a NUL byte", "points 3\npo\0nt 1 at 2\n", 21, &seen, "f:2: there is a NUL byte");
    expect("a refused form", "points 3\npoint\n", 15, &seen, "f:2: ");
    ok(seen.n_refused == 1, "is known to its reader");
}

static void test_long_lines(void)
{
    char text[PB_ITEM_MAX_LINE + 20] = "points 3\npoint 1 at 2";
    seen_t seen = {.n_points = 0};
    memset(text + strlen(text), ' ', sizeof(text) - strlen(text));
    expect("the longest line", text, 9 + PB_ITEM_MAX_LINE, &seen, NULL);
    ok(seen.n_points == 1, "is read");
    expect("a longer one", text, 9 + PB_ITEM_MAX_LINE + 1, &seen, "f:2: the line is longer than");
}

int main(void)
{
    test_right();
    test_faults();
    test_long_lines();
    return tap_done();
}
