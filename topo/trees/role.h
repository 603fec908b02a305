/*
 * A role: one rank's part of a plan, which is all that its transfers need. Far
 * smaller than the plan, so that roles for many roots can be kept.
 */
#ifndef PB_ROLE_H
#define PB_ROLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/trees/plan.h"

typedef struct pb_role {
    int n_streams;
    int n_parents;         /**< distinct parent ranks; 0 for the root */
    int n_children;        /**< distinct child ranks */
    int *parent;           /**< by index of the parent: the rank */
    int *child;            /**< by index of the child: the rank, in the order of first sending */
    uint32_t *parent_mask; /**< by index of the parent: bit t is set if stream t comes from it */
    uint32_t *child_mask;  /**< by index of the child: bit t is set if stream t goes to it */
    bool is_led;  /**< in a plan by leaders (topo/trees/leaders.h): its parent is on its own host */
    int n_inside; /**< in such a plan: children on its own host, which are the last ones */
    size_t memory; /**< bytes that the role takes */
} pb_role_t;

/**
 * The role of `rank` in `plan`; free() gives all of it back. NULL if out of memory.
 * O(streams + children^2 of the rank); with one stream O(children).
 */
pb_role_t *pb_role_new(const pb_plan_t *plan, int rank);

/** The parent in a stream; -1: the rank is the root. O(parents). */
static inline int pb_role_parent_in(const pb_role_t *role, int stream)
{
    for (int i = 0; i < role->n_parents; i++) {
        if ((role->parent_mask[i] & UINT32_C(1) << stream) != 0) {
            return role->parent[i];
        }
    }
    return -1;
}

/** Returns whether the child with this index is one in a stream. */
static inline bool pb_role_has_child_in(const pb_role_t *role, int i, int stream)
{
    return (role->child_mask[i] & UINT32_C(1) << stream) != 0;
}

/** Parts of a role in a plan by leaders: between hosts, and inside its rank's host, where all
 * streams are one. Both borrow the role's arrays, and have no memory of their own. */
pb_role_t pb_role_between_hosts(const pb_role_t *role);
pb_role_t pb_role_inside_host(const pb_role_t *role);

#endif
