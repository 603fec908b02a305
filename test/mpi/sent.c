#include "sent.h"

#include "base/compat.h"

/* The PML's own functions, which the counting ones stand before while it is open. */
static int (*send_before)(const void *, size_t, struct ompi_datatype_t *, int, int,
                          mca_pml_base_send_mode_t, struct ompi_communicator_t *);
static int (*isend_before)(const void *, size_t, struct ompi_datatype_t *, int, int,
                           mca_pml_base_send_mode_t, struct ompi_communicator_t *,
                           struct ompi_request_t **);
static size_t least_bytes;
static long n_empty, n_full, n_synchronous;

static void count(size_t n, mca_pml_base_send_mode_t mode)
{
    n_empty += n == 0;
    n_full += n >= least_bytes;
    n_synchronous += mode == MCA_PML_BASE_SEND_SYNCHRONOUS;
}

static int counting_send(const void *buffer, size_t n, struct ompi_datatype_t *type, int rank,
                         int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    count(n, mode);
    return send_before(buffer, n, type, rank, tag, mode, comm);
}

static int counting_isend(const void *buffer, size_t n, struct ompi_datatype_t *type, int rank,
                          int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                          struct ompi_request_t **request_p)
{
    count(n, mode);
    return isend_before(buffer, n, type, rank, tag, mode, comm, request_p);
}

void sent_open(size_t least)
{
    least_bytes = least;
    sent_forget();
    send_before = mca_pml.pml_send;
    isend_before = mca_pml.pml_isend;
    mca_pml.pml_send = counting_send;
    mca_pml.pml_isend = counting_isend;
}

void sent_forget(void)
{
    n_empty = n_full = n_synchronous = 0;
}

void sent_take(MPI_Comm comm, long *n_empty_p, long *n_full_p)
{
    long own[2] = {n_empty, n_full}, all[2];
    MPI_Allreduce(own, all, 2, MPI_LONG, MPI_SUM, comm);
    *n_empty_p = all[0];
    *n_full_p = all[1];
    sent_forget();
}

long sent_synchronous(MPI_Comm comm)
{
    long all;
    MPI_Allreduce(&n_synchronous, &all, 1, MPI_LONG, MPI_SUM, comm);
    return all;
}

void sent_close(void)
{
    mca_pml.pml_send = send_before;
    mca_pml.pml_isend = isend_before;
}
