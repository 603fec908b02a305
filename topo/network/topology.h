/*
 * Topology files: the network of a cluster in any format that is known.
 *
 * The formats are the rows of a table (topology.c). A format is its reader, in files of its own,
 * its row, golden files and a fuzz target; whoever wants a network asks here and knows no format.
 */
#ifndef PB_TOPOLOGY_H
#define PB_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "topo/network/network.h"
#include "topo/util/diag.h"

/** A text in memory that describes a network. All pointers are borrowed. */
typedef struct pb_topology_text {
    const char *text; /**< any bytes, no '\0' at the end */
    size_t length;
    const char *name; /**< stands for the file in messages */
    char separator;   /**< ends a line as a newline does: ';' in a parameter; '\0': none */
} pb_topology_text_t;

typedef struct pb_topology_format {
    const char *name; /**< of the directory of its golden files, too */
    /** Whether a text is of this format, by its name and beginning. NULL: every other text is. */
    bool (*recognises)(const pb_topology_text_t *topology);
    /** Reads a text of this format; as pb_topology_parse(). */
    int (*parse)(const pb_topology_text_t *topology, pb_network_t **network_p, pb_diag_t *diag);
} pb_topology_format_t;

/** The formats, ended by a row without a name, in the order in which they are tried. */
extern const pb_topology_format_t pb_topology_formats[];

/**
 * Reads the file at `path` into a finished network, which the caller frees.
 * PB_ERR_IO or PB_ERR_INPUT with every fault in `diag`, PB_ERR_NO_MEMORY; *network_p is then NULL.
 */
int pb_topology_read(const char *path, pb_network_t **network_p, pb_diag_t *diag);

/** The same from a stream, read to its end but not closed; `name` stands for the file. */
int pb_topology_read_stream(FILE *stream, const char *name, pb_network_t **network_p,
                            pb_diag_t *diag);

/** The same from memory. Lines are counted from 1. */
int pb_topology_parse(const pb_topology_text_t *topology, pb_network_t **network_p,
                      pb_diag_t *diag);

#endif
