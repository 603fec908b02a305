/*
 * Measures each broadcast, or ping-pong, of a job by itself and prints a line for each:
 *
 *   sampler bcast|pingpong|sockets BYTES[,BYTES]... BROADCASTS
 *
 * prints BYTES,INDEX,NANOSECONDS. All ranks start a broadcast at an agreed moment; it ends with the
 * last rank. A ping-pong is half of a round trip between ranks 0 and 1. By sockets it sends no
 * message of MPI, over the network of the hosts' names. Ranks share one clock: they run on one
 * computer. Plain MPI, for any implementation of it.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <mpi.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MARGIN_NS = 200000, LAST_MARGIN_NS = 1000000000 };

static int rank;
static MPI_Comm comm;
/* From the last rank being ready to the start; grows where ranks hear of it too late twice. */
static int64_t margin_ns = FIRST_MARGIN_NS;
/* By which ranks 0 and 1 send in place of MPI; -1: by MPI. */
static int connection = -1;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t greatest(int64_t value)
{
    int64_t most;
    MPI_Allreduce(&value, &most, 1, MPI_INT64_T, MPI_MAX, comm);
    return most;
}

/** Waits until all ranks are ready. Returns whether all of them heard of the start in time. */
static bool start_together(int64_t *start_p)
{
    *start_p = greatest(now()) + margin_ns;
    const int64_t late = now() - *start_p;
    const struct timespec start = {*start_p / 1000000000, *start_p % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &start, NULL);
    return late < 0;
}

/** Finds the margin, so that the first broadcast, which opens connections, is not repeated. */
static void find_margin(void)
{
    int64_t start;
    while (greatest(!start_together(&start)) != 0 && margin_ns < LAST_MARGIN_NS) {
        margin_ns *= 2;
    }
}

static int64_t broadcast(char *data, int bytes, int number)
{
    for (bool was_late = false;; was_late = true) {
        int64_t start;
        memset(data, rank == 0 ? number + 1 : 0, (size_t) bytes);
        const bool in_time = start_together(&start);
        MPI_Bcast(data, bytes, MPI_BYTE, 0, comm);
        const int64_t took = greatest(now() - start);
        const bool good = data[0] == (char) (number + 1) && data[bytes - 1] == (char) (number + 1);
        if (greatest(!good) != 0) {
            fprintf(stderr, "sampler: wrong bytes on rank %d\n", rank);
            MPI_Abort(comm, 1);
        }
        if (greatest(!in_time) == 0 || margin_ns >= LAST_MARGIN_NS) {
            return took;
        }
        if (was_late) {
            margin_ns *= 2;
        }
    }
}

/** Opens a connection between ranks 0 and 1, to the address of rank 0's host. Returns it, or -1. */
static int connect_sockets(void)
{
    const int listening = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in own = {.sin_family = AF_INET};
    socklen_t size = sizeof(own);
    char name[256] = "";
    gethostname(name, sizeof(name) - 1);
    const struct hostent *host = gethostbyname(name);
    if (host != NULL) {
        memcpy(&own.sin_addr, host->h_addr, sizeof(own.sin_addr));
    }
    int fd = -1;
    if (rank == 0 &&
        (bind(listening, (struct sockaddr *) &own, size) != 0 || listen(listening, 1) != 0)) {
        return -1;
    }
    getsockname(listening, (struct sockaddr *) &own, &size);
    MPI_Bcast(&own, sizeof(own), MPI_BYTE, 0, comm);
    if (rank == 0) {
        fd = accept(listening, NULL, NULL);
    } else if (rank == 1 && connect(listening, (struct sockaddr *) &own, sizeof(own)) == 0) {
        fd = dup(listening);
    }
    close(listening);
    (void) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return fd;
}

static void send_by_socket(char *data, ssize_t left)
{
    for (ssize_t n; left > 0; left -= n, data += n) {
        n = send(connection, data, (size_t) left, MSG_DONTWAIT);
        n = n > 0 ? n : 0;
    }
}

static void receive_by_socket(char *data, ssize_t left)
{
    for (ssize_t n; left > 0; left -= n, data += n) {
        n = recv(connection, data, (size_t) left, MSG_DONTWAIT);
        n = n > 0 ? n : 0;
    }
}

static int64_t pingpong(char *data, int bytes)
{
    const int64_t begin = now();
    if (connection >= 0 && rank == 0) {
        send_by_socket(data, bytes);
        receive_by_socket(data, bytes);
    } else if (connection >= 0) {
        receive_by_socket(data, bytes);
        send_by_socket(data, bytes);
    } else if (rank == 0) {
        MPI_Send(data, bytes, MPI_BYTE, 1, 0, comm);
        MPI_Recv(data, bytes, MPI_BYTE, 1, 0, comm, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(data, bytes, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Send(data, bytes, MPI_BYTE, 0, 0, comm);
    }
    return (now() - begin) / 2;
}

static int measure(bool pairs, const char *sizes, int n)
{
    char *end;
    for (const char *text = sizes; *text != '\0'; text = *end == ',' ? end + 1 : end) {
        const long bytes = strtol(text, &end, 10);
        char *data = bytes > 0 && bytes < 1L << 30 ? calloc(1, (size_t) bytes) : NULL;
        if (data == NULL) {
            fprintf(stderr, "sampler: '%s' is no list of sizes\n", sizes);
            return 1;
        }
        for (int i = 0; i < n; i++) {
            const int64_t took =
                pairs ? pingpong(data, (int) bytes) : broadcast(data, (int) bytes, i % 100);
            if (rank == 0) {
                printf("%ld,%d,%" PRId64 "\n", bytes, i, took);
                fflush(stdout);
            }
        }
        free(data);
        MPI_Barrier(comm);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int status = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 4 && atoi(argv[3]) > 0 &&
        (strcmp(argv[1], "bcast") == 0 || strcmp(argv[1], "pingpong") == 0 ||
         strcmp(argv[1], "sockets") == 0)) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (argv[1][0] == 's' && (connection = connect_sockets()) < 0) {
            fputs("sampler: no connection between ranks 0 and 1\n", stderr);
            MPI_Abort(comm, 1);
        }
        find_margin();
        status = measure(argv[1][0] != 'b', argv[2], atoi(argv[3]));
        MPI_Comm_free(&comm);
    } else if (rank == 0) {
        fputs("Usage: sampler bcast|pingpong|sockets BYTES[,BYTES]... BROADCASTS\n", stderr);
    }
    MPI_Finalize();
    return status;
}
