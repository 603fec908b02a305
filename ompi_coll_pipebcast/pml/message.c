/*
 * The message of a broadcast over Open MPI's datatypes.
 *
 * A convertor only moves forward: positioning one is not reliable in Open MPI 4.1.
 */
#include "pml/message.h"

#include <stdlib.h>

#include "opal/datatype/opal_datatype_internal.h"

/** No basic element of a datatype is larger (a complex long double has 32 bytes). */
#define MAX_ELEMENT 32

/** A part of a larger element must not be unpacked: Open MPI 4.1 writes beyond a buffer on its
 * stack. */
#define MAX_SPLIT_ELEMENT 16

/** A packed copy. */
typedef struct pb_packing {
    opal_convertor_t convertor;
    size_t n_done; /**< bytes packed or unpacked */
    bool is_whole; /**< it can only be unpacked as a whole */
    char bytes[];
} packing_t;

static bool is_contiguous(struct ompi_datatype_t *datatype, size_t count)
{
    return opal_datatype_is_contiguous_memory_layout(&datatype->super,
                                                     (int32_t) (count > 1 ? 2 : 1));
}

static bool has_large_elements(const struct ompi_datatype_t *datatype)
{
    bool large = false;
    for (int id = 0; id < OPAL_DATATYPE_MAX_PREDEFINED; id++) {
        const bool used = (datatype->super.bdt_used >> id) & 1;
        large = large || (used && opal_datatype_basicDatatypes[id]->size > MAX_SPLIT_ELEMENT);
    }
    return large;
}

/** A convertor of the data that stands at their beginning. */
static int prepare(opal_convertor_t *convertor, const coll_pipebcast_data_t *data, bool packs)
{
    OBJ_CONSTRUCT(convertor, opal_convertor_t);
    return packs ? opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor,
                                                            &data->datatype->super, data->count,
                                                            data->buffer, 0, convertor)
                 : opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor,
                                                            &data->datatype->super, data->count,
                                                            data->buffer, 0, convertor);
}

/** Returns whether data are in the memory of the host. Ranks may differ. */
static bool is_on_host(const coll_pipebcast_data_t *data)
{
#if COLL_PIPEBCAST_HAS_ACCELERATOR
    uint64_t flags = 0;
    int device = MCA_ACCELERATOR_NO_DEVICE_ID;
    ptrdiff_t true_lb, true_extent;
    ompi_datatype_get_true_extent(data->datatype, &true_lb, &true_extent);
    return opal_accelerator.check_addr == NULL ||
           opal_accelerator.check_addr((char *) data->buffer + true_lb, &device, &flags) <= 0;
#elif OPAL_CUDA_SUPPORT
    opal_convertor_t convertor;
    (void) prepare(&convertor, data, true);
    const bool is_on_host = (convertor.flags & CONVERTOR_CUDA) == 0;
    OBJ_DESTRUCT(&convertor);
    return is_on_host;
#else
    (void) data;
    return true;
#endif
}

/** A message that a packed copy has. */
__attribute__((noinline)) static int init_packed(pb_message_t *m, const coll_pipebcast_data_t *data,
                                                 bool packs)
{
    packing_t *p = malloc(sizeof(*p) + data->total);
    if (p == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    m->packing = p;
    m->packs = packs;
    m->bytes = p->bytes;
    p->n_done = 0;
    p->is_whole = !packs && has_large_elements(data->datatype);
    const int rc = prepare(&p->convertor, data, packs);
    if (rc != OPAL_SUCCESS) {
        coll_pipebcast_message_fini(m);
    }
    return rc;
}

int coll_pipebcast_message_init(pb_message_t *m, const coll_pipebcast_data_t *data, bool is_root,
                                bool on_host)
{
    *m = (pb_message_t){.total = data->total};
    if (!is_contiguous(data->datatype, data->count) || (on_host && !is_on_host(data))) {
        return init_packed(m, data, is_root);
    }
    ptrdiff_t true_lb, true_extent;
    ompi_datatype_get_true_extent(data->datatype, &true_lb, &true_extent);
    m->bytes = (char *) data->buffer + true_lb;
    return OMPI_SUCCESS;
}

void coll_pipebcast_message_fini(pb_message_t *m)
{
    if (m->packing != NULL) {
        OBJ_DESTRUCT(&m->packing->convertor);
        if (!m->is_held) {
            free(m->packing);
        }
        *m = (pb_message_t){.total = 0};
    }
}

/** Packs or unpacks the next bytes; returns their number. */
static size_t convert_some(pb_message_t *m, size_t bytes)
{
    packing_t *p = m->packing;
    struct iovec iov = {.iov_base = p->bytes + p->n_done, .iov_len = bytes};
    uint32_t iov_count = 1;
    if (m->packs) {
        opal_convertor_pack(&p->convertor, &iov, &iov_count, &bytes);
    } else {
        opal_convertor_unpack(&p->convertor, &iov, &iov_count, &bytes);
    }
    return bytes;
}

int pb_message_convert(pb_message_t *m, size_t n)
{
    packing_t *p = m->packing;
    if (p == NULL || n <= p->n_done || (p->is_whole && n < m->total)) {
        return OMPI_SUCCESS;
    }
    size_t bytes = n - p->n_done;
    if (m->packs) { /* it stops before an element that does not fit, so one more is to fit */
        const size_t rest = m->total - p->n_done;
        bytes = rest - bytes < MAX_ELEMENT ? rest : bytes + MAX_ELEMENT;
    }
    p->n_done += convert_some(m, bytes);
    return p->n_done >= n ? OMPI_SUCCESS : OMPI_ERROR;
}
