/*
 * Datagrams over UDP multicast; see engine/multicast/udp_datagrams.h.
 */
#include "engine/multicast/udp_datagrams.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Runs of datagrams pass the kernel as one by these. <linux/udp.h> clashes with <netinet/udp.h>. */
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

/** Datagrams, or with UDP_GRO runs of them, that one system call receives at most. */
#define MAX_RECEIVED 32
#define MAX_RECEIVED_RUNS 2

/** The most that one system call sends as one, and that UDP_GRO hands over as one. */
#define MAX_RUN_BYTES 65000
#define GRO_BYTES 65536

/**
 * Bytes of a receive buffer that a frame takes in addition to its own. Inside: the kernel's
 * structures and the driver's room, all rounded up to a power of 2. Next to that: a structure of
 * its own. 1,500 bytes take 2,304.
 */
#define OVERHEAD_INSIDE 384
#define OVERHEAD_BESIDE 256

typedef union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
} control_t;

typedef struct udp {
    pb_datagrams_t interface;
    int fd;
    bool has_segment;    /**< UDP_SEGMENT has not been refused */
    size_t buffer_bytes; /**< of the receive buffer, as the kernel counts them */
    struct sockaddr_in to;
    size_t frame_bytes;
    /* Received messages, and the next datagram in them. */
    int n_messages; /**< that the arrays below have room for */
    int n_here;     /**< that the last system call has received */
    int at;         /**< the next message */
    size_t offset;  /**< the next datagram in it */
    size_t room;    /**< bytes of each message */
    uint8_t *bytes;
    struct mmsghdr messages[MAX_RECEIVED];
    struct iovec vectors[MAX_RECEIVED];
    control_t controls[MAX_RECEIVED];
} udp_t;

static udp_t *udp_of(pb_datagrams_t *datagrams)
{
    return (udp_t *) datagrams;
}

/* Sending. */

/** Returns whether the error means that there is room later. */
static bool is_for_later(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS || error == EINTR;
}

static void point_at(const pb_datagram_t *datagram, struct iovec *vectors)
{
    vectors[0] = (struct iovec){(void *) datagram->header, datagram->header_bytes};
    vectors[1] = (struct iovec){(void *) datagram->payload, datagram->bytes};
}

/** Sends each datagram as a message of its own. */
static int send_each(udp_t *u, const pb_datagram_t *batch, int n)
{
    struct iovec vectors[PB_DATAGRAMS_MAX_BATCH][2];
    struct mmsghdr messages[PB_DATAGRAMS_MAX_BATCH];
    for (int i = 0; i < n; i++) {
        point_at(&batch[i], vectors[i]);
        messages[i] = (struct mmsghdr){.msg_hdr = {.msg_name = &u->to,
                                                   .msg_namelen = sizeof(u->to),
                                                   .msg_iov = vectors[i],
                                                   .msg_iovlen = 2}};
    }
    const int sent = sendmmsg(u->fd, messages, (unsigned int) n, MSG_DONTWAIT);
    if (sent < 0) {
        return is_for_later(errno) ? 0 : PB_ERR_IO;
    }
    return sent;
}

/** Sends the batch as one message that the kernel, or the interface, cuts into datagrams. */
static ssize_t send_run(udp_t *u, const pb_datagram_t *batch, int n, size_t size)
{
    struct iovec vectors[2 * PB_DATAGRAMS_MAX_BATCH];
    union {
        char bytes[CMSG_SPACE(sizeof(uint16_t))];
        struct cmsghdr header;
    } control = {.bytes = {0}};
    const uint16_t segment = (uint16_t) size;
    for (int i = 0; i < n; i++) {
        point_at(&batch[i], vectors + (size_t) 2 * (size_t) i);
    }
    control.header.cmsg_level = IPPROTO_UDP;
    control.header.cmsg_type = UDP_SEGMENT;
    control.header.cmsg_len = CMSG_LEN(sizeof(segment));
    memcpy(CMSG_DATA(&control.header), &segment, sizeof(segment));
    const struct msghdr message = {.msg_name = &u->to,
                                   .msg_namelen = sizeof(u->to),
                                   .msg_iov = vectors,
                                   .msg_iovlen = (size_t) 2 * (size_t) n,
                                   .msg_control = control.bytes,
                                   .msg_controllen = sizeof(control.bytes)};
    return sendmsg(u->fd, &message, MSG_DONTWAIT);
}

static int udp_send(pb_datagrams_t *datagrams, const pb_datagram_t *batch, int n)
{
    udp_t *u = udp_of(datagrams);
    const size_t size = batch[0].header_bytes + batch[0].bytes;
    if (!u->has_segment || n < 2 || size > MAX_RUN_BYTES / 2) {
        return send_each(u, batch, n);
    }
    const size_t fitting = MAX_RUN_BYTES / size;
    const int run = (size_t) n < fitting ? n : (int) fitting;
    if (send_run(u, batch, run, size) >= 0) {
        return run;
    }
    if (is_for_later(errno)) {
        return 0;
    }
    /* An interface without checksums in hardware or a kernel without it; if that is not the
       reason, sending one by one fails as well. */
    u->has_segment = false;
    return send_each(u, batch, n);
}

static bool udp_is_sending(pb_datagrams_t *datagrams)
{
    int unsent = 0;
    return ioctl(udp_of(datagrams)->fd, SIOCOUTQ, &unsent) == 0 && unsent > 0;
}

/* Receiving. */

/** Returns the bytes of each datagram but the last in a message. */
static size_t size_in(struct msghdr *message, size_t length)
{
    int size = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) {
            memcpy(&size, CMSG_DATA(c), sizeof(size));
        }
    }
    return size > 0 ? (size_t) size : length;
}

/** Receives what is there; false if nothing is. */
static bool receive(udp_t *u)
{
    for (int i = 0; i < u->n_messages; i++) {
        u->vectors[i] = (struct iovec){u->bytes + (size_t) i * u->room, u->room};
        u->messages[i].msg_hdr = (struct msghdr){.msg_iov = &u->vectors[i],
                                                 .msg_iovlen = 1,
                                                 .msg_control = u->controls[i].bytes,
                                                 .msg_controllen = sizeof(u->controls[i].bytes)};
    }
    const int n = recvmmsg(u->fd, u->messages, (unsigned int) u->n_messages, MSG_DONTWAIT, NULL);
    u->at = 0;
    u->offset = 0;
    u->n_here = n > 0 ? n : 0;
    return n > 0;
}

/** Takes the next datagram out of the received messages; false if it is none that fits. */
static bool take(udp_t *u, const uint8_t **bytes_p, size_t *length_p)
{
    struct mmsghdr *message = &u->messages[u->at];
    const size_t length = message->msg_len;
    const size_t size = size_in(&message->msg_hdr, length);
    const size_t left = length - u->offset;
    *bytes_p = u->bytes + (size_t) u->at * u->room + u->offset;
    *length_p = left < size ? left : size;
    u->offset += *length_p;
    const bool is_cut = (message->msg_hdr.msg_flags & MSG_TRUNC) != 0;
    if (is_cut || u->offset >= length) {
        u->at++;
        u->offset = 0;
    }
    return !is_cut && *length_p <= u->frame_bytes;
}

static bool udp_next(pb_datagrams_t *datagrams, const uint8_t **bytes_p, size_t *length_p)
{
    udp_t *u = udp_of(datagrams);
    while (u->at < u->n_here || receive(u)) {
        if (take(u, bytes_p, length_p)) {
            return true;
        }
    }
    return false;
}

static uint32_t udp_dropped(pb_datagrams_t *datagrams)
{
    uint32_t numbers[SK_MEMINFO_VARS] = {0};
    socklen_t length = sizeof(numbers);
    (void) getsockopt(udp_of(datagrams)->fd, SOL_SOCKET, SO_MEMINFO, numbers, &length);
    return numbers[SK_MEMINFO_DROPS];
}

/* Opening. */

static bool set(const udp_t *u, int level, int name, int value)
{
    return setsockopt(u->fd, level, name, &value, sizeof(value)) == 0;
}

/** Asks for a receive buffer, and reads what the kernel has given. */
static bool set_buffer(udp_t *u, size_t wanted)
{
    const int asked = wanted < INT32_MAX / 2 ? (int) wanted : INT32_MAX / 2;
    int given = 0;
    socklen_t length = sizeof(given);
    (void) set(u, SOL_SOCKET, SO_RCVBUF, asked);
    if (getsockopt(u->fd, SOL_SOCKET, SO_RCVBUF, &given, &length) != 0) {
        return false;
    }
    u->buffer_bytes = (size_t) given;
    return true;
}

/** Joins the group for receiving, unless this rank only sends, and sets the options for sending. */
static bool join(udp_t *u, const pb_udp_options_t *options)
{
    const struct ip_mreqn membership = {.imr_multiaddr = options->group,
                                        .imr_ifindex = (int) options->interface};
    const bool hears =
        options->only_sends ||
        (set(u, SOL_SOCKET, SO_REUSEADDR, 1) &&
         bind(u->fd, (const struct sockaddr *) &u->to, sizeof(u->to)) == 0 &&
         setsockopt(u->fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof(membership)) == 0 &&
         set(u, IPPROTO_IP, IP_MULTICAST_ALL, 0));
    return hears &&
           setsockopt(u->fd, IPPROTO_IP, IP_MULTICAST_IF, &membership, sizeof(membership)) == 0 &&
           set(u, IPPROTO_IP, IP_MULTICAST_TTL, 1) &&
           set(u, IPPROTO_IP, IP_MULTICAST_LOOP, options->loops) &&
           set(u, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
}

/** Returns whether the kernel knows UDP_SEGMENT. Sending shows whether the interface does. */
static bool knows_segment(const udp_t *u)
{
    int value = 0;
    socklen_t length = sizeof(value);
    return getsockopt(u->fd, IPPROTO_UDP, UDP_SEGMENT, &value, &length) == 0;
}

/** Frames that the receive buffer holds. */
static uint32_t capacity_of(const udp_t *u)
{
    size_t taken = 1;
    while (taken < u->frame_bytes + PB_UDP_HEADER_BYTES + OVERHEAD_INSIDE) {
        taken *= 2;
    }
    return (uint32_t) (u->buffer_bytes / (taken + OVERHEAD_BESIDE));
}

static int prepare(udp_t *u, const pb_udp_options_t *options)
{
    u->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (u->fd < 0 || !join(u, options) || !set_buffer(u, options->buffer_bytes)) {
        return PB_ERR_IO;
    }
    u->has_segment = !options->one_by_one && knows_segment(u);
    const bool has_gro = !options->one_by_one && set(u, IPPROTO_UDP, UDP_GRO, 1);
    u->n_messages = has_gro ? MAX_RECEIVED_RUNS : MAX_RECEIVED;
    u->room = has_gro ? GRO_BYTES : u->frame_bytes;
    u->bytes = malloc((size_t) u->n_messages * u->room);
    u->interface.capacity = capacity_of(u);
    return u->bytes != NULL ? 0 : PB_ERR_NO_MEMORY;
}

int pb_udp_datagrams_open(const pb_udp_options_t *options, pb_datagrams_t **datagrams_p)
{
    udp_t *u = calloc(1, sizeof(*u));
    if (u == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    u->interface = (pb_datagrams_t){
        .send = udp_send, .is_sending = udp_is_sending, .next = udp_next, .dropped = udp_dropped};
    u->frame_bytes = options->frame_bytes;
    u->to = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(options->port), .sin_addr = options->group};
    const int rc = prepare(u, options);
    if (rc != 0) {
        const int error = errno;
        pb_udp_datagrams_close(&u->interface);
        errno = error;
        return rc;
    }
    *datagrams_p = &u->interface;
    return 0;
}

void pb_udp_datagrams_close(pb_datagrams_t *datagrams)
{
    udp_t *u = udp_of(datagrams);
    if (u == NULL) {
        return;
    }
    if (u->fd >= 0) {
        close(u->fd);
    }
    free(u->bytes);
    free(u);
}
