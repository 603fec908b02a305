#include "check.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "test/must.h"

/** Wrong things that a rank prints. */
#define MAX_PRINTED 5

/** Value of the bytes on both sides of a buffer. */
#define GUARD 0xa5

/** A broadcast between two groups that have met. */
#define MEETING_BYTES 20000

int my_rank, n_ranks;

/* Threads may check at the same time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long n_checks, n_wrong;

static void know_ranks(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
}

void check_begin(int *argc_p, char ***argv_p)
{
    MPI_Init(argc_p, argv_p);
    know_ranks();
}

void check_begin_threads(const char *name, int *argc_p, char ***argv_p)
{
    int provided;
    MPI_Init_thread(argc_p, argv_p, MPI_THREAD_MULTIPLE, &provided);
    know_ranks();
    if (provided != MPI_THREAD_MULTIPLE) {
        printf("SKIP %s: this Open MPI has no MPI_THREAD_MULTIPLE\n", name);
        MPI_Finalize();
        exit(EXIT_SUCCESS);
    }
}

int check_done(const char *name)
{
    long own[2] = {n_checks, n_wrong}, all[2] = {0, 0};
    MPI_Allreduce(own, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    const bool passed = all[1] == 0 && all[0] > 0;
    if (my_rank == 0) {
        printf("%s %s: %ld checks, %ld wrong\n", passed ? "PASS" : "FAIL", name, all[0], all[1]);
        fflush(stdout);
    }
    MPI_Finalize();
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

long argument(int argc, char **argv, int i, long otherwise)
{
    return i < argc ? atol(argv[i]) : otherwise;
}

void check(bool right, const char *format, ...)
{
    pthread_mutex_lock(&lock);
    n_checks++;
    n_wrong += !right;
    if (!right && n_wrong <= MAX_PRINTED) {
        char text[300];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        fprintf(stderr, "WRONG on rank %d: %s\n", my_rank, text);
    }
    pthread_mutex_unlock(&lock);
}

int check_wrong(void)
{
    return (int) n_wrong;
}

static unsigned char pattern_byte(size_t at, unsigned seed)
{
    return (unsigned char) (((at + 1) * 2654435761u + seed * 40503u) >> 11);
}

void pattern_fill(void *memory, size_t bytes, unsigned seed)
{
    unsigned char *to = memory;
    for (size_t i = 0; i < bytes; i++) {
        to[i] = pattern_byte(i, seed);
    }
}

bool pattern_is(const void *memory, size_t bytes, unsigned seed)
{
    const unsigned char *from = memory;
    for (size_t i = 0; i < bytes; i++) {
        if (from[i] != pattern_byte(i, seed)) {
            return false;
        }
    }
    return true;
}

int bcast_begin(way_t way, void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                MPI_Request *request_p)
{
    switch (way) {
    case BLOCKING:
        *request_p = MPI_REQUEST_NULL;
        return MPI_Bcast(buffer, count, type, root, comm);
    case NONBLOCKING:
        return MPI_Ibcast(buffer, count, type, root, comm, request_p);
    case PERSISTENT:
        return MPI_Bcast_init(buffer, count, type, root, comm, MPI_INFO_NULL, request_p);
#if OMPI_MAJOR_VERSION >= 6
    case BLOCKING_C:
        *request_p = MPI_REQUEST_NULL;
        return MPI_Bcast_c(buffer, count, type, root, comm);
    case NONBLOCKING_C:
        return MPI_Ibcast_c(buffer, count, type, root, comm, request_p);
    case PERSISTENT_C:
        return MPI_Bcast_init_c(buffer, count, type, root, comm, MPI_INFO_NULL, request_p);
#endif
    default:
        abort();
    }
}

int bcast_end(way_t way, MPI_Request *request_p)
{
    const bool is_persistent = way % 3 == PERSISTENT && *request_p != MPI_REQUEST_NULL;
    if (is_persistent) {
        MPI_Start(request_p);
    }
    const int rc = MPI_Wait(request_p, MPI_STATUS_IGNORE);
    if (is_persistent) {
        MPI_Request_free(request_p);
    }
    return rc;
}

int bcast(way_t way, void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    MPI_Request request;
    const int rc = bcast_begin(way, buffer, count, type, root, comm, &request);
    return rc != MPI_SUCCESS ? rc : bcast_end(way, &request);
}

pending_t pending_make(size_t bytes, int root, MPI_Comm comm, unsigned seed)
{
    unsigned char *memory = must_malloc(bytes + 2);
    pending_t pending = {.buffer = memory + 1, .bytes = bytes};
    int rank;
    MPI_Comm_rank(comm, &rank);
    pending.is_root = rank == root;
    memory[0] = memory[bytes + 1] = GUARD;
    pending_fill(&pending, seed);
    return pending;
}

void pending_fill(pending_t *pending, unsigned seed)
{
    pending->seed = seed;
    pattern_fill(pending->buffer, pending->bytes, pending->is_root ? seed : seed + 1);
}

pending_t pending_begin(way_t way, size_t bytes, int root, MPI_Comm comm, unsigned seed,
                        MPI_Request *request_p)
{
    const pending_t pending = pending_make(bytes, root, comm, seed);
    const int rc = bcast_begin(way, pending.buffer, (int) bytes, MPI_BYTE, root, comm, request_p);
    check(rc == MPI_SUCCESS, "a broadcast of %zu bytes from %d returns %d", bytes, root, rc);
    return pending;
}

bool pending_is_right(const pending_t *pending)
{
    return pattern_is(pending->buffer, pending->bytes, pending->seed) &&
           pending->buffer[-1] == GUARD && pending->buffer[pending->bytes] == GUARD;
}

void pending_end(pending_t *pending, const char *where)
{
    check(pending_is_right(pending), "%s: %zu bytes, pattern %u", where, pending->bytes,
          pending->seed);
    free(pending->buffer - 1);
    pending->buffer = NULL;
}

bool check_bcast(way_t way, size_t bytes, int root, MPI_Comm comm, unsigned seed, const char *where)
{
    MPI_Request request;
    pending_t pending = pending_begin(way, bytes, root, comm, seed, &request);
    bcast_end(way, &request);
    const bool is_right = pending_is_right(&pending);
    pending_end(&pending, where);
    return is_right;
}

void check_bcast_of_all(size_t bytes, MPI_Comm comm, const char *where)
{
    int size;
    MPI_Comm_size(comm, &size);
    for (int root = 0; root < size; root++) {
        check_bcast(BLOCKING, bytes, root, comm, (unsigned) root + 7, where);
    }
}

/** Rank 0 of the group that is `from` sends to the other group. */
static void broadcast_between(MPI_Comm inter, bool from, const char *what)
{
    unsigned char buffer[MEETING_BYTES];
    int rank;
    MPI_Comm_rank(inter, &rank);
    const int root = !from ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    pattern_fill(buffer, MEETING_BYTES, from ? 3 : 4);
    MPI_Bcast(buffer, MEETING_BYTES, MPI_BYTE, root, inter);
    check(pattern_is(buffer, MEETING_BYTES, 3), "between groups, %s", what);
}

MPI_Comm check_spawn(const char *program, int n, MPI_Comm comm)
{
    MPI_Comm inter;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "bind_to", "none");
    MPI_Comm_spawn(program, MPI_ARGV_NULL, n, info, 0, comm, &inter, MPI_ERRCODES_IGNORE);
    MPI_Info_free(&info);
    return inter;
}

MPI_Comm check_meet(MPI_Comm inter, bool is_new, const char *what)
{
    MPI_Comm merged;
    broadcast_between(inter, is_new, what);
    broadcast_between(inter, !is_new, what);
    MPI_Intercomm_merge(inter, is_new, &merged);
    check_bcast_of_all(MEETING_BYTES, merged, what);
    MPI_Barrier(merged); /* MPI_Comm_disconnect of 4.1 makes no progress with messages */
    MPI_Comm_disconnect(&inter);
    return merged;
}

void check_part(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_WORLD) {
        MPI_Barrier(*comm);
        MPI_Comm_free(comm); /* MPI_Comm_disconnect of an intracommunicator hangs in 4.1 */
    }
}

void check_ring(MPI_Comm comm, int distance, unsigned number)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int to = (rank + distance) % size, from = (rank + size - distance) % size;
    const unsigned sent = number * (unsigned) size + (unsigned) rank;
    const unsigned wanted = number * (unsigned) size + (unsigned) from;
    unsigned got = wanted + 1;
    MPI_Sendrecv(&sent, 1, MPI_UNSIGNED, to, 5, &got, 1, MPI_UNSIGNED, from, 5, comm,
                 MPI_STATUS_IGNORE);
    check(got == wanted, "message %u from rank %d is %u", wanted, from, got);
}

int draw(uint64_t *state, int n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int) ((*state >> 33) % (uint64_t) n);
}

void wait_us(long us)
{
    const struct timespec time = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static void *wait_and_kill(void *us)
{
    wait_us(*(long *) us);
    fprintf(stderr, "rank %d ends itself\n", my_rank);
    kill(getpid(), SIGKILL);
    return NULL;
}

void kill_soon(long us)
{
    static long time;
    pthread_t thread;
    time = us;
    must(pthread_create(&thread, NULL, wait_and_kill, &time) == 0);
}

void *must_malloc(size_t bytes)
{
    return must_have(malloc(bytes + 1));
}

void *preloaded(const char *name)
{
    return must_have(dlsym(RTLD_DEFAULT, name));
}

long most_of(long value)
{
    long most = 0;
    MPI_Reduce(&value, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    return most;
}

long memory_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (long) (info.uordblks + info.hblkhd);
}
