#include "contrib/testbed/fabric_commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "contrib/testbed/fabric_serve.h"
#include "contrib/testbed/fabric_words.h"

#define MAX_SCRIPT 10000

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

static bool is_switch(const fabric_t *fabric, int node)
{
    return pb_network_node(fabric->network, node)->kind == PB_NODE_SWITCH;
}

static const char *run_status(void *context, char **words, int n_words, FILE *answer)
{
    fabric_t *fabric = context;
    (void) words;
    (void) n_words;
    print_self(fabric, answer);
    for (int i = 0; i < fabric_members_size(fabric_model_members(fabric->model)); i++) {
        print_link(fabric, i, answer);
    }
    for (int node = 0; node < pb_network_size(fabric->network); node++) {
        if (is_switch(fabric, node)) {
            print_switch(fabric, node, answer);
        }
    }
    return NULL;
}

static const char *run_reset(void *context, char **words, int n_words, FILE *answer)
{
    fabric_t *fabric = context;
    (void) words;
    (void) n_words;
    (void) answer;
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
    return NULL;
}

/** Of a frame, in bytes. */
static uint32_t max_length(const fabric_t *fabric)
{
    return (uint32_t) fabric->settings->mtu + FABRIC_HEADER;
}

/** Has a step happen `time` ns from `begin` on. */
static const char *plan(fabric_t *fabric, fabric_step_t step, int64_t begin)
{
    step.time += begin;
    return fabric_model_plan(fabric->model, &step) == PB_SUCCESS ? NULL : "out of memory";
}

static const char *run_step(void *context, char **words, int n_words, FILE *answer)
{
    fabric_t *fabric = context;
    fabric_step_t step;
    (void) answer;
    const char *wrong =
        fabric_read_step(fabric->network, max_length(fabric), words, n_words, &step);
    return wrong != NULL ? wrong : plan(fabric, step, fabric_clock());
}

/* ---- scripts ---- */

static const char *keep_step(fabric_t *fabric, const fabric_step_t *step)
{
    if (fabric->n_script == MAX_SCRIPT) {
        return "a script has at most 10000 steps";
    }
    if (fabric->n_script == fabric->script_capacity) {
        int capacity = fabric->script_capacity > 0 ? 2 * fabric->script_capacity : 64;
        fabric_step_t *script =
            realloc(fabric->script, (size_t) capacity * sizeof(*fabric->script));
        if (script == NULL) {
            return "out of memory";
        }
        fabric->script = script;
        fabric->script_capacity = capacity;
    }
    fabric->script[fabric->n_script++] = *step;
    return NULL;
}

static const char *run_at(void *context, char **words, int n_words, FILE *answer)
{
    fabric_t *fabric = context;
    fabric_step_t step;
    (void) answer;
    int64_t time;
    if (n_words < 2 || !fabric_read_number(words[1], 0, FABRIC_MAX_TIME, &time)) {
        return "at needs a time in ns";
    }
    const char *wrong =
        fabric_read_step(fabric->network, max_length(fabric), words + 2, n_words - 2, &step);
    step.time = time;
    return wrong != NULL ? wrong : keep_step(fabric, &step);
}

static const char *run_clear(void *context, char **words, int n_words, FILE *answer)
{
    fabric_t *fabric = context;
    (void) words;
    (void) n_words;
    (void) answer;
    fabric->n_script = 0;
    return NULL;
}

static const char *run_play(void *context, char **words, int n_words, FILE *answer)
{
    fabric_t *fabric = context;
    int64_t begin = fabric_clock();
    const char *wrong = NULL;
    (void) words;
    (void) n_words;
    (void) answer;
    for (int i = 0; i < fabric->n_script && wrong == NULL; i++) {
        wrong = plan(fabric, fabric->script[i], begin);
    }
    fabric->n_script = 0;
    return wrong;
}

static const char *run_stop(void *context, char **words, int n_words, FILE *answer)
{
    fabric_t *fabric = context;
    (void) words;
    (void) n_words;
    (void) answer;
    fabric_model_forget(fabric->model);
    return NULL;
}

const fabric_command_t fabric_commands[] = {
    {"status", run_status}, {"reset", run_reset}, {"set", run_step},
    {"load", run_step},     {"at", run_at},       {"clear", run_clear},
    {"play", run_play},     {"stop", run_stop},   {NULL, NULL},
};
