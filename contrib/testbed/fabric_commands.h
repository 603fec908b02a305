/*
 * What the control socket of a running fabric answers; see fabric_control.h.
 */
#ifndef FABRIC_COMMANDS_H
#define FABRIC_COMMANDS_H

#include "contrib/testbed/fabric_control.h"

/** Ends with a NULL name. Their context is a fabric_t. */
extern const fabric_command_t fabric_commands[];

#endif
