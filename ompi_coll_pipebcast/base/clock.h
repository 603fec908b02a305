/*
 * The time, as this process sees it pass. (MPI_Wtime is a binding: inside Open MPI's tree, from 6.0
 * on, components are linked into a library below the bindings.)
 */
#ifndef COLL_PIPEBCAST_CLOCK_H
#define COLL_PIPEBCAST_CLOCK_H

#include <stdint.h>

/** Nanoseconds since some moment in the past; never back. */
int64_t coll_pipebcast_now(void);

/** Seconds since a moment that coll_pipebcast_now() returned. */
double coll_pipebcast_seconds_since(int64_t then);

#endif
