/*
 * Memory that runs out in the plugin, at each of its allocations in turn, on every other
 * rank. Every broadcast must be done, or end with an error; a rank that has no error has every
 * byte.
 *
 * By default one allocation fails, anywhere from the making of a communicator to its end, and every
 * communicator must be able to do with that. With "lasting" out of memory from that allocation to
 * the end of the broadcast: then the rank may be lost, and the others with it. Each gets errors,
 * and no one waits without end. Open MPI's own operations on the communicator still work:
 * nonblocking ones, whose tags must be alike, and short broadcasts. It begins when the ranks have
 * agreed; with "early" once the communicator is made. Where the rank cannot serve then, the
 * fallback component does. With "nonblocking" the broadcasts are MPI_Ibcast, two at a time, and a
 * persistent one.
 *
 * Needs failing_plugin.so before the C library. Usage: run_no_memory [nonblocking]
 * [lasting [early]] [in_turn [FIRST]].
 * With "in_turn" an allocation fails on one of these ranks, and
 * the next one on the other, in half of the time. With FIRST, 0 to 4, too, those fail that are
 * FIRST, FIRST + 5, FIRST + 10 and so on, where each would fail without.
 *
 * With "ends" and a case the job must end: rank 2 is out of memory where it can neither take part
 * nor tell the others. "decision": the others may have given a broadcast to the fallback component.
 * "communicators": it makes one after another without memory for any. "records": at its first
 * broadcast it cannot look up the others' records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "preloaded.h"

#define BYTES 6000
#define SMALL 20 /* below min_size */
#define N_BROADCASTS 6
#define N_STARTS 3
#define VICTIM 2 /* where the job ends */

/* Ranks that leave may take a second, and advice takes thousands of allocations. So those behind
 * the first ones fail by this part each time. */
#define EACH_OF_FIRST 600
#define FURTHER_PART 32
#define LASTING_PART 8
#define EARLY_PART 4
#define STEP 5

/* A communicator and its first broadcast make few allocations: with this many the library that
 * fails them is there, and reaches both. */
#define FEWEST_EARLY 24

static failing_plugin_after_t *fail_after;
static failing_plugin_has_failed_t *has_failed;
static MPI_Datatype spaced; /* BYTES / 2 single bytes, with gaps */
static int rank_there;      /* this one in the communicator */
static long n_errors;
static bool nonblocking, lasting, early, in_turn;
static long first, step = 1; /* of the allocations that fail in turn */

/* One broadcast: what it is and what becomes of it. */
typedef struct broadcast {
    int number, root;
    bool is_spaced;
    unsigned char buffer[BYTES], before[BYTES];
    MPI_Request request;
    int error;
} broadcast_t;

static void prepare(broadcast_t *b, int number)
{
    b->number = number;
    b->root = number % n_ranks;
    b->is_spaced = number % 2 == 1;
    b->request = (MPI_Request) (void *) b; /* to no request */
    pattern_fill(b->before, BYTES, (unsigned) number + (rank_there == b->root ? 1 : 10));
    memcpy(b->buffer, b->before, BYTES);
}

/** Where out of memory to the end of a broadcast, it is back now. */
static void end_shortage(void)
{
    if (lasting && has_failed()) {
        fail_after(-1, 0);
    }
}

static void verify(const broadcast_t *b)
{
    unsigned char of_root[BYTES];
    int n_wrong = 0;
    if (b->error != MPI_SUCCESS) {
        n_errors++;
        return;
    }
    pattern_fill(of_root, BYTES, (unsigned) b->number + 1);
    for (int at = 0; at < BYTES; at++) {
        n_wrong += b->buffer[at] != (b->is_spaced && at % 2 == 1 ? b->before[at] : of_root[at]);
    }
    check(n_wrong == 0, "broadcast %d: %d wrong bytes and no error", b->number, n_wrong);
}

static void begin(broadcast_t *b, way_t way, MPI_Comm comm)
{
    b->error = bcast_begin(way, b->buffer, b->is_spaced ? 1 : BYTES,
                           b->is_spaced ? spaced : MPI_BYTE, b->root, comm, &b->request);
    check(b->error == MPI_SUCCESS || b->request == MPI_REQUEST_NULL, "an error without a request");
}

/** Some at a time; one is blocking. */
static void broadcast(MPI_Comm comm, int number, int n)
{
    broadcast_t some[2];
    for (int i = 0; i < n; i++) {
        prepare(&some[i], number + i);
        begin(&some[i], n == 1 ? BLOCKING : NONBLOCKING, comm);
    }
    for (int i = 0; i < n; i++) {
        const int error = MPI_Wait(&some[i].request, MPI_STATUS_IGNORE);
        some[i].error = some[i].error != MPI_SUCCESS ? some[i].error : error;
    }
    end_shortage();
    for (int i = 0; i < n; i++) {
        verify(&some[i]);
    }
}

static void broadcast_again(MPI_Comm comm, int number)
{
    broadcast_t b;
    prepare(&b, number);
    b.is_spaced = false;
    begin(&b, PERSISTENT, comm);
    for (int i = 0; i < N_STARTS; i++) {
        memcpy(b.buffer, b.before, BYTES);
        if (b.request != MPI_REQUEST_NULL) { /* some series free it where it ends with an error */
            (void) MPI_Startall(1, &b.request);
            b.error = MPI_Wait(&b.request, MPI_STATUS_IGNORE);
        }
        end_shortage();
        verify(&b);
    }
    if (b.request != MPI_REQUEST_NULL) {
        MPI_Request_free(&b.request);
    }
}

/** Operations of Open MPI itself on the communicator. */
static void use_otherwise(MPI_Comm comm)
{
    int one = 1, sum = 0;
    MPI_Request request;
    unsigned char buffer[SMALL];
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(sum == n_ranks, "a nonblocking operation of Open MPI's has %d of %d ranks", sum, n_ranks);
    pattern_fill(buffer, SMALL, rank_there == 1 ? 1 : 2);
    const int rc = MPI_Bcast(buffer, SMALL, MPI_BYTE, 1, comm);
    check(rc == MPI_SUCCESS && pattern_is(buffer, SMALL, 1), "a short broadcast");
}

/**
 * Another order of all ranks each time, as a process keeps what it knows of ranks in the orders
 * that it has met last.
 */
static int next_key(void)
{
    static int n;
    n++;
    return (n >> my_rank & 1) * n_ranks + (n / 16 + my_rank) % n_ranks;
}

/** A communicator's life, in which the allocation `at` of this rank fails, -1: none. */
static void scenario(long at)
{
    MPI_Comm comm;
    const int key = next_key();
    if (!lasting) {
        fail_after(at, 0);
    }
    const int rc = MPI_Comm_split(MPI_COMM_WORLD, 0, key, &comm);
    check(rc == MPI_SUCCESS, "the communicator is made");
    if (rc != MPI_SUCCESS) {
        return;
    }
    MPI_Comm_rank(comm, &rank_there);
    if (lasting && !early) {
        broadcast(comm, 0, 1);
    }
    if (lasting) {
        fail_after(at, 1);
    }
    for (int i = 0; i < (early ? 1 : N_BROADCASTS); i += nonblocking ? 2 : 1) {
        broadcast(comm, i, nonblocking ? 2 : 1);
    }
    if (nonblocking && !early) {
        broadcast_again(comm, 1);
    }
    if (lasting) {
        use_otherwise(comm);
    }
    MPI_Comm_free(&comm);
}

/** One scenario with an allocation of `victim` failing; whether there was one. */
static bool lose_one(int victim, long at)
{
    scenario(my_rank == victim ? at : -1);
    int failed = my_rank == victim && has_failed();
    fail_after(-1, 0);
    MPI_Bcast(&failed, 1, MPI_INT, victim, MPI_COMM_WORLD);
    return failed != 0;
}

static long next_after(long at)
{
    if (lasting) {
        return at + at / (early ? EARLY_PART : LASTING_PART) + 1;
    }
    return at + (at < EACH_OF_FIRST ? step : at / FURTHER_PART);
}

/* Ranks 0, 2 and so on: each is a root, forwards and only receives in some of the broadcasts. */

/** Each allocation of each of these ranks; how many there were. */
static long lose_all(void)
{
    long n = 0;
    for (int victim = 0; victim < n_ranks; victim += 2) {
        for (long at = 0; lose_one(victim, at); at = next_after(at)) {
            n++;
        }
    }
    return n;
}

/** Each allocation of one of these ranks, up to the last one that any of them has; how many. */
static long lose_in_turn(void)
{
    long n = 0, at = first;
    for (int victim = 0, n_without = 0; n_without < (n_ranks + 1) / 2; at = next_after(at)) {
        const bool has_lost = lose_one(victim, at);
        n += has_lost;
        n_without = has_lost ? 0 : n_without + 1;
        victim = victim + 2 < n_ranks ? victim + 2 : 0;
    }
    return n;
}

/* Cases in which the job must end. */

static void broadcast_from(int root, int bytes, MPI_Comm comm)
{
    static unsigned char buffer[BYTES];
    MPI_Bcast(buffer, bytes, MPI_BYTE, root, comm);
}

static int end_job(const char *what)
{
    const bool decides = strcmp(what, "decision") == 0, looks_up = strcmp(what, "records") == 0;
    if (!looks_up) { /* too few bytes for a model that was not measured to choose us in any case */
        broadcast_from(0, decides ? BYTES : SMALL, MPI_COMM_WORLD);
    }
    fail_after(my_rank == VICTIM ? 0 : -1, 1);
    if (decides || looks_up) {
        broadcast_from(decides, BYTES, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 2 && !decides && !looks_up; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        broadcast_from(0, SMALL, comm);
    }
    fail_after(-1, 0);
    return check_done("run_no_memory");
}

/*
 * Asked for by the leak sanitizer, if there is one. A rank that leaves a broadcast keeps the packed
 * copy where a receive does not end: the PML may still write there.
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:coll_pipebcast_message_init";
}

int main(int argc, char **argv)
{
    long n = 0, all_errors = 0;
    check_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    *(void **) &fail_after = preloaded("failing_plugin_after");
    *(void **) &has_failed = preloaded("failing_plugin_has_failed");
    if (argc > 2 && strcmp(argv[1], "ends") == 0) {
        return end_job(argv[2]);
    }
    check_bcast(BLOCKING, BYTES, 0, MPI_COMM_WORLD, 1, "before, so that all records are known");
    for (int i = 1; i < argc; i++) {
        nonblocking = nonblocking || strcmp(argv[i], "nonblocking") == 0;
        lasting = lasting || strcmp(argv[i], "lasting") == 0;
        early = early || strcmp(argv[i], "early") == 0;
        in_turn = in_turn || strcmp(argv[i], "in_turn") == 0;
        if (argv[i][0] >= '0' && argv[i][0] < '0' + STEP) {
            first = argv[i][0] - '0';
            step = STEP;
        }
    }
    MPI_Type_vector(BYTES / 2, 1, 2, MPI_BYTE, &spaced);
    MPI_Type_commit(&spaced);
    n = in_turn ? lose_in_turn() : lose_all();
    MPI_Type_free(&spaced);
    MPI_Reduce(&n_errors, &all_errors, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    check(n > (early ? FEWEST_EARLY : lasting ? 60 : 100) / step, "%ld allocations were failed", n);
    if (my_rank == 0) {
        printf("%ld allocations were failed; %ld broadcasts ended with an error at a rank\n", n,
               all_errors);
    }
    return check_done("run_no_memory");
}
