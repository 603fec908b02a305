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
    bool realtime;
    int64_t mtu;
    int64_t spin;  /* ns */
    int64_t grain; /* ns */
    int64_t lldp;  /* ns between two announcements of switches, 0: there are none */
    fabric_snooping_kind_t snooping;
    int64_t group_timeout;  /* ns for which a switch knows a host in a group after its report */
    int64_t query_interval; /* ns between two queries of the querier */
    fabric_links_t links;
} fabric_settings_t;

/**
 * Reads the command line into settings, which point into argv. Returns 0 to go on, 1 to
 * stop with success (help was printed), -1 for a mistake that was reported.
 */
int fabric_read_options(int argc, char **argv, fabric_settings_t *settings);

#endif
