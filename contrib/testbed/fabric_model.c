#include "contrib/testbed/fabric_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/testbed/fabric_plan.h"
#include "topo/util/hash.h"
#include "topo/util/heap.h"

struct fabric_model {
    const pb_network_t *network;
    uint32_t max_length;
    fabric_members_t *members;
    int n_links;
    fabric_link_t *links; /* one for each member */
    /* One event for each link that has a frame under way, for which there is always room: the
     * arrival of the foremost one. `id` is the member. */
    pb_heap_t events;
    fabric_plan_t plan;
    fabric_switch_t *switches; /* by node */
    uint64_t n_changes;
};

static bool is_host(const fabric_model_t *model, int node)
{
    return pb_network_node(model->network, node)->kind == PB_NODE_HOST;
}

/** Tells whether a directed link exists: the top node has none upwards. */
static bool is_link(const fabric_model_t *model, int link)
{
    return fabric_members_count(model->members, link) > 0;
}

static void lay_links(fabric_model_t *model, const fabric_links_t *links)
{
    const uint32_t base = pb_network_base_speed(model->network);
    const uint64_t seed = pb_hash_number(PB_HASH_START, links->loss_seed);
    for (int i = 0; i < model->n_links; i++) {
        int link = fabric_members_at(model->members, i)->link, node = pb_link_node(link);
        uint32_t speed = pb_network_node(model->network, node)->speed;
        const bool host_port = pb_link_is_up(link) && is_host(model, node);
        const bool last = !pb_link_is_up(link) && is_host(model, node);
        /* The product of two 32-bit speeds and a rate may overflow: divide in double precision. */
        double rate = (double) links->rate * speed / base;
        model->links[i] = (fabric_link_t){
            .rate = rate >= 1 ? (uint64_t) (rate + 0.5) : 1,
            .latency = links->latency,
            .queue_limit = host_port ? links->host_queue : links->switch_queue,
            .interrupt = last ? links->interrupt : 0,
            .interrupt_at = -links->interrupt,
            .loss = last ? links->host_loss : 0,
            .chance = pb_random_seed(pb_hash_end(pb_hash_number(seed, (uint64_t) i))),
            .free_at = INT64_MIN,
            .last_arrival = INT64_MIN,
        };
    }
}

/** The directed link on which a switch sends frames for another node: up, unless that is below. */
static int way(const fabric_model_t *model, int node, int target)
{
    int above;
    for (int below = target; (above = pb_network_node(model->network, below)->parent) >= 0;
         below = above) {
        if (above == node) {
            return pb_link_down(below);
        }
    }
    return pb_link_up(node);
}

fabric_model_t *fabric_model_new(const pb_network_t *network, const fabric_links_t *links,
                                 uint32_t max_length)
{
    fabric_model_t *model = calloc(1, sizeof(*model));
    if (model == NULL) {
        return NULL;
    }
    size_t n_nodes = (size_t) pb_network_size(network);
    model->network = network;
    model->max_length = max_length;
    model->members = fabric_members_new(network, links->hash_seed);
    model->n_links = model->members != NULL ? fabric_members_size(model->members) : 0;
    model->links = calloc((size_t) model->n_links + 1, sizeof(*model->links));
    model->switches = calloc(n_nodes + 1, sizeof(*model->switches));
    if (model->members == NULL || model->links == NULL || model->switches == NULL ||
        pb_heap_reserve(&model->events, model->n_links) != PB_SUCCESS) {
        fabric_model_free(model);
        return NULL;
    }
    lay_links(model, links);
    return model;
}

void fabric_model_free(fabric_model_t *model)
{
    if (model == NULL) {
        return;
    }
    for (int link = 0; model->links != NULL && link < model->n_links; link++) {
        while (fabric_link_next_event(&model->links[link]) != INT64_MAX) {
            free(fabric_link_pop(&model->links[link]));
        }
    }
    free(model->links);
    fabric_members_free(model->members);
    pb_heap_clear(&model->events);
    fabric_plan_clear(&model->plan);
    free(model->switches);
    free(model);
}

fabric_frame_t *fabric_model_frame(fabric_model_t *model)
{
    fabric_frame_t *frame = malloc(sizeof(*frame) + model->max_length);
    if (frame != NULL) {
        *frame = (fabric_frame_t){.source = -1, .target = -1};
    }
    return frame;
}

/** Notes the arrival of a member's foremost frame, if it has one. */
static void expect_arrival(fabric_model_t *model, int member)
{
    const pb_event_t event = {.time = fabric_link_next_event(&model->links[member]), .id = member};
    int status = event.time != INT64_MAX ? pb_heap_push(&model->events, &event) : PB_SUCCESS;
    assert(status == PB_SUCCESS);
    (void) status;
}

/** Puts a frame on a member. Its next event changes only if it was empty. */
static void transmit(fabric_model_t *model, int member, fabric_frame_t *frame, int64_t now)
{
    bool was_empty = fabric_link_next_event(&model->links[member]) == INT64_MAX;
    if (!fabric_link_push(&model->links[member], frame, now)) {
        free(frame);
    } else if (was_empty) {
        expect_arrival(model, member);
    }
}

static void transmit_copy(fabric_model_t *model, int member, const fabric_frame_t *frame,
                          int64_t now)
{
    fabric_frame_t *copy = fabric_model_frame(model);
    if (copy == NULL) {
        fabric_link_lose(&model->links[member], frame->kind, frame->length);
        return;
    }
    memcpy(copy, frame, sizeof(*frame) + frame->length);
    transmit(model, member, copy, now);
}

/** Where a frame is: at a switch of those merged in a node, to which it came over a link. */
typedef struct position {
    int node, at, came_by;
} position_t;

/** The member of a directed link that a frame takes from switch `at` of those that send on it. */
static int choose(const fabric_model_t *model, int link, int at, const fabric_frame_t *frame)
{
    return fabric_members_choose(model->members, link, at, frame->flow);
}

/** Copies a group frame, which it owns, to each link of the switch but the one of its arrival. */
static void spread(fabric_model_t *model, position_t here, fabric_frame_t *frame, int64_t now)
{
    fabric_switch_t *own = &model->switches[here.node];
    if (own->no_multicast && frame->is_multicast) {
        own->drops++;
        free(frame);
        return;
    }
    const pb_node_t *below;
    for (int child = pb_network_node(model->network, here.node)->first_child; child >= 0;
         child = below->next_sibling) {
        below = pb_network_node(model->network, child);
        if (child != pb_link_node(here.came_by)) {
            transmit_copy(model, choose(model, pb_link_down(child), here.at, frame), frame, now);
        }
    }
    const int up = pb_link_up(here.node);
    if (pb_link_is_up(here.came_by) && is_link(model, up)) {
        transmit_copy(model, choose(model, up, here.at, frame), frame, now);
    }
    free(frame);
}

static void forward(fabric_model_t *model, position_t here, fabric_frame_t *frame, int64_t now)
{
    if (frame->target < 0) {
        spread(model, here, frame, now);
        return;
    }
    const int link = way(model, here.node, frame->target);
    transmit(model, choose(model, link, here.at, frame), frame, now);
}

void fabric_model_send(fabric_model_t *model, int host, fabric_frame_t *frame, int64_t now)
{
    const int up = pb_link_up(host);
    if (frame->target == host || !is_link(model, up)) {
        free(frame);
        return;
    }
    frame->source = host;
    transmit(model, choose(model, up, 0, frame), frame, now);
}

fabric_switch_t *fabric_model_switch(fabric_model_t *model, int node)
{
    return &model->switches[node];
}

/* ---- steps ---- */

int fabric_model_plan(fabric_model_t *model, const fabric_step_t *step)
{
    return fabric_plan_add(&model->plan, step);
}

int fabric_model_n_planned(const fabric_model_t *model)
{
    return fabric_plan_size(&model->plan);
}

void fabric_model_forget(fabric_model_t *model)
{
    fabric_plan_forget(&model->plan);
}

/** The member by which a load begins; from merged switches by one that has the flow chosen. */
static int first_member(const fabric_model_t *model, const fabric_load_t *load, uint32_t flow)
{
    const int link =
        is_host(model, load->from) ? pb_link_up(load->from) : way(model, load->from, load->to);
    const int at = fabric_members_begin(model->members, link, flow);
    return fabric_members_choose(model->members, link, at, flow);
}

/** Sends one frame of a load on its way, unless too many of its kind wait there. */
static void emit(fabric_model_t *model, const fabric_load_t *load, int number, int64_t now)
{
    const int first = first_member(model, load, (uint32_t) number);
    bool room = model->links[first].synthetic_bytes + load->length <= FABRIC_LOAD_WAITING;
    fabric_frame_t *frame = room ? fabric_model_frame(model) : NULL;
    if (frame == NULL) {
        fabric_link_lose(&model->links[first], FABRIC_SYNTHETIC, load->length);
        return;
    }
    frame->target = load->to;
    frame->length = load->length;
    frame->flow = (uint32_t) number;
    frame->kind = FABRIC_SYNTHETIC;
    transmit(model, first, frame, now);
}

/** Changes the members that a step names. */
static void change(fabric_model_t *model, const fabric_step_t *step, int64_t now)
{
    const int first = fabric_members_first(model->members, step->link);
    const int n = fabric_members_count(model->members, step->link);
    for (int number = 0; number < n; number++) {
        if (step->member < 0 || step->member == number) {
            fabric_link_change(&model->links[first + number], now, &step->change);
        }
    }
    model->n_changes++;
}

/** Does the next thing of the plan. */
static void do_step(fabric_model_t *model)
{
    const fabric_due_t due = fabric_plan_take(&model->plan);
    switch (due.step.kind) {
    case FABRIC_STEP_LOAD:
        emit(model, &due.step.load, due.number, due.time);
        break;
    case FABRIC_STEP_CHANGE:
        change(model, &due.step, due.time);
        break;
    case FABRIC_STEP_SWITCH:
        model->switches[due.step.node].no_multicast = due.step.no_multicast;
        break;
    }
}

/* ---- events ---- */

static int64_t next_arrival(const fabric_model_t *model)
{
    return model->events.n_events > 0 ? model->events.events[0].time : INT64_MAX;
}

int64_t fabric_model_next_event(const fabric_model_t *model)
{
    const int64_t step = fabric_plan_next(&model->plan), arrival = next_arrival(model);
    return step < arrival ? step : arrival;
}

/** The next frame comes to the end of its link. Returns it if that is a host. */
static fabric_frame_t *arrive(fabric_model_t *model, int *host_p, int64_t *time_p)
{
    const pb_event_t event = pb_heap_pop(&model->events);
    const fabric_member_t *member = fabric_members_at(model->members, event.id);
    const int link = member->link, below = pb_link_node(link);
    fabric_frame_t *frame = fabric_link_pop(&model->links[event.id]);
    expect_arrival(model, event.id);
    int node = pb_link_is_up(link) ? pb_network_node(model->network, below)->parent : below;
    if (frame->kind == FABRIC_SYNTHETIC && frame->target == node) {
        free(frame);
        return NULL;
    }
    if (is_host(model, node)) {
        *host_p = node;
        *time_p = event.time;
        return frame;
    }
    forward(model, (position_t){node, member->to_switch, link}, frame, event.time);
    return NULL;
}

fabric_frame_t *fabric_model_deliver(fabric_model_t *model, int64_t until, int *host_p,
                                     int64_t *time_p)
{
    int64_t time;
    while ((time = fabric_model_next_event(model)) <= until && time != INT64_MAX) {
        /* Frames that arrive at the time of a step come after it. */
        if (fabric_plan_next(&model->plan) <= time) {
            do_step(model);
            continue;
        }
        fabric_frame_t *frame = arrive(model, host_p, time_p);
        if (frame != NULL) {
            return frame;
        }
    }
    return NULL;
}

int64_t fabric_model_min_hop(const fabric_model_t *model)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < model->n_links; i++) {
        if (pb_link_is_up(fabric_members_at(model->members, i)->link)) {
            int64_t hop = fabric_link_wire_time(model->links[i].rate, FABRIC_MIN_FRAME) +
                          model->links[i].latency;
            least = hop < least ? hop : least;
        }
    }
    return least;
}

const fabric_members_t *fabric_model_members(const fabric_model_t *model)
{
    return model->members;
}

fabric_link_t *fabric_model_link(fabric_model_t *model, int member)
{
    return &model->links[member];
}

uint64_t fabric_model_n_changes(const fabric_model_t *model)
{
    return model->n_changes;
}
