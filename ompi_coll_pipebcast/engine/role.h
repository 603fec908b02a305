/*
 * A role: one rank's place in a plan, which is all that its transfers need. Far
 * smaller than the plan, so that roles of many roots can be kept.
 */
#ifndef PB_ROLE_H
#define PB_ROLE_H

#include <stddef.h>
#include <stdint.h>

#include "topo/trees/plan.h"

typedef struct pb_role {
    int n_streams;
    int n_sources;         /**< distinct parent ranks; 0 for the root */
    int n_targets;         /**< distinct child ranks */
    int *source;           /**< by source: the rank */
    int *target;           /**< by target: the rank, in the order of first sending */
    uint32_t *source_mask; /**< by source: bit t is set if stream t comes from it */
    uint32_t *target_mask; /**< by target: bit t is set if stream t goes to it */
    size_t memory;         /**< bytes that the role takes */
} pb_role_t;

/** The place of `rank` in `plan`; free() gives all of it back. NULL if out of memory. */
pb_role_t *pb_role_new(const pb_plan_t *plan, int rank);

#endif
