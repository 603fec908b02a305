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
 */
#include "dilation.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

#define DEFAULT_IDLE_US 1000

/* Set if this thread has yielded since it last looked for events. */
static __thread int has_yielded;
/* Looks of this thread without waiting that found nothing, since one found something. */
static __thread long n_empty;

/* Set once at load, before a second thread exists. */
static struct timespec idle_time = {0, DEFAULT_IDLE_US * 1000L};
static long most_empty = LONG_MAX;

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

/** Sleeps by a wider function of the C library, as poll() and epoll_wait() look here. Libraries may
 * call all of them before this one is loaded. So nothing is looked up. */
static int sleep_for(const struct timespec *time, struct timespec *left)
{
    const int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    errno = error != 0 ? error : errno;
    return error != 0 ? -1 : 0;
}

int sched_yield(void)
{
    /* A dilated rank that yields again and again without a look waits for its clock. */
    if (dilation_is_on() && has_yielded) {
        return sleep_for(&idle_time, NULL);
    }
    has_yielded = 1;
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    has_yielded = 0;
    n_empty = 0;
    return sleep_for(time, left);
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
    const struct timespec wait = {timeout / 1000, timeout % 1000 * 1000000L};
    int n_found = ppoll(fds, n_fds, timeout < 0 ? NULL : &wait, NULL);
    if (idle && n_found == 0) {
        n_found = note_waited(ppoll(fds, n_fds, &idle_time, NULL));
    }
    return note_found(n_found);
}

int epoll_wait(int epoll, struct epoll_event *events, int n_events, int timeout)
{
    const int idle = is_idle(timeout);
    int n_found = epoll_pwait(epoll, events, n_events, timeout, NULL);
    struct pollfd one = {.fd = epoll, .events = POLLIN};
    if (idle && n_found == 0 && note_waited(ppoll(&one, 1, &idle_time, NULL)) > 0) {
        n_empty = 0;
        return epoll_wait(epoll, events, n_events, 0);
    }
    return note_found(n_found);
}
