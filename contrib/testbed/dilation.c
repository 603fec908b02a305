#include "dilation.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

/* A rank that other work on this computer has delayed catches up with at most this, in ns. */
#define MAX_LATE INT64_C(50000000)

/* Nanoseconds of a real host's processor; by names in a host file (see testbedlib/host.py). */
typedef struct costs {
    double send_call, send_byte;
    double receive_call, receive_byte;
    double datagram; /* a further one of a batch, sent or received */
    double wake;     /* from data in the socket to the rank that waits for it */
} costs_t;

/* Set once at load, before a second thread exists. */
static double dilation; /* 0: this process is not dilated */
static costs_t costs;
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_clock_nanosleep)(clockid_t, int, const struct timespec *, struct timespec *);
static ssize_t (*real_sendmsg)(int, const struct msghdr *, int);
static ssize_t (*real_recvmsg)(int, struct msghdr *, int);
static int (*real_sendmmsg)(int, struct mmsghdr *, unsigned int, int);
static int (*real_recvmmsg)(int, struct mmsghdr *, unsigned int, int, struct timespec *);

/* Set if this thread has asked to be woken before others. */
static __thread int has_priority;
/* Until when this thread's processor is busy with what was charged; 0 if it has waited since. */
static __thread int64_t busy_until;

static int is_rank(void)
{
    return getenv("OMPI_COMM_WORLD_RANK") != NULL || getenv("PMI_RANK") != NULL;
}

static int read_costs(const char *text)
{
    return text != NULL &&
           sscanf(text, "%lf %lf %lf %lf %lf %lf", &costs.send_call, &costs.send_byte,
                  &costs.receive_call, &costs.receive_byte, &costs.datagram, &costs.wake) == 6;
}

/** Finds what is replaced here, and no wider function does, once. Other libraries may call it
 * before this one is loaded. */
static void find_real(void)
{
    if (real_recvmmsg != NULL) {
        return;
    }
    *(void **) &real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    *(void **) &real_clock_nanosleep = dlsym(RTLD_NEXT, "clock_nanosleep");
    *(void **) &real_sendmsg = dlsym(RTLD_NEXT, "sendmsg");
    *(void **) &real_recvmsg = dlsym(RTLD_NEXT, "recvmsg");
    *(void **) &real_sendmmsg = dlsym(RTLD_NEXT, "sendmmsg");
    *(void **) &real_recvmmsg = dlsym(RTLD_NEXT, "recvmmsg");
}

__attribute__((constructor)) static void load(void)
{
    find_real();
    const char *text = getenv("PIPEBCAST_DILATION");
    const double wanted = text != NULL ? strtod(text, NULL) : 0;
    if (!(wanted > 0) || !is_rank()) {
        return;
    }
    if (!read_costs(getenv("PIPEBCAST_HOST_COSTS"))) {
        fputs("pipebcast-idle: PIPEBCAST_HOST_COSTS is not six numbers\n", stderr);
        exit(EXIT_FAILURE);
    }
    dilation = wanted;
}

int dilation_is_on(void)
{
    return dilation > 0;
}

/* ---- time ---- */

static int64_t ns_of(const struct timespec *time)
{
    return (int64_t) time->tv_sec * 1000000000 + time->tv_nsec;
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static int64_t real_now(void)
{
    struct timespec now;
    real_clock_gettime(CLOCK_MONOTONIC, &now);
    return ns_of(&now);
}

static int is_dilated(clockid_t clock)
{
    return dilation > 0 && (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
                            clock == CLOCK_MONOTONIC_COARSE);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    find_real();
    const int status = real_clock_gettime(clock, time);
    if (status == 0 && is_dilated(clock)) {
        *time = timespec_of((int64_t) ((double) ns_of(time) / dilation));
    }
    return status;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    find_real();
    if (!is_dilated(clock) || flags != TIMER_ABSTIME) {
        return real_clock_nanosleep(clock, flags, time, left);
    }
    const struct timespec until = timespec_of((int64_t) ((double) ns_of(time) * dilation));
    dilation_note_wait();
    return real_clock_nanosleep(clock, flags, &until, left);
}

/* ---- costs ---- */

void dilation_note_wait(void)
{
    busy_until = 0;
}

/**
 * Ranks sleep nearly always; other work on this computer is not to delay those that wake. They ask
 * for it when they first use the network, so that 32 that start do not hold up all others.
 */
static void take_priority(void)
{
    const struct sched_param lowest = {.sched_priority = 1};
    (void) prctl(PR_SET_TIMERSLACK, 1L);
    if (sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest) != 0) {
        (void) setpriority(PRIO_PROCESS, 0, -20);
    }
    has_priority = 1;
}

/**
 * Sleeps for work that takes `ns` on a real host and began at `began`, or when the work charged
 * before is done. The time that this computer took since then is not charged again.
 */
static void charge(int64_t began, double ns)
{
    if (!has_priority) {
        take_priority();
    }
    const int64_t late = began - busy_until;
    const int64_t from = late > MAX_LATE ? began : busy_until;
    busy_until = from + (int64_t) (ns * dilation);
    const struct timespec until = timespec_of(busy_until);
    real_clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

void dilation_charge_wake(void)
{
    if (dilation > 0) {
        charge(real_now(), costs.wake);
    }
}

/** Tells whether a socket leads to another host; the loopback costs nothing. */
static int is_network(int fd)
{
    struct sockaddr_in own;
    socklen_t size = sizeof(own);
    return dilation > 0 && getsockname(fd, (struct sockaddr *) &own, &size) == 0 &&
           own.sin_family == AF_INET && ntohl(own.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET;
}

/* A call sends when its own cost is paid; its bytes leave while they are copied. */
static int begin_send(int fd)
{
    find_real();
    const int charged = is_network(fd);
    if (charged) {
        charge(real_now(), costs.send_call);
    }
    return charged;
}

static ssize_t end_send(int charged, ssize_t n_bytes)
{
    if (charged && n_bytes > 0) {
        charge(real_now(), costs.send_byte * (double) n_bytes);
    }
    return n_bytes;
}

static int64_t begin_receive(void)
{
    find_real();
    return dilation > 0 ? real_now() : 0;
}

static ssize_t end_receive(int fd, int64_t began, ssize_t n_bytes)
{
    if (n_bytes > 0 && is_network(fd)) {
        charge(began, costs.receive_call + costs.receive_byte * (double) n_bytes);
    }
    return n_bytes;
}

static double bytes_of(const struct mmsghdr *messages, int n)
{
    double bytes = 0;
    for (int i = 0; i < n; i++) {
        bytes += messages[i].msg_len;
    }
    return bytes;
}

ssize_t writev(int fd, const struct iovec *pieces, int n)
{
    const int charged = begin_send(fd);
    return end_send(charged, pwritev2(fd, pieces, n, -1, 0));
}

ssize_t send(int fd, const void *data, size_t size, int flags)
{
    const int charged = begin_send(fd);
    return end_send(charged, sendto(fd, data, size, flags, NULL, 0));
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    const int charged = begin_send(fd);
    return end_send(charged, real_sendmsg(fd, message, flags));
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned int n, int flags)
{
    const int charged = begin_send(fd);
    const int n_sent = real_sendmmsg(fd, messages, n, flags);
    if (charged && n_sent > 0) {
        charge(real_now(),
               costs.send_byte * bytes_of(messages, n_sent) + costs.datagram * (n_sent - 1));
    }
    return n_sent;
}

ssize_t readv(int fd, const struct iovec *pieces, int n)
{
    const int64_t began = begin_receive();
    return end_receive(fd, began, preadv2(fd, pieces, n, -1, 0));
}

ssize_t recv(int fd, void *data, size_t size, int flags)
{
    const int64_t began = begin_receive();
    return end_receive(fd, began, recvfrom(fd, data, size, flags, NULL, NULL));
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    const int64_t began = begin_receive();
    return end_receive(fd, began, real_recvmsg(fd, message, flags));
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned int n, int flags, struct timespec *timeout)
{
    const int64_t began = begin_receive();
    const int n_received = real_recvmmsg(fd, messages, n, flags, timeout);
    if (n_received > 0 && is_network(fd)) {
        charge(began, costs.receive_call + costs.datagram * (n_received - 1) +
                          costs.receive_byte * bytes_of(messages, n_received));
    }
    return n_received;
}
