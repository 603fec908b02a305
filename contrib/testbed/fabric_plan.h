/*
 * A plan: the steps to come, and the loads that last, in the order of their times.
 */
#ifndef FABRIC_PLAN_H
#define FABRIC_PLAN_H

#include "contrib/testbed/fabric_step.h"
#include "topo/util/heap.h"

/** All-zero: nothing is planned. */
typedef struct fabric_plan {
    struct planned *slots; /**< owned */
    int n_places;
    int n_added;      /**< steps ever added: the order of steps of one time */
    pb_heap_t events; /**< one for each slot that is taken; `id` is its number */
} fabric_plan_t;

/** Something that is to be done at its time. */
typedef struct fabric_due {
    int64_t time;
    fabric_step_t step; /**< a change, or a load that sends one frame now */
    int number;         /**< of the load: unique among loads that last */
} fabric_due_t;

void fabric_plan_clear(fabric_plan_t *plan);

/** Adds a step, which is copied. PB_ERR_NO_MEMORY, and then it is not added. O(steps). */
int fabric_plan_add(fabric_plan_t *plan, const fabric_step_t *step);

/** Steps to come, and loads that have not ended. O(1). */
int fabric_plan_size(const fabric_plan_t *plan);

/** Ends all loads and forgets all steps to come. O(steps). */
void fabric_plan_forget(fabric_plan_t *plan);

/** Time at which fabric_plan_take() is to be called; INT64_MAX if nothing is planned. O(1). */
int64_t fabric_plan_next(const fabric_plan_t *plan);

/** Goes on to the next event. O(log steps). */
fabric_due_t fabric_plan_take(fabric_plan_t *plan);

#endif
