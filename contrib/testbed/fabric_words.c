#include "contrib/testbed/fabric_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Largest number: sums of two times do not overflow a clock. */
#define MAX_NUMBER (INT64_MAX / 4)
#define MAX_NAMES 2
#define MAX_NUMBERS 5

/* Values of a step: names, then numbers. */
static const struct form {
    const char *word;
    int n_names, n_numbers;
} forms[] = {
    [FABRIC_STEP_CHANGE] = {"link", 2, 5},
    [FABRIC_STEP_SWITCH] = {"switch", 1, 1},
    [FABRIC_STEP_LOAD] = {"load", 2, 3},
};

/** The directed link between two nodes, -1 if there is none. */
static int find_link(const pb_network_t *network, int from, int to)
{
    if (pb_network_node(network, from)->parent == to) {
        return pb_link_up(from);
    }
    return pb_network_node(network, to)->parent == from ? pb_link_down(to) : -1;
}

/** Reads the next word as a whole number of at least -1; false if it is none. */
static bool read_number(char **rest, int64_t *value_p)
{
    const char *word = strsep(rest, " ");
    char *end = NULL;
    errno = 0;
    *value_p = word != NULL ? strtoll(word, &end, 10) : 0;
    return word != NULL && *word != '\0' && *end == '\0' && errno == 0 && *value_p >= -1 &&
           *value_p <= MAX_NUMBER;
}

static const char *set_link(const pb_network_t *network, const int *nodes, const int64_t *numbers,
                            fabric_step_t *step)
{
    step->link = find_link(network, nodes[0], nodes[1]);
    if (step->link < 0) {
        return "no link joins these two";
    }
    if (numbers[0] >= pb_network_node(network, pb_link_node(step->link))->members) {
        return "the link has no such member: they are numbered from 0";
    }
    step->member = (int) numbers[0];
    step->change = (fabric_change_t){numbers[1] > 0 ? (uint64_t) numbers[1] : 0, numbers[2],
                                     numbers[3], numbers[4]};
    return NULL;
}

static const char *set_load(const int *nodes, const int64_t *numbers, uint32_t max_length,
                            fabric_step_t *step)
{
    step->load = (fabric_load_t){.from = nodes[0],
                                 .to = nodes[1],
                                 .rate = (uint64_t) numbers[0],
                                 .duration = numbers[1],
                                 .length = (uint32_t) numbers[2]};
    const bool good = nodes[0] != nodes[1] && numbers[0] > 0 && numbers[1] > 0 &&
                      numbers[2] >= FABRIC_MIN_FRAME && numbers[2] <= max_length;
    return good ? NULL : "a load needs two ends, a rate, a duration and the length of a frame";
}

/** Reads names and numbers of a form. */
static const char *read_form(const pb_network_t *network, const struct form *form, char **rest,
                             int *nodes, int64_t *numbers)
{
    for (int i = 0; i < form->n_names; i++) {
        const char *name = strsep(rest, " ");
        nodes[i] = name != NULL ? pb_network_find(network, name) : -1;
        if (nodes[i] < 0) {
            return "no host or switch of this name";
        }
    }
    for (int i = 0; i < form->n_numbers; i++) {
        if (!read_number(rest, &numbers[i])) {
            return "not a whole number, or out of range";
        }
    }
    return *rest == NULL ? NULL : "too many words";
}

const char *fabric_read_step(const pb_network_t *network, uint32_t max_length, char *line,
                             fabric_step_t *step)
{
    const int n_forms = (int) (sizeof(forms) / sizeof(forms[0]));
    int nodes[MAX_NAMES], kind = 0;
    int64_t numbers[MAX_NUMBERS];
    *step = (fabric_step_t){0};
    if (!read_number(&line, &step->time) || step->time < 0) {
        return "a step begins with a time in ns";
    }
    const char *word = strsep(&line, " ");
    while (kind < n_forms && (word == NULL || strcmp(word, forms[kind].word) != 0)) {
        kind++;
    }
    if (kind == n_forms) {
        return "a step is link, switch or load";
    }
    const char *wrong = read_form(network, &forms[kind], &line, nodes, numbers);
    if (wrong != NULL) {
        return wrong;
    }
    step->kind = (fabric_step_kind_t) kind;
    if (step->kind != FABRIC_STEP_SWITCH) {
        return step->kind == FABRIC_STEP_LOAD ? set_load(nodes, numbers, max_length, step)
                                              : set_link(network, nodes, numbers, step);
    }
    step->node = nodes[0];
    step->no_multicast = numbers[0] == 0;
    return pb_network_node(network, nodes[0])->kind == PB_NODE_SWITCH ? NULL : "no switch";
}
