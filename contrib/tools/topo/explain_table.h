/*
 * The table of pipebcast-topo explain: the candidates for one message, how long each is predicted
 * to take, how long broadcasts took by it, and which one is chosen.
 */
#ifndef TOOL_EXPLAIN_TABLE_H
#define TOOL_EXPLAIN_TABLE_H

#include "contrib/tools/common/json.h"
#include "topo/model/choose.h"
#include "topo/model/learner.h"

typedef struct explain_table {
    bool all;                        /* every candidate; else those that were measured or chosen,
                                        and the best one of each kind */
    uint64_t bytes;                  /* of the smallest message of the size class */
    int root;                        /* a rank */
    pb_chooser_t *chooser;           /* by the model */
    pb_chooser_t *corrected;         /* by the speed that was learnt; NULL: none was */
    bool has_learnt;                 /* there is something that was learnt */
    const pb_learner_class_t *class; /* what is known of the size class; NULL: nothing */
    pb_candidate_t prior, chosen;
    bool json; /* candidates are added to this array, not printed */
    common_json_t candidates;
    /* Of the kind that is being printed. */
    pb_candidate_t best;
    bool has_best, best_is_printed;
} explain_table_t;

/* Prints it on standard output, or adds it to the document. Errors as pb_choose_explain(). */
int explain_table_print(explain_table_t *table);

#endif
