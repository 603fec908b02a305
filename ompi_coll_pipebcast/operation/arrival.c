/*
 * The host of an arrival-aware broadcast in Open MPI: clock, trees of groups,
 * the user's data.
 */
#include "operation/arrival.h"

#include <stdlib.h>
#include <string.h>

#include "component/clock.h"
#include "engine/arrival/choice.h"

/**
 * Parts of the message that the root may have under way without a sign from the
 * receivers. Otherwise the sockets' buffers would swallow the whole, and the root
 * could not tell when its port is free for the next group.
 */
#define UNDER_WAY_PART 4

/** Of a message between two ranks, until the first group has been measured: 1 Gbit/s. */
#define ASSUMED_NS_PER_BYTE 8

double coll_pipebcast_arrival_ns_per_byte(const coll_pipebcast_module_t *module)
{
    return module->ns_per_byte > 0 ? module->ns_per_byte : ASSUMED_NS_PER_BYTE;
}

void coll_pipebcast_arrival_init(pb_arrival_host_t *host, coll_pipebcast_module_t *module,
                                 const coll_pipebcast_data_t *data, int root,
                                 const coll_pipebcast_choice_t *choice)
{
    *host = (pb_arrival_host_t){.module = module,
                                .data = *data,
                                .root = root,
                                .choice = *choice,
                                .ns_per_byte = coll_pipebcast_arrival_ns_per_byte(module)};
}

static void drop_message(pb_arrival_host_t *host, int which)
{
    if (host->has_message[which]) {
        coll_pipebcast_message_fini(&host->message[which]);
        host->has_message[which] = false;
    }
}

static void drop_role(pb_arrival_host_t *host)
{
    free(host->role);
    host->role = NULL;
}

void coll_pipebcast_arrival_fini(pb_arrival_host_t *host)
{
    drop_message(host, false);
    drop_message(host, true);
    drop_role(host);
    free(host->order);
    host->order = NULL;
}

int64_t pb_arrival_host_now(pb_arrival_host_t *host)
{
    (void) host;
    return coll_pipebcast_now();
}

/** This rank's role among the members of a group that is not all ranks. */
static int role_in_subset(pb_arrival_host_t *host, const pb_arrival_header_t *header)
{
    const int n_ranks = ompi_comm_size(host->module->comm);
    int *ranks = malloc((size_t) n_ranks * sizeof(*ranks));
    if (ranks == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const int n = pb_arrival_members(header, n_ranks, ranks);
    const int rc =
        coll_pipebcast_role_compute(host->module, header->kind, host->root, ranks, n, &host->role);
    free(ranks);
    return rc;
}

const pb_role_t *pb_arrival_host_role(pb_arrival_host_t *host, const pb_arrival_header_t *header,
                                      int *error_p)
{
    const pb_role_t *role = NULL;
    *error_p = OMPI_SUCCESS;
    if (header->all) {
        role = coll_pipebcast_role(host->module, header->kind, host->root, error_p);
    } else {
        if (!host->role_is_chosen) {
            drop_role(host);
            *error_p = role_in_subset(host, header);
        }
        host->role_is_chosen = false;
        role = host->role;
    }
    *error_p = *error_p == OMPI_ERR_OUT_OF_RESOURCE ? PB_ARRIVAL_NO_MEMORY : *error_p;
    return role;
}

bool pb_arrival_host_spare(pb_arrival_host_t *host)
{
    (void) host;
    return coll_pipebcast_reserve_spend();
}

/** The kind of tree for a group; where a person has named one, that. */
static pb_kind_t kind_for(const pb_arrival_host_t *host, const pb_arrival_header_t *header,
                          int n_members)
{
    const bool is_forced = coll_pipebcast_forced_kind(&mca_coll_pipebcast_component.params) >= 0;
    if (is_forced || (header->all && !host->choice.fallback)) {
        return host->choice.kind;
    }
    return pb_arrival_kind(n_members, (header->total - 1) / header->segment_size + 1,
                           host->ns_per_byte * (double) header->total);
}

int pb_arrival_host_choose(pb_arrival_host_t *host, pb_arrival_header_t *header)
{
    const int n_ranks = ompi_comm_size(host->module->comm);
    size_t segment_size = host->choice.segment_size;
    int error;
    int n_members = 0;
    for (int rank = 0; rank < n_ranks; rank++) {
        n_members += pb_arrival_is_member(header, rank);
    }
    if (host->choice.fallback && segment_size > PB_CHOOSE_ASSUMED_SEGMENT) {
        segment_size = PB_CHOOSE_ASSUMED_SEGMENT;
    }
    if (header->unasked && segment_size > COLL_PIPEBCAST_EAGER_SEGMENT) {
        segment_size = COLL_PIPEBCAST_EAGER_SEGMENT;
    }
    header->segment_size = segment_size < COLL_PIPEBCAST_MAX_SEGMENT ? (uint32_t) segment_size
                                                                     : COLL_PIPEBCAST_MAX_SEGMENT;
    header->kind = kind_for(host, header, n_members);
    if (pb_arrival_host_role(host, header, &error) == NULL && error == OMPI_ERR_NOT_SUPPORTED) {
        header->kind = PB_KIND_CHAIN; /* which fits every group */
        error = OMPI_SUCCESS;
    }
    host->role_is_chosen = host->role != NULL && !header->all;
    return error;
}

/** What the root may have under way to each child, without a sign of it. */
static size_t root_ahead(const pb_arrival_host_t *host, const pb_arrival_header_t *header,
                         size_t ahead)
{
    if (header->unasked) {
        return 0; /* no bound: there is no one to give a sign */
    }
    const size_t part = host->data.total / UNDER_WAY_PART + 1;
    return ahead == 0 || part < ahead ? part : ahead;
}

pb_message_t *pb_arrival_host_message(pb_arrival_host_t *host, const pb_arrival_header_t *header,
                                      const pb_role_t *role, pb_transfer_limits_t *limits_p)
{
    const int which = header->unasked;
    pb_message_t *message = &host->message[which];
    drop_message(host, which);
    int rc = coll_pipebcast_windows_cut(message, &host->data, header->segment_size, role, limits_p);
    host->has_message[which] = rc == OMPI_SUCCESS;
    if (rc == OMPI_SUCCESS && header->total != host->data.total) {
        drop_message(host, which);
        rc = MPI_ERR_TRUNCATE;
    }
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_message_fail(message, rc);
    }
    if (role->n_sources == 0) {
        limits_p->ahead = root_ahead(host, header, limits_p->ahead);
    }
    return message;
}

const int *pb_arrival_host_order(pb_arrival_host_t *host)
{
    const size_t n = (size_t) ompi_comm_size(host->module->comm);
    pb_view_t *view = NULL;
    if (host->order == NULL &&
        pb_view_new(host->module->placement, host->root, NULL, 0, &view) == PB_SUCCESS) {
        host->order = malloc(n * sizeof(*host->order));
    }
    if (host->order != NULL && view != NULL) {
        memcpy(host->order, view->order + 1, (n - 1) * sizeof(*host->order));
    }
    pb_view_free(view);
    return host->order;
}

int coll_pipebcast_arrival_error(int error)
{
    switch (error) {
    case PB_TRANSPORT_EMPTY: /* a rank nearer to the root has failed, and says no more than that */
    case PB_ARRIVAL_MALFORMED:
        return MPI_ERR_OTHER;
    case PB_ARRIVAL_NO_MEMORY:
        return OMPI_ERR_OUT_OF_RESOURCE;
    default:
        return error;
    }
}
