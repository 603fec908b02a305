#include "watchdog.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/** The process has one. */
static struct {
    timer_t timer;
    doctor_late_fn_t *late;
    void *context;
    const char *_Atomic step;
    _Atomic double seconds;
} dog;

/** Runs in a thread of the C library. */
static void expire(union sigval unused)
{
    (void) unused;
    dog.late(dog.context, dog.step, dog.seconds);
    _exit(EXIT_FAILURE);
}

bool doctor_watchdog_start(doctor_late_fn_t *late, void *context)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expire};
    dog.late = late;
    dog.context = context;
    return timer_create(CLOCK_MONOTONIC, &event, &dog.timer) == 0;
}

void doctor_watchdog_step(const char *step, double seconds)
{
    const double whole = floor(seconds);
    const struct itimerspec after = {
        .it_value = {.tv_sec = (time_t) whole, .tv_nsec = (long) ((seconds - whole) * 1e9)}};
    dog.step = step;
    dog.seconds = seconds;
    timer_settime(dog.timer, 0, &after, NULL);
}

void doctor_watchdog_stop(void)
{
    timer_delete(dog.timer);
}
