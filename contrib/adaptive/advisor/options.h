/* Options of pipebcast-advisor. */
#ifndef ADVISOR_OPTIONS_H
#define ADVISOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/tools/common/options.h"
#include "finder.h"

enum { ADVISE_MAX_TEXT = 4096 };

struct advisor_options {
    bool status; /**< only print what an advisor does */
    char dir[ADVISE_MAX_TEXT];
    char links[ADVISE_MAX_TEXT];    /**< empty: none */
    char topology[ADVISE_MAX_TEXT]; /**< empty: none */
    char topology_name[ADVISE_MAX_TEXT];
    char hosts[ADVISE_MAX_TEXT]; /**< for the idle mode; empty: those of the links */
    char root[ADVISE_MAX_TEXT];  /**< for the idle mode; empty: the first host */
    enum advise_method method;
    uint32_t segment;        /**< 0: the fastest as predicted */
    int max_age;             /**< seconds for which advice, and rates, hold */
    int links_age;           /**< seconds for which measured links hold */
    double budget_s;         /**< for one tree, at most; 0: as long as it takes */
    int64_t transformations; /**< of a tree's search, in place of the budget; 0: not limited */
    uint64_t seed;
    bool once;
    bool idle;         /**< take no notice of running programs */
    bool ignore_rates; /**< nor of what they measured */
    bool json;         /**< of status */
    bool quiet;
};

extern const common_command_t advisor_command;

/** Reads the command line; a wrong one ends the program. */
void advisor_options_read(int argc, char **argv, struct advisor_options *options);

/** "annealed", "multilevel", "mateescu". */
const char *advise_method_name(enum advise_method method);

#endif
