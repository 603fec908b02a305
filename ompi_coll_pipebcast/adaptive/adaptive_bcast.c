/*
 * Adaptive broadcasts: down the advised tree to the group of all ranks (engine/group.h). The root
 * announces the tree with each broadcast (paper 4, section 2.5); the measured rates are noted for
 * the advisor.
 *
 * Blocking broadcasts alone are adaptive, as those of paper 4 are.
 */
#include "adaptive/register.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adaptive/delivery.h"
#include "adaptive/header.h"
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/advice.h"
#include "communicator/placement.h"
#include "contrib/adaptive/advice/advice.h"
#include "contrib/adaptive/advice/history.h"
#include "contrib/adaptive/advice/host_plan.h"
#include "engine/group.h"
#include "operation/operation.h"
#include "pml/transport.h"
#include "topo/util/hash.h"

/** Headers that a communicator remembers. */
#define MAX_KNOWN 256

/** A header, and this rank's role in its tree, which takes long to compute. */
typedef struct known {
    int root;        /**< rank */
    pb_role_t *role; /**< NULL: the static plan counts */
    size_t segment_size;
    size_t length;
    uint8_t *header; /**< of `length` bytes */
} known_t;

typedef struct coll_pipebcast_advised {
    coll_pipebcast_module_t *module; /**< borrowed */
    pb_host_set_t *hosts;
    int *host;                   /**< indexed by rank: its host */
    uint64_t n_broadcasts;       /**< so far, alike on all ranks */
    uint64_t group;              /**< the communicator, alike on all ranks */
    uint64_t n_known;            /**< headers so far that were not known, alike on all ranks */
    known_t known[MAX_KNOWN];    /**< the last of them */
    bool has_read;               /**< this rank has been root, and has tried to read advice */
    pb_advice_version_t version; /**< the file that it found */
    pb_advice_t *advice;         /**< NULL: none that can be used */
    bool has_tried[PB_HISTORY_RATES + 1]; /**< by kind: to make a history, as there was a note */
    pb_history_writer_t *histories[PB_HISTORY_RATES + 1]; /**< by kind; NULL: there is none */
} advised_t;

/* ---- the communicator ---- */

/** Returns the name of the rank's host, also where the rank sits at a level inside the host. */
static const char *host_name(const coll_pipebcast_module_t *module, int rank)
{
    const pb_placement_t *placement = module->placed->placement;
    return pb_network_node(placement->network, pb_placement_host(placement, rank))->name;
}

/** The set of the communicator's hosts, and each rank's host in it. PB_ERR_INPUT if they are no
 * set. */
static int find_hosts(advised_t *advised)
{
    const int n_ranks = ompi_comm_size(advised->module->comm);
    const char **names = malloc((size_t) n_ranks * sizeof(*names));
    advised->host = malloc((size_t) n_ranks * sizeof(*advised->host));
    if (names == NULL || advised->host == NULL) {
        free(names);
        return PB_ERR_NO_MEMORY;
    }
    for (int rank = 0; rank < n_ranks; rank++) {
        names[rank] = host_name(advised->module, rank);
    }
    const int error = pb_host_set_new(names, n_ranks, &advised->hosts);
    for (int rank = 0; rank < n_ranks && error == PB_SUCCESS; rank++) {
        advised->host[rank] = pb_host_set_find(advised->hosts, names[rank]);
    }
    free(names);
    return error;
}

/** Identifies the communicator: alike on all its ranks, different from others of these hosts. */
static uint64_t group_of(const struct ompi_communicator_t *comm)
{
    const opal_process_name_t first = ompi_group_get_proc_name(comm->c_local_group, 0);
    uint64_t state = pb_hash_number(PB_HASH_START, first.jobid);
    state = pb_hash_number(state, first.vpid);
    return pb_hash_end(pb_hash_bytes(state, &comm->c_contextid, sizeof(comm->c_contextid)));
}

static void forget(const known_t *known)
{
    free(known->role);
    free(known->header);
}

static void give_back(advised_t *advised)
{
    for (int i = 0; i < MAX_KNOWN; i++) {
        forget(&advised->known[i]);
    }
    pb_advice_free(advised->advice);
    pb_history_close(advised->histories[PB_HISTORY_BROADCASTS]);
    pb_history_close(advised->histories[PB_HISTORY_RATES]);
    pb_host_set_free(advised->hosts);
    free(advised->host);
    free(advised);
}

static int prepare(coll_pipebcast_module_t *module)
{
    if (module->advised != NULL) {
        return OMPI_SUCCESS;
    }
    advised_t *advised = calloc(1, sizeof(*advised));
    if (advised == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    advised->module = module;
    advised->group = group_of(module->comm);
    const int error = find_hosts(advised);
    if (error == PB_ERR_INPUT && ompi_comm_rank(module->comm) == 0) {
        coll_pipebcast_help(PB_HELP_ADVICE_HOSTS, module->comm->c_name, PB_HOST_SET_MAX);
    }
    if (error != PB_SUCCESS) {
        give_back(advised);
        return error == PB_ERR_NO_MEMORY ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    }
    module->advised = advised;
    return OMPI_SUCCESS;
}

/* ---- trees of headers ---- */

/** A header that has come before; NULL: it has not. */
static const known_t *find_known(const advised_t *advised, int root, const uint8_t *header,
                                 size_t length)
{
    for (int i = 0; i < MAX_KNOWN; i++) {
        const known_t *known = &advised->known[i];
        if (known->header != NULL && known->root == root && known->length == length &&
            memcmp(known->header, header, length) == 0) {
            return known;
        }
    }
    return NULL;
}

/** The root reports whether broadcasts follow a tree of `n_streams`. */
static void report_tree(const coll_pipebcast_module_t *module, const known_t *known, int n_streams)
{
    if (ompi_comm_rank(module->comm) != known->root) {
        return;
    }
    if (known->role == NULL) {
        coll_pipebcast_help_each(PB_HELP_ADVICE_CONNECTIONS, module->comm->c_name,
                                 module->connections);
        return;
    }
    coll_pipebcast_log(
        10, "communicator %s: root %d announces advised trees of %d %s, segments of %zu bytes",
        module->comm->c_name, known->root, n_streams, n_streams == 1 ? "stream" : "streams",
        known->segment_size);
}

/** Finds this rank's role in the plan, if that is within the bound on connections. */
static int find_role(coll_pipebcast_module_t *module, const pb_plan_t *plan, known_t *known)
{
    const int n_neighbours = pb_plan_most_neighbours(plan);
    if (pb_planner_has_room(module->planner, n_neighbours)) {
        known->role = pb_role_new(plan, ompi_comm_rank(module->comm));
        if (known->role == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        pb_planner_charge_tree(module->planner, n_neighbours);
    }
    coll_pipebcast_count_role(false);
    report_tree(module, known, plan->n_streams);
    return PB_SUCCESS;
}

/** Plans for all ranks down a tree over the hosts, and finds this rank's role. */
static int plan_tree(const advised_t *advised, const pb_advice_tree_t *tree, known_t *known)
{
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    int error = pb_view_new(advised->module->placed->placement, known->root, NULL, 0, &view);
    if (error == PB_SUCCESS) {
        error = pb_host_plan(view, advised->host, advised->hosts->n,
                             (const pb_tree_t *const *) tree->streams, tree->n_streams, &plan);
    }
    pb_view_free(view);
    if (error == PB_SUCCESS) {
        known->segment_size = tree->segment;
        error = find_role(advised->module, plan, known);
    }
    pb_plan_free(plan);
    return error;
}

/** Reads a header, in place of the oldest known one. PB_ERR_NO_MEMORY, or PB_ERR_MALFORMED. */
static int add_known(advised_t *advised, int root, const uint8_t *header, size_t length)
{
    known_t known = {.root = root, .length = length, .header = malloc(length)};
    known_t *oldest = &advised->known[advised->n_known % MAX_KNOWN];
    pb_advice_tree_t tree = {.n_streams = 0};
    int error = known.header == NULL ? PB_ERR_NO_MEMORY
                                     : pb_adaptive_header_read(&tree, advised->hosts->n,
                                                               advised->host[root], header, length);
    if (tree.n_streams > 0) {
        error = plan_tree(advised, &tree, &known);
    }
    pb_advice_tree_clear(&tree);
    if (error != PB_SUCCESS) {
        forget(&known);
        return error == PB_ERR_NO_MEMORY ? error : PB_ERR_MALFORMED;
    }
    memcpy(known.header, header, length);
    advised->n_known++;
    forget(oldest);
    *oldest = known;
    return PB_SUCCESS;
}

static int learn(advised_t *advised, int root, const uint8_t *header, size_t length,
                 const known_t **known_p)
{
    int error = PB_SUCCESS;
    *known_p = find_known(advised, root, header, length);
    for (int tries = 0; *known_p == NULL && tries < 2 && error != PB_ERR_MALFORMED; tries++) {
        error = add_known(advised, root, header, length);
        *known_p = find_known(advised, root, header, length);
    }
    return error;
}

/* ---- advice, at the root ---- */

/** Reads the advice that is there now. */
static void read_advice(advised_t *advised)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    pb_advice_free(advised->advice);
    const int error =
        pb_advice_read(coll_pipebcast_params.advice_dir, advised->hosts, &advised->advice, &diag);
    if (error == PB_ERR_NO_MEMORY) {
        coll_pipebcast_help_each(PB_HELP_ADVICE_INVALID, "out of memory while advice is read");
    } else if (error != PB_SUCCESS) {
        coll_pipebcast_help_each(PB_HELP_ADVICE_INVALID, pb_diag_first(&diag));
    } else if (advised->advice == NULL) {
        coll_pipebcast_help_each(PB_HELP_ADVICE_MISSING, coll_pipebcast_params.advice_dir,
                                 advised->hosts->n, advised->module->comm->c_name,
                                 (unsigned long long) advised->hosts->hash);
    }
    pb_diag_clear(&diag);
}

/** The tree that is advised now; NULL: none. Reports once why there is none. */
static const pb_advice_tree_t *find_advised(advised_t *advised, size_t total)
{
    const int rank = ompi_comm_rank(advised->module->comm);
    const pb_advice_version_t version =
        pb_advice_version(coll_pipebcast_params.advice_dir, advised->hosts);
    if (!advised->has_read || !pb_advice_version_is(&version, &advised->version)) {
        advised->version = version;
        advised->has_read = true;
        read_advice(advised);
    }
    if (advised->advice == NULL) {
        return NULL;
    }
    if (pb_advice_is_stale(advised->advice, pb_advice_now())) {
        coll_pipebcast_help_each(PB_HELP_ADVICE_OLD, coll_pipebcast_params.advice_dir,
                                 advised->hosts->n, advised->module->comm->c_name,
                                 advised->advice->max_age);
        return NULL;
    }
    return pb_advice_find(advised->advice, advised->host[rank], total);
}

/* ---- what is noted for the advisor ---- */

static pb_history_writer_t *make_history(const advised_t *advised, pb_history_kind_t kind)
{
    char token[80];
    pb_diag_t diag;
    pb_history_writer_t *writer = NULL;
    const int rank = ompi_comm_rank(advised->module->comm);
    snprintf(token, sizeof(token), "%d-%ld-%016" PRIx64, advised->host[rank], (long) getpid(),
             advised->group);
    pb_diag_init(&diag);
    const int error = pb_history_create(coll_pipebcast_params.advice_dir, kind, advised->group,
                                        advised->hosts, token, &writer, &diag);
    if (error != PB_SUCCESS) {
        coll_pipebcast_help_each(PB_HELP_HISTORY,
                                 error == PB_ERR_NO_MEMORY ? "out of memory" : pb_diag_first(&diag),
                                 opal_process_info.nodename);
    }
    pb_diag_clear(&diag);
    return writer;
}

/** Adds a record: this rank was root (`from`), or `from` is its parent, and delivered `bytes`. */
static void add_note(advised_t *advised, pb_history_kind_t kind, uint64_t broadcast, int from,
                     uint64_t bytes, int64_t begun, int64_t taken)
{
    const pb_history_record_t record = {.broadcast = broadcast,
                                        .from = advised->host[from],
                                        .to = advised->host[ompi_comm_rank(advised->module->comm)],
                                        .bytes = bytes,
                                        .begun = begun,
                                        .taken = taken};
    if (kind == PB_HISTORY_RATES && record.from == record.to) {
        return;
    }
    if (!advised->has_tried[kind]) {
        advised->histories[kind] = make_history(advised, kind);
        advised->has_tried[kind] = true;
    }
    if (advised->histories[kind] != NULL) {
        pb_history_add(advised->histories[kind], &record);
    }
}

/* ---- the broadcast ---- */

typedef struct adaptive {
    coll_pipebcast_operation_t super;
    pb_kind_t kind;      /**< of the static plan */
    size_t segment_size; /**< of the static plan */
    uint64_t broadcast;  /**< its number on the communicator */
    int64_t begun;       /**< by pb_advice_now(), as the times in `delivery` */
    bool is_advised;     /**< it goes down an advised tree */
    pb_message_t message;
    pb_member_t member;
    pb_delivery_t delivery;
} adaptive_t;

/** This rank's part in the tree of a header. */
static int find_part(void *caller, uint8_t *header, size_t length, pb_group_part_t *part)
{
    adaptive_t *adaptive = caller;
    coll_pipebcast_module_t *module = adaptive->super.module;
    const coll_pipebcast_call_t *call = &adaptive->super.call;
    const known_t *known;
    pb_planned_t planned;
    int rc = learn(module->advised, call->root, header, length, &known);
    adaptive->is_advised = rc == PB_SUCCESS && known->role != NULL;
    if (rc == PB_SUCCESS && !adaptive->is_advised) {
        rc = pb_planner_role(module->planner, call->root, adaptive->kind, NULL, 0, &planned);
        coll_pipebcast_count_role(planned.was_cached);
    }
    if (rc != PB_SUCCESS) {
        return rc;
    }
    const size_t segment_size = adaptive->is_advised ? known->segment_size : adaptive->segment_size;
    *part = (pb_group_part_t){.role = adaptive->is_advised ? known->role : planned.role,
                              .segment_size =
                                  segment_size < call->data.total ? segment_size : call->data.total,
                              .message = &adaptive->message,
                              .limits = coll_pipebcast_params.limits};
    return PB_SUCCESS;
}

/** The root finds its header, the others listen for it. */
static int start_member(adaptive_t *adaptive)
{
    coll_pipebcast_operation_t *operation = &adaptive->super;
    advised_t *advised = operation->module->advised;
    const size_t room = pb_adaptive_header_room(advised->hosts->n);
    coll_pipebcast_operation_control(operation);
    if (!operation->is_root) {
        return pb_member_start(&adaptive->member, &operation->control, &operation->transport, room,
                               find_part, adaptive)
                   ? PB_SUCCESS
                   : PB_ERR_NO_MEMORY;
    }
    uint8_t *header = malloc(room);
    if (header == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const size_t length = pb_adaptive_header_write(
        find_advised(advised, operation->call.data.total), advised->hosts->n, header);
    return pb_member_start_as_root(&adaptive->member, &operation->control, &operation->transport,
                                   header, length, find_part, adaptive);
}

static int start(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    adaptive_t *adaptive = (adaptive_t *) operation;
    advised_t *advised = operation->module->advised;
    operation->counted_as = COLL_PIPEBCAST_BY_ADVICE;
    adaptive->kind = planned->kind;
    adaptive->segment_size = planned->segment_size;
    adaptive->broadcast = advised->n_broadcasts;
    adaptive->begun = pb_advice_now();
    int rc = coll_pipebcast_message_init(&adaptive->message, &operation->call.data,
                                         operation->is_root, false);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    rc = start_member(adaptive);
    if (rc != PB_SUCCESS) {
        coll_pipebcast_message_fini(&adaptive->message);
        return rc;
    }
    advised->n_broadcasts++; /* alike on all ranks */
    return PB_SUCCESS;
}

static bool advance(coll_pipebcast_operation_t *operation)
{
    adaptive_t *adaptive = (adaptive_t *) operation;
    const pb_transfer_t *transfer = &adaptive->member.transfer;
    const bool is_through = pb_member_advance(&adaptive->member);
    adaptive->delivery.waited |= !pb_transfer_is_started(transfer);
    if (pb_transfer_is_started(transfer)) {
        pb_delivery_look(&adaptive->delivery, transfer, pb_advice_now());
    }
    return is_through;
}

static int refused(const coll_pipebcast_operation_t *operation)
{
    const pb_member_t *member = &((const adaptive_t *) operation)->member;
    return pb_member_is_broken(member) ? pb_member_error(member) : 0;
}

static void cancel(coll_pipebcast_operation_t *operation)
{
    pb_member_cancel(&((adaptive_t *) operation)->member);
}

/** Notes for the advisor the measurements of a broadcast that ended well. */
static void note(adaptive_t *adaptive)
{
    const coll_pipebcast_call_t *call = &adaptive->super.call;
    const pb_transfer_t *transfer = &adaptive->member.transfer;
    const pb_delivery_t *delivery = &adaptive->delivery;
    advised_t *advised = adaptive->super.module->advised;
    uint64_t bytes;
    int64_t taken;
    coll_pipebcast_count(&coll_pipebcast_counters.advised, adaptive->is_advised);
    if (transfer->n_parents == 0) {
        add_note(advised, PB_HISTORY_BROADCASTS, adaptive->broadcast, call->root, call->data.total,
                 adaptive->begun, pb_advice_now() - adaptive->begun);
    }
    for (int i = 0; i < transfer->n_parents; i++) {
        if (pb_delivery_rate(delivery, transfer, i, &bytes, &taken)) {
            add_note(advised, PB_HISTORY_RATES, adaptive->broadcast, transfer->lanes[i].rank, bytes,
                     delivery->parent[i].first, taken);
        }
    }
}

static int finish(coll_pipebcast_operation_t *operation, bool *stays_p)
{
    adaptive_t *adaptive = (adaptive_t *) operation;
    const int error = pb_member_error(&adaptive->member);
    (void) stays_p;
    if (error == 0 && !operation->is_left) {
        note(adaptive);
    }
    pb_member_finish(&adaptive->member);
    coll_pipebcast_message_fini(&adaptive->message);
    return error;
}

static const coll_pipebcast_method_t method = {
    .size = sizeof(adaptive_t),
    .start = start,
    .advance = advance,
    .refused = refused,
    .cancel = cancel,
    .finish = finish,
};

void coll_pipebcast_adaptive_register(const mca_base_component_t *component)
{
    static const coll_pipebcast_advice_t advice = {
        .prepare = prepare,
        .give_back = give_back,
        .method = &method,
    };
    coll_pipebcast_advice = &advice;
    (void) mca_base_component_var_register(
        component, "advice_dir",
        "Directory shared with pipebcast advise. Where it is set, advice is followed. The root "
        "finds there the tree for the network as it is now, and ranks write there how fast their "
        "parents delivered. It must be writable on all hosts. Without good advice, and for "
        "nonblocking and persistent broadcasts, algorithm counts. "
        "(default: none)",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_READONLY,
        &coll_pipebcast_params.advice_dir);
}
