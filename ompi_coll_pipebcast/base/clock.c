#include "base/clock.h"

#include <time.h>

int64_t coll_pipebcast_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

double coll_pipebcast_seconds_since(int64_t then)
{
    return (double) (coll_pipebcast_now() - then) / 1e9;
}
