#include "contrib/testbed/fabric_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RATE INT64_C(1000000000000)
#define MAX_BYTES (INT64_C(1) << 40)

/** The directed link between two names, -1 if there is none. */
static int find_link(const pb_network_t *network, const char *from_name, const char *to_name)
{
    int from = pb_network_find(network, from_name);
    int to = pb_network_find(network, to_name);
    if (from < 0 || to < 0) {
        return -1;
    }
    if (pb_network_node(network, from)->parent == to) {
        return pb_link_up(from);
    }
    return pb_network_node(network, to)->parent == from ? pb_link_down(to) : -1;
}

/** A key that may be given: its number then goes to *value_p; until then it has the default. */
typedef struct setting {
    const char *name;
    int64_t least, most;
    int64_t *value_p;
} setting_t;

bool fabric_read_number(const char *text, int64_t least, int64_t most, int64_t *value_p)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < least ||
        value > most) {
        return false;
    }
    *value_p = value;
    return true;
}

static const setting_t *find_key(const setting_t *keys, const char *word, size_t length)
{
    const setting_t *key = keys;
    while (key->name != NULL &&
           (strlen(key->name) != length || strncmp(key->name, word, length) != 0)) {
        key++;
    }
    return key->name != NULL ? key : NULL;
}

/** Reads words of the form "KEY=NUMBER" by a table that ends with a NULL name. */
static const char *read_keys(char **words, int n_words, const setting_t *keys)
{
    for (int i = 0; i < n_words; i++) {
        const char *equals = strchr(words[i], '=');
        const setting_t *key =
            equals != NULL ? find_key(keys, words[i], (size_t) (equals - words[i])) : NULL;
        if (key == NULL) {
            return "set knows member=, rate=, latency=, queue= and loss= of a link, multicast= of "
                   "a switch; load rate=, duration=, length=, random=, seed=";
        }
        if (!fabric_read_number(equals + 1, key->least, key->most, key->value_p)) {
            return "not a whole number, or out of range";
        }
    }
    return NULL;
}

static const char *read_set_switch(const pb_network_t *network, char **words, int n_words,
                                   fabric_step_t *step)
{
    int64_t multicast = -1;
    const setting_t keys[] = {{"multicast", 0, 1, &multicast}, {NULL, 0, 0, NULL}};
    step->kind = FABRIC_STEP_SWITCH;
    step->node = pb_network_find(network, words[1]);
    if (step->node < 0 || pb_network_node(network, step->node)->kind != PB_NODE_SWITCH) {
        return "set needs two neighbors, or one switch, as the topology file names them";
    }
    const char *wrong = read_keys(words + 2, n_words - 2, keys);
    step->no_multicast = multicast == 0;
    return wrong;
}

static const char *read_set_link(const pb_network_t *network, char **words, int n_words,
                                 fabric_step_t *step)
{
    int64_t member = -1, rate = 0, latency = -1, queue = -1, loss = -1;
    const setting_t keys[] = {
        {"member", 0, PB_NETWORK_MAX_BUNDLE, &member},
        {"rate", 1, MAX_RATE, &rate},
        {"latency", 0, FABRIC_MAX_TIME, &latency},
        {"queue", 0, MAX_BYTES, &queue},
        {"loss", 0, FABRIC_ALL, &loss},
        {NULL, 0, 0, NULL},
    };
    step->kind = FABRIC_STEP_CHANGE;
    step->link = n_words >= 3 ? find_link(network, words[1], words[2]) : -1;
    if (step->link < 0) {
        return "set needs two neighbors, FROM and TO, as the topology file names them";
    }
    const char *wrong = read_keys(words + 3, n_words - 3, keys);
    if (wrong == NULL && member >= pb_network_members(network, pb_link_node(step->link))) {
        wrong = "the link has no such member: they are numbered from 0";
    }
    step->member = (int) member;
    step->change = (fabric_change_t){(uint64_t) rate, latency, queue, loss};
    return wrong;
}

static const char *read_load(const pb_network_t *network, uint32_t max_length, char **words,
                             int n_words, fabric_step_t *step)
{
    int64_t rate = 0, length = max_length, random = 0, seed = 1;
    fabric_load_t *load = &step->load;
    const setting_t keys[] = {
        {"rate", 1, MAX_RATE, &rate},
        {"duration", 1, FABRIC_MAX_TIME, &load->duration},
        {"length", FABRIC_MIN_FRAME, max_length, &length},
        {"random", 0, 1, &random},
        {"seed", 0, INT64_MAX, &seed},
        {NULL, 0, 0, NULL},
    };
    step->kind = FABRIC_STEP_LOAD;
    load->from = n_words >= 3 ? pb_network_find(network, words[1]) : -1;
    load->to = n_words >= 3 ? pb_network_find(network, words[2]) : -1;
    if (load->from < 0 || load->to < 0 || load->from == load->to) {
        return "load needs two hosts or switches, FROM and TO, as the topology file names them";
    }
    const char *wrong = read_keys(words + 3, n_words - 3, keys);
    if (wrong == NULL && (rate == 0 || load->duration == 0)) {
        wrong = "load needs rate= and duration=";
    }
    load->rate = (uint64_t) rate;
    load->length = (uint32_t) length;
    load->random = random != 0;
    load->seed = (uint64_t) seed;
    return wrong;
}

const char *fabric_read_step(const pb_network_t *network, uint32_t max_length, char **words,
                             int n_words, fabric_step_t *step)
{
    *step = (fabric_step_t){0};
    if (n_words > 0 && strcmp(words[0], "set") == 0) {
        const bool is_switch = n_words >= 3 && strchr(words[2], '=') != NULL;
        return is_switch ? read_set_switch(network, words, n_words, step)
                         : read_set_link(network, words, n_words, step);
    }
    if (n_words > 0 && strcmp(words[0], "load") == 0) {
        return read_load(network, max_length, words, n_words, step);
    }
    return "a step is set or load";
}
