#include "datagrams.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "contrib/tools/common/all_good.h"
#include "contrib/tools/common/clock.h"
#include "contrib/tools/common/median.h"
#include "contrib/tools/common/quiet.h"
#include "ompi_coll_pipebcast/engine/multicast/udp_batches.h"
#include "ompi_coll_pipebcast/pml/route.h"

enum {
    BATCH = 32,        /**< datagrams: fewer than the usual buffers of sockets hold */
    MOST_ROUNDS = 50,  /**< of one sender and size */
    FRAME_HEADER = 24, /**< bytes that the component puts before those of a frame */
    SHORT_PAYLOAD = 256,
    MOST_BYTES = 65507,     /**< of a datagram */
    MOST_RUN_BYTES = 65000, /**< that one call hands over as a batch */
    PATIENCE_MS = 1000,     /**< for what is still under way */
    N_GROUPS = 4096,
};

/** 239.192.16.0: local to an organisation (RFC 2365). */
#define FIRST_GROUP UINT32_C(0xefc01000)

/** Less than this share of the datagrams on some host, and multicast does not work. */
#define LEAST_HEARD 0.5

/** One rank's part. */
struct station {
    MPI_Comm comm;
    int rank, n_ranks;
    char host[MPI_MAX_PROCESSOR_NAME];
    int receiver, sender; /**< sockets; -1: none */
    char interface[PB_MEDIUM_NAME_SIZE];
    uint64_t key; /**< at the beginning of each datagram */
    struct sockaddr_in group;
    unsigned char *memory; /**< of a batch to send, then of one that is received */
    bool has_segment;
    size_t bytes; /**< of a datagram, with the header of a frame */
    int64_t n_sent, n_heard;
};

/** Where all are to meet. */
struct meeting {
    uint64_t key;
    uint32_t group;
    uint16_t port;
};

static int64_t processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- sockets ---- */

static bool set(int fd, int level, int name, int value)
{
    return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

/** The interface of messages to another rank of the team; "" if it is not known. */
static void find_interface(struct station *s)
{
    pb_medium_t medium;
    coll_pipebcast_route_to(s->comm, s->rank == 0 ? 1 : 0, &medium);
    snprintf(s->interface, sizeof s->interface, "%s", medium.is_ethernet ? medium.interfaces : "");
    s->interface[strcspn(s->interface, "+")] = '\0';
}

static bool open_sender(struct station *s, const struct ip_mreqn *way)
{
    s->sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    s->has_segment = true;
    return s->sender >= 0 &&
           setsockopt(s->sender, IPPROTO_IP, IP_MULTICAST_IF, way, sizeof *way) == 0 &&
           set(s->sender, IPPROTO_IP, IP_MULTICAST_TTL, 1);
}

static bool open_receiver(struct station *s, const struct ip_mreqn *way)
{
    s->receiver = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->receiver < 0 || !set(s->receiver, SOL_SOCKET, SO_REUSEADDR, 1) ||
        bind(s->receiver, (const struct sockaddr *) &s->group, sizeof s->group) != 0 ||
        setsockopt(s->receiver, IPPROTO_IP, IP_ADD_MEMBERSHIP, way, sizeof *way) != 0) {
        return false;
    }
    (void) set(s->receiver, IPPROTO_UDP, UDP_GRO, 1); /* without it one comes at a time */
    return set(s->receiver, IPPROTO_IP, IP_MULTICAST_ALL, 0);
}

/** A port that is free on rank 0's host, a group and a key, likely nobody else's. */
static struct meeting choose_meeting(void)
{
    const uint64_t random =
        (uint64_t) common_clock_local() * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t) getpid();
    struct meeting meeting = {.key = random,
                              .group = FIRST_GROUP + (uint32_t) (random >> 40) % N_GROUPS};
    struct sockaddr_in any = {.sin_family = AF_INET};
    socklen_t length = sizeof any;
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (const struct sockaddr *) &any, sizeof any) == 0 &&
        getsockname(fd, (struct sockaddr *) &any, &length) == 0) {
        meeting.port = ntohs(any.sin_port);
    }
    if (fd >= 0) {
        close(fd);
    }
    return meeting;
}

static void meet(struct station *s)
{
    struct meeting meeting = {.port = 0};
    if (s->rank == 0) {
        meeting = choose_meeting();
    }
    MPI_Bcast(&meeting, sizeof meeting, MPI_BYTE, 0, s->comm);
    s->key = meeting.key;
    s->group = (struct sockaddr_in){.sin_family = AF_INET,
                                    .sin_port = htons(meeting.port),
                                    .sin_addr.s_addr = htonl(meeting.group)};
}

/** Opens both sockets; else the reason is in `why`. */
static bool open_station(struct station *s, char why[TUNE_DATAGRAMS_WHY])
{
    s->memory = malloc((size_t) MOST_BYTES + 1);
    struct ip_mreqn way = {.imr_multiaddr = s->group.sin_addr,
                           .imr_ifindex = (int) if_nametoindex(s->interface)};
    if (s->memory == NULL) {
        snprintf(why, TUNE_DATAGRAMS_WHY, "host %s is out of memory", s->host);
    } else if (s->interface[0] == '\0' || way.imr_ifindex == 0) {
        snprintf(why, TUNE_DATAGRAMS_WHY,
                 "messages of host %s do not go over an Ethernet interface", s->host);
    } else if (!open_sender(s, &way) || !open_receiver(s, &way)) {
        snprintf(why, TUNE_DATAGRAMS_WHY, "no multicast over %s of host %s: %s", s->interface,
                 s->host, strerror(errno));
    }
    return why[0] == '\0';
}

static void close_station(struct station *s)
{
    if (s->sender >= 0) {
        close(s->sender);
    }
    if (s->receiver >= 0) {
        close(s->receiver);
    }
    free(s->memory);
}

/* ---- sending ---- */

/** Hands a batch to the kernel as one; false if it cannot take that. */
static bool send_as_one(const struct station *s, int n)
{
    union {
        char bytes[CMSG_SPACE(sizeof(uint16_t))];
        struct cmsghdr header;
    } control = {.bytes = {0}};
    const uint16_t segment = (uint16_t) s->bytes;
    struct iovec vector = {s->memory, s->bytes * (size_t) n};
    const struct msghdr message = {.msg_name = (void *) &s->group,
                                   .msg_namelen = sizeof s->group,
                                   .msg_iov = &vector,
                                   .msg_iovlen = 1,
                                   .msg_control = control.bytes,
                                   .msg_controllen = sizeof control.bytes};
    control.header.cmsg_level = IPPROTO_UDP;
    control.header.cmsg_type = UDP_SEGMENT;
    control.header.cmsg_len = CMSG_LEN(sizeof segment);
    memcpy(CMSG_DATA(&control.header), &segment, sizeof segment);
    return sendmsg(s->sender, &message, 0) >= 0;
}

static void send_each(const struct station *s, int n)
{
    for (int i = 0; i < n; i++) {
        (void) sendto(s->sender, s->memory, s->bytes, 0, (const struct sockaddr *) &s->group,
                      sizeof s->group); /* one that is not sent is not heard */
    }
}

static int batch_of(const struct station *s)
{
    const int fitting = MOST_RUN_BYTES / (int) s->bytes;
    return fitting < BATCH ? fitting : BATCH; /* one at least, see measure() */
}

/** Sends a batch; yields nanoseconds of the processor for a datagram. */
static double send_batch(struct station *s)
{
    const int n = batch_of(s);
    for (int i = 0; i < n; i++) {
        memcpy(s->memory + (size_t) i * s->bytes, &s->key, sizeof s->key);
    }
    const int64_t begin = processor_time();
    if (s->has_segment && !send_as_one(s, n)) {
        s->has_segment = false;
    }
    if (!s->has_segment) {
        send_each(s, n);
    }
    return (double) (processor_time() - begin) / n;
}

/* ---- receiving ---- */

/** Datagrams in what one call has received: the kernel may have put several together. */
static int count_datagrams(const struct station *s, struct msghdr *message, ssize_t length)
{
    int size = (int) length;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) {
            memcpy(&size, CMSG_DATA(c), sizeof size);
        }
    }
    const bool is_ours = size == (int) s->bytes && length >= (ssize_t) sizeof s->key &&
                         memcmp(s->memory, &s->key, sizeof s->key) == 0;
    return is_ours ? (int) ((length + size - 1) / size) : 0;
}

/** Receives by one call; 0 if nothing of ours was there. */
static int receive_some(const struct station *s)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control = {.bytes = {0}};
    struct iovec vector = {s->memory, (size_t) MOST_BYTES + 1};
    struct msghdr message = {.msg_iov = &vector,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    const ssize_t length = recvmsg(s->receiver, &message, MSG_DONTWAIT);
    return length > 0 ? count_datagrams(s, &message, length) : 0;
}

/** Receives a batch, as far as it comes; nanoseconds of the processor for a datagram, 0: none. */
static double receive_batch(struct station *s)
{
    struct pollfd poll_fd = {.fd = s->receiver, .events = POLLIN};
    const int wanted = batch_of(s);
    int n = 0;
    int64_t busy = 0;
    while (n < wanted && poll(&poll_fd, 1, PATIENCE_MS) > 0) {
        const int64_t begin = processor_time();
        n += receive_some(s);
        busy += processor_time() - begin;
    }
    s->n_heard += n;
    s->n_sent += wanted;
    return n > 0 ? (double) busy / n : 0;
}

/* ---- rounds ---- */

/** Tells whether all ranks go on, by rank 0's clock. */
static bool goes_on(const struct station *s, int64_t end_ns)
{
    int more = common_clock_local() < end_ns;
    MPI_Bcast(&more, 1, MPI_INT, 0, s->comm);
    return more != 0;
}

/** Batches of one sender until a time of rank 0's; this rank's time for a datagram. */
static double run_sender(struct station *s, int sender, int64_t end_ns)
{
    double rounds[MOST_ROUNDS];
    int n = 0;
    do {
        common_quiet_barrier(s->comm);
        if (s->rank == sender) {
            rounds[n] = send_batch(s);
        }
        /* The receivers sleep until all was sent, and then take it as it lies there. */
        common_quiet_barrier(s->comm);
        if (s->rank != sender) {
            rounds[n] = receive_batch(s);
        }
        n++;
    } while (goes_on(s, end_ns) && n < MOST_ROUNDS);
    return common_median(rounds, n);
}

/** Measures all senders in turn, as far as there is time; keeps the most of any host. */
static void measure_size(struct station *s, uint64_t bytes, double budget_s,
                         pb_datagram_cost_t *row)
{
    double own[2] = {0}, most[2]; /* to send and to receive */
    const int64_t begin = common_clock_local();
    s->bytes = (size_t) bytes + FRAME_HEADER;
    for (int sender = 0; sender < s->n_ranks; sender++) {
        const double share = budget_s * (sender + 1) / s->n_ranks;
        const double time = run_sender(s, sender, begin + (int64_t) (share * 1e9));
        double *at = &own[s->rank != sender];
        *at = time > *at ? time : *at;
        if (!goes_on(s, begin + (int64_t) (budget_s * 1e9))) {
            break;
        }
    }
    MPI_Allreduce(own, most, 2, MPI_DOUBLE, MPI_MAX, s->comm);
    *row =
        (pb_datagram_cost_t){.bytes = bytes, .send = llround(most[0]), .receive = llround(most[1])};
}

/** The reason of the first rank that has one, on all of them. */
static bool share_reason(const struct station *s, char why[TUNE_DATAGRAMS_WHY])
{
    int own = why[0] != '\0' ? s->rank : s->n_ranks, first;
    MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, s->comm);
    if (first < s->n_ranks) {
        MPI_Bcast(why, TUNE_DATAGRAMS_WHY, MPI_CHAR, first, s->comm);
    }
    return first == s->n_ranks;
}

static void measure(struct station *s, uint32_t payload, double budget_s,
                    struct tune_datagrams *result)
{
    const uint32_t most = MOST_RUN_BYTES - FRAME_HEADER;
    const uint64_t sizes[TUNE_DATAGRAM_SIZES] = {SHORT_PAYLOAD, payload < most ? payload : most};
    int n_rows = 0;
    for (int i = 0; i < TUNE_DATAGRAM_SIZES; i++) {
        if (n_rows == 0 || sizes[i] > sizes[i - 1]) {
            measure_size(s, sizes[i], budget_s / TUNE_DATAGRAM_SIZES, &result->rows[n_rows++]);
        }
        if ((double) s->n_heard < LEAST_HEARD * (double) s->n_sent) {
            snprintf(result->why, sizeof result->why,
                     "of %lld datagrams by multicast host %s has heard %lld over %s",
                     (long long) s->n_sent, s->host, (long long) s->n_heard, s->interface);
        }
        if (!share_reason(s, result->why)) {
            return;
        }
    }
    result->n_rows = n_rows;
}

void tune_datagrams_measure(MPI_Comm comm, uint32_t payload, double budget_s,
                            struct tune_datagrams *result)
{
    struct station s = {.comm = comm, .receiver = -1, .sender = -1};
    int length;
    *result = (struct tune_datagrams){.n_rows = 0};
    MPI_Comm_rank(comm, &s.rank);
    MPI_Comm_size(comm, &s.n_ranks);
    MPI_Get_processor_name(s.host, &length);
    find_interface(&s);
    meet(&s);
    (void) open_station(&s, result->why);
    if (share_reason(&s, result->why)) {
        measure(&s, payload, budget_s, result);
    }
    close_station(&s);
}
