/*
 * What earlier jobs have learnt of a cluster's ranks, from the file of coll_pipebcast_learn keep.
 */
#ifndef TOOL_LEARNT_H
#define TOOL_LEARNT_H

#include "cluster.h"
#include "topo/model/kept.h"
#include "topo/model/learning.h"

typedef struct tool_learnt {
    pb_kept_t kept;
    const pb_kept_entry_t *entry; /* of these ranks; NULL: none is asked for */
    pb_learning_t *learning;      /* that begins with it; NULL: likewise */
} tool_learnt_t;

/*
 * Reads the file that --learnt names, if it is there, and finds the entry for the ranks of the
 * cluster, as the options choose, and by `model` (NULL: by an assumed one). What is wrong is
 * explained on standard error. Clear also after an error.
 */
tool_exit_t tool_learnt_open(const tool_options_t *options, const tool_cluster_t *cluster,
                             const pb_model_t *model, tool_learnt_t *learnt);
void tool_learnt_clear(tool_learnt_t *learnt);

/* Learns on from the entry, by a model that outlives it. TOOL_SYSTEM. */
tool_exit_t tool_learnt_begin(tool_learnt_t *learnt, const tool_cluster_t *cluster,
                              const pb_model_t *model, const pb_choose_options_t *choose);

/* Of the class of messages of `bytes`; NULL: nothing is known. */
const pb_learner_class_t *tool_learnt_class(const tool_learnt_t *learnt, uint64_t bytes);

/* What broadcasts of a class took by a candidate; -1: not known. The class may be NULL. */
int64_t tool_learnt_time(const pb_learner_class_t *class, const pb_candidate_t *candidate);

#endif
