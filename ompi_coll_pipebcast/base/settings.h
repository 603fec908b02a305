/*
 * The settings of a communicator: those parameters that MPI_T may change while a program runs. A
 * communicator reads them when it is made, and keeps them. As with coll/tuned, a program that
 * changes one has to do so on all ranks before the communicator is made.
 */
#ifndef COLL_PIPEBCAST_SETTINGS_H
#define COLL_PIPEBCAST_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parameters.h"
#include "topo/model/choose.h"

typedef struct coll_pipebcast_settings {
    int algorithm;       /**< COLL_PIPEBCAST_AUTO, or a pb_kind_t */
    int arrival;         /**< COLL_PIPEBCAST_ARRIVAL_* */
    int learn;           /**< COLL_PIPEBCAST_LEARN_* */
    size_t segment_size; /**< bytes; 0: chosen */
} coll_pipebcast_settings_t;

/** Settings at the start, constant once the component is open. */
extern coll_pipebcast_settings_t coll_pipebcast_first_settings;

/** The settings for a communicator that is made now, for any thread. A value out of range is
 * reported, and replaced by the one at the start. */
coll_pipebcast_settings_t coll_pipebcast_settings_now(void);

/**
 * Returns the kind that is set, or the PB_CHOOSE_* from which the planner chooses. Where advice is
 * followed, the fallback component is no candidate: only the root knows whether there is advice.
 */
static inline int coll_pipebcast_kind_to_choose(const coll_pipebcast_settings_t *settings)
{
    return settings->algorithm != COLL_PIPEBCAST_AUTO ? settings->algorithm
           : coll_pipebcast_follows_advice()          ? PB_CHOOSE_OWN
                                                      : PB_CHOOSE_ALL;
}

/** Returns whether the root sends the whole message to one rank after another, arrived or not. */
static inline bool coll_pipebcast_goes_in_turn(const coll_pipebcast_settings_t *settings)
{
    return !coll_pipebcast_follows_advice() && settings->arrival == COLL_PIPEBCAST_ARRIVAL_NB &&
           settings->algorithm == PB_KIND_FLAT;
}

/** Returns whether every broadcast is arrival-aware, because the user has set it. */
static inline bool coll_pipebcast_is_arrival_aware(const coll_pipebcast_settings_t *settings)
{
    return !coll_pipebcast_follows_advice() && !coll_pipebcast_goes_in_turn(settings) &&
           settings->arrival >= COLL_PIPEBCAST_ARRIVAL_B;
}

/**
 * Returns whether measured times are learned: not where advice is followed, nor where every
 * broadcast is arrival-aware.
 */
static inline bool coll_pipebcast_learns(const coll_pipebcast_settings_t *settings)
{
    return settings->learn != COLL_PIPEBCAST_LEARN_OFF && !coll_pipebcast_follows_advice() &&
           settings->arrival < COLL_PIPEBCAST_ARRIVAL_B;
}

#endif
