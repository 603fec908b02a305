/*
 * The room of adaptive broadcasts (paper 4): what the component registers of it.
 */
#ifndef COLL_PIPEBCAST_ADAPTIVE_REGISTER_H
#define COLL_PIPEBCAST_ADAPTIVE_REGISTER_H

#include "base/compat.h"

/** Registers the parameter advice_dir, and lets broadcasts follow advice where it is set. */
void coll_pipebcast_adaptive_register(const mca_base_component_t *component);

#endif
