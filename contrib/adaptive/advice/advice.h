/*
 * Advice: which trees the broadcasts of a set of hosts should take now.
 *
 * An advisor computes trees from measurements, and writes them into a directory that it shares with
 * running jobs. The root of a broadcast looks there. One file for each set of hosts,
 * DIR/advice-HASH, replaced as a whole. Advice ages: a tree for a load is bad when the load is gone
 * (paper 4, section 3.1, the broadcast after the load). So each file says how long it holds.
 *
 * A reader that finds no tree for a root and size in it takes this for: the
 * static plan is best.
 */
#ifndef PB_ADVICE_H
#define PB_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "contrib/adaptive/advice/host_set.h"
#include "contrib/adaptive/advice/tree.h"
#include "topo/util/diag.h"

/** Trees of one file. */
#define PB_ADVICE_MAX_TREES 4096

/** Streams of one tree: segments s, s + n, ... of n streams go down the n-th of as many trees. */
#define PB_ADVICE_MAX_STREAMS 2

/** Bytes of a segment; at least 1. */
#define PB_ADVICE_MAX_SEGMENT (UINT32_C(1) << 30)

/** Seconds for which advice may hold: a week. */
#define PB_ADVICE_MAX_AGE 604800

/** The tree (or trees, of several streams) for messages from one root. */
typedef struct pb_advice_tree {
    int root;             /**< a host of the set */
    uint64_t least, most; /**< bytes of the messages that it is for, both included */
    uint32_t segment;     /**< bytes */
    int64_t found;        /**< the advisor's, not in the file: ns since the epoch */
    int n_streams;        /**< 1 to PB_ADVICE_MAX_STREAMS */
    pb_tree_t *streams[PB_ADVICE_MAX_STREAMS]; /**< over all hosts of the set, by their numbers;
                                                    NULL beyond n_streams */
} pb_advice_tree_t;

/** Frees the streams, and leaves no tree. */
void pb_advice_tree_clear(pb_advice_tree_t *tree);

typedef struct pb_advice {
    pb_host_set_t *hosts;
    int64_t written; /**< nanoseconds since the epoch */
    int max_age;     /**< seconds after which it must not be used */
    int n_trees, capacity;
    pb_advice_tree_t *trees;
} pb_advice_t;

/**
 * Advice for these hosts (as pb_host_set_new() takes them), without trees and with
 * written = 0. Free with pb_advice_free(), which takes NULL too. PB_ERR_INPUT (hosts, or
 * max_age not 1 to PB_ADVICE_MAX_AGE), PB_ERR_NO_MEMORY.
 */
int pb_advice_new(const char *const *hosts, int n_hosts, int max_age, pb_advice_t **advice_p);
void pb_advice_free(pb_advice_t *advice);

/**
 * Adds a copy of a tree whose nodes are the hosts by their numbers in advice->hosts.
 * PB_ERR_NO_MEMORY. PB_ERR_INPUT if there are too many trees, or the tree overlaps with another of
 * the same root. So it is if a number is out of range, or a stream is no tree over all hosts from
 * the root. O(hosts * streams + trees).
 */
int pb_advice_add(pb_advice_t *advice, const pb_advice_tree_t *tree);

/** The tree for messages of `bytes` from host `root`; NULL: the static plan. O(trees). */
const pb_advice_tree_t *pb_advice_find(const pb_advice_t *advice, int root, uint64_t bytes);

/** Tells whether it is too old, or from the future, to be used at `now` (ns since the epoch). */
bool pb_advice_is_stale(const pb_advice_t *advice, int64_t now);

/** Nanoseconds since the epoch, now. */
int64_t pb_advice_now(void);

/*
 * The file, version 1: text, one item a line, hosts before trees that name them. Edges are in the
 * order in which a parent sends to its children. `end` counts the items between the first line and
 * itself: it shows a file that is incomplete.
 *
 *   pipebcast-advice 1
 *   written 1763728000123456789      nanoseconds since the epoch
 *   max-age 120                      seconds
 *   host n0
 *   host n1
 *   host n2
 *   tree n0 from 1024 to 2097152 segment 1426 streams 1
 *   edge 0 n0 n2                     stream, parent, child
 *   edge 0 n0 n1
 *   end 8
 */
#define PB_ADVICE_VERSION 1

/** Reads advice from memory, which the caller frees; `name` stands for the file in messages.
 * PB_ERR_INPUT with every error in `diag`, PB_ERR_NO_MEMORY; *advice_p is then NULL. */
int pb_advice_parse(const char *text, size_t length, const char *name, pb_advice_t **advice_p,
                    pb_diag_t *diag);

/** Writes it as pb_advice_parse() reads it. PB_ERR_IO if the stream fails, PB_ERR_NO_MEMORY. */
int pb_advice_write(const pb_advice_t *advice, FILE *stream);

/**
 * Reads the advice for these hosts from its directory. *advice_p is NULL with PB_SUCCESS if
 * there is none yet. As pb_advice_parse(); also PB_ERR_IO, and PB_ERR_INPUT if the file is
 * for other hosts. Stale advice is read like any other.
 */
int pb_advice_read(const char *dir, const pb_host_set_t *hosts, pb_advice_t **advice_p,
                   pb_diag_t *diag);

/**
 * Distinguishes one file of advice from those before and after it: each is another file, as it is
 * put in its place as a whole. All 0: there is none.
 */
typedef struct pb_advice_version {
    uint64_t inode;
    int64_t bytes;
    int64_t written; /**< nanoseconds since the epoch, by the file system */
} pb_advice_version_t;

/** The version of the file for these hosts that is in the directory now. One system call. */
pb_advice_version_t pb_advice_version(const char *dir, const pb_host_set_t *hosts);
bool pb_advice_version_is(const pb_advice_version_t *a, const pb_advice_version_t *b);

/** Sets advice->written to now and replaces the file: readers see the old one or the new one, never
 * a part. PB_ERR_IO with an error in `diag`, PB_ERR_NO_MEMORY. */
int pb_advice_publish(const char *dir, pb_advice_t *advice, pb_diag_t *diag);

#endif
