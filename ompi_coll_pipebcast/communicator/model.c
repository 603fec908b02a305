#include "communicator/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parameters.h"
#include "communicator/process.h"
#include "topo/util/error.h"

static void model_construct(coll_pipebcast_model_t *model)
{
    model->hash = 0;
    model->bits_per_second = 0;
    model->mtu = 0;
    memset(&model->model, 0, sizeof(model->model));
}

OBJ_CLASS_INSTANCE(coll_pipebcast_model_t, coll_pipebcast_shared_t, model_construct, NULL);

static int read_model(coll_pipebcast_shared_t *shared)
{
    coll_pipebcast_model_t *model = (coll_pipebcast_model_t *) shared;
    const char *path = coll_pipebcast_params.model_file;
    pb_diag_t diag;
    pb_diag_init(&diag);
    int rc = pb_model_read(path, &model->model, &diag);
    if (rc == PB_SUCCESS) {
        model->hash = pb_model_hash(&model->model);
    } else if (rc != PB_ERR_NO_MEMORY) {
        rc = coll_pipebcast_shared_fault(shared, &diag);
    }
    pb_diag_clear(&diag);
    shared->source = strdup(path);
    return rc == OMPI_SUCCESS && shared->source != NULL ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

coll_pipebcast_model_t *coll_pipebcast_model_get(int *error_p)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    *error_p = OMPI_SUCCESS;
    if (!coll_pipebcast_is_set(coll_pipebcast_params.model_file)) {
        return NULL;
    }
    return (coll_pipebcast_model_t *) coll_pipebcast_shared_get(
        &process->model, OBJ_CLASS(coll_pipebcast_model_t), read_model, error_p);
}

/** Bytes of the text that explains what a model was assumed from. */
#define SOURCE_BYTES 96

/** One that is not filled yet; NULL if out of memory. */
static coll_pipebcast_model_t *new_blank(void)
{
    coll_pipebcast_model_t *model = OBJ_NEW(coll_pipebcast_model_t);
    if (model == NULL) {
        return NULL;
    }
    model->super.source = calloc(1, SOURCE_BYTES);
    if (model->super.source == NULL) {
        OBJ_RELEASE(model);
    }
    return model;
}

static void assume(coll_pipebcast_model_t *blank, uint64_t bits_per_second, uint32_t mtu)
{
    blank->bits_per_second = bits_per_second;
    blank->mtu = mtu;
    pb_model_assume(bits_per_second, mtu, &blank->model);
    blank->hash = pb_model_hash(&blank->model);
    snprintf(blank->super.source, SOURCE_BYTES,
             "assumed from links of %llu Mbit/s and an MTU of %u",
             (unsigned long long) (bits_per_second / 1000000), (unsigned) mtu);
}

/** With the process's lock held. */
static bool reserve(coll_pipebcast_process_t *process)
{
    if (process->blank == NULL) {
        process->blank = new_blank();
    }
    return process->blank != NULL;
}

bool coll_pipebcast_model_reserve(void)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    opal_mutex_lock(&process->lock);
    const bool is_there = reserve(process);
    opal_mutex_unlock(&process->lock);
    return is_there;
}

/** Assumes a model in place of the last one; false if out of memory. With the lock held. */
static bool assume_other(coll_pipebcast_process_t *process, uint64_t bits_per_second, uint32_t mtu)
{
    if (!reserve(process)) {
        return false;
    }
    if (process->assumed != NULL) {
        OBJ_RELEASE(process->assumed);
    }
    process->assumed = process->blank;
    process->blank = NULL;
    assume(process->assumed, bits_per_second, mtu);
    return true;
}

coll_pipebcast_model_t *coll_pipebcast_model_assumed(uint64_t bits_per_second, uint32_t mtu)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    opal_mutex_lock(&process->lock);
    coll_pipebcast_model_t *model = process->assumed;
    const bool is_it =
        (model != NULL && model->bits_per_second == bits_per_second && model->mtu == mtu) ||
        assume_other(process, bits_per_second, mtu);
    model = is_it ? process->assumed : NULL;
    if (model != NULL) {
        OBJ_RETAIN(model);
    }
    opal_mutex_unlock(&process->lock);
    return model;
}
