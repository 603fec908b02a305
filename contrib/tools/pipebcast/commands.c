#include "commands.h"

#include <stddef.h>
#include <string.h>

static const char tools[] = "pipebcast-tools";
static const char mpi_tools[] = "pipebcast-mpi-tools";
static const char adaptive[] = "pipebcast-adaptive";

const front_command_t front_commands[] = {
    {"check", "pipebcast-topo", "check", tools, false, "find every error of a topology file"},
    {"show", "pipebcast-topo", "show", tools, false, "print or draw the switches and hosts"},
    {"import", "pipebcast-import", NULL, tools, false, "make a topology of LLDP's tables"},
    {"explain", "pipebcast-topo", "explain", tools, false,
     "show which tree and segment size a broadcast uses, and why"},
    {"doctor", "pipebcast-doctor", NULL, mpi_tools, true, "check whether a cluster is set up well"},
    {"bench", "pipebcast-bench", NULL, mpi_tools, true,
     "measure MPI_Bcast next to the time of one message"},
    {"tune", "pipebcast-tune", NULL, mpi_tools, true,
     "measure the cost of messages; find or verify a topology"},
    {"counters", "pipebcast-counters", NULL, mpi_tools, true,
     "show how broadcasts were served, and why"},
    {"probe", "pipebcast-probe", NULL, adaptive, true, "measure links that change, for advise"},
    {"advise", "pipebcast-advisor", NULL, adaptive, false,
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
