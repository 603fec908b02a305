/*
 * The parameters that people set: coll_pipebcast_*.
 */
#ifndef COLL_PIPEBCAST_PARAMETERS_H
#define COLL_PIPEBCAST_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compat.h"
#include "engine/arrival/arrival.h"
#include "topo/network/topology.h"
#include "topo/trees/plan.h"

/** Value of `algorithm` that lets the component choose; others are a pb_kind_t. */
#define COLL_PIPEBCAST_AUTO (-1)

/** Values of `arrival`: how arrivals are treated. */
enum {
    COLL_PIPEBCAST_ARRIVAL_OFF,  /**< not at all */
    COLL_PIPEBCAST_ARRIVAL_AUTO, /**< as `nb` while they are found to be uneven */
    COLL_PIPEBCAST_ARRIVAL_B,    /**< to groups of those who have arrived */
    COLL_PIPEBCAST_ARRIVAL_NB,   /**< the same, and data wait at those who have not */
};

/** Values of `locality`. */
enum {
    COLL_PIPEBCAST_LOCALITY_HOST, /**< ranks of a host are alike to each other */
    COLL_PIPEBCAST_LOCALITY_AUTO, /**< by package, NUMA node and cache */
};

/** Values of `leaders`. */
enum {
    COLL_PIPEBCAST_LEADERS_OFF,  /**< every rank of a host may be in trees between hosts */
    COLL_PIPEBCAST_LEADERS_AUTO, /**< one of them is, where a kind of tree can have that */
};

/** Values of `learn`. */
enum {
    COLL_PIPEBCAST_LEARN_OFF, /**< predictions count */
    COLL_PIPEBCAST_LEARN_ON,  /**< how long broadcasts took, as long as the communicator lives */
};

/** The value of `multicast` that is none of a topology's: as the file says, or off. */
#define COLL_PIPEBCAST_MULTICAST_BY_TOPOLOGY (PB_MULTICAST_ON + 1)

/** Values of `multicast_checksum`; the first two are those of a truth value. */
enum {
    COLL_PIPEBCAST_CHECKSUM_OFF,
    COLL_PIPEBCAST_CHECKSUM_ON,
    COLL_PIPEBCAST_CHECKSUM_AUTO, /**< where it costs little on links of that speed */
};

/** Values of `transport`: which transports between hosts are served. */
enum {
    COLL_PIPEBCAST_TRANSPORT_AUTO, /**< TCP over Ethernet, and those that were measured */
    COLL_PIPEBCAST_TRANSPORT_ANY,
};

/** Bounds of `segment_size`, in bytes. */
#define COLL_PIPEBCAST_MIN_SEGMENT 16
#define COLL_PIPEBCAST_MAX_SEGMENT PB_ARRIVAL_MAX_SEGMENT

typedef struct coll_pipebcast_params {
    int priority;
    char *topology_file; /**< owned by MCA; NULL or "": none */
    char *topology_name; /**< owned by MCA; NULL or "": none */
    char *topology;      /**< the same text inline; owned by MCA */
    char *model_file;    /**< of `pipebcast tune`; owned by MCA; NULL or "": none */
    char *advice_dir;    /**< of pipebcast-advisor; owned by MCA; NULL or "": none */
    char *
        hosts; /**< hostlist, indexed by rank of the job, instead of the launcher's; owned by MCA */
    char *processors; /**< numbers, indexed by rank of the job, instead of its binding; owned by MCA
                       */
    int locality;
    int leaders;
    int transport;
    int algorithm;
    int arrival;
    int learn;
    int multicast; /**< a pb_multicast_allowed_t, or COLL_PIPEBCAST_MULTICAST_BY_TOPOLOGY */
    int multicast_checksum;
    size_t multicast_buffer; /**< bytes */
    size_t arrival_wait;     /**< bytes */
    int fanout;
    size_t segment_size; /**< bytes; 0: chosen */
    size_t min_size;     /**< bytes; 0: chosen */
    pb_transfer_limits_t limits;
    size_t cache_size; /**< bytes */
    int connections;   /**< of a process, at least 2; 0: by its limit of descriptors */
    int verbose;
} coll_pipebcast_params_t;

/**
 * The process's parameters, constant once the component is open but for those that MPI_T may
 * change: `priority`, `verbose`, and the settings (base/settings.h).
 */
extern coll_pipebcast_params_t coll_pipebcast_params;

/** Returns whether a parameter that is a text is set. */
static inline bool coll_pipebcast_is_set(const char *text)
{
    return text != NULL && text[0] != '\0';
}

/** Returns whether advice is followed; arrivals are then ignored. */
static inline bool coll_pipebcast_follows_advice(void)
{
    return coll_pipebcast_is_set(coll_pipebcast_params.advice_dir);
}

/** Returns whether `bytes` is a valid value of `segment_size`. */
static inline bool coll_pipebcast_is_segment_size(size_t bytes)
{
    return bytes == 0 ||
           (bytes >= COLL_PIPEBCAST_MIN_SEGMENT && bytes <= COLL_PIPEBCAST_MAX_SEGMENT);
}

/** Registers every parameter; called whenever Open MPI registers the component. */
void coll_pipebcast_params_register(const mca_base_component_t *component);

/**
 * Checks the parameters' values; one out of range is reported and set to its
 * default. Then they are the settings of the start. Called once at open.
 */
void coll_pipebcast_params_check(void);

#endif
