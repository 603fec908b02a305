/* Open MPI's parameter file of the user, in which a model is entered. */
#ifndef TUNE_INSTALL_H
#define TUNE_INSTALL_H

#include <stdbool.h>
#include <stdio.h>

/** Makes $HOME/.openmpi if it is missing. False with a message. */
bool tune_install_prepare(void);

/** Prints the lines that name the model and, if they are not empty, the topology and its name. */
void tune_install_print(const char *model, const char *topology, const char *name, FILE *stream);

/**
 * Enters them in $HOME/.openmpi/mca-params.conf in place of older ones; all other lines stay.
 * Prints the file's name unless `quiet`. False with a message; the file is then as it was.
 */
bool tune_install(const char *model, const char *topology, const char *name, bool quiet);

#endif
