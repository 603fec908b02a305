#include "topo/network/slurm/switch_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "topo/network/slurm/values.h"
#include "topo/network/topology.h"
#include "topo/util/decimal.h"
#include "topo/util/error.h"

enum {
    KEY_SWITCH_NAME,
    KEY_BLOCK_NAME,
    KEY_RING_NAME,
    KEY_TORUS_NAME,
    KEY_NODES,
    KEY_SWITCHES,
    KEY_LINK_SPEED,
    KEY_UPLINKS,
    KEY_LEVEL,
    KEY_AGGREGATED,
    KEY_TOPOLOGY,
    KEY_VERSION,
    KEY_MULTICAST,
    N_USED, /* sizes and positions behind it say nothing about the network */
    N_KEYS = N_USED + 7
};

static pb_slurm_keys_t keys = {
    [KEY_SWITCH_NAME] = "SwitchName",
    [KEY_BLOCK_NAME] = "BlockName",
    [KEY_RING_NAME] = "RingName",
    [KEY_TORUS_NAME] = "TorusName",
    [KEY_NODES] = "Nodes",
    [KEY_SWITCHES] = "Switches",
    [KEY_LINK_SPEED] = "LinkSpeed",
    [KEY_UPLINKS] = "Uplinks",
    [KEY_LEVEL] = "Level",
    [KEY_AGGREGATED] = "AggregatedBlock",
    [KEY_TOPOLOGY] = "Topology",
    [KEY_VERSION] = "Version",
    [KEY_MULTICAST] = "Multicast",
    [N_USED] = "BlockSizes",
    [N_USED + 1] = "BlockSize",
    [N_USED + 2] = "BlockIndex",
    [N_USED + 3] = "RingSize",
    [N_USED + 4] = "Dims",
    [N_USED + 5] = "PlacementDims",
    [N_USED + 6] = "Anchors",
    [N_KEYS] = NULL,
};

static const char known[] = "SwitchName, Nodes, Switches, LinkSpeed, Uplinks and BlockName";

/* Levels that Slurm has: bits of its number. */
#define MAX_LEVEL UINT16_MAX

/* Parts of a line. */
typedef struct switch_line {
    pb_builder_t *builder;
    int line;
    bool is_ours;
    char *values[N_KEYS]; /* NULL: not given */
    int node;             /* the switch */
    uint32_t speed;       /* 0: not given */
    int members;          /* 0: not given */
    uint32_t level;
} switch_line_t;

static void warn(const switch_line_t *l, const char *what, const char *value)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    pb_diag_error(l->builder->warnings, l->builder->file, l->line, what,
                  pb_diag_quote_text(quote, value));
}

/* The number that a value is, up to `most`; 0: not given, or ignored with a warning. Of a
 * topology.yaml, scontrol prints LinkSpeed=0. */
static uint32_t read_number(const switch_line_t *l, int key, uint32_t most)
{
    const char *value = l->values[key];
    char quote[PB_DIAG_QUOTE_SIZE];
    uint64_t number = 0;
    if (value != NULL && !pb_decimal_read(value, key == KEY_UPLINKS, most, &number)) {
        pb_diag_error(l->builder->warnings, l->builder->file, l->line,
                      "%s '%s' is ignored, as it is not a whole number from %d to %lu, without "
                      "unit",
                      keys[key], pb_diag_quote_text(quote, value), key != KEY_LEVEL,
                      (unsigned long) most);
        return 0;
    }
    return (uint32_t) number;
}

/* Takes what the site decides on multicast, for the whole topology. */
static void enter_multicast(const switch_line_t *l)
{
    static const char *const names[] = {
        [PB_MULTICAST_OFF] = "off", [PB_MULTICAST_AUTO] = "auto", [PB_MULTICAST_ON] = "on"};
    const char *value = l->values[KEY_MULTICAST];
    for (int i = 0; i < (int) (sizeof(names) / sizeof(names[0])); i++) {
        if (strcmp(value, names[i]) == 0) {
            l->builder->multicast = i;
            return;
        }
    }
    warn(l, "Multicast '%s' is ignored; write off, auto or on", value);
}

static int enter_list(const switch_line_t *l, int key)
{
    const pb_builder_list_t list = {.line = l->line,
                                    .key = keys[key],
                                    .names = l->values[key],
                                    .kind = key == KEY_NODES ? PB_NODE_HOST : PB_NODE_SWITCH,
                                    .parent = l->node,
                                    .speed = l->speed,
                                    .members = l->members,
                                    .repeats = key == KEY_NODES && l->level > 0,
                                    .adds = l->is_ours};
    return list.names != NULL ? pb_builder_list(l->builder, &list) : PB_SUCCESS;
}

static int enter(switch_line_t *l, const char *name)
{
    pb_builder_t *b = l->builder;
    const bool has_list = l->values[KEY_NODES] != NULL || l->values[KEY_SWITCHES] != NULL;
    l->speed = read_number(l, KEY_LINK_SPEED, UINT32_MAX);
    l->members = (int) read_number(l, KEY_UPLINKS, PB_NETWORK_MAX_BUNDLE);
    l->level = read_number(l, KEY_LEVEL, MAX_LEVEL);
    if (l->is_ours && !has_list && l->speed == 0 && l->members == 0) {
        warn(l, "the line of '%s' adds nothing; give it LinkSpeed, Uplinks or Switches", name);
        return PB_SUCCESS;
    }
    if (l->is_ours && !has_list && pb_network_find_switch(b->network, name) < 0) {
        warn(l, "there is no switch '%s' to add to; correct the name", name);
        return PB_SUCCESS;
    }
    l->node = pb_builder_switch(b, l->line, name);
    if (l->node < 0) {
        return l->node == PB_ERR_INPUT ? PB_SUCCESS : l->node;
    }
    if (l->is_ours && !has_list) {
        return pb_builder_add_all(b, l->line, l->node, l->speed, l->members);
    }
    const int error = enter_list(l, KEY_NODES);
    return error == PB_SUCCESS ? enter_list(l, KEY_SWITCHES) : error;
}

int pb_slurm_switch_line(pb_builder_t *b, char *text, int line, const char *ours)
{
    switch_line_t l = {.builder = b, .line = line, .is_ours = ours != NULL};
    char **values = l.values;
    pb_slurm_values_cut(keys, known, text, b->file, line, b->warnings, values);
    if (l.is_ours && values[KEY_VERSION] != NULL) {
        if (strcmp(values[KEY_VERSION], PB_TOPOLOGY_KEYS_VERSION) != 0) {
            warn(&l,
                 "is of version '%s', but this program reads version " PB_TOPOLOGY_KEYS_VERSION
                 " of pipebcast's own keys; use one version of pipebcast everywhere",
                 values[KEY_VERSION]);
        }
        return PB_SUCCESS;
    }
    if (values[KEY_AGGREGATED] != NULL ||
        (l.is_ours && values[KEY_TOPOLOGY] != NULL && strcmp(values[KEY_TOPOLOGY], ours) != 0)) {
        return PB_SUCCESS;
    }
    if (l.is_ours && values[KEY_MULTICAST] != NULL) {
        enter_multicast(&l);
        return PB_SUCCESS;
    }
    for (int key = KEY_SWITCH_NAME; key <= KEY_TORUS_NAME; key++) {
        if (values[key] != NULL && key >= KEY_RING_NAME && values[KEY_NODES] != NULL) {
            warn(&l,
                 key == KEY_RING_NAME ? "the ring '%s' is taken to be one switch"
                                      : "the torus '%s' is taken to be one switch",
                 values[key]);
        }
        if (values[key] != NULL) {
            return enter(&l, values[key]);
        }
    }
    for (int key = KEY_NODES; key < N_USED; key++) {
        if (values[key] != NULL) {
            warn(&l, "the line has no SwitchName, so '%s' is ignored", values[key]);
            break;
        }
    }
    return PB_SUCCESS;
}
