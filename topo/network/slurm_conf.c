/*
 * Reading is in three steps: physical lines are joined to logical ones, a
 * logical line is cut into its five possible values, and the values enter the
 * network. A switch enters when it is first named, as a child or by SwitchName,
 * so that children keep the order of the file; which of them no line defines is
 * found at the end.
 *
 * One mistake should give one message. A line whose SwitchName is lost makes
 * children look unknown, and any fault makes trees look unconnected; what may
 * be such a consequence is not reported.
 */
#include "topo/network/slurm_conf.h"
#include "topo/util/decimal.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topo/network/hostlist.h"
#include "topo/network/spines.h"
#include "topo/util/error.h"

typedef enum {
    KEY_SWITCH_NAME,
    KEY_NODES,
    KEY_SWITCHES,
    KEY_LINK_SPEED,
    KEY_UPLINKS,
    N_KEYS
} conf_key_t;

static const char *const key_names[N_KEYS] = {"SwitchName", "Nodes", "Switches", "LinkSpeed",
                                              "Uplinks"};

/* What the reader knows of a node beside the network. */
typedef struct mention {
    int connected; /* line that put it below its parent */
    bool defined;  /* a switch that a SwitchName named */
} mention_t;

typedef struct reader {
    const char *text; /* what is left to read, */
    size_t length;    /* so many bytes */
    char separator;
    const char *file; /* for messages */
    int next_line;    /* number of the next physical line */

    char *buffer; /* the logical line, ended by '\0' */
    size_t size;  /* its length */
    int line;     /* number of its first physical line */
    bool has_nul;
    bool too_long;

    pb_network_t *network;
    mention_t *mentions;  /* by node */
    int capacity;         /* of mentions */
    pb_uplink_t *uplinks; /* between switches, all that are named */
    int n_uplinks;
    int uplinks_capacity;
    bool is_fabric; /* a switch was named below several, or below one several times */
    pb_diag_t *diag;
    bool lost_switch; /* a line's SwitchName could not be read */
    bool full;        /* the network has no room; reading ends */
    int n_named;      /* names in lists so far; more than there may be nodes are too many, however
                         few are new */

    /* The list being read: */
    int parent;          /* the switch above what it names */
    pb_node_kind_t kind; /* of what it names */
    uint32_t speed;      /* of each of their links */
    int members;         /* parallel links to each */
    int repeated;        /* first name that has a parent already, -1: none */
    int n_repeated;      /* such names */
} reader_t;

/* ---- logical lines ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void append_piece(reader_t *r, const char *piece, size_t length)
{
    if (memchr(piece, '\0', length) != NULL) {
        r->has_nul = true;
    }
    if (length > PB_SLURM_CONF_MAX_LINE - r->size) {
        r->too_long = true;
        return;
    }
    memcpy(r->buffer + r->size, piece, length);
    r->size += length;
}

/* Takes one physical line off the text, without its end. */
static const char *take_line(reader_t *r, size_t *length_p)
{
    const char *line = r->text;
    size_t n = 0;
    while (n < r->length && line[n] != '\n' && (r->separator == '\0' || line[n] != r->separator)) {
        n++;
    }
    size_t taken = n < r->length ? n + 1 : n;
    r->text += taken;
    r->length -= taken;
    r->next_line++;
    *length_p = n;
    return line;
}

/* Appends one physical line to the logical one; true if the next continues it. A
 * comment ends with its line, even after a backslash. */
static bool append_line(reader_t *r)
{
    size_t length;
    const char *line = take_line(r, &length);
    const char *comment = memchr(line, '#', length);
    if (comment != NULL) {
        append_piece(r, line, (size_t) (comment - line));
        return false;
    }
    while (length > 0 && is_blank(line[length - 1])) {
        length--;
    }
    bool continued = length > 0 && line[length - 1] == '\\';
    append_piece(r, line, continued ? length - 1 : length);
    return continued;
}

/* Reads the next logical line; false at the end of the text. */
static bool next_logical_line(reader_t *r)
{
    if (r->length == 0) {
        return false;
    }
    r->line = r->next_line;
    r->size = 0;
    r->has_nul = false;
    r->too_long = false;
    while (append_line(r) && r->length > 0) {
    }
    r->buffer[r->size] = '\0';
    return true;
}

/* ---- values of a line ---- */

static char *skip_blanks(char *at)
{
    while (is_blank(*at)) {
        at++;
    }
    return at;
}

static char *skip_word(char *at, const char *end_marks)
{
    while (*at != '\0' && !is_blank(*at) && strchr(end_marks, *at) == NULL) {
        at++;
    }
    return at;
}

static void store_value(reader_t *r, const char *key, size_t key_length, char *value, char **values)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    if (key_length == 0) {
        pb_diag_fault(r->diag, r->file, r->line, "a key is missing before '=%s'",
                      pb_diag_quote(quote, value, strlen(value)));
        return;
    }
    for (int i = 0; i < N_KEYS; i++) {
        if (strlen(key_names[i]) != key_length || strncasecmp(key, key_names[i], key_length) != 0) {
            continue;
        }
        if (values[i] != NULL) {
            pb_diag_fault(r->diag, r->file, r->line,
                          i == KEY_LINK_SPEED || i == KEY_UPLINKS
                              ? "%s is given twice on one line; write a line for each"
                              : "%s is given twice on one line; put all names into one list",
                          key_names[i]);
            return;
        }
        values[i] = value;
        return;
    }
    pb_diag_fault(r->diag, r->file, r->line,
                  "unknown key '%s'; known are SwitchName, Nodes, Switches, LinkSpeed and Uplinks",
                  pb_diag_quote(quote, key, key_length));
}

/* Cuts the quoted value that starts behind `quote` off and returns what follows,
 * or NULL if it does not end. */
static char *cut_quoted(reader_t *r, char *quote)
{
    char shown[PB_DIAG_QUOTE_SIZE];
    char *end = strchr(quote + 1, '"');
    if (end == NULL) {
        pb_diag_fault(r->diag, r->file, r->line, "the quote before '%s' is not closed",
                      pb_diag_quote(shown, quote + 1, strlen(quote + 1)));
        return NULL;
    }
    *end++ = '\0';
    if (*end != '\0' && !is_blank(*end)) {
        pb_diag_fault(r->diag, r->file, r->line, "a blank is missing before '%s'",
                      pb_diag_quote(shown, end, strlen(end)));
    }
    return end;
}

/* Cuts the value at `at`, which follows its '=' after blanks or at once, and
 * returns what follows. "Nodes= Switches=s1" has no value for Nodes. */
static char *cut_value(reader_t *r, char *equals, char **value_p)
{
    char *at = skip_blanks(equals + 1);
    if (*at == '"') {
        *value_p = at + 1;
        return cut_quoted(r, at);
    }
    char *end = skip_word(at, "");
    *value_p = at;
    if (at > equals + 1 && memchr(at, '=', (size_t) (end - at)) != NULL) {
        *equals = '\0';
        *value_p = equals;
        return at;
    }
    if (*end != '\0') {
        *end++ = '\0';
    }
    return end;
}

/* Cuts the line into values by key; a key that is not given stays NULL. */
static void read_values(reader_t *r, char **values)
{
    bool strayed = false;
    char *at = skip_blanks(r->buffer);
    while (at != NULL && *at != '\0') {
        char *key = at, *key_end = skip_word(at, "=");
        char *equals = skip_blanks(key_end);
        if (*equals != '=') {
            char quote[PB_DIAG_QUOTE_SIZE];
            if (!strayed) {
                pb_diag_fault(
                    r->diag, r->file, r->line,
                    "'%s' is not followed by '='; write KEY=VALUE, and lists without blanks",
                    pb_diag_quote(quote, key, (size_t) (key_end - key)));
            }
            strayed = true;
            at = equals;
            continue;
        }
        char *value;
        at = cut_value(r, equals, &value);
        if (at != NULL) {
            store_value(r, key, (size_t) (key_end - key), value, values);
            at = skip_blanks(at);
        }
    }
}

/* ---- entering the network ---- */

static const pb_node_t *node_of(const reader_t *r, int node)
{
    return pb_network_node(r->network, node);
}

static const char *kind_name(pb_node_kind_t kind)
{
    return kind == PB_NODE_SWITCH ? "switch" : "host";
}

static int make_room_for_mention(reader_t *r, int node)
{
    if (node < r->capacity) {
        return PB_SUCCESS;
    }
    int capacity = r->capacity > 0 ? 2 * r->capacity : 64;
    mention_t *mentions = realloc(r->mentions, (size_t) capacity * sizeof(*mentions));
    if (mentions == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    r->mentions = mentions;
    r->capacity = capacity;
    return PB_SUCCESS;
}

/* The node of this name and kind, made if it is new; PB_ERR_INPUT after a fault
 * if it is of the other kind or there is no room for it. */
static int intern(reader_t *r, pb_node_kind_t kind, const char *name)
{
    int node = pb_network_find(r->network, name);
    if (node >= 0 && node_of(r, node)->kind == kind) {
        return node;
    }
    if (node >= 0) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "'%s' is a %s here and a %s on line %d; give them different names", name,
                      kind_name(kind), kind_name(node_of(r, node)->kind), node_of(r, node)->line);
        return PB_ERR_INPUT;
    }
    if (pb_network_size(r->network) == PB_NETWORK_MAX_NODES) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "with '%s' there are more than %d switches and hosts", name,
                      PB_NETWORK_MAX_NODES);
        r->full = true;
        return PB_ERR_INPUT;
    }
    node = pb_network_add(r->network, kind, name);
    if (node < 0) {
        return node;
    }
    pb_network_set_line(r->network, node, r->line);
    int error = make_room_for_mention(r, node);
    if (error != PB_SUCCESS) {
        return error;
    }
    r->mentions[node] = (mention_t){.connected = 0};
    return node;
}

/* Remembers a link between two switches. */
static int note_uplink(reader_t *r, int child)
{
    if (r->n_uplinks == r->uplinks_capacity) {
        const int capacity = r->uplinks_capacity > 0 ? 2 * r->uplinks_capacity : 64;
        pb_uplink_t *uplinks = realloc(r->uplinks, (size_t) capacity * sizeof(*uplinks));
        if (uplinks == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        r->uplinks = uplinks;
        r->uplinks_capacity = capacity;
    }
    r->uplinks[r->n_uplinks++] = (pb_uplink_t){.child = child,
                                               .parent = r->parent,
                                               .speed = r->speed,
                                               .members = r->members,
                                               .line = r->line};
    return PB_SUCCESS;
}

/* What found_child() returns to end a list early, beside errors. */
#define END_OF_LIST 1

/* Puts one name of a list below the list's switch. */
static int found_child(void *context, const char *name)
{
    reader_t *r = context;
    if (r->n_named == PB_NETWORK_MAX_NODES) {
        pb_diag_fault(
            r->diag, r->file, r->line,
            "with '%s' the lists up to here have more than %d names; leave out what no job uses",
            name, PB_NETWORK_MAX_NODES);
        r->full = true;
        return END_OF_LIST;
    }
    r->n_named++;
    int child = intern(r, r->kind, name);
    if (child < 0) {
        return child == PB_ERR_NO_MEMORY ? child : r->full ? END_OF_LIST : 0;
    }
    if (child == r->parent) {
        pb_diag_fault(r->diag, r->file, r->line, "switch '%s' is named below itself", name);
        return 0;
    }
    if (r->kind == PB_NODE_SWITCH && note_uplink(r, child) != PB_SUCCESS) {
        return PB_ERR_NO_MEMORY;
    }
    if (pb_network_connect(r->network, r->parent, child, r->speed) == PB_SUCCESS) {
        pb_network_bundle(r->network, child, r->members);
        r->mentions[child].connected = r->line;
    } else if (r->kind == PB_NODE_SWITCH) {
        r->is_fabric = true;
    } else {
        r->repeated = r->n_repeated++ == 0 ? child : r->repeated;
    }
    return 0;
}

/* One message for all hosts of a list that are below a switch already. */
static void report_repeated(reader_t *r)
{
    char others[64] = "";
    if (r->n_repeated == 0) {
        return;
    }
    if (r->n_repeated > 1) {
        snprintf(others, sizeof(others), " (names of this list with the same fault: %d)",
                 r->n_repeated);
    }
    const pb_node_t *node = node_of(r, r->repeated);
    pb_diag_fault(r->diag, r->file, r->line,
                  "host '%s' is below switch '%s' already (line %d); a host has one link up%s",
                  node->name, node_of(r, node->parent)->name, r->mentions[r->repeated].connected,
                  others);
}

static int read_list(reader_t *r, conf_key_t key, const char *list)
{
    char why[200];
    if (list[0] == '\0') {
        pb_diag_fault(r->diag, r->file, r->line, "%s is empty; name something or leave it out",
                      key_names[key]);
        return PB_SUCCESS;
    }
    if (strcasecmp(list, "ALL") == 0) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "%s=%s is not supported, as only Slurm knows all names; list them",
                      key_names[key], list);
        return PB_SUCCESS;
    }
    r->kind = key == KEY_NODES ? PB_NODE_HOST : PB_NODE_SWITCH;
    r->n_repeated = 0;
    int error = pb_hostlist_expand(list, PB_NETWORK_MAX_NODES, found_child, r, why, sizeof(why));
    if (error == PB_ERR_INPUT) {
        pb_diag_fault(r->diag, r->file, r->line, "%s: %s", key_names[key], why);
        return PB_SUCCESS;
    }
    report_repeated(r);
    return error == END_OF_LIST ? PB_SUCCESS : error;
}

/* Keeps the only name of a SwitchName. */
static int found_switch(void *context, const char *name)
{
    char **name_p = context;
    *name_p = strdup(name);
    return *name_p != NULL ? 0 : PB_ERR_NO_MEMORY;
}

/* The switch that a line describes, defined from now on; PB_ERR_INPUT after a
 * fault. */
static int read_switch_name(reader_t *r, const char *list)
{
    char why[200], *name = NULL;
    int result = pb_hostlist_expand(list, 1, found_switch, &name, why, sizeof(why));
    if (result == PB_SUCCESS) {
        result = intern(r, PB_NODE_SWITCH, name);
    } else if (result == PB_ERR_INPUT) {
        pb_diag_fault(r->diag, r->file, r->line, "SwitchName must be one name: %s", why);
    }
    if (result >= 0) {
        r->mentions[result].defined = true;
    }
    free(name);
    return result;
}

/* The number that a value is, from 1 to `most`, or 0 after a fault. */
static uint32_t read_number(reader_t *r, conf_key_t key, const char *value, uint32_t most)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    uint64_t number;
    if (!pb_decimal_read(value, 1, most, &number)) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "%s '%s' is not a whole number from 1 to %lu, without unit", key_names[key],
                      pb_diag_quote(quote, value, strlen(value)), (unsigned long) most);
        return 0;
    }
    return (uint32_t) number;
}

/* What a line says of the links to the nodes that it names. After a fault they
 * are as if they had not been given. */
static void read_links(reader_t *r, char **values)
{
    r->speed = 0;
    r->members = 1;
    if (values[KEY_LINK_SPEED] != NULL) {
        r->speed = read_number(r, KEY_LINK_SPEED, values[KEY_LINK_SPEED], UINT32_MAX);
    }
    if (values[KEY_UPLINKS] != NULL) {
        uint32_t n = read_number(r, KEY_UPLINKS, values[KEY_UPLINKS], PB_NETWORK_MAX_BUNDLE);
        r->members = n > 0 ? (int) n : 1;
    }
    for (int key = KEY_LINK_SPEED; key <= KEY_UPLINKS; key++) {
        if (values[key] != NULL && values[KEY_NODES] == NULL && values[KEY_SWITCHES] == NULL) {
            pb_diag_fault(r->diag, r->file, r->line,
                          "%s without Nodes or Switches on the same line says nothing",
                          key_names[key]);
        }
    }
}

/* Enters what a line says of one switch. */
static int enter_values(reader_t *r, char **values)
{
    r->parent = read_switch_name(r, values[KEY_SWITCH_NAME]);
    if (r->parent < 0) {
        r->lost_switch = true;
        return r->parent == PB_ERR_INPUT ? PB_SUCCESS : r->parent;
    }
    read_links(r, values);
    int error = PB_SUCCESS;
    for (int key = KEY_NODES; key <= KEY_SWITCHES && error == PB_SUCCESS; key++) {
        if (values[key] != NULL) {
            error = read_list(r, (conf_key_t) key, values[key]);
        }
    }
    return error;
}

static int enter_line(reader_t *r)
{
    if (r->too_long || r->has_nul) {
        pb_diag_fault(r->diag, r->file, r->line,
                      r->has_nul ? "there is a NUL byte in this line; is this a text file?"
                                 : "the line is longer than %d bytes; describe the switch on "
                                   "several lines",
                      PB_SLURM_CONF_MAX_LINE);
        r->lost_switch = true;
        return PB_SUCCESS;
    }
    size_t n_before = r->diag->n_faults;
    char *values[N_KEYS] = {NULL};
    read_values(r, values);
    if (values[KEY_SWITCH_NAME] != NULL) {
        return enter_values(r, values);
    }
    bool empty = true;
    for (int key = 0; key < N_KEYS; key++) {
        empty = empty && values[key] == NULL;
    }
    if (r->diag->n_faults > n_before) {
        r->lost_switch = true;
    } else if (!empty) {
        pb_diag_fault(r->diag, r->file, r->line, "the line has no SwitchName");
        r->lost_switch = true;
    }
    return PB_SUCCESS;
}

/* One message for all switches that one line named first. */
static void report_undefined(const reader_t *r)
{
    int n_nodes = pb_network_size(r->network);
    assert(n_nodes == 0 || r->mentions != NULL);
    for (int i = 0; i < n_nodes;) {
        const pb_node_t *first = NULL;
        int line = node_of(r, i)->line, n_more = -1;
        for (; i < n_nodes && node_of(r, i)->line == line; i++) {
            if (node_of(r, i)->kind == PB_NODE_SWITCH && !r->mentions[i].defined) {
                first = first == NULL ? node_of(r, i) : first;
                n_more++;
            }
        }
        if (first != NULL) {
            char others[64] = "";
            if (n_more > 0) {
                snprintf(others, sizeof(others), " (nor have %d more of this line)", n_more);
            }
            pb_diag_fault(r->diag, r->file, line,
                          "switch '%s' has no SwitchName line of its own%s; add one, or correct "
                          "the name",
                          first->name, others);
        }
    }
}

/* Reports the first node that is too far below the top. */
static int check_depth(const reader_t *r)
{
    for (int i = 0; i < pb_network_size(r->network); i++) {
        if (pb_network_depth(r->network, i) > PB_SLURM_CONF_MAX_DEPTH) {
            pb_diag_fault(r->diag, r->file, node_of(r, i)->line,
                          "%s '%s' is more than %d links below the top switch '%s', which no "
                          "Ethernet allows; name its switch below one that is nearer to the top",
                          kind_name(node_of(r, i)->kind), node_of(r, i)->name,
                          PB_SLURM_CONF_MAX_DEPTH, node_of(r, pb_network_top(r->network))->name);
            return PB_ERR_INPUT;
        }
    }
    return PB_SUCCESS;
}

/* Makes the network ready for use, merged where switches have several above them. */
static int finish(reader_t *r)
{
    if (!r->is_fabric) {
        return pb_network_finish(r->network, r->file, r->diag);
    }
    pb_network_t *tree;
    const int error =
        pb_spines_merge(r->network, r->uplinks, r->n_uplinks, r->file, r->diag, &tree);
    if (error == PB_SUCCESS) {
        pb_network_free(r->network);
        r->network = tree;
    }
    return error;
}

/* All lines, then what follows only from the whole file. */
static int read_network(reader_t *r)
{
    size_t n_before = r->diag->n_faults;
    while (!r->full && next_logical_line(r)) {
        int error = enter_line(r);
        if (error != PB_SUCCESS) {
            return error;
        }
    }
    if (!r->lost_switch && !r->full) {
        report_undefined(r);
    }
    if (r->diag->n_faults > n_before) {
        pb_network_check_cycles(r->network, r->file, r->diag);
        return PB_ERR_INPUT;
    }
    if (pb_network_size(r->network) == 0) {
        pb_diag_fault(r->diag, r->file, 0,
                      "no switch is described; write lines as SwitchName=s0 Nodes=n[1-8]");
        return PB_ERR_INPUT;
    }
    int error = finish(r);
    return error == PB_SUCCESS ? check_depth(r) : error;
}

int pb_slurm_conf_parse(const pb_topology_text_t *topology, pb_network_t **network_p,
                        pb_diag_t *diag)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    *network_p = NULL;
    const size_t length = topology->length;
    reader_t reader = {.text = topology->text,
                       .length = length,
                       .separator = topology->separator,
                       .file = topology->name,
                       .next_line = 1,
                       .diag = diag};
    if (length >= 3 && memcmp(topology->text, byte_order_mark, 3) == 0) {
        reader.text += 3;
        reader.length -= 3;
    }
    size_t room = length < PB_SLURM_CONF_MAX_LINE ? length : PB_SLURM_CONF_MAX_LINE;
    reader.buffer = malloc(room + 1);
    reader.network = pb_network_new();
    int error = PB_ERR_NO_MEMORY;
    if (reader.buffer != NULL && reader.network != NULL) {
        error = read_network(&reader);
    }
    if (error == PB_SUCCESS) {
        *network_p = reader.network;
    } else {
        pb_network_free(reader.network);
    }
    free(reader.buffer);
    free(reader.mentions);
    free(reader.uplinks);
    return error;
}
