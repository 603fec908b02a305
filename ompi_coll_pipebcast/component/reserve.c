#include "component/reserve.h"

#include <stdlib.h>

#include "component/component.h"

/**
 * Choosing among all kinds of tree over 1,024 hosts takes 0.6 MB, and 0.1 MB over 32: these
 * are about twice as much.
 */
#define BYTES ((size_t) 128 << 10)
#define BYTES_PER_NODE ((size_t) 512)

static coll_pipebcast_reserve_t *get_reserve(void)
{
    return &mca_coll_pipebcast_component.reserve;
}

void coll_pipebcast_reserve_init(coll_pipebcast_reserve_t *reserve)
{
    OBJ_CONSTRUCT(&reserve->lock, opal_mutex_t);
    reserve->block = NULL;
    reserve->bytes = 0;
}

void coll_pipebcast_reserve_fini(coll_pipebcast_reserve_t *reserve)
{
    free(reserve->block);
    OBJ_DESTRUCT(&reserve->lock);
}

/** With the lock held. */
static int keep(coll_pipebcast_reserve_t *reserve, size_t wanted)
{
    const size_t most = wanted > reserve->bytes ? wanted : reserve->bytes;
    if (reserve->block != NULL && most == reserve->bytes) {
        return OMPI_SUCCESS;
    }
    void *block = malloc(most);
    if (block == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    free(reserve->block);
    reserve->block = block;
    reserve->bytes = most;
    return OMPI_SUCCESS;
}

int coll_pipebcast_reserve_keep(int n_ranks, int n_nodes)
{
    coll_pipebcast_reserve_t *reserve = get_reserve();
    const size_t wanted = BYTES + ((size_t) n_ranks + (size_t) n_nodes) * BYTES_PER_NODE;
    opal_mutex_lock(&reserve->lock);
    const int rc = keep(reserve, wanted);
    opal_mutex_unlock(&reserve->lock);
    return rc;
}

bool coll_pipebcast_reserve_spend(void)
{
    coll_pipebcast_reserve_t *reserve = get_reserve();
    opal_mutex_lock(&reserve->lock);
    void *block = reserve->block;
    reserve->block = NULL;
    opal_mutex_unlock(&reserve->lock);
    free(block);
    return block != NULL;
}

bool coll_pipebcast_reserve_helps(int error)
{
    return error == OMPI_ERR_OUT_OF_RESOURCE && coll_pipebcast_reserve_spend();
}
