#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exits.h"
#include "report.h"

/** Tells whether a process's descriptor writes to a terminal. */
static bool writes_to_terminal(pid_t process, int descriptor)
{
    char path[64], target[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long) process, descriptor);
    const ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0) {
        return false;
    }
    target[n] = '\0';
    return strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0;
}

/** The rank, as the launcher has it in the environment; NULL: there is no launcher. */
static const char *rank_text(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (rank == NULL) {
        rank = getenv("PMIX_RANK");
    }
    return rank != NULL ? rank : getenv("PMI_RANK");
}

bool common_is_rank(void)
{
    return rank_text() != NULL;
}

bool common_is_first_rank(void)
{
    return !common_is_rank() || strcmp(rank_text(), "0") == 0;
}

void common_require_job(const char *command)
{
    if (!common_is_rank()) {
        common_report("one rank alone sends no message; start one on each host:\n"
                      "    pipebcast %s --hostfile HOSTS\n"
                      "    mpirun --hostfile HOSTS --map-by ppr:1:node pipebcast %s\n"
                      "    srun --mpi=pmix --ntasks-per-node=1 pipebcast %s",
                      command, command, command);
        exit(COMMON_EXIT_USAGE);
    }
}

static bool is_pipe(int descriptor)
{
    struct stat there;
    return fstat(descriptor, &there) == 0 && (S_ISFIFO(there.st_mode) || S_ISSOCK(there.st_mode));
}

bool common_on_terminal(int descriptor)
{
    const bool on_terminal = isatty(descriptor) == 1;
    return common_is_rank()
               ? (on_terminal || is_pipe(descriptor)) && writes_to_terminal(getppid(), descriptor)
               : on_terminal;
}
