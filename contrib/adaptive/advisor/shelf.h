/*
 * The trees that are advised for one set of hosts, each with the time at which it was found. A file
 * of advice is written again with each new tree, but old trees must not pass for new.
 */
#ifndef ADVISE_SHELF_H
#define ADVISE_SHELF_H

#include "contrib/adaptive/advice/advice.h"

/**
 * Reads the directory's advice for these hosts, so that trees in use are known after a restart. If
 * it is unreadable or stale, the shelf is empty. Free with pb_advice_free(). PB_ERR_INPUT (hosts),
 * PB_ERR_NO_MEMORY.
 */
int advise_shelf_open(const char *dir, const pb_host_set_t *hosts, int max_age,
                      pb_advice_t **shelf_p);

/** The tree for messages of `bytes` from a root that holds at `now`, or NULL. */
const pb_advice_tree_t *advise_shelf_find(const pb_advice_t *shelf, int root, uint64_t bytes,
                                          int64_t now);

/**
 * Puts a copy of a tree, found now, on the shelf: it takes its sizes from other trees of its root.
 * What no longer holds then is thrown away. PB_ERR_INPUT if it is no tree, PB_ERR_NO_MEMORY; the
 * shelf is then as it was.
 */
int advise_shelf_put(pb_advice_t **shelf_p, const pb_advice_tree_t *tree);

#endif
