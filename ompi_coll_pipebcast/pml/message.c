/*
 * The message of a broadcast over Open MPI's datatypes.
 *
 * Segments are ranges of packed bytes, so that ranks which describe the same signature by different
 * (count, datatype) pairs cut alike. Convertors move only forward from where they stopped. For
 * another position a new one is prepared and positioned once: repositioning a used convertor is not
 * reliable in Open MPI 4.1. A packing convertor stops and starts only between basic elements, hence
 * the margins around a bounce buffer's bytes.
 */
#include "pml/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/parameters.h"
#include "opal/datatype/opal_datatype_internal.h"

/** No basic element of a datatype is larger (a complex long double has 32 bytes). */
#define MAX_ELEMENT 32

/** A part of a larger element must not be unpacked: Open MPI 4.1 writes beyond a buffer on its
 * stack. */
#define MAX_SPLIT_ELEMENT 16

/** One bounce buffer: the packed bytes of a segment, kept while someone may want them. */
typedef struct bounce {
    uint64_t segment;
    int users;         /**< sends and receives that hold it */
    bool sending;      /**< it was taken for a send */
    bool whole;        /**< it holds the segment's bytes (not: a receive into it is under way) */
    uint64_t released; /**< when the last user gave it back, by n_releases */
    char *memory;
    char *bytes; /**< the segment's first byte, inside memory */
} bounce_t;

/** State for data that are not contiguous. It is large and separate, so that other messages cost
 * little. */
typedef struct pb_packing {
    coll_pipebcast_data_t data;
    size_t segment_size;
    bool has_large_elements; /**< some are too large for Open MPI to unpack in parts */
    int n_bounces;           /**< bounce buffers made so far */
    int max_bounces;         /**< and at most */
    int max_sending; /**< of them those that sends may hold, so that they leave some to receives */
    int n_sending;   /**< of them held by sends now */
    uint64_t n_releases;
    opal_convertor_t pack; /**< where the last packing ended */
    opal_convertor_t unpack;
    bounce_t bounces[]; /**< max_bounces entries */
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

/** Returns whether data are in the memory of the host. Ranks may differ. */
static bool is_on_host(const coll_pipebcast_data_t *data)
{
#if COLL_PIPEBCAST_HAS_ACCELERATOR
    uint64_t flags = 0;
    int device = MCA_ACCELERATOR_NO_DEVICE_ID;
    return opal_accelerator.check_addr == NULL ||
           opal_accelerator.check_addr(data->buffer, &device, &flags) <= 0;
#elif OPAL_CUDA_SUPPORT
    opal_convertor_t convertor;
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    (void) opal_convertor_copy_and_prepare_for_send(
        ompi_mpi_local_convertor, &data->datatype->super, data->count, data->buffer, 0, &convertor);
    const bool is_on_host = (convertor.flags & CONVERTOR_CUDA) == 0;
    OBJ_DESTRUCT(&convertor);
    return is_on_host;
#else
    (void) data;
    return true;
#endif
}

/** A message whose bytes the user's buffer has; false where they are not contiguous there. */
static bool init_in_place(pb_message_t *m, const coll_pipebcast_data_t *data)
{
    if (!is_contiguous(data->datatype, data->count)) {
        return false;
    }
    ptrdiff_t true_lb, true_extent;
    ompi_datatype_get_true_extent(data->datatype, &true_lb, &true_extent);
    *m = (pb_message_t){.contiguous = (char *) data->buffer + true_lb};
    return true;
}

/** A message that bounce buffers have. */
static int init_packed(pb_message_t *m, const coll_pipebcast_data_t *data, size_t segment_size,
                       int max_receiving, int max_sending)
{
    const int max_bounces = max_receiving + max_sending;
    packing_t *p = calloc(1, sizeof(*p) + (size_t) max_bounces * sizeof(bounce_t));
    *m = (pb_message_t){.packing = p};
    if (p == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    p->data = *data;
    p->segment_size = segment_size;
    p->has_large_elements = has_large_elements(data->datatype);
    p->max_bounces = max_bounces;
    p->max_sending = max_sending;
    OBJ_CONSTRUCT(&p->pack, opal_convertor_t);
    OBJ_CONSTRUCT(&p->unpack, opal_convertor_t);
    return OMPI_SUCCESS;
}

int coll_pipebcast_message_init_on_host(pb_message_t *m, const coll_pipebcast_data_t *data)
{
    return is_on_host(data) && init_in_place(m, data) ? OMPI_SUCCESS
                                                      : init_packed(m, data, data->total, 1, 1);
}

/** Bounce buffers of one broadcast of non-contiguous data, and their bytes, at most. */
#define MAX_BOUNCES 128
#define MAX_BOUNCE_BYTES ((size_t) 64 << 20)

/** Where segments are so long that the bytes bound them, there are at least these. */
#define FEWEST_BOUNCES 8

static int max_bounces(size_t segment_size)
{
    const size_t n = MAX_BOUNCE_BYTES / segment_size;
    return n > MAX_BOUNCES ? MAX_BOUNCES : n < FEWEST_BOUNCES ? FEWEST_BOUNCES : (int) n;
}

/**
 * Returns the receive window where data are not contiguous. The parents share half of the bounce
 * buffers, so each has its own, and the other half is left for sends. Otherwise streams that cross
 * could wait for each other.
 */
static int bounced_receive_window(const pb_role_t *role, int bounces, int receive_window)
{
    const int share = role->n_parents > 0 ? bounces / 2 / role->n_parents : bounces;
    return share < 1 ? 1 : receive_window < share ? receive_window : share;
}

/** Bounce buffers that keep the windows of sends full, within the bound. */
static int send_bounces(const pb_role_t *role, int bounces, int send_window)
{
    const int of_child = send_window + PB_TRANSFER_SYNCHRONOUS;
    const int64_t wanted = (int64_t) role->n_children * of_child + 1;
    return wanted < bounces / 2 ? (int) wanted : bounces / 2;
}

coll_pipebcast_data_t coll_pipebcast_data_of(void *buffer, size_t count,
                                             struct ompi_datatype_t *datatype)
{
    size_t type_size;
    ompi_datatype_type_size(datatype, &type_size);
    return (coll_pipebcast_data_t){
        .buffer = buffer, .count = count, .datatype = datatype, .total = type_size * count};
}

int coll_pipebcast_message_cut(pb_message_t *m, const coll_pipebcast_data_t *data,
                               size_t segment_size, const pb_role_t *role,
                               pb_transfer_limits_t *limits_p)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    *limits_p = (pb_transfer_limits_t){.receive_window = params->receive_window,
                                       .send_window = params->send_window,
                                       .ahead = params->ahead};
    if (init_in_place(m, data)) {
        return OMPI_SUCCESS;
    }
    const int bounces = max_bounces(segment_size);
    const int sending = send_bounces(role, bounces, params->send_window);
    limits_p->receive_window = bounced_receive_window(role, bounces, params->receive_window);
    const int receiving = role->n_parents * limits_p->receive_window;
    const int rc = init_packed(m, data, segment_size, receiving, sending);
    return rc == OMPI_ERR_OUT_OF_RESOURCE /* see operation/operation.h */
               ? init_packed(m, data, segment_size, receiving, sending)
               : rc;
}

void coll_pipebcast_message_fail(pb_message_t *m, int error)
{
    *m = (pb_message_t){.error = error};
}

void coll_pipebcast_message_fini(pb_message_t *m)
{
    packing_t *p = m->packing;
    if (p == NULL) {
        return;
    }
    OBJ_DESTRUCT(&p->pack);
    OBJ_DESTRUCT(&p->unpack);
    for (int i = 0; i < p->n_bounces; i++) {
        if (p->bounces[i].users == 0) { /* else the PML may still use it: see the header */
            free(p->bounces[i].memory);
        }
    }
    free(p);
    m->packing = NULL;
}

/** A convertor at `offset`; *at_p is where it really stands, which may be a little before. */
static int convertor_at(packing_t *p, opal_convertor_t *convertor, bool for_packing, size_t offset,
                        size_t *at_p)
{
    int rc = OMPI_SUCCESS;
    if (convertor->pDesc == NULL || convertor->bConverted != offset) {
        OBJ_DESTRUCT(convertor);
        OBJ_CONSTRUCT(convertor, opal_convertor_t);
        rc = for_packing
                 ? opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor,
                                                            &p->data.datatype->super, p->data.count,
                                                            p->data.buffer, 0, convertor)
                 : opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor,
                                                            &p->data.datatype->super, p->data.count,
                                                            p->data.buffer, 0, convertor);
        *at_p = offset;
        if (rc == OPAL_SUCCESS && offset > 0) {
            rc = opal_convertor_set_position(convertor, at_p);
        }
    } else {
        *at_p = offset;
    }
    return rc == OPAL_SUCCESS ? OMPI_SUCCESS : rc;
}

/** Packs whole elements into `memory`, `space` bytes at most; returns the bytes. */
static size_t pack_some(opal_convertor_t *convertor, char *memory, size_t space)
{
    struct iovec iov = {.iov_base = memory, .iov_len = space};
    uint32_t iov_count = 1;
    size_t packed = space;
    opal_convertor_pack(convertor, &iov, &iov_count, &packed);
    return packed;
}

static int pack(packing_t *p, size_t offset, size_t bytes, bounce_t *bounce)
{
    size_t at;
    int rc = convertor_at(p, &p->pack, true, offset, &at);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    /* Packing stops before an element that does not fit whole. The element of the last byte is
     * packed beyond the end, into the margin. */
    const size_t wanted = offset - at + bytes;
    size_t packed = pack_some(&p->pack, bounce->memory, wanted);
    if (packed < wanted) {
        packed += pack_some(&p->pack, bounce->memory + packed, MAX_ELEMENT);
    }
    bounce->bytes = bounce->memory + (offset - at);
    return packed >= wanted ? OMPI_SUCCESS : OMPI_ERROR;
}

/** Unpacks bytes that begin where the convertor can stand. */
static int unpack(packing_t *p, size_t offset, size_t bytes, void *buffer)
{
    size_t at;
    int rc = convertor_at(p, &p->unpack, false, offset, &at);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    struct iovec iov = {.iov_base = buffer, .iov_len = bytes};
    uint32_t iov_count = 1;
    size_t unpacked = bytes;
    opal_convertor_unpack(&p->unpack, &iov, &iov_count, &unpacked);
    return at == offset && unpacked == bytes ? OMPI_SUCCESS : OMPI_ERROR;
}

/**
 * Unpacks without giving the convertor a part of an element. The elements are packed from the
 * user's buffer, the new bytes put over theirs, and the whole unpacked again.
 */
static int unpack_whole_elements(packing_t *p, size_t offset, size_t bytes, const char *buffer)
{
    char elements[4096];
    while (bytes > 0) {
        size_t at;
        int rc = convertor_at(p, &p->pack, true, offset, &at);
        if (rc != OMPI_SUCCESS) {
            return rc;
        }
        const size_t packed = pack_some(&p->pack, elements, sizeof(elements));
        if (packed <= offset - at) {
            return OMPI_ERROR;
        }
        const size_t room = packed - (offset - at);
        const size_t n = bytes < room ? bytes : room;
        memcpy(elements + (offset - at), buffer, n);
        rc = unpack(p, at, packed, elements);
        if (rc != OMPI_SUCCESS) {
            return rc;
        }
        offset += n;
        buffer += n;
        bytes -= n;
    }
    return OMPI_SUCCESS;
}

char *pb_message_in_place(pb_message_t *m)
{
    return m->contiguous;
}

/** The bounce buffer that a send or receive holds. */
static bounce_t *held_bounce(packing_t *p, const void *buffer)
{
    bounce_t *bounce = p->bounces;
    while (bounce->users == 0 || bounce->bytes != buffer) {
        bounce++;
    }
    return bounce;
}

int pb_message_received(pb_message_t *m, uint64_t segment, size_t offset, size_t bytes,
                        void *buffer)
{
    packing_t *p = m->packing;
    (void) segment;
    const int rc = p->has_large_elements ? unpack_whole_elements(p, offset, bytes, buffer)
                                         : unpack(p, offset, bytes, buffer);
    held_bounce(p, buffer)->whole = rc == OMPI_SUCCESS;
    return rc;
}

/** A new bounce buffer, or NULL with *error_p. */
static bounce_t *make_bounce(packing_t *p, int *error_p)
{
    bounce_t *bounce = &p->bounces[p->n_bounces];
    bounce->memory = malloc(p->segment_size + 2 * MAX_ELEMENT);
    if (bounce->memory == NULL) { /* once more: see operation/operation.h */
        bounce->memory = malloc(p->segment_size + 2 * MAX_ELEMENT);
    }
    if (bounce->memory == NULL) {
        *error_p = OMPI_ERR_OUT_OF_RESOURCE;
        return NULL;
    }
    p->n_bounces++;
    return bounce;
}

/** The bounce buffer that has not been held for the longest time, or NULL if all are. */
static bounce_t *oldest_free_bounce(packing_t *p)
{
    bounce_t *oldest = NULL;
    for (int i = 0; i < p->n_bounces; i++) {
        bounce_t *bounce = &p->bounces[i];
        if (bounce->users == 0 && (oldest == NULL || bounce->released < oldest->released)) {
            oldest = bounce;
        }
    }
    return oldest;
}

/**
 * A bounce buffer that no one holds, for `segment`; NULL with *error_p if there
 * is none. What was given back last is kept longest, as it may still be sent.
 */
static bounce_t *take_bounce(packing_t *p, uint64_t segment, int *error_p)
{
    bounce_t *bounce =
        p->n_bounces < p->max_bounces ? make_bounce(p, error_p) : oldest_free_bounce(p);
    if (bounce == NULL) {
        *error_p = *error_p != OMPI_SUCCESS ? *error_p : PB_MESSAGE_BUSY;
        return NULL;
    }
    bounce->bytes = bounce->memory;
    bounce->segment = segment;
    bounce->users = 1;
    bounce->whole = false;
    bounce->sending = false;
    return bounce;
}

/** The bounce buffer that holds the segment's bytes already, or NULL. */
static bounce_t *find_bounce(packing_t *p, uint64_t segment)
{
    for (int i = 0; i < p->n_bounces; i++) {
        if (p->bounces[i].whole && p->bounces[i].segment == segment) {
            return &p->bounces[i];
        }
    }
    return NULL;
}

int pb_message_to_send(pb_message_t *m, uint64_t segment, size_t offset, size_t bytes,
                       const void **buffer_p)
{
    if (m->error != 0) {
        return m->error;
    }
    int rc = OMPI_SUCCESS;
    packing_t *p = m->packing;
    bounce_t *bounce = find_bounce(p, segment);
    const bool is_held = bounce != NULL && bounce->users > 0;
    if (!is_held && p->n_sending >= p->max_sending) {
        return PB_MESSAGE_BUSY;
    }
    if (bounce != NULL) {
        bounce->users++;
    } else {
        bounce = take_bounce(p, segment, &rc);
        if (bounce == NULL) {
            return rc;
        }
        rc = pack(p, offset, bytes, bounce);
        bounce->whole = rc == OMPI_SUCCESS;
        if (rc != OMPI_SUCCESS) {
            pb_message_release(m, segment, bounce->bytes);
            return rc;
        }
    }
    if (!is_held) {
        bounce->sending = true;
        p->n_sending++;
    }
    *buffer_p = bounce->bytes;
    return OMPI_SUCCESS;
}

int pb_message_to_receive(pb_message_t *m, uint64_t segment, size_t offset, size_t bytes,
                          void **buffer_p)
{
    (void) offset;
    (void) bytes;
    if (m->error != 0) {
        return m->error;
    }
    int rc = OMPI_SUCCESS;
    bounce_t *bounce = take_bounce(m->packing, segment, &rc);
    if (bounce != NULL) {
        *buffer_p = bounce->bytes;
    }
    return rc;
}

void pb_message_release(pb_message_t *m, uint64_t segment, const void *buffer)
{
    packing_t *p = m->packing;
    bounce_t *bounce = held_bounce(p, buffer);
    (void) segment;
    bounce->users--;
    bounce->released = ++p->n_releases;
    if (bounce->users == 0 && bounce->sending) {
        bounce->sending = false;
        p->n_sending--;
    }
}
