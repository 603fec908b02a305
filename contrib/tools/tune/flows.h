/*
 * Trials over MPI (topo/discover/trial.h): concurrent flows between hosts, timed where they arrive.
 *
 * Rank 0 leads: it sends each rank of a trial its part and collects the rates. A flow sends from an
 * agreed time on for as long as the trial lasts. It has few messages under way, so it takes what it
 * gets and leaves no long queue behind. Its rate is what arrives in a window in which all flows
 * send. All other ranks sleep.
 */
#ifndef TUNE_FLOWS_H
#define TUNE_FLOWS_H

#include <mpi.h>

#include "contrib/tools/common/clock.h"
#include "options.h"
#include "topo/discover/trial.h"

typedef struct tune_flows {
    MPI_Comm comm; /**< borrowed */
    int rank;
    int n_hosts;
    int *rank_of; /**< owned; rank 0's, by host: its first rank */
    char **names; /**< owned; rank 0's, by host */
    common_clock_t clock;
    unsigned char *memory; /**< owned; of the messages under way */
    bool *connected;       /**< owned; rank 0's: by pair of hosts: there was a flow */
    /* Rank 0's: */
    int64_t bytes;       /**< of a message */
    int64_t message_ns;  /**< that one takes at full rate */
    int64_t window_ns;   /**< in which arrivals count */
    int64_t lead_ns;     /**< from an order to the beginning */
    int64_t deadline_ns; /**< no trial begins after this; by the local clock */
    double load;         /**< the share of time in which flows send, at most */
    int64_t synced_ns;   /**< when clocks were last compared */
    int64_t busy_ns;     /**< in which flows sent */
} tune_flows_t;

/** A part of rank 0's work: the part that can fail before the measurement, or the measurement. */
typedef bool tune_flows_part_t(void *context);

/**
 * Finds the hosts of the communicator's ranks, and has rank 0 do its two parts while the others
 * take part in its trials. It keeps to the time and load of the options. `flows` is for the parts
 * alone. Collective. The job ends, after a message, if a part fails or there are fewer than two
 * hosts.
 */
void tune_flows_run(tune_flows_t *flows, MPI_Comm comm, const struct tune_options *options,
                    tune_flows_part_t *prepare, tune_flows_part_t *lead, void *context);

/** Rank 0's: messages and a window that suit the rate of a few flows. PB_SUCCESS or an error. */
int tune_flows_calibrate(tune_flows_t *flows);

/**
 * Rank 0's: the meter whose trials these are; at most `most` flows at a time, 0: as many as there
 * are hosts. It returns PB_ERR_UNFIT after the deadline, and PB_ERR_IO if ranks are late
 * repeatedly. When it lengthens trials, they take twice as long, up to four times.
 */
pb_meter_t tune_flows_meter(tune_flows_t *flows, int most);

#endif
