#include "communicator/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parameters.h"
#include "communicator/process.h"
#include "topo/util/error.h"

static void model_construct(coll_pipebcast_model_t *model)
{
    memset(&model->super + 1, 0, sizeof(*model) - sizeof(model->super));
}

static void model_destruct(coll_pipebcast_model_t *model)
{
    free(model->source);
    free(model->why);
}

OBJ_CLASS_INSTANCE(coll_pipebcast_model_t, opal_object_t, model_construct, model_destruct);

/** Reads the file; what is wrong with it is kept in the model. */
static int fill(coll_pipebcast_model_t *model)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    int rc = pb_model_read(coll_pipebcast_params.model_file, &model->model, &diag);
    if (rc != PB_SUCCESS && rc != PB_ERR_NO_MEMORY) {
        model->why = coll_pipebcast_error_text(&diag);
        rc = model->why != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    }
    pb_diag_clear(&diag);
    model->source = strdup(coll_pipebcast_params.model_file);
    return rc == PB_SUCCESS && model->source != NULL ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

int coll_pipebcast_model_read(void)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    if (!coll_pipebcast_is_set(coll_pipebcast_params.model_file)) {
        return OMPI_SUCCESS;
    }
    process->model = OBJ_NEW(coll_pipebcast_model_t);
    if (process->model != NULL && fill(process->model) != OMPI_SUCCESS) {
        OBJ_RELEASE(process->model);
    }
    return process->model != NULL ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

static coll_pipebcast_model_t *assume(uint64_t bits_per_second, uint32_t mtu)
{
    coll_pipebcast_model_t *model = OBJ_NEW(coll_pipebcast_model_t);
    if (model == NULL) {
        return NULL;
    }
    if (asprintf(&model->source, "assumed from links of %llu Mbit/s and an MTU of %u",
                 (unsigned long long) (bits_per_second / 1000000), (unsigned) mtu) < 0) {
        model->source = NULL;
        OBJ_RELEASE(model);
        return NULL;
    }
    model->bits_per_second = bits_per_second;
    model->mtu = mtu;
    pb_model_assume(bits_per_second, mtu, &model->model);
    return model;
}

coll_pipebcast_model_t *coll_pipebcast_model_assumed(uint64_t bits_per_second, uint32_t mtu)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    opal_mutex_lock(&process->lock);
    coll_pipebcast_model_t *model = process->assumed;
    if (model == NULL || model->bits_per_second != bits_per_second || model->mtu != mtu) {
        model = assume(bits_per_second, mtu);
        if (model != NULL) {
            coll_pipebcast_release(process->assumed);
            process->assumed = model;
        }
    }
    if (model != NULL) {
        OBJ_RETAIN(model);
    }
    opal_mutex_unlock(&process->lock);
    return model;
}
