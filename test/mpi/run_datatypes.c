/*
 * One signature described by different (count, datatype) pairs on different
 * ranks. Each layout is filled and read through MPI_Pack, MPI_Unpack of its own
 * rank; what lies in gaps must stay as it was.
 * Usage: run_datatypes [DOUBLES]: with a number only every other double of an array of DOUBLES,
 * which makes far more segments than a window. With "ways" nonblocking and
 * persistent ones among them, whose datatypes are freed immediately.
 */
#include <complex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "layouts.h"

#define ROOM (2 * LAYOUTS_REACH)
#define START LAYOUTS_REACH
#define GAP_BYTE 0x5c

/** A copy of what the layout describes in `buffer`, packed. */
static char *packed_copy(const layout_t *layout, const void *buffer, int bytes)
{
    char *copy = must_malloc((size_t) bytes);
    int at = 0;
    memset(copy, 0, (size_t) bytes);
    MPI_Pack(buffer, layout->count, layout->type, copy, bytes, &at, MPI_COMM_SELF);
    check(at == bytes, "%s packs to %d bytes, not %d", layout->name, at, bytes);
    return copy;
}

/** Tells whether only bytes of the layout changed: the others are what a fresh unpack leaves too.
 */
static bool gaps_are_untouched(const layout_t *layout, const char *room, const char *packed,
                               int bytes)
{
    char *expected = must_malloc(ROOM);
    int at = 0;
    memset(expected, GAP_BYTE, ROOM);
    MPI_Unpack(packed, bytes, &at, expected + START, layout->count, layout->type, MPI_COMM_SELF);
    const bool same = memcmp(expected, room, ROOM) == 0;
    free(expected);
    return same;
}

/** The ways of broadcasts by turns, else all are blocking. */
static bool in_all_ways;

/** By other ways than MPI_Bcast as one element of a type that is freed immediately. */
static int broadcast_by(way_t way, void *at, const layout_t *layout, int root)
{
    MPI_Datatype type;
    MPI_Request request;
    if (way == BLOCKING) {
        return MPI_Bcast(at, layout->count, layout->type, root, MPI_COMM_WORLD);
    }
    MPI_Type_contiguous(layout->count, layout->type, &type);
    MPI_Type_commit(&type);
    const int rc = bcast_begin(way, at, 1, type, root, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    return rc != MPI_SUCCESS ? rc : bcast_end(way, &request);
}

/** The root sends the pattern in its layout; each rank has the layout of (rank + shift). */
static void broadcast(const layout_t *layouts, int n_layouts, int root, int shift)
{
    const layout_t *layout = &layouts[(my_rank + shift) % n_layouts];
    int type_size;
    MPI_Type_size(layout->type, &type_size);
    const int bytes = type_size * layout->count;
    char *room = must_malloc(ROOM);
    char *sent = must_malloc((size_t) bytes);
    int at = 0;
    memset(room, GAP_BYTE, ROOM);
    pattern_fill(sent, (size_t) bytes, (unsigned) (root + shift));
    if (my_rank == root) {
        MPI_Unpack(sent, bytes, &at, room + START, layout->count, layout->type, MPI_COMM_SELF);
    }
    const way_t way = in_all_ways ? (way_t) ((root + shift) % N_WAYS) : BLOCKING;
    const int rc = broadcast_by(way, room + START, layout, root);
    check(rc == MPI_SUCCESS, "%s: MPI_Bcast returns %d", layout->name, rc);
    char *got = packed_copy(layout, room + START, bytes);
    check(memcmp(got, sent, (size_t) bytes) == 0, "%s, root %d: wrong data", layout->name, root);
    check(gaps_are_untouched(layout, room, sent, bytes), "%s, root %d: gaps were written",
          layout->name, root);
    free(got);
    free(sent);
    free(room);
}

/** All roots and shifts of a family of layouts. Frees them. */
static void broadcast_family(layouts_t family)
{
    for (int shift = 0; shift < family.n; shift++) {
        for (int root = 0; root < n_ranks; root++) {
            broadcast(family.layout, family.n, root, shift);
        }
    }
    layouts_free(&family);
}

static void fill(double *values, int n, int root)
{
    for (int i = 0; i < n; i++) {
        values[i] = my_rank == root ? i + root : -1;
    }
}

/** A type of absolute addresses, at MPI_BOTTOM on odd ranks; every `step`th double. */
static void test_bottom(double *values, int n, int step, int root)
{
    MPI_Datatype inner, type;
    MPI_Aint address;
    int one = 1;
    MPI_Type_vector(n, 1, step, MPI_DOUBLE, &inner);
    MPI_Type_commit(&inner);
    MPI_Get_address(values, &address);
    MPI_Type_create_struct(1, &one, &address, &inner, &type);
    MPI_Type_commit(&type);
    fill(values, 2 * n, root);
    MPI_Bcast(my_rank % 2 ? MPI_BOTTOM : values, 1, my_rank % 2 ? type : inner, root,
              MPI_COMM_WORLD);
    for (int i = 0; i < 2 * n; i++) {
        const bool is_sent = i % step == 0 && i < n * step;
        check(values[i] == (is_sent || my_rank == root ? i + root : -1),
              "every double of %d, element %d from %d", step, i, root);
    }
    MPI_Type_free(&type);
    MPI_Type_free(&inner);
}

static void test_doubles(int n, int step, int next_root)
{
    double *values = must_malloc((size_t) n * 2 * sizeof(double));
    for (int root = 0; root < n_ranks; root += next_root) {
        test_bottom(values, n, step, root);
    }
    free(values);
}

/** Value at `i` of values in steps, each of `width`. */
static long double long_double_at(int i, int step, int width, int root)
{
    const int whole = i / step * width;
    return whole + i % step + root + 0.25L;
}

/**
 * Elements of `width` long doubles, by value. From 5.0 on, Open MPI copies them without the bytes
 * that pad them, so bytes cannot be compared as for other types.
 */
static void test_long_doubles(MPI_Datatype of, int width, int n)
{
    const int step = width * (1 + my_rank % 3);
    long double *values = must_malloc((size_t) (n * step) * sizeof(*values));
    MPI_Datatype type;
    MPI_Type_vector(n, 1, step / width, of, &type);
    MPI_Type_commit(&type);
    for (int root = 0; root < n_ranks; root++) {
        for (int i = 0; i < n * step; i++) {
            values[i] = my_rank == root ? long_double_at(i, step, width, root) : -1;
        }
        MPI_Bcast(values, 1, type, root, MPI_COMM_WORLD);
        for (int i = 0; i < n * step; i++) {
            const bool is_gap = i % step >= width && my_rank != root;
            check(values[i] == (is_gap ? -1 : long_double_at(i, step, width, root)),
                  "long double %d of step %d, root %d", i, step, root);
        }
    }
    MPI_Type_free(&type);
    free(values);
}

/** Messages without bytes: no count, or a type that has none. */
static void test_empty(void)
{
    MPI_Datatype nothing;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    char guard = 'g';
    for (int root = 0; root < n_ranks; root++) {
        int rc;
        if (my_rank % 3 == 0) {
            rc = MPI_Bcast(&guard, 0, MPI_DOUBLE, root, MPI_COMM_WORLD);
        } else {
            rc = MPI_Bcast(&guard, 1000 * my_rank, nothing, root, MPI_COMM_WORLD);
        }
        check(rc == MPI_SUCCESS && guard == 'g', "nothing from root %d", root);
    }
    MPI_Type_free(&nothing);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    in_all_ways = argc > 1 && strcmp(argv[1], "ways") == 0;
    if (argc > 1 && !in_all_ways) {
        test_doubles((int) argument(argc, argv, 1, 0), 2, 3);
        return check_done("run_datatypes");
    }
    test_empty();
    broadcast_family(layouts_of_elements(MPI_CHAR, 960));
    broadcast_family(layouts_of_elements(MPI_SHORT, 960));
    broadcast_family(layouts_of_elements(MPI_DOUBLE, 480));
    broadcast_family(layouts_of_elements(MPI_C_DOUBLE_COMPLEX, 480));
    test_long_doubles(MPI_LONG_DOUBLE, 1, 240);
    test_long_doubles(MPI_C_LONG_DOUBLE_COMPLEX, 2, 240);
    broadcast_family(layouts_of_elements(MPI_DOUBLE_INT, 240));
    broadcast_family(layouts_of_elements(MPI_SHORT_INT, 240));
    broadcast_family(layouts_of_elements(MPI_LONG_DOUBLE_INT, 240));
    broadcast_family(layouts_of_structs(120));
    test_doubles(300, 1, 1);
    test_doubles(300, 2, 1);
    test_empty();
    return check_done("run_datatypes");
}
