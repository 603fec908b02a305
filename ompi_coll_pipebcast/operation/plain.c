/*
 * A plain broadcast: one transfer down the planned tree. In a plan by leaders
 * (topo/trees/leaders.h) the leader of a host relays it in pieces to ranks there, and these hand
 * on pieces.
 */
#include "base/clock.h"
#include "communicator/connections.h"
#include "engine/relay.h"
#include "operation/operation.h"
#include "pml/transport.h"

typedef struct plain {
    coll_pipebcast_operation_t super;
    pb_message_t message;
    pb_relay_t relay; /**< `pieces` is started in a relay alone; see start_relay() */
    size_t first;     /**< bytes that are the first thing that a rank waits for */
    bool opens;       /**< connections, as this rank's role is new */
} plain_t;

/** Prepares the transfer that every rank has, in a plain one or flat_nb. */
static int start_transfer(plain_t *plain, const pb_role_t *role, size_t segment_size,
                          const pb_transfer_limits_t *limits)
{
    const coll_pipebcast_call_t *call = &plain->super.call;
    const int rc =
        coll_pipebcast_message_init(&plain->message, &call->data, plain->super.is_root, false);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    if (!pb_transfer_start(&plain->relay.transfer, role, limits, segment_size,
                           &plain->super.transport, &plain->message)) {
        coll_pipebcast_message_fini(&plain->message);
        return PB_ERR_NO_MEMORY;
    }
    return 0;
}

static void give_back(plain_t *plain)
{
    pb_transfer_finish(&plain->relay.transfer);
    pb_transfer_finish(&plain->relay.pieces);
    coll_pipebcast_message_fini(&plain->message);
}

/** One transfer, or what a leader has: one of segments, and one of pieces. */
__attribute__((noinline)) static int start_relay(plain_t *plain, const pb_planned_t *planned)
{
    const pb_role_t between = pb_role_between_hosts(planned->role);
    const pb_role_t inside = pb_role_inside_host(planned->role);
    const pb_transfer_limits_t *limits = &coll_pipebcast_params.limits;
    plain->first = planned->piece_size;
    if (planned->role->is_led) {
        return start_transfer(plain, &inside, planned->piece_size, limits);
    }
    const int rc = start_transfer(plain, &between, planned->segment_size, limits);
    if (rc == 0 && inside.n_children > 0 &&
        !pb_relay_start(&plain->relay, &inside, limits, planned->piece_size)) {
        give_back(plain);
        return PB_ERR_NO_MEMORY;
    }
    return rc;
}

/** Returns whether `rank` sends segments to this rank, too; the lower one opens the connection. */
static bool is_parent(const pb_transfer_t *transfer, int rank)
{
    bool is = false;
    for (const pb_lane_t *lane = transfer->lanes; lane < transfer->children; lane++) {
        is = is || (lane->rank == rank && pb_transfer_uses(transfer, lane));
    }
    return is;
}

/** Opens the connections to children at the same time, not each with its first segment. */
static void open_connections(coll_pipebcast_module_t *module, const pb_transfer_t *transfer)
{
    const int own = ompi_comm_rank(module->comm);
    for (const pb_lane_t *lane = transfer->children; lane < transfer->children_end; lane++) {
        if (pb_transfer_uses(transfer, lane) &&
            (own < lane->rank || !is_parent(transfer, lane->rank))) {
            coll_pipebcast_connections_open(module, lane->rank);
        }
    }
}

/** Takes in the empty messages by which parents have opened connections. One that nobody takes in
 * ends with the communicator. */
__attribute__((noinline)) static void take_openings(const coll_pipebcast_module_t *module,
                                                    const pb_transfer_t *transfer)
{
    int from;
    for (const pb_lane_t *lane = transfer->lanes; lane < transfer->children; lane++) {
        if (pb_transfer_uses(transfer, lane)) {
            (void) coll_pipebcast_take(module->comm, lane->rank, coll_pipebcast_open_tag(), &from);
        }
    }
}

/** As flat_nb, in segments that are so small that they go without their receivers. */
static int start_in_turn(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    const size_t segment_size = planned->segment_size < COLL_PIPEBCAST_EAGER_SEGMENT
                                    ? planned->segment_size
                                    : COLL_PIPEBCAST_EAGER_SEGMENT;
    pb_transfer_limits_t limits = coll_pipebcast_params.limits;
    limits.in_turn = true;
    operation->counted_as = COLL_PIPEBCAST_BY_FLAT_NB;
    return start_transfer((plain_t *) operation, planned->role, segment_size, &limits);
}

static int start(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    plain_t *plain = (plain_t *) operation;
    operation->counted_as = (int) planned->kind;
    const int rc = planned->piece_size > 0
                       ? start_relay(plain, planned)
                       : start_transfer(plain, planned->role, planned->segment_size,
                                        &coll_pipebcast_params.limits);
    if (rc != 0) {
        return rc;
    }
    /* Under another PML connections are not TCP's, and a look for the messages may do anything. */
    plain->opens = !planned->was_cached && coll_pipebcast_is_ob1();
    if (plain->opens) {
        open_connections(operation->module, &plain->relay.transfer);
        open_connections(operation->module, &plain->relay.pieces);
    }
    return 0;
}

/**
 * Returns whether the first segment is here, or by leaders the first piece. By leaders a host's
 * ranks get nothing before their leader has that, and would seem to be held by it.
 */
static bool has_come(const coll_pipebcast_operation_t *operation)
{
    const plain_t *plain = (const plain_t *) operation;
    const pb_transfer_t *transfer = &plain->relay.transfer;
    return plain->first > 0 ? pb_transfer_here(transfer) >= plain->first
                            : pb_transfer_has_first(transfer, operation->transport.stream);
}

static bool advance(coll_pipebcast_operation_t *operation)
{
    plain_t *plain = (plain_t *) operation;
    return pb_transfer_is_started(&plain->relay.pieces)
               ? pb_relay_advance(&plain->relay)
               : pb_transfer_advance(&plain->relay.transfer);
}

static int refused(const coll_pipebcast_operation_t *operation)
{
    return pb_relay_refused(&((const plain_t *) operation)->relay);
}

static void cancel(coll_pipebcast_operation_t *operation)
{
    plain_t *plain = (plain_t *) operation;
    pb_transfer_cancel(&plain->relay.transfer);
    pb_transfer_cancel(&plain->relay.pieces);
}

static int finish(coll_pipebcast_operation_t *operation, bool *stays_p)
{
    plain_t *plain = (plain_t *) operation;
    const int error = pb_relay_error(&plain->relay);
    (void) stays_p;
    if (plain->opens) {
        take_openings(operation->module, &plain->relay.transfer);
    }
    give_back(plain);
    return error;
}

const coll_pipebcast_method_t coll_pipebcast_plain = {
    .size = sizeof(plain_t),
    .start = start,
    .has_come = has_come,
    .advance = advance,
    .refused = refused,
    .cancel = cancel,
    .finish = finish,
};

const coll_pipebcast_method_t coll_pipebcast_flat_nb = {
    .size = sizeof(plain_t),
    .start = start_in_turn,
    .advance = advance,
    .refused = refused,
    .cancel = cancel,
    .finish = finish,
};
