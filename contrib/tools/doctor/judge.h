/* Judges the facts: each function adds findings to the report. Rank 0's. */
#ifndef DOCTOR_JUDGE_H
#define DOCTOR_JUDGE_H

#include "cluster.h"
#include "report.h"

/** All that is judged. */
typedef struct doctor_facts {
    const doctor_cluster_t *cluster; /**< borrowed */
    const doctor_report_t *report;   /**< borrowed: rates and broadcasts */
    const char *how;                 /**< of doctor_broadcast_try() */
    bool is_used;                    /**< there is a communicator that pipebcast may serve */
} doctor_facts_t;

/** Reports ranks that did not answer; returns whether all did. */
bool doctor_judge_roll(doctor_report_t *report, const doctor_roll_t *roll);

/** Reports edges over which no message passed; returns whether there is none. */
bool doctor_judge_edges(doctor_report_t *report, const doctor_facts_t *facts);

/** Goes through the table of judgements. */
void doctor_judge(doctor_report_t *report, const doctor_facts_t *facts);

#endif
