#include "contrib/testbed/fabric_commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/testbed/fabric_serve.h"

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
            " strays=%" PRIu64,
            fabric->priority, (double) (fabric_clock() - fabric->reset_at) / 1e9,
            (double) (fabric_cpu() - fabric->cpu_at_reset) / 1e9, fabric->turns, ports->received,
            ports->sent, ports->refused, ports->overruns, ports->oversized, fabric->strays);
    fprintf(answer, " late_mean=%" PRId64 " late_max=%" PRId64 " late_classes=",
            late->frames > 0 ? late->sum / (int64_t) late->frames : 0, late->most);
    for (int power = 0; power < FABRIC_LATENESS_CLASSES; power++) {
        fprintf(answer, "%s%" PRIu64, power > 0 ? "," : "", late->classes[power]);
    }
    fprintf(answer, "\n");
}

static const char *run_status(void *context, char **words, int n_words, FILE *answer)
{
    fabric_t *fabric = context;
    (void) words;
    (void) n_words;
    print_self(fabric, answer);
    for (int number = 0; number < 2 * pb_network_size(fabric->network); number++) {
        const fabric_link_t *link = fabric_model_link(fabric->model, number);
        int from, to;
        if (link == NULL) {
            continue;
        }
        link_ends(fabric, number, &from, &to);
        fprintf(answer,
                "link from=%s to=%s rate=%" PRIu64 " latency=%" PRId64 " queue_limit=%" PRIu64
                " frames=%" PRIu64 " bytes=%" PRIu64 " drops=%" PRIu64 " drop_bytes=%" PRIu64
                " queue=%" PRIu64 " queue_peak=%" PRIu64 " busy=%" PRId64 "\n",
                node_name(fabric, from), node_name(fabric, to), link->rate, link->latency,
                link->queue_limit, link->counters.frames, link->counters.bytes,
                link->counters.drops, link->counters.drop_bytes, link->queue_bytes,
                link->counters.queue_peak, link->counters.busy);
    }
    return NULL;
}

static const char *run_reset(void *context, char **words, int n_words, FILE *answer)
{
    fabric_t *fabric = context;
    (void) words;
    (void) n_words;
    (void) answer;
    for (int number = 0; number < 2 * pb_network_size(fabric->network); number++) {
        fabric_link_t *link = fabric_model_link(fabric->model, number);
        if (link != NULL) {
            fabric_link_reset(link);
        }
    }
    fabric_ports_reset(fabric->ports);
    fabric->lateness = (fabric_lateness_t){0};
    fabric->strays = fabric->turns = 0;
    fabric->cpu_at_reset = fabric_cpu();
    fabric->reset_at = fabric_clock();
    return NULL;
}

/** The directed link between two names, -1 if there is none. */
static int find_link(const fabric_t *fabric, const char *from_name, const char *to_name)
{
    int from = pb_network_find(fabric->network, from_name);
    int to = pb_network_find(fabric->network, to_name);
    if (from < 0 || to < 0) {
        return -1;
    }
    if (pb_network_node(fabric->network, from)->parent == to) {
        return pb_link_up(from);
    }
    return pb_network_node(fabric->network, to)->parent == from ? pb_link_down(to) : -1;
}

/** Reads "KEY=NUMBER" into *value_p if the word has this key; false if the number is bad. */
static bool read_key(const char *word, const char *key, uint64_t least, uint64_t *value_p)
{
    size_t n = strlen(key);
    if (strncmp(word, key, n) != 0 || word[n] != '=') {
        return true;
    }
    char *end;
    errno = 0;
    unsigned long long value = strtoull(word + n + 1, &end, 10);
    if (word[n + 1] < '0' || word[n + 1] > '9' || *end != '\0' || errno != 0 || value < least ||
        value > INT64_MAX / 1000) {
        return false;
    }
    *value_p = value;
    return true;
}

static bool known_key(const char *word)
{
    return strncmp(word, "rate=", 5) == 0 || strncmp(word, "latency=", 8) == 0 ||
           strncmp(word, "queue=", 6) == 0;
}

static const char *run_set(void *context, char **words, int n_words, FILE *answer)
{
    fabric_t *fabric = context;
    (void) answer;
    int number = n_words >= 3 ? find_link(fabric, words[1], words[2]) : -1;
    if (number < 0) {
        return "set needs two neighbours, FROM and TO, as the topology file names them";
    }
    fabric_link_t *link = fabric_model_link(fabric->model, number);
    uint64_t rate = link->rate, latency = (uint64_t) link->latency, queue = link->queue_limit;
    for (int i = 3; i < n_words; i++) {
        if (!known_key(words[i])) {
            return "set knows rate=BIT/S, latency=NS and queue=BYTES";
        }
        if (!read_key(words[i], "rate", 1, &rate) || !read_key(words[i], "latency", 0, &latency) ||
            !read_key(words[i], "queue", 0, &queue)) {
            return "not a whole number, or out of range";
        }
    }
    fabric_model_change(fabric->model, number, fabric_clock(), rate, (int64_t) latency, queue);
    fabric_choose_grain(fabric);
    return NULL;
}

const fabric_command_t fabric_commands[] = {
    {"status", run_status},
    {"reset", run_reset},
    {"set", run_set},
    {NULL, NULL},
};
