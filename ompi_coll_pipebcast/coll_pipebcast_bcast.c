/*
 * MPI_Bcast: large messages are operations of ours, others go to the previous
 * component.
 */
#include "coll_pipebcast.h"
#include "coll_pipebcast_operation.h"
#include "coll_pipebcast_say.h"

static int forward(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root)
{
    return module->previous_bcast(data->buffer, (coll_pipebcast_count_t) data->count,
                                  data->datatype, root, module->comm, module->previous_module);
}

static int pass(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                coll_pipebcast_reason_t reason)
{
    coll_pipebcast_count_previous(reason, data->total);
    return forward(module, data, root);
}

/** The algorithm cannot serve this root (alike on all ranks); rank 0 says so. */
static int pass_unfit(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                      pb_kind_t kind)
{
    if (ompi_comm_rank(module->comm) == 0) {
        coll_pipebcast_warn("communicator %s: the algorithm %s does not fit its network. The "
                            "previous component serves the broadcasts that it cannot. Choose "
                            "another coll_pipebcast_algorithm.",
                            module->comm->c_name, pb_kind_name(kind));
    }
    return pass(module, data, root, COLL_PIPEBCAST_UNFIT);
}

/** Starts an operation and advances it to its end, making progress of everything else meanwhile. */
static int operate(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                   const coll_pipebcast_choice_t *choice)
{
    coll_pipebcast_operation_t operation;
    const int rc = coll_pipebcast_operation_start(&operation, module, data, root, choice);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    while (!coll_pipebcast_operation_advance(&operation)) {
        opal_progress();
    }
    return coll_pipebcast_operation_finish(&operation);
}

static void note_failure(void)
{
    coll_pipebcast_count(&mca_coll_pipebcast_component.counters.failed, 1);
}

static int broadcast(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root)
{
    const double start = MPI_Wtime();
    coll_pipebcast_choice_t choice;
    int rc = coll_pipebcast_choose(module, root, data->total, &choice);
    const bool is_ours = !choice.previous || coll_pipebcast_minds_arrivals();
    if (rc == OMPI_SUCCESS) {
        rc = is_ours ? operate(module, data, root, &choice)
                     : pass(module, data, root, COLL_PIPEBCAST_PREDICTED);
        coll_pipebcast_choice_took(module, root, data->total, &choice, MPI_Wtime() - start);
    }
    if (is_ours && rc == OMPI_ERR_NOT_SUPPORTED) {
        return pass_unfit(module, data, root, choice.kind);
    }
    if (is_ours && rc != OMPI_SUCCESS) {
        note_failure();
    }
    return rc;
}

int coll_pipebcast_bcast(void *buffer, coll_pipebcast_count_t count,
                         struct ompi_datatype_t *datatype, int root,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    size_t type_size;
    (void) comm;
    ompi_datatype_type_size(datatype, &type_size);
    const coll_pipebcast_data_t data = {.buffer = buffer,
                                        .count = (size_t) count,
                                        .datatype = datatype,
                                        .total = type_size * (size_t) count};
    /* Ranks whose count is 0 do not come here at all, while others may describe
     * the same empty message by a type without bytes: nothing may be sent. */
    if (data.total == 0) {
        return OMPI_SUCCESS;
    }
    if (module->state == COLL_PIPEBCAST_UNDECIDED) {
        int rc = coll_pipebcast_agree(module);
        if (rc != OMPI_SUCCESS) {
            note_failure();
            return rc;
        }
    }
    if (module->state == COLL_PIPEBCAST_AGREEING) {
        return forward(module, &data, root);
    }
    if (module->state == COLL_PIPEBCAST_PASSING) {
        return pass(module, &data, root, module->passes_for);
    }
    if (data.total < mca_coll_pipebcast_component.params.min_size) {
        return pass(module, &data, root, COLL_PIPEBCAST_TOO_SMALL);
    }
    return broadcast(module, &data, root);
}
