#include "contrib/testbed/fabric_model.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/testbed/fabric_heap.h"

struct fabric_model {
    const pb_network_t *network;
    uint32_t max_length;
    int n_links;
    fabric_link_t *links;  /* by directed link; those of the top node are unused */
    fabric_heap_t *events; /* by directed link: when its foremost frame arrives */
    int *column;           /* by node: place among the machines, -1 for switches */
    int *row;              /* by node: place among the switches, -1 for machines */
    int *next_hop;         /* [row][column]: the directed link that leads to the machine */
    fabric_frame_t *spare; /* released frames, by next */
};

static bool is_machine(const fabric_model_t *model, int node)
{
    return model->column[node] >= 0;
}

/** Every link that a cable of the network has. */
static bool has_cable(const fabric_model_t *model, int link)
{
    return link >= 0 && link < model->n_links &&
           pb_network_node(model->network, pb_link_node(link))->parent >= 0;
}

static void lay_cables(fabric_model_t *model, const fabric_cables_t *cables)
{
    uint32_t base = pb_network_base_speed(model->network);
    for (int link = 0; link < model->n_links; link++) {
        int node = pb_link_node(link);
        uint32_t speed = pb_network_node(model->network, node)->speed;
        bool host_port = pb_link_is_up(link) && is_machine(model, node);
        /* The product of two 32-bit speeds and a rate may overflow: divide in double precision. */
        double rate = (double) cables->rate * speed / base;
        model->links[link] = (fabric_link_t){
            .rate = has_cable(model, link) && rate >= 1 ? (uint64_t) (rate + 0.5) : 1,
            .latency = cables->latency,
            .queue_limit = host_port ? cables->host_queue : cables->switch_queue,
            .free_at = INT64_MIN,
            .last_arrival = INT64_MIN,
        };
    }
}

static int number_nodes(fabric_model_t *model)
{
    int n_machines = 0, n_switches = 0;
    for (int node = 0; node < pb_network_size(model->network); node++) {
        bool machine = pb_network_node(model->network, node)->kind == PB_NODE_MACHINE;
        model->column[node] = machine ? n_machines++ : -1;
        model->row[node] = machine ? -1 : n_switches++;
    }
    return n_switches;
}

/** From a switch the way to a machine is up, unless the machine is below the switch. */
static void find_ways(fabric_model_t *model)
{
    int n_machines = pb_network_n_machines(model->network);
    for (int node = 0; node < pb_network_size(model->network); node++) {
        int *ways =
            is_machine(model, node) ? NULL : &model->next_hop[model->row[node] * n_machines];
        for (int column = 0; ways != NULL && column < n_machines; column++) {
            ways[column] = pb_link_up(node);
        }
    }
    for (int node = 0; node < pb_network_size(model->network); node++) {
        if (!is_machine(model, node)) {
            continue;
        }
        int below = node, above = pb_network_node(model->network, node)->parent;
        while (above >= 0) {
            model->next_hop[model->row[above] * n_machines + model->column[node]] =
                pb_link_down(below);
            below = above;
            above = pb_network_node(model->network, above)->parent;
        }
    }
}

fabric_model_t *fabric_model_new(const pb_network_t *network, const fabric_cables_t *cables,
                                 uint32_t max_length)
{
    fabric_model_t *model = calloc(1, sizeof(*model));
    if (model == NULL) {
        return NULL;
    }
    size_t n_nodes = (size_t) pb_network_size(network);
    size_t n_ways =
        (size_t) pb_network_n_switches(network) * (size_t) pb_network_n_machines(network);
    model->network = network;
    model->max_length = max_length;
    model->n_links = 2 * pb_network_size(network);
    model->links = calloc(2 * n_nodes + 1, sizeof(*model->links));
    model->events = fabric_heap_new(model->n_links);
    model->column = calloc(n_nodes + 1, sizeof(*model->column));
    model->row = calloc(n_nodes + 1, sizeof(*model->row));
    model->next_hop = calloc(n_ways + 1, sizeof(*model->next_hop));
    if (model->links == NULL || model->events == NULL || model->column == NULL ||
        model->row == NULL || model->next_hop == NULL) {
        fabric_model_free(model);
        return NULL;
    }
    number_nodes(model);
    lay_cables(model, cables);
    find_ways(model);
    return model;
}

void fabric_model_free(fabric_model_t *model)
{
    if (model == NULL) {
        return;
    }
    for (int link = 0; model->links != NULL && link < model->n_links; link++) {
        while (model->links[link].head != NULL) {
            fabric_model_release(model, fabric_link_pop(&model->links[link]));
        }
    }
    while (model->spare != NULL) {
        fabric_frame_t *frame = model->spare;
        model->spare = frame->next;
        free(frame);
    }
    free(model->links);
    fabric_heap_free(model->events);
    free(model->column);
    free(model->row);
    free(model->next_hop);
    free(model);
}

fabric_frame_t *fabric_model_frame(fabric_model_t *model)
{
    fabric_frame_t *frame = model->spare;
    if (frame == NULL) {
        return malloc(sizeof(*frame) + model->max_length);
    }
    model->spare = frame->next;
    return frame;
}

void fabric_model_release(fabric_model_t *model, fabric_frame_t *frame)
{
    frame->next = model->spare;
    model->spare = frame;
}

static void schedule(fabric_model_t *model, int link)
{
    int64_t time = fabric_link_next_event(&model->links[link]);
    if (time == INT64_MAX) {
        fabric_heap_remove(model->events, link);
    } else {
        fabric_heap_set(model->events, link, time);
    }
}

/** Puts a frame on a link. The link's next event changes only if the link was empty. */
static void transmit(fabric_model_t *model, int link, fabric_frame_t *frame, int64_t now)
{
    bool was_empty = model->links[link].head == NULL;
    if (!fabric_link_push(&model->links[link], frame, now)) {
        fabric_model_release(model, frame);
    } else if (was_empty) {
        schedule(model, link);
    }
}

static void transmit_copy(fabric_model_t *model, int link, const fabric_frame_t *frame, int64_t now)
{
    fabric_frame_t *copy = fabric_model_frame(model);
    if (copy == NULL) {
        model->links[link].counters.drops++;
        model->links[link].counters.drop_bytes += frame->length;
        return;
    }
    copy->target = frame->target;
    copy->length = frame->length;
    memcpy(copy->data, frame->data, frame->length);
    transmit(model, link, copy, now);
}

/** Copies a frame to every link of a switch but back over the cable it came by. */
static void flood(fabric_model_t *model, int node, int came_by, fabric_frame_t *frame, int64_t now)
{
    const pb_node_t *below;
    for (int child = pb_network_node(model->network, node)->first_child; child >= 0;
         child = below->next_sibling) {
        below = pb_network_node(model->network, child);
        if (child != pb_link_node(came_by)) {
            transmit_copy(model, pb_link_down(child), frame, now);
        }
    }
    if (pb_link_is_up(came_by) && has_cable(model, pb_link_up(node))) {
        transmit_copy(model, pb_link_up(node), frame, now);
    }
    fabric_model_release(model, frame);
}

static void forward(fabric_model_t *model, int node, int came_by, fabric_frame_t *frame,
                    int64_t now)
{
    if (frame->target < 0) {
        flood(model, node, came_by, frame, now);
        return;
    }
    int n_machines = pb_network_n_machines(model->network);
    int way = model->next_hop[model->row[node] * n_machines + model->column[frame->target]];
    transmit(model, way, frame, now);
}

void fabric_model_send(fabric_model_t *model, int machine, fabric_frame_t *frame, int64_t now)
{
    if (frame->target == machine || !has_cable(model, pb_link_up(machine))) {
        fabric_model_release(model, frame);
        return;
    }
    transmit(model, pb_link_up(machine), frame, now);
}

int64_t fabric_model_next_event(const fabric_model_t *model)
{
    return fabric_heap_time(model->events);
}

fabric_frame_t *fabric_model_deliver(fabric_model_t *model, int64_t until, int *machine_p,
                                     int64_t *time_p)
{
    int64_t time;
    while ((time = fabric_heap_time(model->events)) <= until && time != INT64_MAX) {
        int link = fabric_heap_first(model->events);
        fabric_frame_t *frame = fabric_link_pop(&model->links[link]);
        schedule(model, link);
        int below = pb_link_node(link);
        int node = pb_link_is_up(link) ? pb_network_node(model->network, below)->parent : below;
        if (is_machine(model, node)) {
            *machine_p = node;
            *time_p = time;
            return frame;
        }
        forward(model, node, link, frame, time);
    }
    return NULL;
}

int64_t fabric_model_min_hop(const fabric_model_t *model)
{
    int64_t least = INT64_MAX;
    for (int link = 0; link < model->n_links; link++) {
        if (has_cable(model, link) && pb_link_is_up(link)) {
            int64_t hop = fabric_link_wire_time(model->links[link].rate, FABRIC_MIN_FRAME) +
                          model->links[link].latency;
            least = hop < least ? hop : least;
        }
    }
    return least;
}

fabric_link_t *fabric_model_link(fabric_model_t *model, int link)
{
    return has_cable(model, link) ? &model->links[link] : NULL;
}

void fabric_model_change(fabric_model_t *model, int link, int64_t now, uint64_t rate,
                         int64_t latency, uint64_t queue_limit)
{
    fabric_link_change(&model->links[link], now, rate, latency, queue_limit);
}
