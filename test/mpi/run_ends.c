/*
 * A rank without memory that can neither take part in what the others do nor tell them: the job
 * must end, and no rank wait for ever.
 *
 * "decision": the others may have given a broadcast to the fallback component. "communicators":
 * the rank makes one after another without memory for any. "records": at its first broadcast it
 * cannot look up what the others have published. Needs failing_plugin.so before the C library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "failing_plugin.h"

#define BYTES 6000
#define SMALL 20 /* below min_size */
#define VICTIM 2

static void broadcast_first_without_memory(failing_plugin_after_t *fail_after, bool is_victim)
{
    static unsigned char buffer[BYTES];
    fail_after(is_victim ? 0 : -1, 1);
    MPI_Bcast(buffer, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/** Too small for a model that was not measured to leave the fallback component out. */
static void decide_without_memory(failing_plugin_after_t *fail_after, bool is_victim)
{
    static unsigned char buffer[BYTES];
    MPI_Bcast(buffer, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
    fail_after(is_victim ? 0 : -1, 1);
    MPI_Bcast(buffer, BYTES, MPI_BYTE, 1, MPI_COMM_WORLD);
}

static void make_without_memory(failing_plugin_after_t *fail_after, bool is_victim)
{
    static unsigned char buffer[SMALL];
    MPI_Comm comms[2];
    MPI_Bcast(buffer, SMALL, MPI_BYTE, 0, MPI_COMM_WORLD);
    fail_after(is_victim ? 0 : -1, 1);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        MPI_Bcast(buffer, SMALL, MPI_BYTE, 0, comms[i]);
    }
}

int main(int argc, char **argv)
{
    failing_plugin_after_t *fail_after;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    *(void **) &fail_after = dlsym(RTLD_DEFAULT, "failing_plugin_after");
    if (fail_after == NULL || argc < 2) {
        fprintf(stderr, "usage: run_ends decision|records|communicators, with failing_plugin.so in "
                        "LD_PRELOAD\n");
        return EXIT_FAILURE;
    }
    if (strcmp(argv[1], "decision") == 0) {
        decide_without_memory(fail_after, rank == VICTIM);
    } else if (strcmp(argv[1], "records") == 0) {
        broadcast_first_without_memory(fail_after, rank == VICTIM);
    } else {
        make_without_memory(fail_after, rank == VICTIM);
    }
    fail_after(-1, 0);
    return check_done("run_ends");
}
