#include "topo/network/slurm/switch_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "topo/network/slurm/values.h"
#include "topo/network/topology.h"
#include "topo/util/decimal.h"
#include "topo/util/error.h"

typedef enum {
    KEY_SWITCH_NAME,
    KEY_NODES,
    KEY_SWITCHES,
    KEY_LINK_SPEED,
    KEY_UPLINKS,
    KEY_LEVEL,
    KEY_TOPOLOGY,
    KEY_VERSION,
    N_KEYS
} switch_key_t;

/* Levels that Slurm has: bits of its number. */
#define MAX_LEVEL UINT16_MAX

static const char a_line_each[] = "write a line for each",
                  one_list[] = "put all names into one list";

static const pb_slurm_key_t keys[] = {
    [KEY_SWITCH_NAME] = {"SwitchName", one_list},
    [KEY_NODES] = {"Nodes", one_list},
    [KEY_SWITCHES] = {"Switches", one_list},
    [KEY_LINK_SPEED] = {"LinkSpeed", a_line_each},
    [KEY_UPLINKS] = {"Uplinks", a_line_each},
    [KEY_LEVEL] = {"Level", a_line_each},
    [KEY_TOPOLOGY] = {"Topology", a_line_each},
    [KEY_VERSION] = {"Version", a_line_each},
    [N_KEYS] = {NULL, NULL},
};

static const pb_slurm_keys_t all_keys = {
    .keys = keys, .known = "SwitchName, Nodes, Switches, LinkSpeed and Uplinks"};

/* What a line has. */
typedef struct switch_line {
    pb_builder_t *builder;
    int line;
    bool is_ours;
    size_t n_faults_before; /* in diag, of other lines */
    char *values[N_KEYS];   /* NULL: not given */
    int node;               /* the switch */
    uint32_t speed;
    int members; /* 0: not given */
    uint32_t level;
} switch_line_t;

/* The number that a value is, from `least` to `most`, or 0 after a fault. */
static uint32_t read_number(switch_line_t *l, switch_key_t key, uint32_t least, uint32_t most)
{
    const char *value = l->values[key];
    char quote[PB_DIAG_QUOTE_SIZE];
    uint64_t number;
    if (!pb_decimal_read(value, least, most, &number)) {
        pb_diag_fault(l->builder->diag, l->builder->file, l->line,
                      "%s '%s' is not a whole number from %lu to %lu, without unit", keys[key].name,
                      pb_diag_quote(quote, value, strlen(value)), (unsigned long) least,
                      (unsigned long) most);
        return 0;
    }
    return (uint32_t) number;
}

/* What the line has on the links to the nodes that it names. After a fault they
 * are as if they had not been given. */
static void read_links(switch_line_t *l)
{
    if (l->values[KEY_LINK_SPEED] != NULL) {
        l->speed = read_number(l, KEY_LINK_SPEED, 1, UINT32_MAX);
    }
    if (l->values[KEY_UPLINKS] != NULL) {
        l->members = (int) read_number(l, KEY_UPLINKS, 1, PB_NETWORK_MAX_BUNDLE);
    }
    if (l->values[KEY_LEVEL] != NULL) {
        l->level = read_number(l, KEY_LEVEL, 0, MAX_LEVEL);
    }
}

/* Slurm prints a speed and a level for every switch, also for one with nothing below it. */
static void check_described(const switch_line_t *l)
{
    const bool has_list = l->values[KEY_NODES] != NULL || l->values[KEY_SWITCHES] != NULL;
    for (int key = KEY_LINK_SPEED; key <= KEY_UPLINKS; key++) {
        if (l->values[key] != NULL && !has_list && l->values[KEY_LEVEL] == NULL && !l->is_ours) {
            pb_diag_fault(l->builder->diag, l->builder->file, l->line,
                          "%s without Nodes or Switches on the same line says nothing",
                          keys[key].name);
        }
    }
}

static int enter_list(switch_line_t *l, switch_key_t key)
{
    const pb_builder_list_t list = {.line = l->line,
                                    .key = keys[key].name,
                                    .names = l->values[key],
                                    .kind = key == KEY_NODES ? PB_NODE_HOST : PB_NODE_SWITCH,
                                    .parent = l->node,
                                    .speed = l->speed,
                                    .members = l->members,
                                    .repeats = key == KEY_NODES && l->level > 0,
                                    .adds = l->is_ours};
    if (list.names == NULL || (list.names[0] == '\0' && l->values[KEY_LEVEL] != NULL)) {
        return PB_SUCCESS;
    }
    return pb_builder_list(l->builder, &list);
}

static int enter(switch_line_t *l)
{
    pb_builder_t *b = l->builder;
    const bool has_list = l->values[KEY_NODES] != NULL || l->values[KEY_SWITCHES] != NULL;
    l->node = pb_builder_switch(b, l->line, keys[KEY_SWITCH_NAME].name, l->values[KEY_SWITCH_NAME]);
    if (l->node < 0) {
        return l->node == PB_ERR_INPUT ? PB_SUCCESS : l->node;
    }
    read_links(l);
    check_described(l);
    if (l->is_ours && !has_list && l->values[KEY_LINK_SPEED] == NULL &&
        l->values[KEY_UPLINKS] == NULL) {
        if (b->diag->n_faults == l->n_faults_before) {
            pb_diag_fault(b->diag, b->file, l->line,
                          "the line adds nothing; give it LinkSpeed, Uplinks or Switches");
        }
        return PB_SUCCESS;
    }
    if (l->is_ours && !has_list) {
        return pb_builder_add_all(b, l->line, l->node, l->speed, l->members);
    }
    const int error = enter_list(l, KEY_NODES);
    return error == PB_SUCCESS ? enter_list(l, KEY_SWITCHES) : error;
}

/* A statement of the version of our keys is a line of its own. */
static void check_version(const switch_line_t *l)
{
    const char *value = l->values[KEY_VERSION];
    char quote[PB_DIAG_QUOTE_SIZE];
    if (strcmp(value, PB_TOPOLOGY_KEYS_VERSION) != 0) {
        pb_diag_fault(l->builder->diag, l->builder->file, l->line,
                      "is of version '%s', but this program reads version %s of pipebcast's own "
                      "keys; use one version of pipebcast everywhere",
                      pb_diag_quote(quote, value, strlen(value)), PB_TOPOLOGY_KEYS_VERSION);
    }
    for (int key = 0; key < N_KEYS; key++) {
        if (key != KEY_VERSION && l->values[key] != NULL) {
            pb_diag_fault(l->builder->diag, l->builder->file, l->line,
                          "Version and %s are on one line; write a line for each", keys[key].name);
        }
    }
}

/* A key of our lines that is in a line of Slurm's. */
static void check_slurms(const switch_line_t *l)
{
    static const switch_key_t only_ours[] = {KEY_TOPOLOGY, KEY_VERSION};
    for (size_t i = 0; i < sizeof(only_ours) / sizeof(only_ours[0]); i++) {
        if (l->values[only_ours[i]] != NULL) {
            pb_diag_fault(l->builder->diag, l->builder->file, l->line,
                          "unknown key '%s'; known are %s", keys[only_ours[i]].name,
                          all_keys.known);
        }
    }
}

int pb_slurm_switch_line(pb_builder_t *b, char *text, int line, const char *ours)
{
    switch_line_t l = {
        .builder = b, .line = line, .is_ours = ours != NULL, .n_faults_before = b->diag->n_faults};
    pb_slurm_values_cut(&all_keys, text, b->file, line, b->diag, l.values);
    if (ours == NULL) {
        check_slurms(&l);
    } else if (l.values[KEY_VERSION] != NULL) {
        check_version(&l);
        return PB_SUCCESS;
    } else if (l.values[KEY_TOPOLOGY] != NULL && strcmp(l.values[KEY_TOPOLOGY], ours) != 0) {
        return PB_SUCCESS;
    }
    if (l.values[KEY_SWITCH_NAME] != NULL) {
        return enter(&l);
    }
    bool is_empty = true;
    for (int key = 0; key < N_KEYS; key++) {
        is_empty = is_empty && l.values[key] == NULL;
    }
    if (!is_empty && b->diag->n_faults == l.n_faults_before) {
        pb_diag_fault(b->diag, b->file, line, "the line has no SwitchName");
    }
    b->lost_switch |= b->diag->n_faults > l.n_faults_before;
    return PB_SUCCESS;
}
