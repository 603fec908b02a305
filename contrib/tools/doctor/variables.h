/* Variables of Open MPI and of the plugin, through MPI_T, as texts. */
#ifndef DOCTOR_VARIABLES_H
#define DOCTOR_VARIABLES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "record.h"

/** Initialises MPI_T; false if that fails. To be closed before MPI_Finalize. */
bool doctor_variables_open(void);
void doctor_variables_close(void);

/**
 * Adds the parameters of the plugin, and those of Open MPI that concern it, by their names. One
 * that this Open MPI does not know is left out. O(its parameters).
 */
void doctor_variables_add_parameters(doctor_record_t *record);

/** Whether a name is that of a parameter of the plugin. */
bool doctor_variables_is_plugins(const char *name);

/** Whether it is that of a parameter which doctor_variables_add_parameters() adds. */
bool doctor_variables_is_parameter(const char *name);

/** Adds what the plugin reports of itself, coll_pipebcast_status_*, as far as it is there. */
void doctor_variables_add_status(doctor_record_t *record);

/** Adds `plugin`, its version, if the plugin's parameters are there. */
void doctor_variables_add_version(doctor_record_t *record);

/** Sets a parameter that is an integer, and keeps its old value in *old_p; false if it cannot be
 * set. */
bool doctor_variables_set(const char *name, int value, int *old_p);

#endif
