/*
 * Topology files: the network of a cluster in any format that is known.
 *
 * The formats are the rows of a table (topology.c). A format is its reader, its row, golden files
 * and a fuzz target; the plugin and the tools know no format.
 *
 * A file may describe several networks; one is read. Another program may read the file, too, and
 * ignore our additions; notes say what was taken from where.
 */
#ifndef PB_TOPOLOGY_H
#define PB_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "topo/network/network.h"
#include "topo/util/diag.h"

/** The version of pipebcast's own keys in topology files; a line "#pipebcast Version=" states it.
 */
#define PB_TOPOLOGY_KEYS_VERSION "1"

/** Bytes of a topology file, and of all that it includes; the largest network needs far less. */
#define PB_TOPOLOGY_MAX_FILE ((size_t) 64 << 20)

/** Access to the files that belong to a text: those that it includes, and those next to it. */
typedef struct pb_topology_files {
    bool (*exists)(void *context, const char *path);
    /** Tells whether two paths are of one file; the first one was read. */
    bool (*are_same)(void *context, const char *path, const char *other);
    /** As pb_text_file_read(). */
    int (*read)(void *context, const char *path, char **text_p, size_t *length_p, pb_diag_t *diag);
    void *context;
} pb_topology_files_t;

/** A text in memory that describes a network. All pointers are borrowed. */
typedef struct pb_topology_text {
    const char *text; /**< any bytes, no '\0' at the end */
    size_t length;
    const char *name; /**< the path of the file, or what stands for it in messages */
    char separator;   /**< ends a line as a newline does: ';' in a parameter; '\0': none */
    const pb_topology_files_t
        *files; /**< NULL: the text is no file's, and no other belongs to it */
} pb_topology_text_t;

/** Request for one topology of several. Texts are borrowed; "" is as good as NULL. */
typedef struct pb_topology_request {
    const char *name;      /**< the topology's; NULL: the partition's or the default one */
    const char *partition; /**< that the job runs in (SLURM_JOB_PARTITION); NULL: none */
} pb_topology_request_t;

/** The site's decision on broadcasts by IP multicast on this network. */
typedef enum {
    PB_MULTICAST_OFF,  /**< also where the file says nothing */
    PB_MULTICAST_AUTO, /**< where it is found to work, and links are not too fast */
    PB_MULTICAST_ON,   /**< where it is found to work */
} pb_multicast_allowed_t;

/** The topology that was read. */
typedef struct pb_topology {
    pb_network_t *network;            /**< finished, perhaps without hosts (pb_addresses_join()) */
    pb_multicast_allowed_t multicast; /**< by our key Multicast */
    char *picked;       /**< which one of the file's topologies, and why; NULL: it has no names */
    pb_diag_t warnings; /**< what was not understood and ignored, or is perhaps a mistake */
    pb_diag_t notes;    /**< what was taken from other files than the file itself */
} pb_topology_t;

void pb_topology_clear(pb_topology_t *topology);

/** Tells that messages from now on are about lines of `lines`; NULL: about none. For readers. */
void pb_topology_set_lines(pb_topology_t *topology, pb_diag_t *diag,
                           const pb_source_lines_t *lines);

typedef struct pb_topology_format {
    const char *name; /**< of the directory of its golden files, too */
    /** Tells whether a text is of this format, by its name and beginning. NULL: every other text
     * is. */
    bool (*recognises)(const pb_topology_text_t *text);
    /** Reads a text of this format into an empty topology; as pb_topology_open_text(). */
    int (*parse)(const pb_topology_text_t *text, const pb_topology_request_t *request,
                 pb_topology_t *topology, pb_diag_t *diag);
} pb_topology_format_t;

/** The formats, ended by a row without a name, in the order in which they are tried. */
extern const pb_topology_format_t pb_topology_formats[];

/**
 * Reads the file at `path` into *topology, which the caller clears in any case. `request` may be
 * NULL. PB_ERR_IO, or PB_ERR_INPUT if nothing of it can be used, with the reason in `diag`;
 * PB_ERR_NO_MEMORY.
 */
int pb_topology_open(const char *path, const pb_topology_request_t *request,
                     pb_topology_t *topology, pb_diag_t *diag);

/** The same from a stream, read to its end but not closed; `name` stands for the file. */
int pb_topology_open_stream(FILE *stream, const char *name, const pb_topology_request_t *request,
                            pb_topology_t *topology, pb_diag_t *diag);

/** The same from memory. Lines are counted from 1. */
int pb_topology_open_text(const pb_topology_text_t *text, const pb_topology_request_t *request,
                          pb_topology_t *topology, pb_diag_t *diag);

/**
 * Reads only the network, which the caller frees, for programs that need the hosts' names from the
 * file. One without hosts is an error. *network_p is NULL after an error.
 */
int pb_topology_read(const char *path, pb_network_t **network_p, pb_diag_t *diag);

#endif
