#include "contrib/testbed/fabric_ports.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

/* Bytes of ring: 0.1 s of single-frame segments between 32 hosts at 10 Mbit/s and more. */
#define RING_BYTES (16u << 20)
#define BLOCK_BYTES (1u << 16)
/* Most bytes that a slot holds besides the frame. */
#define SLOT_OVERHEAD 96

struct fabric_ports {
    int fd;
    int n_ports;
    uint32_t max_length;
    struct sockaddr_ll *address; /* by port */
    int n_indices;
    int *port_of; /* by interface index: port, -1 for none */
    unsigned char *ring;
    size_t ring_bytes, slot_bytes;
    unsigned n_slots, next_slot;
    fabric_ports_counters_t counters;
};

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static int fail(char *why, size_t why_size, const char *what)
{
    snprintf(why, why_size, "%s: %s", what, strerror(errno));
    return -1;
}

/** Finds the interfaces, and the way back from interface index to port. */
static int find_interfaces(fabric_ports_t *ports, const char *prefix, char *why, size_t why_size)
{
    for (int port = 0; port < ports->n_ports; port++) {
        char name[64];
        snprintf(name, sizeof(name), "%s%d", prefix, port);
        unsigned index = if_nametoindex(name);
        if (index == 0 || index > 1 << 24) {
            snprintf(why, why_size, "no interface %s in this network namespace", name);
            return -1;
        }
        ports->address[port] = (struct sockaddr_ll){
            .sll_family = AF_PACKET, .sll_ifindex = (int) index, .sll_protocol = htons(ETH_P_ALL)};
        if ((int) index >= ports->n_indices) {
            ports->n_indices = (int) index + 1;
        }
    }
    ports->port_of = malloc(((size_t) ports->n_indices + 1) * sizeof(*ports->port_of));
    if (ports->port_of == NULL) {
        return fail(why, why_size, "interfaces");
    }
    memset(ports->port_of, -1, (size_t) ports->n_indices * sizeof(*ports->port_of));
    for (int port = 0; port < ports->n_ports; port++) {
        ports->port_of[ports->address[port].sll_ifindex] = port;
    }
    return 0;
}

static int make_ring(fabric_ports_t *ports, char *why, size_t why_size)
{
    int version = TPACKET_V2;
    if (setsockopt(ports->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) < 0) {
        return fail(why, why_size, "packet socket: version 2 of the ring");
    }
    ports->slot_bytes = 256;
    while (ports->slot_bytes < ports->max_length + SLOT_OVERHEAD) {
        ports->slot_bytes *= 2;
    }
    size_t block = ports->slot_bytes > BLOCK_BYTES ? ports->slot_bytes : BLOCK_BYTES;
    struct tpacket_req request = {
        .tp_block_size = (unsigned) block,
        .tp_block_nr = (unsigned) (RING_BYTES / block),
        .tp_frame_size = (unsigned) ports->slot_bytes,
        .tp_frame_nr = (unsigned) (RING_BYTES / ports->slot_bytes),
    };
    if (setsockopt(ports->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) < 0) {
        return fail(why, why_size, "packet socket: a ring of 16 MB to receive in");
    }
    ports->n_slots = request.tp_frame_nr;
    ports->ring_bytes = RING_BYTES;
    void *ring = mmap(NULL, ports->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ports->fd, 0);
    if (ring == MAP_FAILED) {
        return fail(why, why_size, "packet socket: mapping the ring");
    }
    ports->ring = ring;
    return 0;
}

static int open_socket(fabric_ports_t *ports, char *why, size_t why_size)
{
    /* Without a protocol nothing is received until bind, so that the ring sees every frame. */
    ports->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (ports->fd < 0) {
        return fail(why, why_size, "packet socket (is CONFIG_PACKET in the kernel?)");
    }
    int on = 1, send_bytes = 8 << 20;
    if (setsockopt(ports->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) < 0) {
        return fail(why, why_size, "packet socket: PACKET_IGNORE_OUTGOING (Linux 4.20 has it)");
    }
    /* Cheaper and bigger where the kernel lets us; the defaults serve too. */
    (void) setsockopt(ports->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on));
    if (setsockopt(ports->fd, SOL_SOCKET, SO_SNDBUFFORCE, &send_bytes, sizeof(send_bytes)) < 0) {
        (void) setsockopt(ports->fd, SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof(send_bytes));
    }
    if (make_ring(ports, why, why_size) < 0) {
        return -1;
    }
    struct sockaddr_ll all = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    if (bind(ports->fd, (struct sockaddr *) &all, sizeof(all)) < 0) {
        return fail(why, why_size, "packet socket: bind");
    }
    return 0;
}

fabric_ports_t *fabric_ports_open(const char *prefix, int n_ports, uint32_t max_length, char *why,
                                  size_t why_size)
{
    fabric_ports_t *ports = calloc(1, sizeof(*ports));
    if (ports == NULL) {
        fail(why, why_size, "ports");
        return NULL;
    }
    ports->fd = -1;
    ports->n_ports = n_ports;
    ports->max_length = max_length;
    ports->address = calloc((size_t) n_ports + 1, sizeof(*ports->address));
    if (ports->address == NULL) {
        fail(why, why_size, "ports");
    } else if (find_interfaces(ports, prefix, why, why_size) == 0 &&
               open_socket(ports, why, why_size) == 0) {
        return ports;
    }
    fabric_ports_close(ports);
    return NULL;
}

void fabric_ports_close(fabric_ports_t *ports)
{
    if (ports == NULL) {
        return;
    }
    if (ports->ring != NULL) {
        munmap(ports->ring, ports->ring_bytes);
    }
    if (ports->fd >= 0) {
        close(ports->fd);
    }
    free(ports->address);
    free(ports->port_of);
    free(ports);
}

int fabric_ports_fd(const fabric_ports_t *ports)
{
    return ports->fd;
}

static unsigned char *slot(const fabric_ports_t *ports)
{
    return ports->ring + (size_t) ports->next_slot * ports->slot_bytes;
}

void fabric_ports_receive(fabric_ports_t *ports,
                          void (*found)(void *context, int port, const unsigned char *data,
                                        uint32_t length, int64_t time),
                          void *context)
{
    /* The kernel stamps in CLOCK_REALTIME; the offset is taken anew for each visit because that
     * clock may be set while the fabric runs. */
    int64_t now = clock_ns(CLOCK_MONOTONIC);
    int64_t offset = clock_ns(CLOCK_REALTIME) - now;
    for (;;) {
        struct tpacket2_hdr *header = (struct tpacket2_hdr *) slot(ports);
        uint32_t status = __atomic_load_n(&header->tp_status, __ATOMIC_ACQUIRE);
        if ((status & TP_STATUS_USER) == 0) {
            break;
        }
        const struct sockaddr_ll *from =
            (const struct sockaddr_ll *) ((unsigned char *) header +
                                          TPACKET_ALIGN(sizeof(struct tpacket2_hdr)));
        int index = from->sll_ifindex;
        int port = index >= 0 && index < ports->n_indices ? ports->port_of[index] : -1;
        int64_t time = (int64_t) header->tp_sec * 1000000000 + header->tp_nsec - offset;
        /* A stamp a second off is none: the clock was set since the frame was stamped. */
        if (time > now + 1000000000 || time < now - 1000000000) {
            time = now;
        }
        if (port >= 0 && header->tp_len > ports->max_length) {
            ports->counters.oversized++;
        } else if (port >= 0) {
            ports->counters.received++;
            found(context, port, (unsigned char *) header + header->tp_mac, header->tp_snaplen,
                  time);
        }
        __atomic_store_n(&header->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
        ports->next_slot = ports->next_slot + 1 == ports->n_slots ? 0 : ports->next_slot + 1;
    }
}

void fabric_ports_send(fabric_ports_t *ports, const fabric_ports_frame_t *frames, int n_frames)
{
    struct mmsghdr messages[FABRIC_PORTS_BATCH];
    struct iovec pieces[FABRIC_PORTS_BATCH];
    memset(messages, 0, (size_t) n_frames * sizeof(*messages));
    for (int i = 0; i < n_frames; i++) {
        pieces[i] = (struct iovec){frames[i].data, frames[i].length};
        messages[i].msg_hdr.msg_name = &ports->address[frames[i].port];
        messages[i].msg_hdr.msg_namelen = sizeof(struct sockaddr_ll);
        messages[i].msg_hdr.msg_iov = &pieces[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    for (int done = 0; done < n_frames;) {
        int sent = sendmmsg(ports->fd, messages + done, (unsigned) (n_frames - done), MSG_DONTWAIT);
        if (sent > 0) {
            ports->counters.sent += (uint64_t) sent;
            done += sent;
        } else if (sent == 0 || errno != EINTR) {
            ports->counters.refused++;
            done++;
        }
    }
}

const fabric_ports_counters_t *fabric_ports_counters(fabric_ports_t *ports)
{
    struct tpacket_stats stats;
    socklen_t size = sizeof(stats);
    /* Reading the kernel's counters sets them back, so they are added up here. */
    if (getsockopt(ports->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0) {
        ports->counters.overruns += stats.tp_drops;
    }
    return &ports->counters;
}

void fabric_ports_reset(fabric_ports_t *ports)
{
    (void) fabric_ports_counters(ports);
    ports->counters = (fabric_ports_counters_t){0};
}
