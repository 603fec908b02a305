#include "contrib/testbed/fabric_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

/* A slot for a step, which is taken until the step's last event has come. */
typedef struct planned {
    fabric_step_t step;
    enum {
        SLOT_FREE,
        SLOT_WAITING, /* for the step's time */
        SLOT_LOADING, /* for the next frame of the load */
    } state;
    int64_t end; /* of the load */
} planned_t;

void fabric_plan_clear(fabric_plan_t *plan)
{
    free(plan->slots);
    pb_heap_clear(&plan->events);
    *plan = (fabric_plan_t){0};
}

/** The number of a free slot, made if need be; -1 if out of memory. */
static int find_slot(fabric_plan_t *plan)
{
    for (int i = 0; i < plan->n_places; i++) {
        if (plan->slots[i].state == SLOT_FREE) {
            return i;
        }
    }
    const int old = plan->n_places, n = old > 0 ? 2 * old : 16;
    const bool room = pb_heap_reserve(&plan->events, n) == PB_SUCCESS;
    planned_t *slots = room ? realloc(plan->slots, (size_t) n * sizeof(*slots)) : NULL;
    if (slots == NULL) {
        return -1;
    }
    plan->slots = slots;
    memset(slots + old, 0, (size_t) (n - old) * sizeof(*slots));
    plan->n_places = n;
    return old;
}

/** Notes a slot's next event. There is room for one of each. */
static void expect(fabric_plan_t *plan, int slot, int64_t time, int order)
{
    int status =
        pb_heap_push(&plan->events, &(pb_event_t){.time = time, .major = order, .id = slot});
    assert(status == PB_SUCCESS);
    (void) status;
}

int fabric_plan_add(fabric_plan_t *plan, const fabric_step_t *step)
{
    int slot = find_slot(plan);
    if (slot < 0) {
        return PB_ERR_NO_MEMORY;
    }
    plan->slots[slot] = (planned_t){.step = *step, .state = SLOT_WAITING};
    expect(plan, slot, step->time, plan->n_added++);
    return PB_SUCCESS;
}

int fabric_plan_size(const fabric_plan_t *plan)
{
    return plan->events.n_events;
}

void fabric_plan_forget(fabric_plan_t *plan)
{
    plan->events.n_events = 0;
    for (int i = 0; i < plan->n_places; i++) {
        plan->slots[i].state = SLOT_FREE;
    }
}

int64_t fabric_plan_next(const fabric_plan_t *plan)
{
    return plan->events.n_events > 0 ? plan->events.events[0].time : INT64_MAX;
}

/** Expects a load's next frame after the one of `event`, or ends the load. */
static void expect_frame(fabric_plan_t *plan, const pb_event_t *event)
{
    planned_t *planned = &plan->slots[event->id];
    const fabric_load_t *load = &planned->step.load;
    int64_t time = event->time + fabric_link_wire_time(load->rate, load->length);
    if (time < planned->end) {
        expect(plan, event->id, time, event->major);
    } else {
        planned->state = SLOT_FREE;
    }
}

fabric_due_t fabric_plan_take(fabric_plan_t *plan)
{
    const pb_event_t event = pb_heap_pop(&plan->events);
    planned_t *planned = &plan->slots[event.id];
    const fabric_due_t due = {.time = event.time, .step = planned->step, .number = event.id};
    if (due.step.kind != FABRIC_STEP_LOAD) {
        planned->state = SLOT_FREE;
        return due;
    }
    if (planned->state == SLOT_WAITING) {
        planned->state = SLOT_LOADING;
        planned->end = event.time + due.step.load.duration;
    }
    expect_frame(plan, &event);
    return due;
}
