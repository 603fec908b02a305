/*
 * Advice as a communicator uses it; see adaptive/advised.h.
 */
#include "adaptive/advised.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/connections.h"
#include "communicator/placement.h"
#include "contrib/adaptive/advice/host_plan.h"
#include "engine/adaptive/header.h"
#include "topo/util/hash.h"

/* ---- the communicator ---- */

/** Returns the name of the rank's host, also where the rank sits at a level inside the host. */
static const char *host_name(const coll_pipebcast_module_t *module, int rank)
{
    const pb_network_t *network = module->placed->placement->network;
    const int host = pb_network_host_of(network, module->placed->placement->host[rank]);
    return pb_network_node(network, host)->name;
}

/** The set of the communicator's hosts, and each rank's host in it. PB_ERR_INPUT if they are no
 * set. */
static int find_hosts(coll_pipebcast_advised_t *advised)
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

int coll_pipebcast_advised_prepare(coll_pipebcast_module_t *module)
{
    if (module->advised != NULL) {
        return OMPI_SUCCESS;
    }
    coll_pipebcast_advised_t *advised = calloc(1, sizeof(*advised));
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
        coll_pipebcast_advised_free(advised);
        return error == PB_ERR_NO_MEMORY ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    }
    module->advised = advised;
    return OMPI_SUCCESS;
}

static void forget(const coll_pipebcast_known_t *known)
{
    free(known->role);
    free(known->header);
}

void coll_pipebcast_advised_free(coll_pipebcast_advised_t *advised)
{
    for (int i = 0; i < COLL_PIPEBCAST_MAX_KNOWN; i++) {
        forget(&advised->known[i]);
    }
    pb_advice_free(advised->advice);
    pb_history_close(advised->broadcasts.writer);
    pb_history_close(advised->rates.writer);
    pb_host_set_free(advised->hosts);
    free(advised->host);
    free(advised);
}

/* ---- what all ranks know ---- */

/** A known tree; NULL: it is not known. */
static const coll_pipebcast_known_t *find_known(const coll_pipebcast_advised_t *advised, int root,
                                                const uint8_t *header, size_t length)
{
    for (int i = 0; i < COLL_PIPEBCAST_MAX_KNOWN; i++) {
        const coll_pipebcast_known_t *known = &advised->known[i];
        if (known->header != NULL && known->root == root && known->length == length &&
            memcmp(known->header, header, length) == 0) {
            return known;
        }
    }
    return NULL;
}

/** The plan for all ranks of a tree over the hosts. PB_ERR_NO_MEMORY, or PB_ERR_MALFORMED. */
static int plan_of(const coll_pipebcast_advised_t *advised, int root, const pb_advice_tree_t *tree,
                   pb_plan_t **plan_p)
{
    pb_view_t *view = NULL;
    int error = pb_view_new(advised->module->placed->placement, root, NULL, 0, &view);
    *plan_p = NULL;
    if (error == PB_SUCCESS) {
        error = pb_host_plan(view, advised->host, advised->hosts->n,
                             (const pb_tree_t *const *) tree->streams, tree->n_streams, plan_p);
    }
    pb_view_free(view);
    return error == PB_SUCCESS || error == PB_ERR_NO_MEMORY ? error : PB_ERR_MALFORMED;
}

/** Makes a tree a known one, in place of the oldest. As plan_of(). */
static int add_known(coll_pipebcast_advised_t *advised, int root, const pb_advice_tree_t *tree,
                     const uint8_t *header, size_t length, const coll_pipebcast_known_t **known_p)
{
    pb_plan_t *plan;
    const int error = plan_of(advised, root, tree, &plan);
    coll_pipebcast_count(&coll_pipebcast_counters.roles_computed, 1);
    if (error != PB_SUCCESS) {
        return error;
    }
    const coll_pipebcast_known_t known = {
        .root = root,
        .role = pb_role_new(plan, ompi_comm_rank(advised->module->comm)),
        .segment_size = tree->segment,
        .length = length,
        .header = malloc(length),
    };
    const int n_neighbours = pb_plan_most_neighbours(plan);
    pb_plan_free(plan);
    if (known.role == NULL || known.header == NULL) {
        forget(&known);
        return PB_ERR_NO_MEMORY;
    }
    memcpy(known.header, header, length);
    pb_planner_charge_tree(advised->module->planner, n_neighbours);
    coll_pipebcast_connections_count_role(advised->module, known.role);
    coll_pipebcast_known_t *oldest = &advised->known[advised->n_known % COLL_PIPEBCAST_MAX_KNOWN];
    advised->n_known++;
    forget(oldest);
    *oldest = known;
    *known_p = oldest;
    return PB_SUCCESS;
}

/** Reads the tree of a header. */
static int read_tree(coll_pipebcast_advised_t *advised, int root, const uint8_t *header,
                     size_t length, const coll_pipebcast_known_t **known_p)
{
    pb_advice_tree_t tree;
    int rc = pb_adaptive_header_read(&tree, advised->hosts->n, advised->host[root], header, length);
    if (rc != PB_SUCCESS) {
        return rc == PB_ERR_NO_MEMORY ? rc : PB_ERR_MALFORMED;
    }
    if (tree.n_streams > 0) {
        rc = add_known(advised, root, &tree, header, length, known_p);
    }
    pb_adaptive_header_clear(&tree);
    return rc;
}

int coll_pipebcast_advised_learn(coll_pipebcast_advised_t *advised, int root, const uint8_t *header,
                                 size_t length, const coll_pipebcast_known_t **known_p)
{
    *known_p = find_known(advised, root, header, length);
    if (*known_p != NULL) {
        return PB_SUCCESS;
    }
    const int rc = read_tree(advised, root, header, length, known_p);
    return rc == PB_ERR_NO_MEMORY ? read_tree(advised, root, header, length, known_p) : rc;
}

/* ---- advice, at the root ---- */

/**
 * Returns whether a tree would keep within the bound on connections; if not, reports it once.
 * O(ranks * streams) where there is a bound.
 */
static bool is_within_bound(const coll_pipebcast_advised_t *advised, const pb_advice_tree_t *tree)
{
    const coll_pipebcast_module_t *module = advised->module;
    pb_plan_t *plan;
    if (coll_pipebcast_may_reach_all(module)) {
        return true;
    }
    if (plan_of(advised, ompi_comm_rank(module->comm), tree, &plan) != PB_SUCCESS) {
        return false;
    }
    const bool fits = pb_planner_has_room(module->planner, pb_plan_most_neighbours(plan));
    pb_plan_free(plan);
    if (!fits) {
        coll_pipebcast_help_each(PB_HELP_ADVICE_CONNECTIONS, module->comm->c_name,
                                 module->connections);
    }
    return fits;
}

/** Reads the advice that is there now. */
static void read_advice(coll_pipebcast_advised_t *advised)
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

/** The tree that is advised now; NULL: none. */
static const pb_advice_tree_t *find_advised(coll_pipebcast_advised_t *advised, size_t total)
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

/** At verbose 10 the root logs that it announces another tree. */
static void log_announcement(const coll_pipebcast_advised_t *advised, const pb_advice_tree_t *tree,
                             size_t total)
{
    struct ompi_communicator_t *comm = advised->module->comm;
    char text[96] = "the static plan";
    if (tree != NULL) {
        snprintf(text, sizeof(text), "advised trees of %d %s, segments of %u bytes",
                 tree->n_streams, tree->n_streams == 1 ? "stream" : "streams", tree->segment);
    }
    coll_pipebcast_log(10, "communicator %s: %zu bytes from root %d: announces %s", comm->c_name,
                       total, ompi_comm_rank(comm), text);
}

size_t coll_pipebcast_advised_look(coll_pipebcast_advised_t *advised, size_t total, uint8_t *header)
{
    const int root = ompi_comm_rank(advised->module->comm), n_hosts = advised->hosts->n;
    const pb_advice_tree_t *tree = find_advised(advised, total);
    size_t length = pb_adaptive_header_write(tree, n_hosts, header);
    bool is_new = tree != NULL && find_known(advised, root, header, length) == NULL;
    if (is_new && !is_within_bound(advised, tree)) {
        tree = NULL;
        is_new = false;
        length = pb_adaptive_header_write(tree, n_hosts, header);
    }
    if (is_new || advised->has_announced != (tree != NULL)) {
        log_announcement(advised, tree, total);
    }
    advised->has_announced = tree != NULL;
    return length;
}

/* ---- what is noted for the advisor ---- */

static pb_history_writer_t *make_history(const coll_pipebcast_advised_t *advised,
                                         pb_history_kind_t kind)
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

void coll_pipebcast_advised_note(coll_pipebcast_advised_t *advised, pb_history_kind_t kind,
                                 uint64_t broadcast, int from, uint64_t bytes, int64_t begun,
                                 int64_t taken)
{
    coll_pipebcast_notes_t *notes =
        kind == PB_HISTORY_RATES ? &advised->rates : &advised->broadcasts;
    const pb_history_record_t record = {.broadcast = broadcast,
                                        .from = advised->host[from],
                                        .to = advised->host[ompi_comm_rank(advised->module->comm)],
                                        .bytes = bytes,
                                        .begun = begun,
                                        .taken = taken};
    if (kind == PB_HISTORY_RATES && record.from == record.to) {
        return;
    }
    if (!notes->tried) {
        notes->writer = make_history(advised, kind);
    }
    notes->tried = true;
    if (notes->writer != NULL) {
        pb_history_add(notes->writer, &record);
    }
}
