/*
 * The world of world.h.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/transfer.h"
#include "test/must.h"

/** Bytes behind each buffer, which nothing may touch. */
#define GUARD 64
#define GUARD_BYTE '#'

static const char *const call_names[CALL_COUNT] = {
    [CALL_SEND] = "send",       [CALL_RECEIVE] = "receive", [CALL_SENT] = "sent",
    [CALL_ARRIVED] = "arrived", [CALL_SHORT] = "short",     [CALL_CONVERT] = "convert",
};

const char *call_name(call_t call)
{
    return call_names[call];
}

static char byte_at(const world_t *w, size_t offset)
{
    return (char) (((offset + w->shift) * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

void world_breach(world_t *w, const char *what, int rank)
{
    if (w->n_breaches++ == 0) {
        snprintf(w->breach, sizeof(w->breach), "%s (rank %d)", what, rank);
    }
}

/** Tells whether this call of this rank is the one that fails. */
static bool fails(world_t *w, int rank, call_t call)
{
    if (rank != w->fail_rank || call != w->fail_call || w->failed) {
        return false;
    }
    w->failed = w->fail_after-- == 0;
    return w->failed;
}

static bool chance(world_t *w, int percent)
{
    return pb_random_below(&w->random, 100) < percent;
}

world_t *world_new(uint64_t seed, int n_ranks, int root, size_t total, size_t segment_size)
{
    const size_t n = (size_t) n_ranks;
    world_t *w = must_zeroed(1, sizeof(*w));
    w->random = pb_random_seed(seed);
    w->n_ranks = n_ranks;
    w->root = root;
    w->total = total;
    w->segment_size = segment_size;
    w->early_percent = 50;
    w->at_once_percent = 50;
    w->tell_percent = 50;
    w->meet_percent = 50;
    w->fail_rank = -1;
    w->transports = must_zeroed(n, sizeof(*w->transports));
    w->messages = must_zeroed(n, sizeof(*w->messages));
    w->data = must_zeroed(n, sizeof(*w->data));
    w->packings = must_zeroed(n, sizeof(*w->packings));
    w->pairs = must_zeroed(n, sizeof(*w->pairs));
    w->n_sent = must_zeroed(n, sizeof(*w->n_sent));
    w->has_ended = must_zeroed(n, sizeof(*w->has_ended));
    for (int rank = 0; rank < n_ranks; rank++) {
        w->transports[rank] = (pb_transport_t){.world = w, .rank = rank};
        w->packings[rank] = (struct pb_packing){.world = w, .rank = rank};
        w->data[rank] = must_zeroed(total + GUARD, 1);
        w->messages[rank] = (pb_message_t){.bytes = w->data[rank], .total = total};
        memset(w->data[rank] + total, GUARD_BYTE, GUARD);
    }
    world_fill(w, 0);
    return w;
}

void world_fill(world_t *w, size_t shift)
{
    w->shift = shift;
    for (size_t i = 0; i < w->total; i++) {
        w->data[w->root][i] = byte_at(w, i);
    }
}

void world_pack(world_t *w, bool all)
{
    for (int rank = 0; rank < w->n_ranks; rank++) {
        pb_message_t *m = &w->messages[rank];
        if (m->packing == NULL && (all || chance(w, 50))) {
            *m = (pb_message_t){.bytes = must_zeroed(w->total, 1),
                                .total = w->total,
                                .packing = &w->packings[rank],
                                .packs = rank == w->root};
        }
    }
}

static void free_copy(pb_message_t *m)
{
    if (m->packing != NULL) {
        free(m->bytes);
    }
}

void world_lose(world_t *w, int rank, size_t total)
{
    free_copy(&w->messages[rank]);
    w->messages[rank] = (pb_message_t){.total = total, .error = WORLD_ERROR};
}

void world_free(world_t *w)
{
    for (size_t i = 0; i < w->n_requests; i++) {
        free(w->requests[i]->copy);
        free(w->requests[i]);
    }
    for (int rank = 0; rank < w->n_ranks; rank++) {
        free_copy(&w->messages[rank]);
        free(w->data[rank]);
        free(w->pairs[rank].of);
    }
    free(w->requests);
    free(w->has_ended);
    free(w->n_sent);
    free(w->pairs);
    free(w->packings);
    free(w->data);
    free(w->messages);
    free(w->transports);
    free(w);
}

bool world_rank_has_guard(const world_t *w, int rank)
{
    bool all = true;
    for (size_t i = 0; i < GUARD; i++) {
        all = all && w->data[rank][w->total + i] == GUARD_BYTE;
    }
    return all;
}

bool world_rank_has_all(const world_t *w, int rank)
{
    const char *data = w->data[rank];
    bool all = world_rank_has_guard(w, rank);
    for (size_t i = 0; i < w->total; i++) {
        all = all && data[i] == byte_at(w, i);
    }
    return all;
}

/* Requests: alive until the engine has given them back and they have met. */

/** Messages from a rank to another, until the next call. */
static world_pair_t *pair_of(world_t *w, int from, int to)
{
    world_pairs_t *pairs = &w->pairs[to];
    for (int i = 0; i < pairs->n; i++) {
        if (pairs->of[i].from == from) {
            return &pairs->of[i];
        }
    }
    pairs->of = must_have(realloc(pairs->of, ((size_t) pairs->n + 1) * sizeof(*pairs->of)));
    pairs->of[pairs->n] = (world_pair_t){.from = from};
    return &pairs->of[pairs->n++];
}

static world_pair_t *pair_of_request(world_t *w, const world_request_t *r)
{
    return r->is_send ? pair_of(w, r->rank, r->peer) : pair_of(w, r->peer, r->rank);
}

void world_rank_ends(world_t *w, int rank)
{
    for (int i = 0; i < w->pairs[rank].n; i++) {
        if (w->pairs[rank].of[i].sends.first != NULL) {
            world_breach(w, "a message is still to come to a rank whose broadcast has ended", rank);
        }
    }
    w->has_ended[rank] = true;
}

int world_n_sends(world_t *w, int from, int to)
{
    return pair_of(w, from, to)->n_sends;
}

static void queue_append(world_queue_t *queue, world_request_t *request)
{
    if (queue->last != NULL) {
        queue->last->next = request;
    } else {
        queue->first = request;
    }
    queue->last = request;
}

static world_request_t *queue_pop(world_queue_t *queue)
{
    world_request_t *request = queue->first;
    queue->first = request->next;
    request->next = NULL;
    if (queue->first == NULL) {
        queue->last = NULL;
    }
    return request;
}

static void queue_remove(world_queue_t *queue, world_request_t *request)
{
    world_queue_t rest = {NULL, NULL};
    while (queue->first != NULL) {
        world_request_t *first = queue_pop(queue);
        if (first != request) {
            queue_append(&rest, first);
        }
    }
    *queue = rest;
}

static world_request_t *request_new(world_t *w, bool is_send, int rank, int peer, size_t bytes)
{
    if (w->n_requests == w->room) {
        w->room = 2 * w->room + 16;
        w->requests = must_have(realloc(w->requests, w->room * sizeof(*w->requests)));
    }
    world_request_t *r = must_zeroed(1, sizeof(*r));
    *r = (world_request_t){.is_send = is_send, .rank = rank, .peer = peer, .bytes = bytes};
    w->requests[w->n_requests++] = r;
    w->n_alive++;
    return r;
}

/** Bytes of a pair's sends for which no receive is posted. */
static size_t waiting_bytes(const world_pair_t *pair)
{
    const world_request_t *receive = pair->receives.first;
    size_t bytes = 0;
    for (const world_request_t *send = pair->sends.first; send != NULL; send = send->next) {
        bytes += receive == NULL ? send->bytes : 0;
        receive = receive != NULL ? receive->next : NULL;
    }
    return bytes;
}

/** The same of all that is sent to a rank. */
static size_t waiting_at(const world_t *w, int rank)
{
    size_t bytes = 0;
    for (int i = 0; i < w->pairs[rank].n; i++) {
        bytes += waiting_bytes(&w->pairs[rank].of[i]);
    }
    return bytes;
}

/** The engine gives a request back. */
static void give_back(world_t *w, pb_request_t *request_p)
{
    world_request_t *r = *request_p;
    world_pair_t *pair = pair_of_request(w, r);
    *(r->is_send ? &pair->n_sends : &pair->n_receives) -= 1;
    w->n_alive--;
    r->released = true;
    *request_p = NULL;
}

/** Bytes that are sent are of the message, and are here. */
static void check_place(world_t *w, int rank, const char *buffer, size_t bytes)
{
    const char *data = w->messages[rank].bytes;
    for (size_t i = 0; i < bytes; i++) {
        if (buffer[i] != byte_at(w, (size_t) (buffer - data) + i)) {
            world_breach(w, "a send of bytes that are not here", rank);
            return;
        }
    }
}

static size_t longest(const world_t *w)
{
    return w->piece_size > w->segment_size ? w->piece_size : w->segment_size;
}

int pb_transport_send(pb_transport_t *transport, const void *buffer, size_t bytes, int rank,
                      bool synchronous, pb_request_t *request_p)
{
    world_t *w = transport->world;
    if (fails(w, transport->rank, CALL_SEND)) {
        return WORLD_ERROR;
    }
    if ((bytes == 0 && !w->failed) || bytes > longest(w) || rank < 0 || rank >= w->n_ranks ||
        rank == transport->rank) {
        world_breach(w, "a send of wrong size or rank", transport->rank);
    } else {
        check_place(w, transport->rank, buffer, bytes);
    }
    if (w->has_ended[rank]) {
        world_breach(w, "a message to a rank whose broadcast has ended", rank);
    }
    world_request_t *r = request_new(w, true, transport->rank, rank, bytes);
    world_pair_t *pair = pair_of_request(w, r);
    r->synchronous = synchronous;
    r->from = buffer;
    queue_append(&pair->sends, r);
    w->n_sent[transport->rank]++;
    pair->n_sends++;
    w->most_sends = pair->n_sends > w->most_sends ? pair->n_sends : w->most_sends;
    const size_t waiting = waiting_at(w, rank);
    w->most_waiting = waiting > w->most_waiting ? waiting : w->most_waiting;
    if (!synchronous && chance(w, w->early_percent)) {
        r->copy = must_zeroed(bytes + 1, 1);
        if (bytes > 0) {
            memcpy(r->copy, buffer, bytes);
        }
        r->done = true;
    }
    *request_p = r;
    if (r->done && chance(w, w->at_once_percent)) {
        give_back(w, request_p);
    }
    return 0;
}

int pb_transport_receive(pb_transport_t *transport, void *buffer, size_t bytes, int rank,
                         pb_lane_t *lane, pb_request_t *request_p)
{
    world_t *w = transport->world;
    if (fails(w, transport->rank, CALL_RECEIVE)) {
        return WORLD_ERROR;
    }
    world_request_t *r = request_new(w, false, transport->rank, rank, bytes);
    world_pair_t *pair = pair_of_request(w, r);
    r->to = buffer;
    r->lane = lane;
    queue_append(&pair->receives, r);
    pair->n_receives++;
    w->most_receives = pair->n_receives > w->most_receives ? pair->n_receives : w->most_receives;
    *request_p = r;
    return 0;
}

static bool is_done(pb_transport_t *transport, pb_request_t *request_p, bool is_send)
{
    const world_request_t *r = *request_p;
    if (r == NULL || r->released || r->is_send != is_send || r->rank != transport->rank) {
        world_breach(transport->world, "asked for a request that is not there", transport->rank);
        return false;
    }
    return r->done;
}

bool pb_transport_sent(pb_transport_t *transport, pb_request_t *request_p, int *error_p)
{
    if (!is_done(transport, request_p, true)) {
        return false;
    }
    *error_p = fails(transport->world, transport->rank, CALL_SENT) ? WORLD_ERROR : 0;
    give_back(transport->world, request_p);
    return true;
}

bool pb_transport_arrived(pb_transport_t *transport, pb_request_t *request_p, size_t bytes,
                          int *error_p)
{
    if (!is_done(transport, request_p, false)) {
        return false;
    }
    *error_p = pb_transport_take(transport, request_p, bytes);
    return true;
}

int pb_transport_take(pb_transport_t *transport, pb_request_t *request_p, size_t bytes)
{
    const world_request_t *r = *request_p;
    const bool wrong = fails(transport->world, transport->rank, CALL_ARRIVED) ||
                       fails(transport->world, transport->rank, CALL_SHORT) || r->cancelled ||
                       r->got != bytes;
    const int error = !wrong ? 0 : r->got == 0 && bytes > 0 ? PB_ERR_EMPTY : WORLD_ERROR;
    give_back(transport->world, request_p);
    return error;
}

void pb_transport_cancel(pb_transport_t *transport, pb_request_t request)
{
    world_t *w = transport->world;
    world_request_t *r = request;
    if (r->released || r->is_send) {
        world_breach(w, "cancelled what is no receive under way", transport->rank);
        return;
    }
    r->lane = NULL;
    r->is_to_end = true;
    if (!r->met && !r->cancelled) {
        queue_remove(&pair_of_request(w, r)->receives, r);
        r->cancelled = true;
    }
}

void pb_transport_abandon(pb_transport_t *transport, pb_request_t *request_p)
{
    world_request_t *r = *request_p;
    transport->world->n_abandoned++;
    if (!r->is_send && !r->is_to_end) {
        world_breach(transport->world, "gave up a receive that it has not asked to end",
                     transport->rank);
    }
    if (r->is_send && r->copy == NULL && !r->met) {
        r->copy = must_zeroed(r->bytes + 1, 1); /* its buffer may be gone after this */
    }
    if (!r->is_send && !r->met && !r->cancelled) {
        queue_remove(&pair_of_request(transport->world, r)->receives, r);
    }
    give_back(transport->world, request_p);
}

/** The heads of a pair's queues meet: the bytes move. */
static void meet(world_t *w, world_pair_t *pair)
{
    world_request_t *send = queue_pop(&pair->sends);
    world_request_t *receive = queue_pop(&pair->receives);
    const bool fits = send->bytes <= receive->bytes;
    if (!fits && !w->failed) {
        world_breach(w, "more bytes than there is room", receive->rank);
    } else if (!receive->released && receive->bytes > 0) {
        const size_t bytes = fits ? send->bytes : receive->bytes;
        if (bytes > 0) {
            memcpy(receive->to, send->copy != NULL ? send->copy : send->from, bytes);
        }
    }
    receive->got = send->bytes;
    send->met = receive->met = true;
}

static void sweep(world_t *w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->n_requests; i++) {
        world_request_t *r = w->requests[i];
        if (r->released && (r->met || !r->is_send)) {
            free(r->copy);
            free(r);
        } else {
            w->requests[kept++] = r;
        }
    }
    w->n_requests = kept;
}

/** A request that has met its other becomes done; the engine may be told that. */
static void end(world_t *w, world_request_t *r)
{
    const bool is_told = r->lane != NULL && !r->released && chance(w, w->tell_percent);
    r->done = !is_told || !pb_transfer_arrived(r->lane, r);
}

/** Each rank sends one message, and gets one: in the order in which sends were started. */
static void cross(world_t *w)
{
    char *is_sending = must_zeroed((size_t) w->n_ranks, 1),
         *is_getting = must_zeroed((size_t) w->n_ranks, 1);
    for (size_t i = 0; i < w->n_requests; i++) {
        world_request_t *r = w->requests[i];
        if (!r->is_send || r->crossed || is_sending[r->rank] || is_getting[r->peer]) {
            continue;
        }
        is_sending[r->rank] = is_getting[r->peer] = 1;
        r->crossed = true;
        if (r->copy == NULL && !r->synchronous) {
            r->copy = must_zeroed(r->bytes + 1, 1); /* it is done, and its buffer may change */
            memcpy(r->copy, r->from, r->bytes);
        }
    }
    free(is_getting);
    free(is_sending);
}

static bool may_meet(const world_t *w, const world_pair_t *pair)
{
    const world_request_t *send = pair->sends.first;
    return send != NULL && pair->receives.first != NULL && (!w->has_ports || send->crossed);
}

static bool may_end(const world_request_t *r)
{
    return r->met || r->cancelled || (r->crossed && !r->synchronous);
}

/** Lets some requests of a pair meet; whether any could. */
static bool let_meet(world_t *w, world_pair_t *pair)
{
    bool could = false;
    while (may_meet(w, pair)) {
        could = true;
        if (!chance(w, w->meet_percent)) {
            break;
        }
        meet(w, pair);
    }
    return could;
}

bool world_step(world_t *w)
{
    bool left = false;
    if (w->has_ports) {
        cross(w);
    }
    for (int rank = 0; rank < w->n_ranks; rank++) {
        for (int i = 0; i < w->pairs[rank].n; i++) {
            left = let_meet(w, &w->pairs[rank].of[i]) || left;
        }
    }
    for (size_t i = 0; i < w->n_requests; i++) {
        world_request_t *r = w->requests[i];
        if (may_end(r) && !r->done && !r->released) {
            left = true;
            if (chance(w, w->meet_percent)) {
                end(w, r);
            }
        }
    }
    sweep(w);
    return left;
}

/* Messages. */

int pb_message_convert(pb_message_t *m, size_t n)
{
    struct pb_packing *p = m->packing;
    char *user = p->world->data[p->rank];
    if (n <= p->n_done) {
        return 0;
    }
    if (fails(p->world, p->rank, CALL_CONVERT)) {
        return WORLD_ERROR;
    }
    if (n > m->total) {
        world_breach(p->world, "converted beyond the end", p->rank);
        return WORLD_ERROR;
    }
    memcpy((m->packs ? m->bytes : user) + p->n_done, (m->packs ? user : m->bytes) + p->n_done,
           n - p->n_done);
    p->n_done = n;
    return 0;
}
