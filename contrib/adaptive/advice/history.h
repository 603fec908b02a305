/*
 * The history of a communicator, which the component writes for the advisor.
 *
 * A file of one writer, mapped, so that a record costs no system call; a ring, so that its size is
 * bounded. There are two kinds. DIR/history-HASH-TOKEN holds broadcasts as their roots saw them, to
 * predict the next (paper 4, section 2.5). DIR/rates-HASH-TOKEN holds the rate at which each parent
 * delivered to this host. A program so measures the network while it runs (left open in the paper's
 * section 6). HASH is the hash of the set of hosts.
 *
 * Each record has its number and a hash of its own. So a reader may read while a record is written,
 * and a crash makes at most this one illegible. Invalid records are ignored and counted. A file is
 * stale if its last record is old; its reader decides what is old.
 */
#ifndef PB_HISTORY_H
#define PB_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "contrib/adaptive/advice/host_set.h"
#include "topo/util/diag.h"

typedef enum {
    PB_HISTORY_BROADCASTS =
        1,                /**< "history-": a record for each broadcast that began at this host */
    PB_HISTORY_RATES = 2, /**< "rates-": one for each broadcast and parent that was measured */
} pb_history_kind_t;

/** Records of one file; older ones are overwritten. */
#define PB_HISTORY_CAPACITY 256

/** A time that something may have taken, at most: a day, in ns. */
#define PB_HISTORY_MAX_TAKEN INT64_C(86400000000000)

/** The latest beginning, in ns since the epoch: sums and twice a gap are numbers of 64 bits. */
#define PB_HISTORY_MAX_BEGUN (INT64_MAX / 3)

typedef struct pb_history_record {
    uint64_t number;    /**< in its file, from 1; set by the reader and the writer */
    uint64_t broadcast; /**< its number on the communicator, from 0, alike on all ranks */
    int from;           /**< host: the root, or the parent */
    int to;             /**< host: the root too, or the child */
    uint64_t bytes;     /**< of the message; or, delivered after the first segment; > 0 */
    int64_t begun; /**< ns since the epoch: of the broadcast; or, of the first segment's arrival */
    int64_t taken; /**< ns until the broadcast was over here; or, until the last segment's
                        arrival; > 0 */
} pb_history_record_t;

/** Contents of one file. */
typedef struct pb_history {
    pb_history_kind_t kind;
    uint64_t group; /**< alike in all files of one communicator, different in those of others */
    pb_host_set_t *hosts;
    pb_history_record_t *records; /**< oldest first */
    int n_records;
    int n_bad; /**< records that could not be right */
} pb_history_t;

/**
 * Reads a history from bytes that any program may have written; free with pb_history_free(). `name`
 * stands for the file in messages. PB_ERR_INPUT with an error in `diag` if the file as a whole is
 * none; PB_ERR_NO_MEMORY. O(length).
 */
int pb_history_parse(const uint8_t *bytes, size_t length, const char *name,
                     pb_history_t **history_p, pb_diag_t *diag);

/** The same from a path. Also PB_ERR_IO. */
int pb_history_read(const char *path, pb_history_t **history_p, pb_diag_t *diag);
void pb_history_free(pb_history_t *history);

/**
 * Shows `visit` the path of each history of a kind in the directory, of one set of hosts or, if
 * `hosts` is NULL, of all. Ends with the first result of `visit` other than PB_SUCCESS, and returns
 * it. PB_ERR_IO with an error in `diag` if the directory cannot be read.
 */
typedef int pb_history_visit_t(void *context, const char *path);
int pb_history_list(const char *dir, pb_history_kind_t kind, const pb_host_set_t *hosts,
                    pb_history_visit_t *visit, void *context, pb_diag_t *diag);

/**
 * Removes files of the directory that were not written to for `age` seconds. They are histories
 * that a job left when it crashed, advice, and unfinished files of the advisor. As above.
 */
int pb_history_remove_old(const char *dir, int64_t age, pb_diag_t *diag);

typedef struct pb_history_writer pb_history_writer_t;

/**
 * Makes a history file of `kind` in the directory. `token` makes its name unique: letters, digits,
 * '.', '-' and '_'. An older file of this name is replaced. PB_ERR_IO with an error in `diag`,
 * PB_ERR_INPUT (token), PB_ERR_NO_MEMORY.
 */
int pb_history_create(const char *dir, pb_history_kind_t kind, uint64_t group,
                      const pb_host_set_t *hosts, const char *token, pb_history_writer_t **writer_p,
                      pb_diag_t *diag);

/** Adds a record: bytes in memory, no system call. Not for two threads at a time. */
void pb_history_add(pb_history_writer_t *writer, const pb_history_record_t *record);

/** Closes the history and removes its file: what it says is over. Takes NULL too. */
void pb_history_close(pb_history_writer_t *writer);

#endif
