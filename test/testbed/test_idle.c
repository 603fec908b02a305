/*
 * The preloaded library by which idle ranks sleep: linked in here, its poll()
 * takes the place of the C library's.
 */
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "test/must.h"
#include "test/tap.h"

/** The longest sleep, set before the library loads its own: see main(). */
#define IDLE_US "900000"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static double time_of_poll(struct pollfd *fds, nfds_t n, int *found_p)
{
    const double start = now();
    *found_p = poll(fds, n, 0);
    return now() - start;
}

/* The library reads its environment when it is loaded, so the program sets it and starts again. */
static void restart_with_environment(char **argv)
{
    if (getenv("PIPEBCAST_IDLE_US") == NULL) {
        setenv("PIPEBCAST_IDLE_US", IDLE_US, 1);
        setenv("PIPEBCAST_IDLE_EMPTY", "4", 1);
        execv("/proc/self/exe", argv);
        abort();
    }
}

/** Does as a library whose constructor runs before the preloaded one's. */
__attribute__((constructor(101))) static void use_before_load(void)
{
    struct timespec none = {0};
    poll(NULL, 0, 0);
    nanosleep(&none, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &none, NULL);
    send(-1, NULL, 0, 0);
    recv(-1, NULL, 0, 0);
}

int main(int argc, char **argv)
{
    int ends[2];
    int found;
    (void) argc;
    restart_with_environment(argv);
    must(pipe(ends) == 0);
    struct pollfd fd = {.fd = ends[0], .events = POLLIN};

    ok(time_of_poll(&fd, 1, &found) < 0.5 && found == 0, "a look without a yield does not wait");
    sched_yield();
    ok(time_of_poll(&fd, 1, &found) > 0.5 && found == 0, "after a yield it waits");
    ok(time_of_poll(&fd, 1, &found) < 0.5 && found == 0, "once");
    const struct timespec nap = {.tv_nsec = 1000};
    sched_yield();
    nanosleep(&nap, NULL);
    ok(time_of_poll(&fd, 1, &found) < 0.5 && found == 0, "nor if the program has slept since");
    must(write(ends[1], "x", 1) == 1);
    sched_yield();
    ok(time_of_poll(&fd, 1, &found) < 0.5 && found == 1, "an event ends the wait");
    char byte;
    must(read(ends[0], &byte, 1) == 1);
    double longest = 0;
    for (int i = 0; i < 4; i++) {
        const double took = time_of_poll(&fd, 1, &found);
        longest = took > longest ? took : longest;
    }
    ok(longest < 0.5, "looks that find nothing do not wait");
    ok(time_of_poll(&fd, 1, &found) > 0.5 && found == 0, "after that number in a row they do");
    nanosleep(&nap, NULL);
    ok(time_of_poll(&fd, 1, &found) < 0.5, "but not if the program has slept since");
    const double start = now();
    usleep(100);
    ok(now() - start > 0.5, "a nap is as long as a wait");
    return tap_done();
}
