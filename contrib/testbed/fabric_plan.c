#include "contrib/testbed/fabric_plan.h"

#include <assert.h>
#include <math.h>
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

/** A uniform number above 0 and at most 1: splitmix64 (Steele, Lea and Flood 2014). */
static double draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double) ((z >> 11) + 1) / 9007199254740992.0;
}

/** Nanoseconds from one frame to the next, at least 1. A random gap changes load->seed. */
static int64_t gap_of(fabric_load_t *load)
{
    int64_t mean = fabric_link_wire_time(load->rate, load->length);
    if (!load->random) {
        return mean;
    }
    int64_t gap = (int64_t) (-log(draw(&load->seed)) * (double) mean);
    return gap > 0 ? gap : 1;
}

/** Expects a load's next frame a gap after `event`, or ends the load. */
static void expect_frame(fabric_plan_t *plan, const pb_event_t *event)
{
    planned_t *planned = &plan->slots[event->id];
    int64_t time = event->time + gap_of(&planned->step.load);
    if (time < planned->end) {
        expect(plan, event->id, time, event->major);
    } else {
        planned->state = SLOT_FREE;
    }
}

bool fabric_plan_take(fabric_plan_t *plan, fabric_due_t *due)
{
    const pb_event_t event = pb_heap_pop(&plan->events);
    planned_t *planned = &plan->slots[event.id];
    const bool begins = planned->state == SLOT_WAITING;
    *due = (fabric_due_t){.time = event.time, .step = planned->step, .number = event.id};
    if (planned->step.kind != FABRIC_STEP_LOAD) {
        planned->state = SLOT_FREE;
        return true;
    }
    if (begins) {
        planned->state = SLOT_LOADING;
        planned->end = event.time + planned->step.load.duration;
    }
    expect_frame(plan, &event);
    /* A constant load begins with a frame, a random one with a gap. */
    return !begins || !planned->step.load.random;
}
