/*
 * The kinds of operations, and which of them a broadcast is.
 */
#ifndef COLL_PIPEBCAST_KINDS_H
#define COLL_PIPEBCAST_KINDS_H

#include "operation/operation.h"

extern const coll_pipebcast_kind_t coll_pipebcast_plain;
extern const coll_pipebcast_kind_t coll_pipebcast_arrival_root;
extern const coll_pipebcast_kind_t coll_pipebcast_arrival_receiver;
extern const coll_pipebcast_kind_t coll_pipebcast_multicast;

/**
 * The kind of a broadcast, by what the ranks have agreed on and the broadcasts before it: alike on
 * all ranks, but for the root's part. `planned` may be NULL before it is known: then the kind that
 * it is down a tree.
 */
const coll_pipebcast_kind_t *coll_pipebcast_kind_of(const coll_pipebcast_module_t *module,
                                                    const coll_pipebcast_call_t *call,
                                                    const pb_planned_t *planned);

/** Whether a plain one is flat_nb: the root serves one rank after another. Alike on all ranks. */
bool coll_pipebcast_is_in_turn(const coll_pipebcast_module_t *module,
                               const coll_pipebcast_call_t *call);

#endif
