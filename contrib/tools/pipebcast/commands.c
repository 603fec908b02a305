#include "commands.h"

#include <stddef.h>
#include <string.h>

static const char tools[] = "pipebcast-tools";
static const char mpi_tools[] = "pipebcast-mpi-tools";
static const char adaptive[] = "pipebcast-adaptive";

const front_command_t front_commands[] = {
    {"check", "pipebcast-topo", "check", tools, FRONT_ALONE, "find every error of a topology file"},
    {"show", "pipebcast-topo", "show", tools, FRONT_ALONE, "print or draw the switches and hosts"},
    {"import", "pipebcast-import", NULL, tools, FRONT_SCRIPT, "make a topology of LLDP's tables"},
    {"explain", "pipebcast-topo", "explain", tools, FRONT_ALONE,
     "show which tree and segment size a broadcast uses, and why"},
    {"doctor", "pipebcast-doctor", NULL, mpi_tools, FRONT_JOB,
     "check whether a cluster is set up well"},
    {"bench", "pipebcast-bench", NULL, mpi_tools, FRONT_JOB,
     "measure MPI_Bcast next to the time of one message"},
    {"tune", "pipebcast-tune", NULL, mpi_tools, FRONT_JOB,
     "measure the cost of messages; find or verify a topology"},
    {"counters", "pipebcast-counters", NULL, mpi_tools, FRONT_JOB,
     "show how broadcasts were served, and why"},
    {"probe", "pipebcast-probe", NULL, adaptive, FRONT_JOB,
     "measure links that change, for advise"},
    {"advise", "pipebcast-advisor", NULL, adaptive, FRONT_ALONE,
     "find trees for running programs, on a network that changes"},
    {0},
};

const front_command_t *front_command_find(const char *name)
{
    for (const front_command_t *command = front_commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}
