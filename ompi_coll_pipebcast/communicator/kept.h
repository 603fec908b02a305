/*
 * What earlier jobs have learnt (topo/model/kept.h), with coll_pipebcast_learn = keep.
 *
 * Each process reads the user's file once, before it publishes its facts, and communicators begin
 * with the file's entry for them where all their ranks have read the same bytes, over interfaces of
 * the same names: by the facts, or by the messages by which ranks agree. Else it is as if there
 * were no file, on all ranks: a home directory is not shared, or another job has written meanwhile.
 *
 * As a communicator ends, its rank 0 remembers what was learnt there if that is the largest one so
 * far of which it is rank 0, and writes it as the component closes. All ranks know the same, so
 * that any of them could; rank 0 of the largest communicator is mostly rank 0 of the job, which is
 * the one on the host from which the job was started.
 */
#ifndef COLL_PIPEBCAST_KEPT_H
#define COLL_PIPEBCAST_KEPT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "topo/model/kept.h"

struct coll_pipebcast_module;

/** Of a process, under its lock (communicator/process.h). */
typedef struct coll_pipebcast_kept {
    bool is_read;        /**< what follows is known */
    char path[PATH_MAX]; /**< "": there is none */
    pb_kept_t kept;      /**< as it was read */
    uint64_t digest;     /**< of the file; 0: there is none, or a faulty one */
    pb_kept_t learnt;    /**< at most one entry: what is to be written */
} coll_pipebcast_kept_t;

/** Nothing was read. */
void coll_pipebcast_kept_open(coll_pipebcast_kept_t *kept);

/**
 * For ranks to compare: of the file, which is read now if it was not, and of the medium to other
 * hosts. 0 where nothing is kept, or may be. A file that is faulty, or cannot be read, is reported.
 */
uint64_t coll_pipebcast_kept_digest(const pb_medium_t *medium);

/** What the ranks of a communicator that begins to serve have agreed on. */
typedef struct coll_pipebcast_kept_terms {
    const pb_medium_t *medium; /**< where the digests are alike */
    uint64_t bits_per_second;  /**< of the slowest link; 0: not known */
    int n_hosts;
    bool is_alike; /**< all ranks have the same digest */
} coll_pipebcast_kept_terms_t;

/**
 * The module's planner, which has begun, begins with what earlier jobs have learnt if that is alike
 * on all ranks and there is something. Alike on all ranks; needs no memory. O(ranks + nodes).
 */
void coll_pipebcast_kept_begin(struct coll_pipebcast_module *module,
                               const coll_pipebcast_kept_terms_t *terms);

/** The module ends, while it has its planner; or what it has learnt is dropped. */
void coll_pipebcast_kept_leave(struct coll_pipebcast_module *module);

/**
 * Writes what is to be written. Whatever is wrong is a line at verbose 1 and nothing else: the job
 * has ended well. Waits for other jobs and the file system alone; see topo/model/kept_store.h.
 */
void coll_pipebcast_kept_close(coll_pipebcast_kept_t *kept);

#endif
