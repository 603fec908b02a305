/*
 * The study of growth, `pipebcast-topo simulate --grow`.
 */
#ifndef TOOL_GROW_H
#define TOOL_GROW_H

#include "command.h"

/** Prints how long broadcasts take over networks of rising size, as CSV. */
tool_exit_t tool_grow(const tool_options_t *options);

#endif
