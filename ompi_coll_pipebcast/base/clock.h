/*
 * The time, as this process sees it pass. (MPI_Wtime is a binding: inside Open MPI's tree, from 6.0
 * on, components are linked into a library below the bindings.)
 */
#ifndef COLL_PIPEBCAST_CLOCK_H
#define COLL_PIPEBCAST_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Nanoseconds since some moment in the past; never back. */
static inline int64_t coll_pipebcast_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

/** Seconds since a moment that coll_pipebcast_now() returned. */
static inline double coll_pipebcast_seconds_since(int64_t then)
{
    return (double) (coll_pipebcast_now() - then) / 1e9;
}

#endif
