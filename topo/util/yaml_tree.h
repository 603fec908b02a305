/*
 * A YAML text as a tree of maps, lists and scalars, read by libyaml where the build has it.
 *
 * It reads only what data files have: one document, and keys that are scalars. Aliases, by which a
 * small text could stand for a huge one, are errors. Slurm reads no aliases either.
 */
#ifndef PB_YAML_TREE_H
#define PB_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "topo/util/diag.h"

/** Maps and lists inside one another, nodes in all, and keys of one map. */
#define PB_YAML_MAX_DEPTH 16
#define PB_YAML_MAX_NODES (1 << 20)
#define PB_YAML_MAX_KEYS 64

typedef enum { PB_YAML_SCALAR, PB_YAML_LIST, PB_YAML_MAP } pb_yaml_kind_t;

typedef struct pb_yaml_node {
    pb_yaml_kind_t kind;
    int line;
    char *key;       /**< in a map; "": a later value counts; else NULL */
    char *text;      /**< of a scalar */
    int first_child; /**< index of a node, -1: none */
    int last_child;
    int next; /**< index of the next child of the same node, -1: none */
    int n_children;
} pb_yaml_node_t;

/** Nodes; the first is the whole document. {0} is empty. */
typedef struct pb_yaml {
    pb_yaml_node_t *nodes;
    int n_nodes;
    int capacity;
} pb_yaml_t;

/** Tells whether the build has libyaml. */
bool pb_yaml_is_there(void);

/**
 * Reads a text of `file`, whose first line is line 1. To be cleared in any case. PB_ERR_INPUT with
 * an error in diag, PB_ERR_NO_MEMORY. `warnings` has what is ignored: further documents, and all
 * but the last value of a key. O(length), without recursion.
 */
int pb_yaml_read(const char *text, size_t length, const char *file, pb_diag_t *diag,
                 pb_diag_t *warnings, pb_yaml_t *yaml);
void pb_yaml_clear(pb_yaml_t *yaml);

/** The value of a key, in any case, in a map, or NULL. O(keys). */
const pb_yaml_node_t *pb_yaml_get(const pb_yaml_t *yaml, const pb_yaml_node_t *map,
                                  const char *key);

/** The first child of a node, and the next one after a child; NULL: there is none. */
const pb_yaml_node_t *pb_yaml_first(const pb_yaml_t *yaml, const pb_yaml_node_t *node);
const pb_yaml_node_t *pb_yaml_next(const pb_yaml_t *yaml, const pb_yaml_node_t *node);

/** "a map", "a list", "a text". Static storage. */
const char *pb_yaml_kind_name(pb_yaml_kind_t kind);

#endif
