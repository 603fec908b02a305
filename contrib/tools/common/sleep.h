/* Sleeping, for all programs: without MPI. */
#ifndef COMMON_SLEEP_H
#define COMMON_SLEEP_H

#include <stdint.h>
#include <time.h>

/** Sleeps for some nanoseconds; a signal ends it early. */
static inline void common_sleep(int64_t ns)
{
    nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
}

#endif
