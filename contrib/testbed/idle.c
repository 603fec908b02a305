/*
 * Lets idle ranks of an emulated cluster sleep instead of spin.
 *
 * On a real cluster a waiting rank spins on its host's own processor and disturbs no one. Here all
 * hosts share few processors, and spinning ranks delay busy ones for milliseconds. Preloaded into
 * the ranks, this library makes a poll without a timeout wait if it follows a sched_yield(). It
 * waits in the kernel, for an event or for PIPEBCAST_IDLE_US microseconds (default 1000). This
 * bounds the delay of messages without an event, such as those in shared memory.
 *
 * A poll does not wait if the rank itself has slept since the yield. Such a sleep stands for a
 * computation with polls now and then.
 *
 * If PIPEBCAST_IDLE_EMPTY is a number, a poll also waits after this number of polls in a row
 * without an event. That is for programs that never yield (MPICH).
 *
 * If PIPEBCAST_IDLE_YIELD is set, the yield sleeps instead: for ranks with shared memory alone.
 */
#include "dilation.h"

#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

#define DEFAULT_IDLE_US 1000

typedef int (*poll_t)(struct pollfd *, nfds_t, int);
typedef int (*epoll_wait_t)(int, struct epoll_event *, int, int);
typedef int (*nanosleep_t)(const struct timespec *, struct timespec *);

/* Set if this thread has yielded since it last looked for events. */
static __thread int has_yielded;
/* Looks of this thread without waiting that found nothing, since one found something. */
static __thread long n_empty;

/* Set once at load, before a second thread exists. */
static poll_t real_poll;
static epoll_wait_t real_epoll_wait;
static nanosleep_t real_nanosleep;
static struct timespec idle_time = {0, DEFAULT_IDLE_US * 1000L};
static long most_empty = LONG_MAX;
static int yield_sleeps;

int sched_yield(void);
int usleep(useconds_t us);

__attribute__((constructor)) static void load(void)
{
    const char *text = getenv("PIPEBCAST_IDLE_US");
    long us = text != NULL ? strtol(text, NULL, 10) : DEFAULT_IDLE_US;
    if (us > 0 && us <= 1000000) {
        idle_time.tv_sec = us / 1000000;
        idle_time.tv_nsec = us % 1000000 * 1000;
    }
    const char *empty = getenv("PIPEBCAST_IDLE_EMPTY");
    const long n = empty != NULL ? strtol(empty, NULL, 10) : 0;
    most_empty = n > 0 ? n : LONG_MAX;
    yield_sleeps = getenv("PIPEBCAST_IDLE_YIELD") != NULL;
    real_poll = (poll_t) dlsym(RTLD_NEXT, "poll");
    real_epoll_wait = (epoll_wait_t) dlsym(RTLD_NEXT, "epoll_wait");
    real_nanosleep = (nanosleep_t) dlsym(RTLD_NEXT, "nanosleep");
}

/** Tells whether this poll follows a yield, or many polls that found nothing; forgets the yield. */
static int is_idle(int timeout)
{
    int idle = timeout == 0 && (has_yielded || n_empty >= most_empty);
    has_yielded = 0;
    return idle;
}

/** Notes how many events a look found; yields that. */
static int note_found(int n_events)
{
    n_empty = n_events == 0 ? n_empty + 1 : 0;
    return n_events;
}

/** Notes a look that waited; yields the number of events that it found. */
static int note_waited(int n_events)
{
    dilation_note_wait();
    if (n_events > 0) {
        dilation_charge_wake();
    }
    return n_events;
}

int sched_yield(void)
{
    /* A dilated rank that yields again and again without a look waits for its clock. */
    if (yield_sleeps || (dilation_is_on() && has_yielded)) {
        return real_nanosleep(&idle_time, NULL);
    }
    has_yielded = 1;
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    has_yielded = 0;
    n_empty = 0;
    return real_nanosleep(time, left);
}

/* MPI_Init naps for 100 us between looks: naps of 128 ranks leave its launcher no processor. */
int usleep(useconds_t us)
{
    const struct timespec nap = {us / 1000000, us % 1000000 * 1000};
    return nanosleep(us < idle_time.tv_nsec / 1000 ? &idle_time : &nap, NULL);
}

int poll(struct pollfd *fds, nfds_t n_fds, int timeout)
{
    const int idle = is_idle(timeout);
    int n_found = real_poll(fds, n_fds, idle ? 0 : timeout);
    if (idle && n_found == 0) {
        n_found = note_waited(ppoll(fds, n_fds, &idle_time, NULL));
    }
    return note_found(n_found);
}

int epoll_wait(int epoll, struct epoll_event *events, int n_events, int timeout)
{
    const int idle = is_idle(timeout);
    int n_found = real_epoll_wait(epoll, events, n_events, idle ? 0 : timeout);
    if (idle && n_found == 0) {
        struct pollfd one = {.fd = epoll, .events = POLLIN};
        n_found = note_waited(ppoll(&one, 1, &idle_time, NULL));
        n_found = n_found > 0 ? real_epoll_wait(epoll, events, n_events, 0) : n_found;
    }
    return note_found(n_found);
}
