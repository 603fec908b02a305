/* This host's steady clock. */
#ifndef COMMON_LOCAL_CLOCK_H
#define COMMON_LOCAL_CLOCK_H

#include <stdint.h>
#include <time.h>

/** In nanoseconds. */
static inline int64_t common_clock_local(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
