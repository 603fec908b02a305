/*
 * Control messages off the wire, as the two sides of an arrival-aware broadcast
 * meet them: ARRIVED at the root, a group's header at a receiver. An input says who
 * this rank is, then what each event brings. When it is used up, no control message
 * can be received any more and everything else succeeds: then the broadcast must
 * come to its end, and every request must have been given back.
 */
#include <stdbool.h>
#include <string.h>

#include "engine/arrival/receiver.h"
#include "engine/arrival/root.h"
#include "test/fuzz/fuzz.h"
#include "topo/trees/plan.h"
#include "topo/util/error.h"

const char fuzz_name[] = "control";

enum {
    MAX_RANKS = 17,
    MESSAGE_BYTES = 300,
    SEGMENT_BYTES = 100,
    CALLER_ERROR = -5,
    /* A header may ask for more segments than anyone will wait for; the transport ends that. */
    MAX_TRANSPORT_CALLS = 2000,
    /* Of an advancing rank, after the input is used up. */
    MAX_ROUNDS = 5000,
    /* Between two looks at the clock. */
    TICK_NS = 1000,
    EXPECTED_NS = 64000,
};

/** What the input says, and what is under way. */
typedef struct wire {
    const uint8_t *next;
    size_t left;
    int n_alive; /**< requests */
    int n_calls; /**< of the transport */
} wire_t;

struct pb_control {
    wire_t *wire;
    int n_ranks;
};

struct pb_transport {
    wire_t *wire;
};

struct pb_message {
    bool fails;    /**< of another size than the user's */
    bool in_place; /**< nothing is asked for each segment */
    uint8_t *bytes;
};

struct pb_arrival_caller {
    const pb_placement_t *placement;
    int root, rank;
    int64_t now;
    pb_role_t *role;
    pb_message_t message;
    int order[MAX_RANKS];
};

typedef struct request {
    void *to;
    size_t bytes;
} request_t;

/** The next byte of the input; 0 when it is used up. */
static int draw(wire_t *wire)
{
    if (wire->left == 0) {
        return 0;
    }
    wire->left--;
    return *wire->next++;
}

static request_t *new_request(wire_t *wire, void *to, size_t bytes)
{
    request_t *request = malloc(sizeof(*request));
    fuzz_must(request != NULL);
    *request = (request_t){.to = to, .bytes = bytes};
    wire->n_alive++;
    return request;
}

static void give_back(wire_t *wire, pb_request_t *request_p)
{
    fuzz_must(*request_p != NULL);
    free(*request_p);
    *request_p = NULL;
    wire->n_alive--;
}

/* ---- control messages ---- */

int pb_control_send(pb_control_t *control, const void *buffer, size_t bytes, int rank,
                    pb_request_t *request_p)
{
    fuzz_must(buffer != NULL && bytes > 0);
    fuzz_must(0 <= rank && rank < control->n_ranks);
    *request_p = new_request(control->wire, NULL, 0);
    return 0;
}

int pb_control_receive(pb_control_t *control, void *buffer, size_t room, pb_request_t *request_p)
{
    *request_p = new_request(control->wire, buffer, room);
    return 0;
}

bool pb_control_sent(pb_control_t *control, pb_request_t *request_p, int *error_p)
{
    *error_p = 0;
    give_back(control->wire, request_p);
    return true;
}

/** A message of the input: from whom, how long, and so many bytes. */
bool pb_control_received(pb_control_t *control, pb_request_t *request_p, int *rank_p,
                         size_t *bytes_p, int *error_p)
{
    const request_t *request = *request_p;
    wire_t *wire = control->wire;
    *error_p = wire->left == 0 ? CALLER_ERROR : 0;
    *rank_p = draw(wire) % control->n_ranks;
    *bytes_p = (size_t) draw(wire) % (request->bytes + 1);
    for (size_t i = 0; i < *bytes_p; i++) {
        ((uint8_t *) request->to)[i] = (uint8_t) draw(wire);
    }
    give_back(wire, request_p);
    return true;
}

bool pb_control_withdraw(pb_control_t *control, pb_request_t *request_p, int *rank_p)
{
    *rank_p = 0;
    give_back(control->wire, request_p);
    return false;
}

/* ---- segments ---- */

static bool transport_refuses(pb_transport_t *transport)
{
    return ++transport->wire->n_calls > MAX_TRANSPORT_CALLS;
}

int pb_transport_send(pb_transport_t *transport, const void *buffer, size_t bytes, int rank,
                      bool synchronous, pb_request_t *request_p)
{
    (void) rank;
    (void) synchronous;
    fuzz_must(bytes <= MESSAGE_BYTES && (buffer != NULL || bytes == 0));
    if (transport_refuses(transport)) {
        return CALLER_ERROR;
    }
    *request_p = new_request(transport->wire, NULL, 0);
    return 0;
}

int pb_transport_receive(pb_transport_t *transport, void *buffer, size_t bytes, int rank,
                         struct pb_lane *lane, pb_request_t *request_p)
{
    (void) rank;
    (void) lane; /* whoever receives finds out by asking */
    fuzz_must(bytes <= MESSAGE_BYTES && (buffer != NULL || bytes == 0));
    if (transport_refuses(transport)) {
        return CALLER_ERROR;
    }
    *request_p = new_request(transport->wire, buffer, bytes);
    return 0;
}

bool pb_transport_sent(pb_transport_t *transport, pb_request_t *request_p, int *error_p)
{
    *error_p = 0;
    give_back(transport->wire, request_p);
    return true;
}

/** A segment comes; or, if the input says so, later, or an empty or a wrong message. */
bool pb_transport_arrived(pb_transport_t *transport, pb_request_t *request_p, size_t bytes,
                          int *error_p)
{
    const request_t *request = *request_p;
    const int what = draw(transport->wire);
    fuzz_must(bytes == request->bytes);
    if (what == 1) {
        return false;
    }
    *error_p = what == 2 ? PB_ERR_EMPTY : what == 3 ? CALLER_ERROR : 0;
    if (*error_p == 0 && bytes > 0) {
        memset(request->to, what, bytes);
    }
    give_back(transport->wire, request_p);
    return true;
}

int pb_transport_take(pb_transport_t *transport, pb_request_t *request_p, size_t bytes)
{
    (void) bytes;
    fuzz_must(false); /* nobody was told */
    give_back(transport->wire, request_p);
    return 0;
}

void pb_transport_cancel(pb_transport_t *transport, pb_request_t request)
{
    (void) transport;
    fuzz_must(request != NULL);
}

void pb_transport_abandon(pb_transport_t *transport, pb_request_t *request_p)
{
    give_back(transport->wire, request_p);
}

/* ---- the user's message ---- */

static int place(pb_message_t *message, size_t offset, size_t bytes, uint8_t **place_p)
{
    if (message->fails) {
        return CALLER_ERROR;
    }
    fuzz_must(offset < MESSAGE_BYTES && bytes > 0 && bytes <= MESSAGE_BYTES - offset);
    *place_p = message->bytes + offset;
    return 0;
}

char *pb_message_in_place(pb_message_t *message)
{
    return message->in_place ? (char *) message->bytes : NULL;
}

int pb_message_to_send(pb_message_t *message, uint64_t segment, size_t offset, size_t bytes,
                       const void **buffer_p)
{
    uint8_t *at = NULL;
    (void) segment;
    const int error = place(message, offset, bytes, &at);
    *buffer_p = at;
    return error;
}

int pb_message_to_receive(pb_message_t *message, uint64_t segment, size_t offset, size_t bytes,
                          void **buffer_p)
{
    uint8_t *at = NULL;
    (void) segment;
    const int error = place(message, offset, bytes, &at);
    *buffer_p = at;
    return error;
}

int pb_message_received(pb_message_t *message, uint64_t segment, size_t offset, size_t bytes,
                        void *buffer)
{
    (void) segment;
    fuzz_must(message->bytes + offset == buffer && offset + bytes <= MESSAGE_BYTES);
    return 0;
}

void pb_message_release(pb_message_t *message, uint64_t segment, const void *buffer)
{
    (void) message;
    (void) segment;
    fuzz_must(buffer != NULL);
}

/* ---- the caller ---- */

int64_t pb_arrival_caller_now(pb_arrival_caller_t *caller)
{
    return caller->now += TICK_NS;
}

const int *pb_arrival_caller_order(pb_arrival_caller_t *caller)
{
    int n = 0;
    for (int rank = 0; rank < caller->placement->n_ranks; rank++) {
        if (rank != caller->root) {
            caller->order[n++] = rank;
        }
    }
    return caller->order;
}

/** As in the plugin: members that are no tree's ranks, or do not fit the kind, are an error. */
int pb_arrival_caller_role(pb_arrival_caller_t *caller, const pb_arrival_header_t *header,
                           const pb_role_t **role_p)
{
    int ranks[MAX_RANKS];
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    const int n = pb_arrival_members(header, caller->placement->n_ranks, ranks);
    free(caller->role);
    caller->role = NULL;
    if (pb_view_new(caller->placement, caller->root, ranks, n, &view) == PB_SUCCESS &&
        pb_plan_compute(view, header->kind, NULL, &plan) == PB_SUCCESS) {
        caller->role = pb_role_new(plan, caller->rank);
        fuzz_must(caller->role != NULL);
    }
    pb_plan_free(plan);
    pb_view_free(view);
    *role_p = caller->role;
    return caller->role != NULL ? 0 : CALLER_ERROR;
}

int pb_arrival_caller_choose(pb_arrival_caller_t *caller, pb_arrival_header_t *header,
                             const pb_role_t **role_p)
{
    header->kind = PB_KIND_CHAIN;
    header->segment_size = SEGMENT_BYTES;
    return pb_arrival_caller_role(caller, header, role_p);
}

pb_message_t *pb_arrival_caller_message(pb_arrival_caller_t *caller,
                                        const pb_arrival_header_t *header, const pb_role_t *role,
                                        pb_transfer_limits_t *limits_p)
{
    (void) role;
    *limits_p = (pb_transfer_limits_t){
        .receive_window = 3, .send_window = 2, .ahead = header->unasked ? 0 : SEGMENT_BYTES};
    caller->message.fails = header->total != MESSAGE_BYTES;
    caller->message.in_place = !caller->message.fails && caller->rank % 2 == 0;
    return &caller->message;
}

/* ---- the broadcast ---- */

static void play_root(const pb_arrival_env_t *env)
{
    pb_arrival_root_t root;
    bool through = false;
    fuzz_must(pb_arrival_root_start(&root, env, EXPECTED_NS));
    for (int round = 0; round < MAX_ROUNDS && !through; round++) {
        through = pb_arrival_root_advance(&root);
    }
    fuzz_must(through);
    while (!pb_arrival_root_linger(&root)) {
    }
    (void) pb_arrival_root_report(&root);
    pb_arrival_root_finish(&root);
}

static void play_receiver(const pb_arrival_env_t *env)
{
    pb_arrival_receiver_t receiver;
    bool through = false;
    fuzz_must(pb_arrival_receiver_start(&receiver, env));
    for (int round = 0; round < MAX_ROUNDS && !through; round++) {
        through = pb_arrival_receiver_advance(&receiver);
    }
    fuzz_must(through);
    pb_arrival_receiver_finish(&receiver);
}

/** All hosts behind one switch, made once. */
static const pb_network_t *network(void)
{
    static pb_network_t *made;
    static char names[MAX_RANKS][16];
    const char *list[MAX_RANKS];
    for (int i = 0; i < MAX_RANKS; i++) {
        snprintf(names[i], sizeof(names[i]), "n%d", i);
        list[i] = names[i];
    }
    made = made != NULL ? made : pb_network_one_switch(list, MAX_RANKS);
    fuzz_must(made != NULL);
    return made;
}

static pb_placement_t *place_ranks(int n_ranks)
{
    pb_placement_t *placement = pb_placement_new(network(), n_ranks);
    fuzz_must(placement != NULL);
    for (int rank = 0, node = 0; rank < n_ranks; node++) {
        if (pb_network_node(network(), node)->kind == PB_NODE_HOST) {
            placement->host[rank++] = node;
        }
    }
    return placement;
}

static void play(const pb_arrival_env_t *env)
{
    if (env->rank == env->root) {
        play_root(env);
    } else {
        play_receiver(env);
    }
}

/**
 * Of the first four bytes: ranks, root and rank, and of the last one by bits whether data may be
 * sent unasked, and late.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    wire_t wire = {.next = bytes, .left = length};
    uint8_t data[MESSAGE_BYTES] = {0};
    const int n_ranks = 2 + draw(&wire) % (MAX_RANKS - 1);
    const int root = draw(&wire) % n_ranks, rank = draw(&wire) % n_ranks;
    const unsigned how = (unsigned) draw(&wire);
    const bool unasked = how % 2 != 0;
    pb_placement_t *placement = place_ranks(n_ranks);
    pb_arrival_credit_t credit;
    pb_arrival_credit_init(&credit, MESSAGE_BYTES);
    fuzz_must(pb_arrival_credit_reserve(&credit, n_ranks));
    pb_control_t control = {.wire = &wire, .n_ranks = n_ranks};
    pb_transport_t transport = {.wire = &wire};
    pb_arrival_caller_t caller = {
        .placement = placement, .root = root, .rank = rank, .message = {.bytes = data}};
    const pb_arrival_env_t env = {
        .caller = &caller,
        .control = &control,
        .transport = &transport,
        .n_ranks = n_ranks,
        .rank = rank,
        .root = root,
        .total = MESSAGE_BYTES,
        .credit = unasked && rank == root ? &credit : NULL,
        .is_patient = (how >> 1) % 2 != 0,
    };
    play(&env);
    fuzz_must(wire.n_alive == 0);
    free(caller.role);
    pb_arrival_credit_fini(&credit);
    pb_placement_free(placement);
    return 0;
}
