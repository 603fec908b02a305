/* Variables of Open MPI and of the plugin, through MPI_T, as texts. */
#ifndef DOCTOR_VARIABLES_H
#define DOCTOR_VARIABLES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "record.h"

/** Initializes MPI_T; false if that fails. To be closed before MPI_Finalize. */
bool doctor_variables_open(void);
void doctor_variables_close(void);

/** Adds the parameters of the plugin, and those of Open MPI that concern it, by their names. Ones
 * that this Open MPI does not have are ignored. O(its parameters). */
void doctor_variables_add_parameters(json_t *record);

/** Tells whether a name is a parameter's of the plugin. */
bool doctor_variables_is_plugins(const char *name);

/** Tells whether doctor_variables_add_parameters() adds the name. */
bool doctor_variables_is_parameter(const char *name);

/** Adds the plugin's reports on itself, coll_pipebcast_status_*, if they are there. */
void doctor_variables_add_status(json_t *record);

/** Adds `plugin`, its version, if the plugin's parameters are there. */
void doctor_variables_add_version(json_t *record);

/** Sets a parameter that is an integer, and keeps its old value in *old_p; false if it cannot be
 * set. */
bool doctor_variables_set(const char *name, int value, int *old_p);

#endif
