/* A rank that does not answer: it takes part in MPI_Init, and then in nothing. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (;;) {
        pause();
    }
}
