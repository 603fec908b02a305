#include "coll_pipebcast_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll_pipebcast.h"
#include "topo/error.h"

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
    const char *path = mca_coll_pipebcast_component.params.model_file;
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
    coll_pipebcast_component_t *component = &mca_coll_pipebcast_component;
    *error_p = OMPI_SUCCESS;
    if (!coll_pipebcast_is_set(component->params.model_file)) {
        return NULL;
    }
    return (coll_pipebcast_model_t *) coll_pipebcast_shared_get(
        &component->model, OBJ_CLASS(coll_pipebcast_model_t), component->params.model_file,
        read_model, error_p);
}

static coll_pipebcast_model_t *assume(uint64_t bits_per_second, uint32_t mtu)
{
    coll_pipebcast_model_t *model = OBJ_NEW(coll_pipebcast_model_t);
    if (model == NULL) {
        return NULL;
    }
    model->bits_per_second = bits_per_second;
    model->mtu = mtu;
    pb_model_assume(bits_per_second, mtu, &model->model);
    model->hash = pb_model_hash(&model->model);
    if (asprintf(&model->super.source, "assumed from links of %llu Mbit/s and an MTU of %u",
                 (unsigned long long) (bits_per_second / 1000000), (unsigned) mtu) < 0) {
        model->super.source = NULL;
        OBJ_RELEASE(model);
    }
    return model;
}

coll_pipebcast_model_t *coll_pipebcast_model_assumed(uint64_t bits_per_second, uint32_t mtu,
                                                     int *error_p)
{
    coll_pipebcast_component_t *component = &mca_coll_pipebcast_component;
    opal_mutex_lock(&component->lock);
    coll_pipebcast_model_t *model = component->assumed;
    if (model == NULL || model->bits_per_second != bits_per_second || model->mtu != mtu) {
        model = assume(bits_per_second, mtu);
        if (model == NULL && coll_pipebcast_reserve_spend()) {
            model = assume(bits_per_second, mtu);
        }
        if (model != NULL && component->assumed != NULL) {
            OBJ_RELEASE(component->assumed);
        }
        component->assumed = model != NULL ? model : component->assumed;
    }
    if (model != NULL) {
        OBJ_RETAIN(model);
    }
    opal_mutex_unlock(&component->lock);
    *error_p = model != NULL ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
    return model;
}
