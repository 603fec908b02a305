#include "request.h"

common_verdict_t common_request_share(const common_command_t *command, common_verdict_t verdict,
                                      const char *message, void *options, size_t size,
                                      MPI_Comm comm)
{
    int rank, shared = (int) verdict;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        common_options_answer(command, verdict, message);
    }
    MPI_Bcast(&shared, 1, MPI_INT, 0, comm);
    MPI_Bcast(options, (int) size, MPI_BYTE, 0, comm);
    return (common_verdict_t) shared;
}
