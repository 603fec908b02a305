#include "commands.h"

#include <stddef.h>
#include <string.h>

static const char tools[] = "pipebcast-tools";
static const char mpi_tools[] = "pipebcast-mpi-tools";
static const char testbed[] = "pipebcast-testbed";

static const front_command_t networks[] = {
    {"check", "pipebcast-topo", "check", tools, "find every fault of a topology file"},
    {"show", "pipebcast-topo", "show", tools, "print the tree of switches and hosts"},
    {"import", "pipebcast-topo", "import", tools, "make a topology of what LLDP tells"},
    {"tree", "pipebcast-topo", "tree", tools, "print or draw the trees of an algorithm"},
    {"load", "pipebcast-topo", "load", tools, "print what each link carries"},
    {"simulate", "pipebcast-topo", "simulate", tools,
     "compute how long broadcasts take, and how busy the links are"},
    {"explain", "pipebcast-topo", "explain", tools,
     "explain which algorithm and segment size a broadcast uses"},
    {"heights", "pipebcast-topo", "heights", tools,
     "compare the heights of trees over random clusters"},
    {"plan-times", "pipebcast-topo", "plan-times", tools,
     "measure how long planning takes over networks of rising size"},
    {"anneal", "pipebcast-topo", "anneal", tools, NULL},
    {"topo", "pipebcast-topo", NULL, tools, NULL},
    {0},
};

static const front_command_t jobs[] = {
    {"doctor", "pipebcast-doctor", NULL, mpi_tools, "check whether a cluster is set up well"},
    {"counters", "pipebcast-counters", NULL, mpi_tools, "see what becomes of broadcasts, and why"},
    {"bench", "pipebcast-bench", NULL, mpi_tools,
     "measure MPI_Bcast beside the time of one message"},
    {"tune", "pipebcast-tune", NULL, mpi_tools,
     "measure what messages cost; find or verify a topology"},
    {"probe", "pipebcast-probe", NULL, mpi_tools, "measure links that change, for advise"},
    {0},
};

static const front_command_t services[] = {
    {"advise", "pipebcast-advisor", NULL, tools,
     "find trees for running programs, on a network that changes"},
    {"advisor", "pipebcast-advisor", NULL, tools, NULL},
    {0},
};

static const front_command_t emulation[] = {
    {"testbed", "pipebcast-testbed", NULL, testbed, "emulate an Ethernet cluster on this host"},
    {"fabric", "pipebcast-fabric", NULL, testbed, "the links and switches of testbed alone"},
    {"compare", "pipebcast-compare", NULL, testbed, "compare components and algorithms on it"},
    {"paper", "pipebcast-paper", NULL, testbed, "run the papers' experiments on it"},
    {"profile", "pipebcast-profile", NULL, testbed, "count what a segment costs the processor"},
    {0},
};

const front_group_t front_groups[] = {
    {"networks, without MPI", networks},
    {"jobs, under mpirun or srun", jobs},
    {"service", services},
    {"emulated cluster", emulation},
    {NULL, NULL},
};

const front_command_t *front_command_find(const char *name)
{
    for (const front_group_t *group = front_groups; group->heading != NULL; group++) {
        for (const front_command_t *command = group->commands; command->name != NULL; command++) {
            if (strcmp(command->name, name) == 0) {
                return command;
            }
        }
    }
    return NULL;
}
