/*
 * Comparison of the records that the processes of a communicator have published
 * (communicator/record.h).
 */
#ifndef COLL_PIPEBCAST_RANKS_H
#define COLL_PIPEBCAST_RANKS_H

#include "communicator/record.h"

/** Facts that the records of a communicator's ranks have in common; alike on all ranks. */
typedef struct coll_pipebcast_common {
    bool has_several_jobs; /**< ranks are of several jobs; the rest is not known then */
    int without;           /**< the lowest rank without a record; -1: all have one. Where there is
                                one, the rest is not known */
    int unable;            /**< the lowest rank that cannot serve; -1: all can */
    int different;         /**< the lowest rank that is not like rank 0; -1: all are */
    int which;             /**< in what it differs first (communicator/record.h) */
    int other_model;       /**< the lowest rank with another measured model than rank 0; -1: none */
    uint64_t bits_per_second; /**< the least of any rank; PB_FACTS_UNKNOWN: none is known */
    uint64_t mtu;             /**< the least of any rank */
    uint64_t connections;     /**< the least of any rank */
    bool on_one_host;         /**< all of them are */
} coll_pipebcast_common_t;

/**
 * Compares the records of a communicator's ranks. No communication. O(ranks).
 * OMPI_ERR_OUT_OF_RESOURCE.
 */
int coll_pipebcast_ranks_compare(struct ompi_communicator_t *comm,
                                 coll_pipebcast_common_t *common_p);

/** Warns that `rank` differs from rank 0 in `what`. */
void coll_pipebcast_report_different(struct ompi_communicator_t *comm, const char *what, int rank,
                                     const char *until_then);

#endif
