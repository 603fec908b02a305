/*
 * What the planners of a process may keep, all together.
 *
 * Each of the first 16 communicators that are alive may keep the parameter cache_size, the n-th one
 * 16 / n of that, so that n of them keep at most 16 (1 + ln(n / 16)) times as much as one: it grows
 * with the logarithm of their number. But each may keep what choices and roles for a root need,
 * lest each of its broadcasts be chosen anew, and that grows with their number.
 */
#ifndef COLL_PIPEBCAST_CACHE_H
#define COLL_PIPEBCAST_CACHE_H

#include <stddef.h>

#include "communicator/module.h"

/** The bytes that the module's planner may keep; the same at each call until it gives them back. */
size_t coll_pipebcast_cache_take(coll_pipebcast_module_t *module);

/** The module ends, or had none. */
void coll_pipebcast_cache_give_back(coll_pipebcast_module_t *module);

#endif
