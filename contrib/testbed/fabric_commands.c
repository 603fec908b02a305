#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/testbed/fabric_serve.h"
#include "contrib/testbed/fabric_words.h"

static const char *node_name(const fabric_t *fabric, int node)
{
    return pb_network_node(fabric->network, node)->name;
}

/** The nodes at the two ends of a directed link, in order of travel. */
static void link_ends(const fabric_t *fabric, int link, int *from_p, int *to_p)
{
    int below = pb_link_node(link);
    int above = pb_network_node(fabric->network, below)->parent;
    *from_p = pb_link_is_up(link) ? below : above;
    *to_p = pb_link_is_up(link) ? above : below;
}

static void print_self(fabric_t *fabric, FILE *answer)
{
    const fabric_ports_counters_t *ports = fabric_ports_counters(fabric->ports);
    const fabric_lateness_t *late = &fabric->lateness;
    fprintf(answer,
            "fabric priority=%s seconds=%.6f cpu_seconds=%.6f turns=%" PRIu64 " received=%" PRIu64
            " delivered=%" PRIu64 " refused=%" PRIu64 " overruns=%" PRIu64 " oversized=%" PRIu64
            " strays=%" PRIu64 " planned=%d hash_seed=%" PRIu64,
            fabric->priority, (double) (fabric_clock() - fabric->reset_at) / 1e9,
            (double) (fabric_cpu() - fabric->cpu_at_reset) / 1e9, fabric->turns, ports->received,
            ports->sent, ports->refused, ports->overruns, ports->oversized, fabric->strays,
            fabric_model_n_planned(fabric->model), fabric->settings->links.hash_seed);
    fprintf(answer, " late_mean=%" PRId64 " late_max=%" PRId64 " late_classes=",
            late->frames > 0 ? late->sum / (int64_t) late->frames : 0, late->most);
    for (int power = 0; power < FABRIC_LATENESS_CLASSES; power++) {
        fprintf(answer, "%s%" PRIu64, power > 0 ? "," : "", late->classes[power]);
    }
    fprintf(answer, "\n");
}

static void print_link(const fabric_t *fabric, int i, FILE *answer)
{
    const fabric_members_t *members = fabric_model_members(fabric->model);
    const fabric_member_t *member = fabric_members_at(members, i);
    const fabric_link_t *link = fabric_model_link(fabric->model, i);
    const fabric_link_counters_t *real = &link->counters[FABRIC_REAL];
    const fabric_link_counters_t *load = &link->counters[FABRIC_SYNTHETIC];
    int from, to;
    link_ends(fabric, member->link, &from, &to);
    fprintf(answer,
            "link from=%s to=%s member=%d members=%d from_switch=%d to_switch=%d rate=%" PRIu64
            " latency=%" PRId64 " queue_limit=%" PRIu64 " loss=%" PRIu32,
            node_name(fabric, from), node_name(fabric, to), member->number,
            fabric_members_count(members, member->link), member->from_switch, member->to_switch,
            link->rate, link->latency, link->queue_limit, link->loss);
    fprintf(answer,
            " frames=%" PRIu64 " bytes=%" PRIu64 " drops=%" PRIu64 " drop_bytes=%" PRIu64
            " queue=%" PRIu64 " queue_peak=%" PRIu64 " busy=%" PRId64,
            real->frames, real->bytes, real->drops, real->drop_bytes, link->queue_bytes,
            link->queue_peak, real->busy);
    fprintf(answer,
            " load_frames=%" PRIu64 " load_bytes=%" PRIu64 " load_drops=%" PRIu64
            " load_drop_bytes=%" PRIu64 " load_busy=%" PRId64 "\n",
            load->frames, load->bytes, load->drops, load->drop_bytes, load->busy);
}

static void print_switch(const fabric_t *fabric, int node, FILE *answer)
{
    const fabric_switch_t *state = fabric_model_switch(fabric->model, node);
    fprintf(answer, "switch name=%s multicast=%d multicast_drops=%" PRIu64 "\n",
            node_name(fabric, node), !state->no_multicast, state->drops);
}

static void print_status(fabric_t *fabric, FILE *answer)
{
    print_self(fabric, answer);
    for (int i = 0; i < fabric_members_size(fabric_model_members(fabric->model)); i++) {
        print_link(fabric, i, answer);
    }
    for (int node = 0; node < pb_network_size(fabric->network); node++) {
        if (pb_network_node(fabric->network, node)->kind == PB_NODE_SWITCH) {
            print_switch(fabric, node, answer);
        }
    }
}

static void reset(fabric_t *fabric)
{
    for (int i = 0; i < fabric_members_size(fabric_model_members(fabric->model)); i++) {
        fabric_link_reset(fabric_model_link(fabric->model, i));
    }
    for (int node = 0; node < pb_network_size(fabric->network); node++) {
        fabric_model_switch(fabric->model, node)->drops = 0;
    }
    fabric_ports_reset(fabric->ports);
    fabric->lateness = (fabric_lateness_t){0};
    fabric->strays = fabric->turns = 0;
    fabric->cpu_at_reset = fabric_cpu();
    fabric->reset_at = fabric_clock();
}

/** Reads the lines of a request into `steps`, which has room; NULL, or what is wrong with one. */
static const char *read_steps(fabric_t *fabric, char *request, fabric_step_t *steps, int *n_steps_p)
{
    const uint32_t max_length = (uint32_t) fabric->settings->mtu + FABRIC_HEADER;
    char *line;
    *n_steps_p = 0;
    while ((line = strsep(&request, "\n")) != NULL) {
        const char *wrong = fabric_read_step(fabric->network, max_length, line, &steps[*n_steps_p]);
        if (wrong != NULL) {
            snprintf(fabric->wrong, sizeof(fabric->wrong), "step %d: %s", *n_steps_p + 1, wrong);
            return fabric->wrong;
        }
        ++*n_steps_p;
    }
    return NULL;
}

/** Checks the steps of a request, and has them happen from now on if they are to be done. */
static const char *do_steps(fabric_t *fabric, char *request, bool done)
{
    const int64_t now = fabric_clock();
    size_t n_lines = 1;
    for (const char *c = request; *c != '\0'; c++) {
        n_lines += *c == '\n';
    }
    fabric_step_t *steps = calloc(n_lines, sizeof(*steps));
    if (steps == NULL) {
        return "out of memory";
    }
    int n_steps;
    const char *wrong = read_steps(fabric, request, steps, &n_steps);
    for (int i = 0; i < n_steps && done && wrong == NULL; i++) {
        steps[i].time += now;
        wrong = fabric_model_plan(fabric->model, &steps[i]) == PB_SUCCESS ? NULL : "out of memory";
    }
    free(steps);
    return wrong;
}

const char *fabric_answer(void *context, char *request, FILE *answer)
{
    fabric_t *fabric = context;
    const char check[] = "check\n";
    if (strncmp(request, check, strlen(check)) == 0) {
        return do_steps(fabric, request + strlen(check), false);
    }
    if (strcmp(request, "status") == 0) {
        print_status(fabric, answer);
    } else if (strcmp(request, "reset") == 0) {
        reset(fabric);
    } else if (strcmp(request, "stop") == 0) {
        fabric_model_forget(fabric->model);
    } else {
        return do_steps(fabric, request, true);
    }
    return NULL;
}
