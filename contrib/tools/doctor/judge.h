/* What the facts mean: each function adds findings to the report. Rank 0's. */
#ifndef DOCTOR_JUDGE_H
#define DOCTOR_JUDGE_H

#include "cluster.h"
#include "page.h"

/** Ranks that did not answer; false if there are any. */
bool doctor_judge_roll(doctor_report_t *report, const doctor_roll_t *roll);

/** Versions of Open MPI, the plugin and the doctor, parameters, and what hosts there are. */
void doctor_judge_software(doctor_report_t *report, const doctor_cluster_t *cluster);

/** Whether the plugin is there at all ranks. */
bool doctor_has_plugin(const doctor_cluster_t *cluster);

/** What the plugin did with a broadcast: `how` of doctor_broadcast_try(). */
void doctor_judge_serving(doctor_report_t *report, const doctor_cluster_t *cluster,
                          const char *how);

/** Transport, MTU, rates, buffers, descriptors. */
void doctor_judge_transport(doctor_report_t *report, const doctor_cluster_t *cluster);

/** The topology and the model: where they came from, and whether they fit. */
void doctor_judge_files(doctor_report_t *report, const doctor_cluster_t *cluster);

/** The times of report->broadcasts. */
void doctor_judge_broadcasts(doctor_report_t *report);

#endif
