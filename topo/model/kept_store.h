/*
 * Where what is kept (topo/model/kept.h) is: a file of the user, which jobs that end at the same
 * time write one after the other.
 *
 * A job that ends reads the file again, adds what it has learnt, writes all of it to a file beside
 * it, and renames that, under a lock (PATH.lock): who reads sees the old file or the new one, and
 * no job's entry is lost. What a job learnt of something replaces what was kept of the same, as
 * pb_kept_put() has it.
 */
#ifndef PB_KEPT_STORE_H
#define PB_KEPT_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "topo/model/kept.h"
#include "topo/util/diag.h"

/** Milliseconds that writing waits for another job that writes. */
#define PB_KEPT_STORE_WAIT 500

/**
 * The path of this user's file: $XDG_CACHE_HOME/pipebcast/learnt, or $HOME/.cache/pipebcast/learnt.
 * PB_ERR_UNKNOWN, with a fault, if the environment has no absolute path of either.
 */
int pb_kept_store_path(char *path, size_t size, pb_diag_t *diag);

/**
 * Reads the file at `path` into *kept, which is cleared if that fails. *digest_p is a hash of its
 * bytes, never 0; 0: there is no file, and nothing is kept. PB_ERR_IO, PB_ERR_INPUT with faults as
 * pb_kept_parse(), PB_ERR_NO_MEMORY. O(file).
 */
int pb_kept_store_read(const char *path, pb_kept_t *kept, uint64_t *digest_p, pb_diag_t *diag);

/**
 * Adds what was learnt for a key to the file at `path`; makes its directory and the one above that
 * if they are not there. A faulty file is replaced. PB_ERR_IO with a fault, or PB_ERR_NO_MEMORY;
 * the file stays as it was then. Waits at most PB_KEPT_STORE_WAIT, and for the file system.
 * O(file).
 */
int pb_kept_store_add(const char *path, const pb_kept_key_t *key, const pb_learner_t *learner,
                      pb_diag_t *diag);

#endif
