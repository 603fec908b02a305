#include "op.h"

#include <string.h>

static void run_bcast(void *memory, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    MPI_Bcast(memory, count, type, root, comm);
}

static const struct bench_op operations[] = {
    {"bcast", run_bcast},
};

int bench_op_find(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (strcmp(operations[i].name, name) == 0) {
            return (int) i;
        }
    }
    return -1;
}

const struct bench_op *bench_op_at(int index)
{
    return &operations[index];
}
