/*
 * Settings that MPI_T changes while a program runs:
 *
 *     run_changing all|some|random [STEPS SEED FEWEST]
 *
 * all: every rank sets them before the same broadcast, and they take effect before the same later
 * one on all ranks: to other trees and segments, to groups of those who have arrived and back, from
 * the fallback component and back, on communicators that were there and on new ones.
 * some: all ranks but the last set them, which changes nothing.
 * random: ranks set anything, alike or not, at once or one after another, between and beside
 * broadcasts of all kinds; every byte is looked at. At least FEWEST times that takes effect.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "served.h"

#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif

enum { BYTES = 60000, MANY = 200, COMMUNICATORS = 3, MOST_BYTES = 400000, PERIOD = 40 };

static struct bench_counters counters;
static int rank, n_ranks;

/* Parameters. */

typedef enum { ALGORITHM, SEGMENT_SIZE, ARRIVAL, LEARN, N_PARAMETERS } parameter_t;

static const char *const names[N_PARAMETERS] = {"coll_pipebcast_algorithm",
                                                "coll_pipebcast_segment_size",
                                                "coll_pipebcast_arrival", "coll_pipebcast_learn"};

static struct {
    MPI_T_cvar_handle handle;
    MPI_T_enum values; /**< of those whose values have names */
} parameters[N_PARAMETERS];

static void open_parameters(void)
{
    char name[256], help[4096];
    for (int i = 0; i < N_PARAMETERS; i++) {
        int name_size = sizeof(name), help_size = sizeof(help);
        int index, count, verbosity, bind, scope = -1;
        MPI_Datatype type;
        if (MPI_T_cvar_get_index(names[i], &index) != MPI_SUCCESS ||
            MPI_T_cvar_get_info(index, name, &name_size, &verbosity, &type, &parameters[i].values,
                                help, &help_size, &bind, &scope) != MPI_SUCCESS ||
            MPI_T_cvar_handle_alloc(index, NULL, &parameters[i].handle, &count) != MPI_SUCCESS) {
            fprintf(stderr, "MPI_T knows no control variable %s\n", names[i]);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        check(scope == MPI_T_SCOPE_ALL_EQ, "%s has the scope %d", names[i], scope);
    }
}

static void close_parameters(void)
{
    for (int i = 0; i < N_PARAMETERS; i++) {
        MPI_T_cvar_handle_free(&parameters[i].handle);
    }
}

static void set_number(parameter_t which, unsigned long long value)
{
    const int number = (int) value;
    const size_t size = (size_t) value;
    const void *stored = which == SEGMENT_SIZE ? (const void *) &size : (const void *) &number;
    check(MPI_T_cvar_write(parameters[which].handle, stored) == MPI_SUCCESS,
          "%s cannot be set to %llu", names[which], value);
}

/** The number of a named value, or -2. */
static int number_of(parameter_t which, const char *value)
{
    char name[256];
    int n = 0, size = sizeof(name), number, found = -2;
    MPI_T_enum_get_info(parameters[which].values, &n, name, &size);
    for (int i = 0; i < n; i++) {
        size = sizeof(name);
        MPI_T_enum_get_item(parameters[which].values, i, &number, name, &size);
        found = strcmp(name, value) == 0 ? number : found;
    }
    return found;
}

static void set(parameter_t which, const char *value)
{
    const int number = number_of(which, value);
    check(number != -2, "%s has no value %s", names[which], value);
    set_number(which, (unsigned long long) number);
}

/* Broadcasts. */

static void broadcast(MPI_Comm comm, int root, int bytes, unsigned seed)
{
    unsigned char *buffer = must_malloc((size_t) bytes);
    int own;
    MPI_Comm_rank(comm, &own);
    pattern_fill(buffer, (size_t) bytes, own == root ? seed : ~seed);
    check(MPI_Bcast(buffer, bytes, MPI_BYTE, root, comm) == MPI_SUCCESS, "a broadcast fails");
    check(pattern_is(buffer, (size_t) bytes, seed), "%d bytes from %d are wrong", bytes, root);
    free(buffer);
}

/**
 * Broadcasts until this counter of broadcasts by an algorithm grows, MANY times at most. All ranks
 * find it to grow at the same broadcast, and after `fewest` of them; then all are by that.
 */
static void broadcast_until(MPI_Comm comm, const char *way, int bytes, int fewest)
{
    char name[128];
    int n = 0, least, most;
    snprintf(name, sizeof(name), "coll_pipebcast_broadcasts_%s", way);
    const unsigned long long before = counter_value(&counters, name);
    while (n < MANY && counter_value(&counters, name) == before) {
        broadcast(comm, n % n_ranks, bytes, (unsigned) n);
        n++;
    }
    const unsigned long long first = counter_value(&counters, name);
    for (int i = 0; i < 20; i++) {
        broadcast(comm, i % n_ranks, bytes, (unsigned) i);
    }
    const unsigned long long more = counter_value(&counters, name) - first;
    MPI_Allreduce(&n, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&n, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    check(least == most, "broadcasts are by %s from number %d on, on another rank from %d on", way,
          least, most);
    check(n < MANY && n >= fewest, "%d broadcasts until they are by %s", n, way);
    check(more == 20, "of 20 broadcasts %llu are by %s", more, way);
}

/* All ranks. */

static void change_trees(void)
{
    const unsigned long long before = counter_value(&counters, "coll_pipebcast_changed");
    set(ALGORITHM, "chain");
    broadcast_until(MPI_COMM_WORLD, "chain", BYTES, 2);
    set(ALGORITHM, "binary");
    set_number(SEGMENT_SIZE, 5000);
    broadcast_until(MPI_COMM_WORLD, "binary", BYTES, 2);
    check(counter_value(&counters, "coll_pipebcast_changed") == before + 2, "not two changes");
}

/** A communicator begins with the settings of the start, and follows soon. */
static void change_new_communicator(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    broadcast_until(comm, "binary", BYTES, 2);
    MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    for (int i = 0; i < 20; i++) {
        broadcast(comm, 0, BYTES, (unsigned) i);
    }
    MPI_Comm_free(&comm);
}

/** While broadcasts go to groups, or to the fallback component unwatched, ranks hear by polls. */
static void change_arrivals(void)
{
    set(ARRIVAL, "b");
    broadcast_until(MPI_COMM_WORLD, "arrival_b", BYTES, 1);
    set(ARRIVAL, "nb");
    broadcast_until(MPI_COMM_WORLD, "arrival_nb", BYTES, 1);
    set(ALGORITHM, "flat");
    broadcast_until(MPI_COMM_WORLD, "flat_nb", BYTES, 1);
    set(ARRIVAL, "off");
    set(LEARN, "off");
    set(ALGORITHM, "chain");
    broadcast_until(MPI_COMM_WORLD, "chain", BYTES, 1);
    set(ARRIVAL, "auto");
    set(LEARN, "on");
    set(ALGORITHM, "binomial");
    broadcast_until(MPI_COMM_WORLD, "binomial", BYTES, 1);
}

/** A nonblocking one that began before keeps what was in force; so does a persistent one. */
static void change_beside_others(void)
{
    char *first = must_malloc(BYTES), *again = must_malloc(BYTES);
    MPI_Request request = MPI_REQUEST_NULL, persistent = MPI_REQUEST_NULL;
    MPI_Status status;
    pattern_fill(first, BYTES, rank == 0 ? 7 : 8);
    pattern_fill(again, BYTES, rank == 1 ? 9 : 8);
    MPI_Bcast_init(again, BYTES, MPI_BYTE, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
    MPI_Start(&persistent);
    MPI_Ibcast(first, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    set(ALGORITHM, "chain");
    broadcast_until(MPI_COMM_WORLD, "chain", BYTES, 2);
    MPI_Wait(&request, &status);
    MPI_Wait(&persistent, &status);
    check(pattern_is(first, BYTES, 7) && pattern_is(again, BYTES, 9), "requests have wrong bytes");
    const unsigned long long before =
        counter_value(&counters, "coll_pipebcast_broadcasts_binomial");
    if (rank % 2 == 0) { /* starts have another order among others on each rank */
        MPI_Start(&persistent);
    }
    set(ARRIVAL, "b");
    broadcast_until(MPI_COMM_WORLD, "arrival_b", BYTES, 1);
    if (rank % 2 != 0) {
        MPI_Start(&persistent);
    }
    MPI_Wait(&persistent, &status);
    check(pattern_is(again, BYTES, 9), "a later start has wrong bytes");
    check(counter_value(&counters, "coll_pipebcast_broadcasts_binomial") == before + 1,
          "a later start is not as the first one");
    MPI_Request_free(&persistent);
    free(first);
    free(again);
}

/** What no rank may have in force: it is reported, and nothing changes. */
static void set_what_is_wrong(void)
{
    const unsigned long long before = counter_value(&counters, "coll_pipebcast_changed");
    set_number(SEGMENT_SIZE, 3);
    set(ALGORITHM, "flat_nb");
    for (int i = 0; i < 30; i++) {
        broadcast(MPI_COMM_WORLD, 0, BYTES, (unsigned) i);
    }
    check(counter_value(&counters, "coll_pipebcast_changed") == before, "a wrong value counts");
}

static void run_all(void)
{
    broadcast(MPI_COMM_WORLD, 0, BYTES, 1);
    change_trees();
    change_new_communicator();
    set_what_is_wrong();
    set_number(SEGMENT_SIZE, 5000);
    set(ALGORITHM, "binary");
    change_arrivals();
    change_beside_others();
}

/* Some ranks. */

static void run_some(void)
{
    if (rank < n_ranks - 1) {
        set(ALGORITHM, "chain");
    }
    for (int i = 0; i < MANY; i++) {
        broadcast(MPI_COMM_WORLD, i % n_ranks, BYTES, (unsigned) i);
    }
    check(counter_value(&counters, "coll_pipebcast_broadcasts_chain") == 0,
          "some have set it, and broadcasts are by chain");
    check(counter_value(&counters, "coll_pipebcast_changed") == 0, "some settings took effect");
    if (rank == n_ranks - 1) {
        set(ALGORITHM, "chain");
    }
    broadcast_until(MPI_COMM_WORLD, "chain", BYTES, 1);
}

/* Anything. */

static unsigned draw(unsigned *state, unsigned n)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 16) % n;
}

/** Sets them to something, which may be wrong. */
static void set_any(unsigned *state)
{
    static const char *const algorithms[] = {"auto", "chain",     "twotree", "binomial", "flat",
                                             "kary", "multicast", "flat_nb", "binary"};
    static const char *const arrivals[] = {"off", "auto", "b", "nb"};
    static const char *const learns[] = {"off", "on", "keep"};
    set(ALGORITHM, algorithms[draw(state, 9)]);
    set(ARRIVAL, arrivals[draw(state, 4)]);
    set(LEARN, learns[draw(state, 3)]);
    set_number(SEGMENT_SIZE, draw(state, 4) * 1000);
}

/** Before some steps: all ranks alike at once, or one after another, or each something of its own.
 */
static void maybe_set(unsigned *own, int step, unsigned seed)
{
    const int round = step / PERIOD, way = round % 4;
    unsigned common = (unsigned) round * 7919u + seed;
    if ((way % 2 == 0 && step % PERIOD == 0) || (way == 1 && step % PERIOD == rank % 5)) {
        set_any(&common);
    } else if (way == 3 && draw(own, 10) == 0) {
        set_any(own);
    }
}

enum { PENDING = 4 };

/** Broadcasts that are under way. */
static struct {
    MPI_Request request;
    unsigned char *buffer;
    int bytes;
    unsigned seed;
} pending[PENDING];

static void wait_for_pending(int which)
{
    if (pending[which].buffer != NULL) {
        MPI_Wait(&pending[which].request, MPI_STATUS_IGNORE);
        check(pattern_is(pending[which].buffer, (size_t) pending[which].bytes, pending[which].seed),
              "%d bytes of a nonblocking broadcast are wrong", pending[which].bytes);
        free(pending[which].buffer);
        pending[which].buffer = NULL;
    }
}

static void begin_pending(int which, MPI_Comm comm, int root, int bytes, unsigned seed)
{
    wait_for_pending(which);
    pending[which].buffer = must_malloc((size_t) bytes);
    pending[which].bytes = bytes;
    pending[which].seed = seed;
    pattern_fill(pending[which].buffer, (size_t) bytes, rank == root ? seed : ~seed);
    MPI_Ibcast(pending[which].buffer, bytes, MPI_BYTE, root, comm, &pending[which].request);
}

static int draw_bytes(unsigned *common)
{
    const unsigned most = 1u << (4 + draw(common, 15));
    const int bytes = 1 + (int) draw(common, most < MOST_BYTES ? most : MOST_BYTES);
    return bytes;
}

static void run_random(int n_steps, unsigned seed, int fewest)
{
    unsigned common = seed, own = seed * 31u + (unsigned) rank;
    MPI_Comm comms[COMMUNICATORS] = {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL};
    for (int step = 0; step < n_steps; step++) {
        maybe_set(&own, step, seed);
        MPI_Comm *comm = &comms[draw(&common, COMMUNICATORS)];
        const int root = (int) draw(&common, (unsigned) n_ranks), bytes = draw_bytes(&common);
        const unsigned what = draw(&common, 20), content = draw(&common, 30000);
        if (*comm == MPI_COMM_NULL) {
            MPI_Comm_dup(MPI_COMM_WORLD, comm);
        }
        if (what < 4) {
            begin_pending((int) what, *comm, root, bytes, content);
        } else {
            broadcast(*comm, root, bytes, content);
        }
        if (what == 19 && comm != comms) {
            for (int i = 0; i < PENDING; i++) {
                wait_for_pending(i);
            }
            MPI_Comm_free(comm);
        }
    }
    for (int i = 0; i < PENDING; i++) {
        wait_for_pending(i);
    }
    for (int i = 1; i < COMMUNICATORS; i++) {
        if (comms[i] != MPI_COMM_NULL) {
            MPI_Comm_free(&comms[i]);
        }
    }
    const unsigned long long n_changed = counter_value(&counters, "coll_pipebcast_changed");
    check(n_changed >= (unsigned long long) fewest, "%llu changes only", n_changed);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    served_open(&counters);
    open_parameters();
    if (argc == 2 && strcmp(argv[1], "all") == 0) {
        run_all();
    } else if (argc == 2 && strcmp(argv[1], "some") == 0) {
        run_some();
    } else if (argc == 5 && strcmp(argv[1], "random") == 0) {
        run_random(atoi(argv[2]), (unsigned) atoi(argv[3]), atoi(argv[4]));
    } else {
        fprintf(stderr, "usage: run_changing all|some|random STEPS SEED FEWEST\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    close_parameters();
    bench_counters_close(&counters);
    return check_done("run_changing");
}
