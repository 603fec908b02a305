/*
 * The parameters that people set: coll_pipebcast_*.
 */
#ifndef COLL_PIPEBCAST_PARAMS_H
#define COLL_PIPEBCAST_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

/** Value of `algorithm` that lets the component choose; others are a pb_kind_t. */
#define COLL_PIPEBCAST_AUTO (-1)

/** Bounds of `segment_size`, in bytes. */
#define COLL_PIPEBCAST_MIN_SEGMENT 16
#define COLL_PIPEBCAST_MAX_SEGMENT (1 << 30)

typedef struct coll_pipebcast_params {
    int priority;
    char *topology_file; /**< owned by MCA; NULL or "": none */
    char *topology;      /**< the same text inline; owned by MCA */
    char *hosts; /**< hostlist by rank of the job, instead of the launcher's; owned by MCA */
    int algorithm;
    int fanout;
    size_t segment_size; /**< bytes; 0: chosen */
    size_t min_size;     /**< bytes */
    int receive_window;  /**< segments */
    int send_window;     /**< segments */
    size_t ahead;        /**< bytes */
    size_t cache_size;   /**< bytes */
    bool autoload;
    int verbose;
} coll_pipebcast_params_t;

/** Registers every parameter; called whenever Open MPI registers the component. */
int coll_pipebcast_params_register(void);

/**
 * Checks the parameters' values; one out of range is reported and set to its
 * default. Called once at open.
 */
void coll_pipebcast_params_check(void);

#endif
