/*
 * Files in memory, for readers of a topology file and of those that belong to it.
 */
#ifndef PB_TEST_IN_MEMORY_H
#define PB_TEST_IN_MEMORY_H

#include "topo/network/topology.h"

/** A file; `text` NULL: it cannot be opened. A NULL path ends a list of them. */
typedef struct in_memory {
    const char *path, *text;
} in_memory_t;

/** Access to files, which are borrowed. */
pb_topology_files_t in_memory_files(const in_memory_t *files);

/** The first of the files, next to the others. */
pb_topology_text_t in_memory_text(const in_memory_t *files, const pb_topology_files_t *access);

#endif
