/*
 * Broadcasts without end: random sizes, roots, datatypes and communicators, with the assertions
 * that MPI has, blocking, or several nonblocking or persistent ones at a time. Ranks come late, and
 * the user's own messages follow. Every byte is verified, and memory reported. What all ranks must
 * do alike they draw from one generator, the rest each from its own. Nothing between the broadcasts
 * lets ranks meet but a word of rank 0 on whether to go on, and processes that are spawned.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/mpi/check.h"

enum {
    N_COMMS = 5,        /**< the world, and four that come and go */
    AT_ONCE = 3,        /**< the most nonblocking broadcasts at a time */
    LIFETIME = 15,      /**< turns after which one of them is made anew */
    WORD_EVERY = 10,    /**< turns between two words of rank 0 */
    PHASE = 60,         /**< broadcasts with one kind of arrival */
    MAY_GROW = 4 << 20, /**< bytes in use, from the first report to the last */
    MAY_WAIT = 8,       /**< messages that may wait to be received, besides */
    CHILD = 400 << 10,  /**< bytes that Open MPI keeps of a spawned process: 210 KB in 4.1.4 */
};

/** Value that fills gaps between elements, and must still be there at the end. */
#define GAP 0xee

typedef struct options {
    double seconds;
    double report; /**< seconds between two reports */
    uint64_t seed;
    int max_bytes;
    int delay_us; /**< a rank is late by so much at most */
    long spawn;   /**< turns between two spawned processes; 0: none */
} options_t;

typedef struct soak {
    options_t options;
    uint64_t common, own; /**< states of the generators */
    int rank, n_ranks;
    MPI_Comm comm[N_COMMS];         /**< MPI_COMM_NULL: this rank is in none */
    unsigned char *buffer[AT_ONCE]; /**< room for max_bytes with a gap behind each */
    unsigned char *wanted;          /**< the same, and behind it for max_bytes without gaps */
    long n_broadcasts, n_spawned;
    double n_bytes;
} soak_t;

/* ---- communicators ---- */

/**
 * Copies the world; the user may make one of MPI's assertions for the copy. Ranks meet after a
 * later assertion: Open MPI loses messages that allow overtaking at a rank where they do not yet.
 */
static MPI_Comm copy_world(int word)
{
    static const char *const hints[] = {"mpi_assert_no_any_source", "mpi_assert_no_any_tag",
                                        "mpi_assert_exact_length", "mpi_assert_allow_overtaking"};
    MPI_Comm comm;
    MPI_Info info;
    MPI_Info_create(&info);
    if (word % 5 < 4) {
        MPI_Info_set(info, hints[word % 5], "true");
    }
    if (word / 5 % 2 == 0) {
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    } else {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_info(comm, info);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Info_free(&info);
    return comm;
}

/** Puts another communicator in a place: a copy, one turned round, halves, or some ranks. */
static void renew(soak_t *s, int place)
{
    const int kind = draw(&s->common, 4);
    const int word = draw(&s->common, 1 << 30);
    int colour = 0, key = s->rank;
    if (s->comm[place] != MPI_COMM_NULL) {
        MPI_Comm_free(&s->comm[place]);
    }
    if (kind == 0) {
        s->comm[place] = copy_world(word);
        return;
    }
    if (kind == 1) {
        key = -s->rank;
    } else if (kind == 2) {
        colour = s->rank % 2;
    } else if ((word >> s->rank % 30 & 1) == 0) {
        colour = MPI_UNDEFINED;
    }
    MPI_Comm_split(MPI_COMM_WORLD, colour, key, &s->comm[place]);
}

/** Broadcasts of a drawn size by parents and a child, from each of them. */
static void visit(MPI_Comm inter, bool is_child, int bytes)
{
    MPI_Comm merged = check_meet(inter, is_child, "a visit");
    MPI_Bcast(&bytes, 1, MPI_INT, 0, merged);
    check_bcast_of_all((size_t) bytes, merged, "a visit, a drawn size");
    check_part(&merged);
}

static void spawn(soak_t *s, char *program)
{
    const int bytes = 1 + draw(&s->common, s->options.max_bytes);
    visit(check_spawn(program, 1, MPI_COMM_WORLD), false, bytes);
    s->n_spawned++;
}

static void make_all(soak_t *s)
{
    s->comm[0] = MPI_COMM_WORLD;
    for (int place = 1; place < N_COMMS; place++) {
        s->comm[place] = MPI_COMM_NULL;
        renew(s, place);
    }
}

static void free_all(soak_t *s)
{
    for (int place = 1; place < N_COMMS; place++) {
        if (s->comm[place] != MPI_COMM_NULL) {
            MPI_Comm_free(&s->comm[place]);
        }
    }
}

/* ---- data ---- */

/** Elements of one basic type, in blocks with as large a gap behind each. */
typedef struct layout {
    MPI_Datatype of;
    int size;  /**< bytes of an element */
    int n;     /**< elements */
    int block; /**< elements; n: no gaps */
} layout_t;

/** Signature from the common generator, block from this rank's own. */
static layout_t draw_layout(soak_t *s)
{
    const MPI_Datatype types[] = {MPI_BYTE, MPI_INT, MPI_DOUBLE};
    static const int sizes[] = {1, 4, 8}, blocks[] = {1, 3, 7, 64, 1000};
    const int which = draw(&s->common, 3);
    int octaves = 1;
    while (octaves < 30 && 1 << octaves < s->options.max_bytes) {
        octaves++;
    }
    const int most = 1 << (1 + draw(&s->common, octaves));
    const int bytes = 1 + draw(&s->common, most);
    layout_t layout = {types[which], sizes[which], bytes / sizes[which], 0};
    layout.n = layout.n * layout.size > s->options.max_bytes ? s->options.max_bytes / layout.size
                                                             : layout.n;
    layout.n = layout.n < 1 ? 1 : layout.n;
    layout.block = blocks[draw(&s->own, 5)];
    if (draw(&s->own, 2) == 0 || layout.n % layout.block != 0) {
        layout.block = layout.n;
    }
    return layout;
}

static size_t room_of(const layout_t *layout)
{
    return (size_t) layout->n * (size_t) layout->size * (layout->block < layout->n ? 2 : 1);
}

/** Writes the elements of `packed` in the layout, gaps between them. */
static void lay_out(const layout_t *layout, const unsigned char *packed, unsigned char *to)
{
    const size_t block = (size_t) layout->block * (size_t) layout->size;
    const size_t bytes = (size_t) layout->n * (size_t) layout->size;
    const size_t stride = layout->block < layout->n ? 2 * block : block;
    memset(to, GAP, room_of(layout));
    for (size_t at = 0; at < bytes; at += block) {
        memcpy(to + at / block * stride, packed + at, block);
    }
}

/* ---- broadcasts ---- */

/** Waits as the arrivals of this phase want it. */
static void arrive(soak_t *s)
{
    const int kind = (int) (s->n_broadcasts / PHASE % 4);
    const int late_rank = draw(&s->common, s->n_ranks);
    const int us = draw(&s->own, s->options.delay_us + 1);
    const bool is_late =
        kind == 1 || (kind == 2 && draw(&s->own, 4) == 0) || (kind == 3 && late_rank == s->rank);
    if (is_late) {
        wait_us(us);
    }
}

typedef struct broadcast {
    MPI_Comm comm; /**< MPI_COMM_NULL: this rank has no part */
    int root, rank;
    unsigned seed;
    layout_t layout;
    unsigned char *buffer;
    MPI_Request request;
    MPI_Datatype type; /**< of a layout with gaps, or MPI_DATATYPE_NULL */
} broadcast_t;

static unsigned char *packed_of(const soak_t *s)
{
    return s->wanted + 2 * (size_t) s->options.max_bytes;
}

static size_t bytes_of(const layout_t *layout)
{
    return (size_t) layout->n * (size_t) layout->size;
}

static broadcast_t draw_broadcast(soak_t *s, unsigned char *buffer)
{
    const int place = draw(&s->common, N_COMMS);
    const int root_word = draw(&s->common, 1000);
    broadcast_t b = {.comm = s->comm[place],
                     .layout = draw_layout(s),
                     .buffer = buffer,
                     .request = MPI_REQUEST_NULL,
                     .type = MPI_DATATYPE_NULL};
    b.seed = (unsigned) ++s->n_broadcasts;
    if (b.comm != MPI_COMM_NULL) {
        int size;
        MPI_Comm_rank(b.comm, &b.rank);
        MPI_Comm_size(b.comm, &size);
        b.root = root_word % size;
        pattern_fill(packed_of(s), bytes_of(&b.layout), b.rank == b.root ? b.seed : b.seed + 1);
        lay_out(&b.layout, packed_of(s), b.buffer);
    }
    return b;
}

static void verify(soak_t *s, const broadcast_t *b)
{
    const size_t bytes = bytes_of(&b->layout);
    pattern_fill(packed_of(s), bytes, b->seed);
    lay_out(&b->layout, packed_of(s), s->wanted);
    check(memcmp(b->buffer, s->wanted, room_of(&b->layout)) == 0,
          "broadcast %u: %zu bytes from %d, in blocks of %d", b->seed, bytes, b->root,
          b->layout.block);
    s->n_bytes += (double) bytes;
}

/** As elements of the basic type, or as one of a type with gaps. */
static int begin_laid_out(broadcast_t *b, way_t way)
{
    const layout_t *layout = &b->layout;
    if (layout->block == layout->n) {
        return bcast_begin(way, b->buffer, layout->n, layout->of, b->root, b->comm, &b->request);
    }
    MPI_Type_vector(layout->n / layout->block, layout->block, 2 * layout->block, layout->of,
                    &b->type);
    MPI_Type_commit(&b->type);
    const int rc = bcast_begin(way, b->buffer, 1, b->type, b->root, b->comm, &b->request);
    if (way != PERSISTENT) { /* libnbc's would use it after it is freed */
        MPI_Type_free(&b->type);
    }
    return rc;
}

/** One that blocks, or every third time up to AT_ONCE before this rank waits for any. */
static void broadcast(soak_t *s)
{
    static const way_t ways[] = {BLOCKING, BLOCKING, BLOCKING, BLOCKING, NONBLOCKING, PERSISTENT};
    const way_t way = ways[draw(&s->common, sizeof(ways) / sizeof(ways[0]))];
    const int n_drawn = 1 + draw(&s->common, AT_ONCE), n = way == BLOCKING ? 1 : n_drawn;
    broadcast_t some[AT_ONCE];
    for (int i = 0; i < n; i++) {
        some[i] = draw_broadcast(s, s->buffer[i]);
        arrive(s);
        if (some[i].comm != MPI_COMM_NULL) {
            const int rc = begin_laid_out(&some[i], way);
            check(rc == MPI_SUCCESS, "broadcast %u returns %d", some[i].seed, rc);
            if (way == PERSISTENT) {
                MPI_Start(&some[i].request);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        const int rc = MPI_Wait(&some[i].request, MPI_STATUS_IGNORE);
        if (some[i].request != MPI_REQUEST_NULL) {
            MPI_Request_free(&some[i].request);
        }
        if (some[i].type != MPI_DATATYPE_NULL) {
            MPI_Type_free(&some[i].type);
        }
        check(rc == MPI_SUCCESS, "broadcast %u ends with %d", some[i].seed, rc);
        if (some[i].comm != MPI_COMM_NULL) {
            verify(s, &some[i]);
        }
    }
}

/** The user's own messages, round a communicator. */
static void send_round(soak_t *s, int place)
{
    const unsigned number = (unsigned) draw(&s->common, 1 << 30);
    if (s->comm[place] != MPI_COMM_NULL) {
        check_ring(s->comm[place], 1, number);
    }
}

/* ---- reports ---- */

/** Collective. Rank 0 prints; returns the most bytes that a rank has in use. */
static long report(const soak_t *s, double elapsed)
{
    long own = memory_in_use(), most;
    double own_bytes = s->n_bytes, bytes;
    MPI_Allreduce(&own, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce(&own_bytes, &bytes, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (s->rank == 0) {
        printf("%6.0f s: %ld broadcasts, %.1f MB verified; most of a rank: %ld KB in use\n",
               elapsed, s->n_broadcasts, bytes / 1e6, most / 1024);
        fflush(stdout);
    }
    return most;
}

/** Message of rank 0 to all. */
typedef enum { GO_ON, REPORT, END } word_t;

static word_t hear(word_t word_of_rank_0)
{
    int word = (int) word_of_rank_0;
    MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return (word_t) word;
}

static void soak(soak_t *s, char *program)
{
    const double start = MPI_Wtime();
    double next_report = s->options.report;
    long first = -1, last = -1;
    word_t word = GO_ON;
    for (long turn = 1; word != END; turn++) {
        broadcast(s);
        if (turn % LIFETIME == 0) {
            const int place = 1 + (int) (turn / LIFETIME % (N_COMMS - 1));
            renew(s, place);
            send_round(s, place);
        }
        if (turn % 4 == 0) {
            send_round(s, draw(&s->common, N_COMMS));
        }
        if (s->options.spawn > 0 && turn % s->options.spawn == 0) {
            spawn(s, program);
        }
        if (turn % WORD_EVERY != 0) {
            continue;
        }
        const double elapsed = MPI_Wtime() - start;
        word = hear(elapsed >= s->options.seconds ? END : elapsed >= next_report ? REPORT : GO_ON);
        if (word != GO_ON) {
            last = report(s, elapsed);
            first = first < 0 ? last : first;
            next_report += s->options.report;
        }
    }
    const long may_grow = MAY_GROW + MAY_WAIT * (long) s->options.max_bytes;
    check(last - first <= may_grow + s->n_spawned * CHILD,
          "%ld bytes more in use at the end than at the first report", last - first);
}

/** The options, each a number. */
enum { SECONDS, REPORT_EVERY, SEED, MAX_BYTES, DELAY_US, SPAWN, N_OPTIONS };

static bool read_options(double *values, int argc, char **argv)
{
    static const char *const names[] = {"--seconds",   "--report",   "--seed",
                                        "--max-bytes", "--delay-us", "--spawn"};
    bool is_right = argc % 2 == 1;
    for (int i = 1; is_right && i < argc; i += 2) {
        char *end = NULL;
        int k = 0;
        while (k < N_OPTIONS && strcmp(argv[i], names[k]) != 0) {
            k++;
        }
        values[k % N_OPTIONS] = strtod(argv[i + 1], &end);
        is_right = k < N_OPTIONS && *end == '\0' && values[k] >= 0 && values[k] <= 1 << 28;
    }
    return is_right && values[MAX_BYTES] >= 8;
}

int main(int argc, char **argv)
{
    double values[N_OPTIONS] = {60, 60, 1, 256 << 10, 30000, 0};
    if (!read_options(values, argc, argv)) {
        fprintf(stderr, "soak: options are --seconds, --report (seconds), --seed, --max-bytes, "
                        "--delay-us and --spawn (turns), each with a number\n");
        return 2;
    }
    soak_t s = {.options = {values[SECONDS], values[REPORT_EVERY], (uint64_t) values[SEED],
                            (int) values[MAX_BYTES], (int) values[DELAY_US], (long) values[SPAWN]}};
    MPI_Comm parent;
    check_begin(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        visit(parent, true, 0);
        return check_done("soak's child");
    }
    s.rank = my_rank;
    s.n_ranks = n_ranks;
    s.common = s.options.seed;
    s.own = s.options.seed * 1000003u + (uint64_t) s.rank;
    for (int i = 0; i < AT_ONCE; i++) {
        s.buffer[i] = must_malloc(2 * (size_t) s.options.max_bytes);
    }
    s.wanted = must_malloc(3 * (size_t) s.options.max_bytes);
    make_all(&s);
    soak(&s, argv[0]);
    free_all(&s);
    free(s.wanted);
    for (int i = 0; i < AT_ONCE; i++) {
        free(s.buffer[i]);
    }
    return check_done("soak");
}
