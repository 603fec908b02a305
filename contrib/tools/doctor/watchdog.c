#include "watchdog.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/** The process has one. */
static struct {
    pthread_mutex_t lock; /**< protects the rest */
    pthread_cond_t changed;
    pthread_t thread;
    doctor_late_fn_t *late;
    void *context;
    const char *step; /**< NULL: none goes on */
    double seconds;
    struct timespec end; /**< of the step */
    bool is_stopping;
} dog = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *watch(void *unused)
{
    (void) unused;
    pthread_mutex_lock(&dog.lock);
    while (!dog.is_stopping) {
        if (dog.step == NULL) {
            pthread_cond_wait(&dog.changed, &dog.lock);
        } else if (pthread_cond_timedwait(&dog.changed, &dog.lock, &dog.end) == ETIMEDOUT) {
            dog.late(dog.context, dog.step, dog.seconds);
            _exit(EXIT_FAILURE);
        }
    }
    pthread_mutex_unlock(&dog.lock);
    return NULL;
}

bool doctor_watchdog_start(doctor_late_fn_t *late, void *context)
{
    pthread_condattr_t attributes;
    dog.late = late;
    dog.context = context;
    dog.is_stopping = false;
    dog.step = NULL;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&dog.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return pthread_create(&dog.thread, NULL, watch, NULL) == 0;
}

void doctor_watchdog_step(const char *step, double seconds)
{
    pthread_mutex_lock(&dog.lock);
    clock_gettime(CLOCK_MONOTONIC, &dog.end);
    const double end = (double) dog.end.tv_nsec * 1e-9 + seconds;
    dog.end.tv_sec += (time_t) floor(end);
    dog.end.tv_nsec = (long) ((end - floor(end)) * 1e9);
    dog.step = step;
    dog.seconds = seconds;
    pthread_cond_signal(&dog.changed);
    pthread_mutex_unlock(&dog.lock);
}

void doctor_watchdog_stop(void)
{
    pthread_mutex_lock(&dog.lock);
    dog.is_stopping = true;
    pthread_cond_signal(&dog.changed);
    pthread_mutex_unlock(&dog.lock);
    pthread_join(dog.thread, NULL);
    pthread_cond_destroy(&dog.changed);
}
