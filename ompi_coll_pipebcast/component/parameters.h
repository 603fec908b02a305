/*
 * The parameters that people set: coll_pipebcast_*.
 */
#ifndef COLL_PIPEBCAST_PARAMS_H
#define COLL_PIPEBCAST_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/arrival/header.h"
#include "topo/trees/plan.h"

/** Value of `algorithm` that lets the component choose; others are a pb_kind_t, or below. */
#define COLL_PIPEBCAST_AUTO (-1)

/** Values of `algorithm` beyond the kinds of plans. */
enum {
    COLL_PIPEBCAST_ARRIVAL_B = 100, /**< groups of those who have arrived */
    COLL_PIPEBCAST_ARRIVAL_NB,      /**< the same, and data that wait at those who have not */
    COLL_PIPEBCAST_FLAT_NB,         /**< the whole to each rank in turn, arrived or not */
    COLL_PIPEBCAST_ADAPTIVE,        /**< down the tree that is advised now */
    COLL_PIPEBCAST_END_BEYOND,
    COLL_PIPEBCAST_FIRST_BEYOND = COLL_PIPEBCAST_ARRIVAL_B,
    COLL_PIPEBCAST_N_BEYOND = COLL_PIPEBCAST_END_BEYOND - COLL_PIPEBCAST_FIRST_BEYOND,
};

/** Values of `arrival`. */
enum {
    COLL_PIPEBCAST_ARRIVAL_OFF,
    COLL_PIPEBCAST_ARRIVAL_ON,
    COLL_PIPEBCAST_ARRIVAL_AUTO,
};

/** Bounds of `segment_size`, in bytes. */
#define COLL_PIPEBCAST_MIN_SEGMENT 16
#define COLL_PIPEBCAST_MAX_SEGMENT PB_ARRIVAL_MAX_SEGMENT

typedef struct coll_pipebcast_params {
    int priority;
    char *topology_file; /**< owned by MCA; NULL or "": none */
    char *topology;      /**< the same text inline; owned by MCA */
    char *model_file;    /**< of pipebcast-tune; owned by MCA; NULL or "": none */
    char *advice_dir;    /**< of pipebcast-advisor; owned by MCA; NULL or "": none */
    char *hosts;      /**< hostlist by rank of the job, instead of the launcher's; owned by MCA */
    char *processors; /**< numbers by rank of the job, instead of its binding; owned by MCA */
    int locality;
    int algorithm;
    int arrival;
    size_t arrival_wait; /**< bytes */
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

/** The kind of tree that a person has named, or -1. */
static inline int coll_pipebcast_forced_kind(const coll_pipebcast_params_t *params)
{
    switch (params->algorithm) {
    case COLL_PIPEBCAST_AUTO:
    case COLL_PIPEBCAST_ARRIVAL_B:
    case COLL_PIPEBCAST_ARRIVAL_NB:
    case COLL_PIPEBCAST_ADAPTIVE:
        return -1;
    case COLL_PIPEBCAST_FLAT_NB:
        return PB_KIND_FLAT;
    default:
        return params->algorithm;
    }
}

/** The name of a value of `algorithm`: a pb_kind_t or one beyond. NULL for others. */
const char *coll_pipebcast_algorithm_name(int algorithm);

/** Registers every parameter; called whenever Open MPI registers the component. */
int coll_pipebcast_params_register(void);

/**
 * Checks the parameters' values; one out of range is reported and set to its
 * default. Called once at open.
 */
void coll_pipebcast_params_check(void);

#endif
