/* The reader of files of items, by a small kind of file. */
#include <string.h>

#include "test/tap.h"
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

/* Reads a text of which the first fault begins with `fault`; NULL: none. */
static int expect(const char *what, const char *text, size_t length, seen_t *seen,
                  const char *fault)
{
    pb_item_reader_t r;
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = pb_item_read(&r, &kind, text, length, "f", &diag, seen);
    const char *first = diag.n_faults > 0 ? pb_diag_first(&diag) : "none";
    ok(fault != NULL ? error == PB_ERR_INPUT && strncmp(first, fault, strlen(fault)) == 0
                     : error != PB_ERR_INPUT && diag.n_faults == 0,
       "%s: %s", what, first);
    pb_diag_clear(&diag);
    return error;
}

static void expect_fault(const char *what, const char *text, const char *fault)
{
    seen_t seen = {.n_points = 0};
    expect(what, text, strlen(text), &seen, fault);
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

static void test_faults(void)
{
    expect_fault("nothing", "", "f: the file is empty; the first line must be: points 3");
    expect_fault("another file", "lines 3\npoint\n", "f:1: begins with 'lines'; the first line");
    expect_fault("no version", "points\n", "f:1: begins with 'points'; the first line");
    expect_fault("another version", "\npoints 4\n",
                 "f:2: is of version 4, but this program reads version 3; draw again");
    expect_fault("an unknown item", "points 3\nline 1\n",
                 "f:2: unknown item 'line'; known are point, stop and end");
    expect_fault("another form", "points 3\npoint 1\n",
                 "f:2: the line is not of the form: point X at Y");
    expect_fault("another word", "points 3\npoint 1 to 2\n", "f:2: the line is not of the form");
    expect_fault("a number with a name", "points 3\npoint 10 at 1\n",
                 "f:2: the abscissa is '10', but must be a whole number from 0 to 9");
    expect_fault("a number without", "points 3\npoint 1 at 0\n", "f:2: at is '0', but must be");
    expect_fault("too many words", "points 3\n1 2 3 4 5 6 7 8 9 a b c d e f g h\n",
                 "f:2: has more than 16 words");
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

static void test_end(void)
{
    kind.has_end = true;
    expect_fault("an end", "points 3\npoint 1 at 2\nend 1\n", NULL);
    expect_fault("no end", "points 3\npoint 1 at 2\n", "f:2: the file has no end line");
    expect_fault("a wrong count", "points 3\npoint 1 at 2\nend 2\n",
                 "f:3: the end counts 2 items, but there are 1");
    expect_fault("something behind it", "points 3\nend 0\nstop\n",
                 "f:3: 'stop' comes behind the end on line 2");
    expect_fault("an end of another form", "points 3\nend\n",
                 "f:2: the line is not of the form: end");
    kind.has_end = false;
}

static void test_strict(void)
{
    kind.strict = true;
    expect_fault("no empty line", "points 3\n\n", "f:2: the line is empty");
    expect_fault("no comment", "points 3\n# x\n", "f:2: unknown item '#'");
    kind.strict = false;
}

int main(void)
{
    test_right();
    test_faults();
    test_long_lines();
    test_end();
    test_strict();
    return tap_done();
}
