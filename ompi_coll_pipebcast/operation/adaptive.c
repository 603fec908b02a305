/*
 * One rank's part of an adaptive broadcast in Open MPI; see operation/adaptive.h.
 */
#include "operation/adaptive.h"

#include <stdlib.h>
#include <string.h>

#include "component/clock.h"
#include "component/log.h"
#include "engine/adaptive/header.h"

int64_t pb_adaptive_host_now(pb_adaptive_host_t *host)
{
    (void) host;
    return coll_pipebcast_now();
}

/** This rank's place in a known tree (NULL: in the static plan). */
static int place_in(pb_adaptive_host_t *host, const coll_pipebcast_known_t *known,
                    pb_adaptive_place_t *place)
{
    int rc = OMPI_SUCCESS;
    const size_t segment_size = known != NULL ? known->segment_size : host->choice.segment_size;
    const pb_role_t *role =
        known != NULL ? known->role
                      : coll_pipebcast_role(host->module, host->choice.kind, host->root, &rc);
    *place = (pb_adaptive_place_t){
        .role = role,
        .segment_size = segment_size < host->data.total ? segment_size : host->data.total};
    return rc;
}

int pb_adaptive_host_learn(pb_adaptive_host_t *host, const uint8_t *bytes, size_t length,
                           pb_adaptive_place_t *place)
{
    const coll_pipebcast_known_t *known;
    const int rc = coll_pipebcast_advised_learn(host->advised, host->root, host->data.total, bytes,
                                                length, &known);
    return rc != OMPI_SUCCESS ? rc : place_in(host, known, place);
}

bool pb_adaptive_host_spare(pb_adaptive_host_t *host)
{
    (void) host;
    return coll_pipebcast_reserve_spend();
}

static void drop_message(pb_adaptive_host_t *host, int tree)
{
    if (host->has_message[tree]) {
        coll_pipebcast_message_fini(&host->message[tree]);
        host->has_message[tree] = false;
    }
}

pb_message_t *pb_adaptive_host_message(pb_adaptive_host_t *host, pb_adaptive_tree_t tree,
                                       const pb_adaptive_place_t *place,
                                       pb_transfer_limits_t *limits_p)
{
    pb_message_t *message = &host->message[tree];
    drop_message(host, tree);
    const int rc = coll_pipebcast_windows_cut(message, &host->data, place->segment_size,
                                              place->role, limits_p);
    host->has_message[tree] = rc == OMPI_SUCCESS;
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_message_fail(message, rc);
    }
    return message;
}

/** Whether the tree of this header is the one that all ranks know. */
static bool is_known(const coll_pipebcast_known_t *known, const pb_advice_tree_t *advised,
                     const uint8_t *header, size_t length)
{
    if (known == NULL || advised == NULL) {
        return known == NULL && advised == NULL;
    }
    return known->length == length && memcmp(known->header, header, length) == 0;
}

/** At verbose 10 the root tells that it announces another tree. */
static void tell_announcement(const pb_adaptive_host_t *host, const pb_advice_tree_t *tree)
{
    char text[96] = "the static plan";
    if (tree != NULL) {
        snprintf(text, sizeof(text), "advised trees of %d %s, segments of %u bytes",
                 tree->n_streams, tree->n_streams == 1 ? "stream" : "streams", tree->segment);
    }
    coll_pipebcast_tell(10, "communicator %s: %zu bytes from root %d: announces %s",
                        host->module->comm->c_name, host->data.total, host->root, text);
}

/** Decides which tree it is, and begins in it. */
static int start_as_root(coll_pipebcast_adaptive_t *adaptive, const pb_adaptive_env_t *env,
                         const coll_pipebcast_known_t *known)
{
    pb_adaptive_host_t *host = &adaptive->host;
    pb_adaptive_place_t place;
    const pb_advice_tree_t *tree = coll_pipebcast_advised_look(host->advised, host->data.total);
    adaptive->header = malloc(env->room);
    if (adaptive->header == NULL && coll_pipebcast_reserve_spend()) {
        adaptive->header = malloc(env->room);
    }
    if (adaptive->header == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const size_t length = pb_adaptive_header_write(tree, host->advised->hosts->n, adaptive->header);
    const bool changes = !is_known(known, tree, adaptive->header, length);
    if (changes) {
        tell_announcement(host, tree);
    }
    const int rc = changes ? pb_adaptive_host_learn(host, adaptive->header, length, &place)
                           : place_in(host, known, &place);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    return pb_adaptive_start_root(&adaptive->engine, env, &place, changes ? adaptive->header : NULL,
                                  length)
               ? OMPI_SUCCESS
               : OMPI_ERR_OUT_OF_RESOURCE;
}

static int start_as_receiver(coll_pipebcast_adaptive_t *adaptive, const pb_adaptive_env_t *env,
                             const coll_pipebcast_known_t *known)
{
    pb_adaptive_place_t place;
    const int rc = place_in(&adaptive->host, known, &place);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    return pb_adaptive_start_receiver(&adaptive->engine, env, &place) ? OMPI_SUCCESS
                                                                      : OMPI_ERR_OUT_OF_RESOURCE;
}

static int start(coll_pipebcast_adaptive_t *adaptive)
{
    pb_adaptive_host_t *host = &adaptive->host;
    const pb_adaptive_env_t env = {
        .host = host,
        .control = &adaptive->control,
        .transport = {&adaptive->transport[0], &adaptive->transport[1]},
        .room = pb_adaptive_header_room(host->advised->hosts->n),
        .total = host->data.total,
    };
    const coll_pipebcast_known_t *known =
        coll_pipebcast_advised_known(host->advised, host->root, host->data.total);
    return ompi_comm_rank(host->module->comm) == host->root
               ? start_as_root(adaptive, &env, known)
               : start_as_receiver(adaptive, &env, known);
}

static void give_back(coll_pipebcast_adaptive_t *adaptive)
{
    for (int tree = 0; tree < PB_ADAPTIVE_N_TREES; tree++) {
        drop_message(&adaptive->host, tree);
    }
    free(adaptive->header);
    free(adaptive);
}

int coll_pipebcast_adaptive_start(coll_pipebcast_advised_t *advised,
                                  const coll_pipebcast_data_t *data, int root,
                                  const coll_pipebcast_choice_t *choice, int tag,
                                  coll_pipebcast_adaptive_t **adaptive_p)
{
    struct ompi_communicator_t *comm = advised->module->comm;
    coll_pipebcast_adaptive_t *adaptive = calloc(1, sizeof(*adaptive));
    if (adaptive == NULL && coll_pipebcast_reserve_spend()) {
        adaptive = calloc(1, sizeof(*adaptive));
    }
    if (adaptive == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    adaptive->host = (pb_adaptive_host_t){
        .module = advised->module,
        .advised = advised,
        .data = *data,
        .root = root,
        .choice = *choice,
        .broadcast = advised->n_broadcasts++,
        .begun_at = pb_advice_now(),
        .begun = pb_adaptive_host_now(NULL),
    };
    adaptive->control = (pb_control_t){.comm = comm, .tag = tag};
    for (int tree = 0; tree < PB_ADAPTIVE_N_TREES; tree++) {
        adaptive->transport[tree] =
            (pb_transport_t){.comm = comm, .tag = tag - 1 - tree, .lock = &advised->module->lock};
    }
    const int rc = start(adaptive);
    if (rc != OMPI_SUCCESS) {
        give_back(adaptive);
        return rc;
    }
    *adaptive_p = adaptive;
    return OMPI_SUCCESS;
}

/** What the advisor may want to know of a broadcast that ended well. */
static void note(const coll_pipebcast_adaptive_t *adaptive)
{
    const pb_adaptive_host_t *host = &adaptive->host;
    const pb_adaptive_t *engine = &adaptive->engine;
    const pb_transfer_t *transfer = &engine->transfer[engine->tree];
    uint64_t bytes;
    int64_t taken;
    if (ompi_comm_rank(host->module->comm) == host->root) {
        coll_pipebcast_advised_note_broadcast(host->advised, host->broadcast, host->data.total,
                                              host->begun_at,
                                              pb_adaptive_host_now(NULL) - host->begun);
    }
    for (int i = 0; i < transfer->n_sources; i++) {
        if (pb_delivery_rate(&engine->delivery, transfer, i, &bytes, &taken)) {
            coll_pipebcast_advised_note_rate(
                host->advised, host->broadcast, transfer->lanes[i].rank, bytes,
                host->begun_at + engine->delivery.source[i].first - host->begun, taken);
        }
    }
}

int coll_pipebcast_adaptive_finish(coll_pipebcast_adaptive_t *adaptive)
{
    const int error = pb_adaptive_error(&adaptive->engine);
    if (error == 0) {
        note(adaptive);
    }
    pb_adaptive_finish(&adaptive->engine);
    give_back(adaptive);
    return error;
}
