#include "contrib/testbed/fabric_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

/* A step in its place, which is taken until the step's last event has come. */
typedef struct planned {
    fabric_step_t step;
    enum {
        PLACE_FREE,
        PLACE_WAITING,   /* for the step's time */
        PLACE_LOADING,   /* for the next frame of the load */
        PLACE_FORGOTTEN, /* for an event at which there is nothing to do */
    } state;
    int64_t end; /* of the load */
} planned_t;

void fabric_plan_clear(fabric_plan_t *plan)
{
    free(plan->places);
    pb_heap_clear(&plan->events);
    *plan = (fabric_plan_t){0};
}

/** The number of a free place, made if need be; -1 if out of memory. */
static int find_place(fabric_plan_t *plan)
{
    for (int i = 0; i < plan->n_places; i++) {
        if (plan->places[i].state == PLACE_FREE) {
            return i;
        }
    }
    const int old = plan->n_places, n = old > 0 ? 2 * old : 16;
    planned_t *places = realloc(plan->places, (size_t) n * sizeof(*places));
    if (places == NULL) {
        return -1;
    }
    plan->places = places;
    if (pb_heap_reserve(&plan->events, n) != PB_SUCCESS) {
        return -1;
    }
    memset(places + old, 0, (size_t) (n - old) * sizeof(*places));
    plan->n_places = n;
    return old;
}

/** Notes a place's next event. There is room for one of each. */
static void expect(fabric_plan_t *plan, int place, int64_t time, int order)
{
    int status =
        pb_heap_push(&plan->events, &(pb_event_t){.time = time, .major = order, .id = place});
    assert(status == PB_SUCCESS);
    (void) status;
}

int fabric_plan_add(fabric_plan_t *plan, const fabric_step_t *step)
{
    int place = find_place(plan);
    if (place < 0) {
        return PB_ERR_NO_MEMORY;
    }
    plan->places[place] = (planned_t){.step = *step, .state = PLACE_WAITING};
    expect(plan, place, step->time, plan->n_added++);
    return PB_SUCCESS;
}

int fabric_plan_size(const fabric_plan_t *plan)
{
    int n = 0;
    for (int i = 0; i < plan->n_places; i++) {
        n += plan->places[i].state == PLACE_WAITING || plan->places[i].state == PLACE_LOADING;
    }
    return n;
}

void fabric_plan_forget(fabric_plan_t *plan)
{
    for (int i = 0; i < plan->n_places; i++) {
        if (plan->places[i].state != PLACE_FREE) {
            plan->places[i].state = PLACE_FORGOTTEN;
        }
    }
}

int64_t fabric_plan_next(const fabric_plan_t *plan)
{
    return plan->events.n_events > 0 ? plan->events.events[0].time : INT64_MAX;
}

/** Expects a load's next frame a gap after `event`, or ends the load. */
static void expect_frame(fabric_plan_t *plan, const pb_event_t *event)
{
    planned_t *planned = &plan->places[event->id];
    int64_t time = event->time + fabric_load_gap(&planned->step.load);
    if (time < planned->end) {
        expect(plan, event->id, time, event->major);
    } else {
        planned->state = PLACE_FREE;
    }
}

bool fabric_plan_take(fabric_plan_t *plan, fabric_due_t *due)
{
    const pb_event_t event = pb_heap_pop(&plan->events);
    planned_t *planned = &plan->places[event.id];
    const bool begins = planned->state == PLACE_WAITING;
    *due = (fabric_due_t){.time = event.time, .step = planned->step, .number = event.id};
    if (planned->state == PLACE_FORGOTTEN || planned->step.kind == FABRIC_STEP_CHANGE) {
        planned->state = PLACE_FREE;
        return begins;
    }
    if (begins) {
        planned->state = PLACE_LOADING;
        planned->end = event.time + planned->step.load.duration;
    }
    expect_frame(plan, &event);
    /* A constant load begins with a frame, a random one with a gap. */
    return !begins || !planned->step.load.random;
}
