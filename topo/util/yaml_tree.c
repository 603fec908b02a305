#include "topo/util/yaml_tree.h"

#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"
#include "topo/util/kit.h"

const char *pb_yaml_kind_name(pb_yaml_kind_t kind)
{
    static const char *const names[] = {"a text", "a list", "a map"};
    return names[kind];
}

void pb_yaml_clear(pb_yaml_t *yaml)
{
    for (int i = 0; i < yaml->n_nodes; i++) {
        free(yaml->nodes[i].key);
        free(yaml->nodes[i].text);
    }
    free(yaml->nodes);
    *yaml = (pb_yaml_t){.nodes = NULL};
}

static const pb_yaml_node_t *at(const pb_yaml_t *yaml, int index)
{
    return index >= 0 ? &yaml->nodes[index] : NULL;
}

const pb_yaml_node_t *pb_yaml_first(const pb_yaml_t *yaml, const pb_yaml_node_t *node)
{
    return at(yaml, node->first_child);
}

const pb_yaml_node_t *pb_yaml_next(const pb_yaml_t *yaml, const pb_yaml_node_t *node)
{
    return at(yaml, node->next);
}

const pb_yaml_node_t *pb_yaml_get(const pb_yaml_t *yaml, const pb_yaml_node_t *map, const char *key)
{
    const pb_yaml_node_t *child = map->kind == PB_YAML_MAP ? pb_yaml_first(yaml, map) : NULL;
    while (child != NULL && !pb_is_like(child->key, key, SIZE_MAX)) {
        child = pb_yaml_next(yaml, child);
    }
    return child;
}

#ifdef PB_HAVE_YAML

#include <yaml.h>

bool pb_yaml_is_there(void)
{
    return true;
}

typedef struct reader {
    pb_yaml_t *yaml;
    const char *file;
    pb_diag_t *diag, *warnings;
    int open[PB_YAML_MAX_DEPTH]; /* nodes that are not at their end, from the outermost */
    int n_open;
    char *key; /* that was read in the innermost map, and has no value yet; NULL: none */
    bool has_document, is_done;
} reader_t;

static int line_of(const yaml_event_t *event)
{
    return (int) event->start_mark.line + 1;
}

static int invalid(reader_t *r, int line, const char *what)
{
    pb_diag_error(r->diag, r->file, line, "%s", what);
    return PB_ERR_INPUT;
}

static char *copy_of(const yaml_event_t *event)
{
    const size_t length = event->data.scalar.length;
    char *copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, event->data.scalar.value, length);
        copy[length] = '\0';
    }
    return copy;
}

/* Adds a node to the innermost open one, with the key that was read for it. */
static int add_node(reader_t *r, pb_yaml_kind_t kind, int line, char *text)
{
    pb_yaml_t *yaml = r->yaml;
    pb_yaml_node_t *nodes = pb_grow(yaml->nodes, yaml->n_nodes, &yaml->capacity, sizeof(*nodes));
    if (nodes == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    yaml->nodes = nodes;
    const int node = yaml->n_nodes++;
    yaml->nodes[node] = (pb_yaml_node_t){.kind = kind,
                                         .line = line,
                                         .key = r->key,
                                         .text = text,
                                         .first_child = -1,
                                         .last_child = -1,
                                         .next = -1};
    r->key = NULL;
    if (r->n_open > 0) {
        pb_yaml_node_t *parent = &yaml->nodes[r->open[r->n_open - 1]];
        if (parent->first_child < 0) {
            parent->first_child = node;
        } else {
            yaml->nodes[parent->last_child].next = node;
        }
        parent->last_child = node;
        parent->n_children++;
    }
    return node;
}

/* Tells whether the next scalar is a key. */
static bool expects_key(const reader_t *r)
{
    return r->n_open > 0 && r->key == NULL &&
           r->yaml->nodes[r->open[r->n_open - 1]].kind == PB_YAML_MAP;
}

static int take_key(reader_t *r, const yaml_event_t *event)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    const pb_yaml_node_t *map = &r->yaml->nodes[r->open[r->n_open - 1]];
    if (map->n_children == PB_YAML_MAX_KEYS) {
        return invalid(r, line_of(event), "too many keys in one map");
    }
    char *key = copy_of(event);
    if (key == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const pb_yaml_node_t *before = pb_yaml_get(r->yaml, map, key);
    if (before != NULL) {
        pb_diag_error(r->warnings, r->file, line_of(event),
                      "the key '%s' is given twice; the last one counts",
                      pb_diag_quote_text(quote, key));
        before->key[0] = '\0';
    }
    r->key = key;
    return PB_SUCCESS;
}

static int take_scalar(reader_t *r, const yaml_event_t *event)
{
    if (expects_key(r)) {
        return take_key(r, event);
    }
    char *text = copy_of(event);
    if (text == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    if (memchr(text, '\0', event->data.scalar.length) != NULL) {
        free(text);
        return invalid(r, line_of(event), "there is a NUL byte in a text");
    }
    const int node = add_node(r, PB_YAML_SCALAR, line_of(event), text);
    if (node < 0) {
        free(text);
        return node;
    }
    return PB_SUCCESS;
}

static int open_node(reader_t *r, const yaml_event_t *event, pb_yaml_kind_t kind)
{
    if (expects_key(r)) {
        return invalid(r, line_of(event), "a key is no text; write KEY: VALUE");
    }
    if (r->n_open == PB_YAML_MAX_DEPTH) {
        return invalid(r, line_of(event), "lists and maps are too deep inside one another");
    }
    const int node = add_node(r, kind, line_of(event), NULL);
    if (node < 0) {
        return node;
    }
    r->open[r->n_open++] = node;
    return PB_SUCCESS;
}

static int take_event(reader_t *r, const yaml_event_t *event)
{
    if (r->yaml->n_nodes == PB_YAML_MAX_NODES) {
        return invalid(r, line_of(event), "there are too many values; is this a topology?");
    }
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (r->has_document) {
            pb_diag_error(r->warnings, r->file, line_of(event),
                          "a second document starts here, and is ignored");
        }
        r->is_done = r->has_document;
        r->has_document = true;
        return PB_SUCCESS;
    case YAML_ALIAS_EVENT:
        return invalid(
            r, line_of(event),
            "aliases (*name) are not supported, nor by Slurm; write out what it stands for");
    case YAML_SCALAR_EVENT:
        return take_scalar(r, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(r, event, PB_YAML_LIST);
    case YAML_MAPPING_START_EVENT:
        return open_node(r, event, PB_YAML_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        r->n_open--;
        return PB_SUCCESS;
    default:
        return PB_SUCCESS;
    }
}

static int parser_error(reader_t *r, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        return PB_ERR_NO_MEMORY;
    }
    pb_diag_error(r->diag, r->file, (int) parser->problem_mark.line + 1, "this is no YAML: %s",
                  parser->problem != NULL ? parser->problem : "it cannot be read");
    return PB_ERR_INPUT;
}

static int read_events(reader_t *r, yaml_parser_t *parser)
{
    int error = PB_SUCCESS;
    bool at_end = false;
    while (error == PB_SUCCESS && !at_end) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            return parser_error(r, parser);
        }
        error = take_event(r, &event);
        at_end = event.type == YAML_STREAM_END_EVENT || r->is_done;
        yaml_event_delete(&event);
    }
    if (error == PB_SUCCESS && r->yaml->n_nodes == 0) {
        return invalid(r, 0, "there is nothing in this file");
    }
    return error;
}

int pb_yaml_read(const char *text, size_t length, const char *file, pb_diag_t *diag,
                 pb_diag_t *warnings, pb_yaml_t *yaml)
{
    yaml_parser_t parser;
    reader_t reader = {.yaml = yaml, .file = file, .diag = diag, .warnings = warnings};
    *yaml = (pb_yaml_t){.nodes = NULL};
    if (!yaml_parser_initialize(&parser)) {
        return PB_ERR_NO_MEMORY;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *) text, length);
    const int error = read_events(&reader, &parser);
    free(reader.key);
    yaml_parser_delete(&parser);
    return error;
}

#else

bool pb_yaml_is_there(void)
{
    return false;
}

int pb_yaml_read(const char *text, size_t length, const char *file, pb_diag_t *diag,
                 pb_diag_t *warnings, pb_yaml_t *yaml)
{
    (void) text;
    (void) length;
    (void) warnings;
    *yaml = (pb_yaml_t){.nodes = NULL};
    pb_diag_error(diag, file, 0,
                  "pipebcast was built without libyaml, which this file needs; install it (on "
                  "Debian: libyaml-dev) and build anew, or name a topology.conf");
    return PB_ERR_INPUT;
}

#endif
