/*
 * A communicator's settings change while it is used, on all its ranks before the same blocking
 * broadcast: see engine/wanted.h, and doc/parameters.md for what people may rely on.
 *
 * What begins after that is done by the new settings. What began before goes on by the old ones: a
 * nonblocking broadcast that waits for the agreement is decided before they change, and a
 * persistent one keeps those of its initialisation, as its starts have another order on each rank.
 *
 * All functions with the module's lock held.
 */
#ifndef COLL_PIPEBCAST_CHANGING_H
#define COLL_PIPEBCAST_CHANGING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/settings.h"
#include "engine/arrival/fold.h"

struct coll_pipebcast_module;

/**
 * Has the memory that broadcasts by these settings need, beyond what is there; false if out of
 * memory, and then what was there is still.
 */
bool coll_pipebcast_prepare_settings(struct coll_pipebcast_module *module,
                                     const coll_pipebcast_settings_t *settings);

/**
 * What this rank wants to be in force, for a fold that begins. It has the memory for that, or else
 * it wants what is in force.
 */
uint64_t coll_pipebcast_wanted(struct coll_pipebcast_module *module);

/**
 * The conclusion of the fold of this number is taken, alike on all ranks before the same broadcast:
 * the settings change if that is what all ranks wanted. If they differ, the fold's root reports it.
 * The lock may be given up meanwhile.
 */
void coll_pipebcast_take_wanted(struct coll_pipebcast_module *module, uint32_t number,
                                const pb_fold_t *fold);

#endif
