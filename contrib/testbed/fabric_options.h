/*
 * The command line of pipebcast-fabric.
 */
#ifndef FABRIC_OPTIONS_H
#define FABRIC_OPTIONS_H

#include "contrib/testbed/fabric_model.h"
#include "contrib/tools/common/options.h"

typedef struct fabric_settings {
    const char *topology;
    const char *control;
    const char *prefix;
    bool describe;
    int64_t mtu;
    fabric_links_t links;
} fabric_settings_t;

/** Reads the command line into settings, which point into argv; a wrong one ends the program. */
void fabric_read_options(int argc, char **argv, fabric_settings_t *settings);

#endif
