/*
 * An operation: one rank's part of one broadcast; see operation/operation.h.
 */
#include "operation/operation.h"

#include "communicator/lost.h"
#include "component/clock.h"
#include "component/log.h"

/**
 * Seconds that a rank that leaves waits for those of its requests that still run. The others leave
 * too, and cancel what they wait for; what does not end then never will.
 */
#define LEAVE_SECONDS 1

/** Bytes of a segment where the ranks have agreed on none. */
#define STAND_IN_SEGMENT 8192

static bool is_algorithm(int algorithm)
{
    return mca_coll_pipebcast_component.params.algorithm == algorithm;
}

static bool start_transfer(coll_pipebcast_operation_t *op, const pb_role_t *role,
                           const pb_transfer_limits_t *limits, size_t segment_size)
{
    if (op->algorithm == COLL_PIPEBCAST_FLAT_NB && role->n_sources == 0) {
        op->part = COLL_PIPEBCAST_IN_TURNS;
        return pb_turns_start(&op->turns, role, limits, op->data.total, segment_size,
                              &op->transport, &op->message);
    }
    op->part = COLL_PIPEBCAST_PLAIN;
    return pb_transfer_start(&op->transfer, role, limits, op->data.total, segment_size,
                             &op->transport, &op->message);
}

/** Cuts the user's message, and starts this rank's part in a tree. */
static int cut_and_start(coll_pipebcast_operation_t *op, const pb_role_t *role, size_t segment_size)
{
    pb_transfer_limits_t limits;
    const int rc = coll_pipebcast_windows_cut(&op->message, &op->data, segment_size, role, &limits);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    if (!start_transfer(op, role, &limits, segment_size) &&
        !(coll_pipebcast_reserve_spend() && start_transfer(op, role, &limits, segment_size))) {
        coll_pipebcast_message_fini(&op->message);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

static int start_plain(coll_pipebcast_operation_t *op, const coll_pipebcast_choice_t *choice)
{
    size_t segment_size = choice->segment_size;
    int rc;
    if (is_algorithm(COLL_PIPEBCAST_FLAT_NB) && segment_size > COLL_PIPEBCAST_EAGER_SEGMENT) {
        segment_size = COLL_PIPEBCAST_EAGER_SEGMENT;
    }
    op->algorithm =
        is_algorithm(COLL_PIPEBCAST_FLAT_NB) ? COLL_PIPEBCAST_FLAT_NB : (int) choice->kind;
    op->transport.tag = op->apart.tag;
    const pb_role_t *role = coll_pipebcast_role(op->module, choice->kind, op->root, &rc);
    return role == NULL ? rc : cut_and_start(op, role, segment_size);
}

static void root_construct(coll_pipebcast_root_t *item)
{
    item->root = (pb_arrival_root_t){0};
}
static void root_destruct(coll_pipebcast_root_t *item)
{
    pb_arrival_root_finish(&item->root);
}
OBJ_CLASS_INSTANCE(coll_pipebcast_root_t, opal_list_item_t, root_construct, root_destruct);

/**
 * The module's credit, made when it is first needed. NULL if there is none: then
 * nothing is sent unasked.
 */
static pb_arrival_credit_t *get_credit(const coll_pipebcast_operation_t *op)
{
    coll_pipebcast_module_t *module = op->module;
    if (!is_algorithm(COLL_PIPEBCAST_ARRIVAL_NB) || op->apart.repeats) {
        return NULL;
    }
    if (module->credit.of == NULL &&
        !pb_arrival_credit_init(&module->credit, ompi_comm_size(module->comm),
                                mca_coll_pipebcast_component.params.arrival_wait)) {
        return NULL;
    }
    return &module->credit;
}

void coll_pipebcast_operation_listen(coll_pipebcast_module_t *module)
{
    coll_pipebcast_root_t *item, *next;
    if (opal_list_is_empty(&module->lingering)) {
        return;
    }
    const bool is_lost = coll_pipebcast_is_lost(module); /* then not all will be heard of */
    OPAL_LIST_FOREACH_SAFE(item, next, &module->lingering, coll_pipebcast_root_t)
    {
        if (pb_arrival_root_linger(&item->root) || is_lost) {
            opal_list_remove_item(&module->lingering, &item->super);
            OBJ_RELEASE(item);
        }
    }
}

static int start_as_root(coll_pipebcast_operation_t *op, pb_arrival_env_t *env)
{
    coll_pipebcast_module_t *module = op->module;
    coll_pipebcast_operation_listen(module);
    op->as_root = OBJ_NEW(coll_pipebcast_root_t);
    if (op->as_root == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    op->as_root->control = op->control;
    env->control = &op->as_root->control;
    /* Until it is known how long a message takes, too many could be sent unasked. */
    env->credit = module->ns_per_byte > 0 ? get_credit(op) : NULL;
    if (!pb_arrival_root_start(&op->as_root->root, env,
                               (int64_t) ((double) env->total * op->host.ns_per_byte))) {
        OBJ_RELEASE(op->as_root);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

static int start_as_receiver(coll_pipebcast_operation_t *op, pb_arrival_env_t *env)
{
    pb_arrival_credit_t *credit = get_credit(op);
    if (credit != NULL) {
        pb_arrival_credit_other(credit, env->total);
    }
    const bool started =
        pb_arrival_receiver_start(&op->as_receiver, env) ||
        (coll_pipebcast_reserve_spend() && pb_arrival_receiver_start(&op->as_receiver, env));
    return started ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

static int start_arrival_aware(coll_pipebcast_operation_t *op,
                               const coll_pipebcast_choice_t *choice)
{
    struct ompi_communicator_t *comm = op->module->comm;
    op->algorithm = is_algorithm(COLL_PIPEBCAST_ARRIVAL_NB) ? COLL_PIPEBCAST_ARRIVAL_NB
                                                            : COLL_PIPEBCAST_ARRIVAL_B;
    op->transport.tag = op->apart.tag;
    op->control = (pb_control_t){.comm = comm, .tag = op->apart.tag - 1};
    coll_pipebcast_arrival_init(&op->host, op->module, &op->data, op->root, choice);
    pb_arrival_env_t env = {
        .host = &op->host,
        .control = &op->control,
        .transport = &op->transport,
        .n_ranks = ompi_comm_size(comm),
        .rank = ompi_comm_rank(comm),
        .root = op->root,
        .total = op->data.total,
        .mode = op->is_auto ? &op->module->arrival_mode : NULL,
    };
    op->part = env.rank == env.root ? COLL_PIPEBCAST_AS_ROOT : COLL_PIPEBCAST_AS_RECEIVER;
    if (env.rank != env.root) {
        return start_as_receiver(op, &env);
    }
    const int rc = start_as_root(op, &env);
    return coll_pipebcast_reserve_helps(rc) ? start_as_root(op, &env) : rc;
}

bool coll_pipebcast_minds_arrivals(void)
{
    return is_algorithm(COLL_PIPEBCAST_ARRIVAL_B) || is_algorithm(COLL_PIPEBCAST_ARRIVAL_NB) ||
           (mca_coll_pipebcast_component.params.arrival == COLL_PIPEBCAST_ARRIVAL_ON &&
            !is_algorithm(COLL_PIPEBCAST_FLAT_NB) && !is_algorithm(COLL_PIPEBCAST_ADAPTIVE));
}

/**
 * Whether this broadcast minds who has arrived; alike on all ranks. The
 * communicator's mode is alike on all ranks only between broadcasts, so one that may
 * overlap others neither asks nor changes it.
 */
static bool is_arrival_aware(coll_pipebcast_operation_t *op)
{
    if (coll_pipebcast_minds_arrivals()) {
        return true;
    }
    op->is_auto = !op->apart.overlaps &&
                  mca_coll_pipebcast_component.params.arrival == COLL_PIPEBCAST_ARRIVAL_AUTO &&
                  !is_algorithm(COLL_PIPEBCAST_FLAT_NB);
    return op->is_auto && pb_arrival_mode_begin(&op->module->arrival_mode, op->data.total,
                                                ompi_comm_size(op->module->comm));
}

/** In a tree that is advised; in the static plan where the hosts cannot be advised. */
static int start_adapted(coll_pipebcast_operation_t *op, const coll_pipebcast_choice_t *choice)
{
    int rc;
    coll_pipebcast_advised_t *advised = coll_pipebcast_advised_get(op->module, &rc);
    if (advised == NULL) {
        return rc == OMPI_SUCCESS ? start_plain(op, choice) : rc;
    }
    op->algorithm = COLL_PIPEBCAST_ADAPTIVE;
    op->part = COLL_PIPEBCAST_ADAPTED;
    return coll_pipebcast_adaptive_start(advised, &op->data, op->root, choice, op->apart.tag,
                                         &op->adapted);
}

static void prepare(coll_pipebcast_operation_t *op, coll_pipebcast_module_t *module,
                    const coll_pipebcast_data_t *data, int root,
                    const coll_pipebcast_apart_t *apart)
{
    (void) coll_pipebcast_reserve_keep(0, 0); /* what an earlier one spent, if it can be had */
    op->module = module;
    op->apart = *apart;
    op->data = *data;
    op->root = root;
    op->is_auto = false;
    op->stuck_since = 0;
    op->is_left = false;
    op->transport = (pb_transport_t){.comm = module->comm, .lock = &module->lock};
    op->host = (pb_arrival_host_t){0};
}

static int start_part(coll_pipebcast_operation_t *op, const coll_pipebcast_choice_t *choice)
{
    if (is_algorithm(COLL_PIPEBCAST_ADAPTIVE)) {
        /* What is known of announcements is alike on all ranks only between broadcasts, so one
         * that may overlap others takes the static plan. */
        return op->apart.overlaps ? start_plain(op, choice) : start_adapted(op, choice);
    }
    return is_arrival_aware(op) ? start_arrival_aware(op, choice) : start_plain(op, choice);
}

/** Whether the others find that the tree does not fit, and pass the broadcast on. */
static bool is_unfit(coll_pipebcast_module_t *module, int root,
                     const coll_pipebcast_choice_t *choice)
{
    int error;
    return !coll_pipebcast_minds_arrivals() &&
           coll_pipebcast_role(module, choice->kind, root, &error) == NULL &&
           error == OMPI_ERR_NOT_SUPPORTED;
}

int coll_pipebcast_operation_start(coll_pipebcast_operation_t *op, coll_pipebcast_module_t *module,
                                   const coll_pipebcast_data_t *data, int root,
                                   const coll_pipebcast_choice_t *choice,
                                   const coll_pipebcast_apart_t *apart)
{
    prepare(op, module, data, root, apart);
    if (module->is_lost) {
        return is_unfit(module, root, choice) ? OMPI_ERR_NOT_SUPPORTED : MPI_ERR_OTHER;
    }
    const int rc = start_part(op, choice);
    if (rc != OMPI_SUCCESS && rc != OMPI_ERR_NOT_SUPPORTED) {
        coll_pipebcast_lose(module, rc);
    }
    return rc;
}

int coll_pipebcast_operation_stand_in(coll_pipebcast_operation_t *op,
                                      coll_pipebcast_module_t *module,
                                      const coll_pipebcast_data_t *data, int root,
                                      const coll_pipebcast_apart_t *apart)
{
    const int size = ompi_comm_size(module->comm);
    const int place = (ompi_comm_rank(module->comm) - root + size) % size;
    int source = ((place - 1) / 2 + root) % size;
    int targets[2];
    uint32_t masks[2] = {1, 1};
    pb_role_t role = {.n_streams = 1,
                      .n_sources = place > 0,
                      .source = &source,
                      .target = targets,
                      .source_mask = masks,
                      .target_mask = masks};
    for (int child = 2 * place + 1; child <= 2 * place + 2 && child < size; child++) {
        targets[role.n_targets++] = (child + root) % size;
    }
    prepare(op, module, data, root, apart);
    op->algorithm = PB_KIND_RANK_BINARY;
    op->transport.tag = apart->tag;
    const int rc = module->is_lost ? MPI_ERR_OTHER : cut_and_start(op, &role, STAND_IN_SEGMENT);
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_lose(module, rc);
    }
    return rc;
}

static bool advance_part(coll_pipebcast_operation_t *op)
{
    switch (op->part) {
    case COLL_PIPEBCAST_AS_ROOT:
        return pb_arrival_root_advance(&op->as_root->root);
    case COLL_PIPEBCAST_AS_RECEIVER:
        return pb_arrival_receiver_advance(&op->as_receiver);
    case COLL_PIPEBCAST_IN_TURNS:
        return pb_turns_advance(&op->turns);
    case COLL_PIPEBCAST_ADAPTED:
        return pb_adaptive_advance(&op->adapted->engine);
    default:
        return pb_transfer_advance(&op->transfer);
    }
}

static bool is_broken(const coll_pipebcast_operation_t *op)
{
    switch (op->part) {
    case COLL_PIPEBCAST_AS_ROOT:
        return pb_arrival_root_is_broken(&op->as_root->root);
    case COLL_PIPEBCAST_AS_RECEIVER:
        return pb_arrival_receiver_is_broken(&op->as_receiver);
    case COLL_PIPEBCAST_IN_TURNS:
        return op->turns.turn < op->turns.n_transfers && op->turns.transfers[op->turns.turn].broken;
    case COLL_PIPEBCAST_ADAPTED:
        return pb_adaptive_is_broken(&op->adapted->engine);
    default:
        return op->transfer.broken;
    }
}

/** Nothing more is to come of the operation, and nothing new is started. */
static void cancel_part(coll_pipebcast_operation_t *op)
{
    switch (op->part) {
    case COLL_PIPEBCAST_AS_ROOT:
        pb_arrival_root_cancel(&op->as_root->root);
        break;
    case COLL_PIPEBCAST_AS_RECEIVER:
        pb_arrival_receiver_cancel(&op->as_receiver);
        break;
    case COLL_PIPEBCAST_IN_TURNS:
        pb_turns_cancel(&op->turns);
        break;
    case COLL_PIPEBCAST_ADAPTED:
        pb_adaptive_cancel(&op->adapted->engine);
        break;
    default:
        pb_transfer_cancel(&op->transfer);
        break;
    }
}

static int error_of_part(const coll_pipebcast_operation_t *op)
{
    switch (op->part) {
    case COLL_PIPEBCAST_AS_ROOT:
        return op->as_root->root.error;
    case COLL_PIPEBCAST_AS_RECEIVER:
        return pb_arrival_receiver_error(&op->as_receiver);
    case COLL_PIPEBCAST_IN_TURNS:
        return op->turns.error;
    case COLL_PIPEBCAST_ADAPTED:
        return pb_adaptive_error(&op->adapted->engine);
    default:
        return op->transfer.error;
    }
}

/** If an operation is broken, others may wait for this rank: they hear that they need not. */
static void tell_if_broken(const coll_pipebcast_operation_t *op)
{
    if (is_broken(op)) {
        coll_pipebcast_lose(op->module, coll_pipebcast_arrival_error(error_of_part(op)));
    }
}

/** Whether an operation that does not get on will not end by itself. */
static bool is_stuck(coll_pipebcast_operation_t *op)
{
    if (op->is_left) {
        return true;
    }
    tell_if_broken(op);
    op->is_left = coll_pipebcast_is_lost(op->module);
    if (op->is_left) {
        cancel_part(op);
    }
    return op->is_left;
}

bool coll_pipebcast_operation_advance(coll_pipebcast_operation_t *op)
{
    if (advance_part(op)) {
        return true;
    }
    if (!is_stuck(op)) {
        return false;
    }
    if (op->stuck_since == 0) {
        op->stuck_since = coll_pipebcast_now();
    }
    return coll_pipebcast_seconds_since(op->stuck_since) > LEAVE_SECONDS;
}

static int finish_plain(coll_pipebcast_operation_t *op)
{
    const int error = op->transfer.error;
    pb_transfer_finish(&op->transfer);
    coll_pipebcast_message_fini(&op->message);
    return error;
}

static int finish_in_turns(coll_pipebcast_operation_t *op)
{
    const int error = op->turns.error;
    pb_turns_finish(&op->turns);
    coll_pipebcast_message_fini(&op->message);
    return error;
}

/** The mode takes in what this broadcast said; rank 0 tells at verbose 10 if that changes it. */
static void end_mode(coll_pipebcast_operation_t *op, uint8_t said, pb_arrival_report_t report)
{
    pb_arrival_mode_t *mode = &op->module->arrival_mode;
    const bool was_uneven = mode->uneven;
    pb_arrival_mode_end(mode, said, op->root, report);
    if (ompi_comm_rank(op->module->comm) == 0 && mode->uneven != was_uneven) {
        coll_pipebcast_tell(10, "communicator %s: ranks arrive %s now", op->module->comm->c_name,
                            mode->uneven ? "unevenly, and broadcasts mind that"
                                         : "evenly, and broadcasts do not mind that");
    }
}

/** At verbose 20 the root tells what it saw of a broadcast's arrivals. */
static void tell_arrivals(const coll_pipebcast_operation_t *op)
{
    const pb_arrival_root_t *root = &op->as_root->root;
    coll_pipebcast_tell(20,
                        "communicator %s: %zu bytes from root %d in %d groups; the last rank came "
                        "%.3f ms after the root, the mean rank %.3f ms; a group takes %.3f ms",
                        op->module->comm->c_name, op->data.total, op->root, root->n_groups,
                        (double) (root->last_arrival - root->started) / 1e6,
                        root->sum_of_arrivals / root->env.n_ranks / 1e6,
                        (double) root->expected / 1e6);
}

static void count_as_root(const pb_arrival_root_t *root)
{
    coll_pipebcast_counters_t *counters = &mca_coll_pipebcast_component.counters;
    coll_pipebcast_count(&counters->groups_served, root->n_groups);
    coll_pipebcast_count(&counters->waited_as_root, root->last_arrival - root->started);
}

/** What this broadcast's groups took changes what is expected of the next, slowly. */
static void learn_speed(coll_pipebcast_operation_t *op)
{
    const pb_arrival_root_t *root = &op->as_root->root;
    double *known = &op->module->ns_per_byte;
    const double seen = (double) root->expected / (double) op->data.total;
    if (root->is_measured) {
        *known = *known > 0 ? (3 * *known + seen) / 4 : seen;
    }
}

static int finish_as_root(coll_pipebcast_operation_t *op)
{
    coll_pipebcast_module_t *module = op->module;
    pb_arrival_root_t *root = &op->as_root->root;
    const int error = root->error;
    tell_arrivals(op);
    count_as_root(root);
    learn_speed(op);
    if (op->is_auto) {
        end_mode(op, root->mode, pb_arrival_root_report(root));
    }
    if (root->n_to_come > 0 && !pb_arrival_root_is_broken(root)) {
        /* The receive that is posted keeps the communicator alive also when it is freed, and with
         * it the number: someone has to take the message in. */
        opal_list_append(&module->lingering, &op->as_root->super);
        coll_pipebcast_outstanding_list(module);
    } else {
        OBJ_RELEASE(op->as_root);
    }
    return error;
}

static int finish_as_receiver(coll_pipebcast_operation_t *op)
{
    const int error = pb_arrival_receiver_error(&op->as_receiver);
    coll_pipebcast_count(&mca_coll_pipebcast_component.counters.waited_as_receiver,
                         op->as_receiver.waited);
    if (op->is_auto && op->as_receiver.length > 0) {
        end_mode(op, op->as_receiver.header.mode, PB_ARRIVAL_UNKNOWN);
    }
    pb_arrival_receiver_finish(&op->as_receiver);
    return error;
}

static int finish_part(coll_pipebcast_operation_t *op)
{
    switch (op->part) {
    case COLL_PIPEBCAST_AS_ROOT:
        return finish_as_root(op);
    case COLL_PIPEBCAST_AS_RECEIVER:
        return finish_as_receiver(op);
    case COLL_PIPEBCAST_IN_TURNS:
        return finish_in_turns(op);
    case COLL_PIPEBCAST_ADAPTED:
        return coll_pipebcast_adaptive_finish(op->adapted);
    default:
        return finish_plain(op);
    }
}

int coll_pipebcast_operation_finish(coll_pipebcast_operation_t *op)
{
    tell_if_broken(op);
    const int own_error = finish_part(op);
    const int error = op->is_left && own_error == OMPI_SUCCESS ? MPI_ERR_OTHER : own_error;
    coll_pipebcast_arrival_fini(&op->host);
    if (error == OMPI_SUCCESS) {
        coll_pipebcast_count_broadcast(op->algorithm, op->data.total);
    }
    return coll_pipebcast_arrival_error(error);
}
