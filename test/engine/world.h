/*
 * A world of ranks in one process: engine/transport.h and engine/message.h in memory, for
 * tests of the transfer engine.
 *
 * The i-th send from a to b meets the i-th receive that b posted for a. When
 * they meet, and when each of them becomes done after that, is random. A send
 * that is not synchronous may be done before it is met. The world counts what is
 * alive and notes every breach of the interfaces' contracts.
 */
#ifndef PB_TEST_WORLD_H
#define PB_TEST_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/message.h"
#include "engine/transport.h"
#include "test/topo/check/random_network.h"

/** Calls in which an error can be injected. */
typedef enum {
    CALL_SEND,
    CALL_RECEIVE,
    CALL_SENT,    /* a send ends with an error */
    CALL_ARRIVED, /* a receive ends with an error */
    CALL_SHORT,   /* a receive gets one byte less than it should */
    CALL_CONVERT, /* the message is packed, or unpacked */
    CALL_COUNT
} call_t;

const char *call_name(call_t call);

/** The error that an injection yields. */
#define WORLD_ERROR (-77)

typedef struct world_request {
    bool is_send;
    bool synchronous;
    bool crossed; /* sends, where ranks have ports: it has gone over the network */
    bool met;
    bool done;
    bool cancelled;
    bool is_to_end; /* receives: asked to end early, though it may be too late for that */
    bool released;  /* given back or abandoned by the engine */
    int rank;       /* whose request it is */
    int peer;
    size_t bytes; /* of the send or the place */
    size_t got;   /* receives: bytes that came */
    const char *from;
    char *copy; /* sends that are done early: their bytes */
    char *to;
    struct pb_lane *lane;       /* receives: who may be told that it ends, or NULL */
    struct world_request *next; /* in the queue of its pair */
} world_request_t;

typedef struct world_queue {
    world_request_t *first, *last;
} world_queue_t;

/** Messages from one rank to another. */
typedef struct world_pair {
    int from;
    world_queue_t sends;     /* those that are not met */
    world_queue_t receives;  /* the same */
    int n_sends, n_receives; /* alive */
} world_pair_t;

/** The pairs of one receiver: of those that ever sent to it, or were listened to. */
typedef struct world_pairs {
    world_pair_t *of;
    int n;
} world_pairs_t;

struct pb_transport {
    struct world *world;
    int rank;
};

struct pb_packing {
    struct world *world;
    int rank;
    size_t n_done; /* bytes packed or unpacked */
};

typedef struct world {
    pb_random_t random;
    int n_ranks;
    int root;
    size_t total, segment_size;
    size_t piece_size; /* of pieces, if there are any */
    size_t shift;      /* of the bytes of the message */
    int early_percent; /* of the sends without acknowledgement that are done before they are met */
    int at_once_percent; /* and of these, that are done when they start */
    int tell_percent;    /* of the receives, whose end the engine is told */
    bool has_ports;      /* a rank sends one message in a step, and gets one */
    int meet_percent;    /* chance of a pair to meet, and of a request to become done, in a step */
    pb_transport_t *transports; /* by rank */
    pb_message_t *messages;     /* by rank */
    char **data;                /* the user's buffers: `total` bytes with a guard behind */
    struct pb_packing *packings;
    world_pairs_t *pairs;       /* by receiver */
    world_request_t **requests; /* all that are not released or not met */
    size_t n_requests, room;

    int fail_rank; /* where an error is injected; -1: nowhere */
    call_t fail_call;
    int fail_after; /* number of calls that are right before */
    bool failed;    /* it has happened */

    int *n_sent;                   /* by rank: sends so far */
    bool *has_ended;               /* by rank: see world_rank_ends() */
    int most_sends, most_receives; /* alive at a time, maxima over all pairs */
    size_t most_waiting;           /* most bytes sent to one rank for which no receive was posted */
    int n_alive;                   /* requests alive */
    int n_breaches;
    int n_abandoned;
    char breach[200]; /* the first */
} world_t;

/** Notes that a contract was broken. */
void world_breach(world_t *world, const char *what, int rank);

/** A world whose root holds the message. Aborts if out of memory. */
world_t *world_new(uint64_t seed, int n_ranks, int root, size_t total, size_t segment_size);
void world_free(world_t *world);

/** The root holds other bytes: those that are so much further in the order of bytes. */
void world_fill(world_t *world, size_t shift);

/** A rank gets no bytes of a message that seems to have another total, but an error. */
void world_lose(world_t *world, int rank, size_t total);

/** Gives some ranks, or all, packed copies of the message, before anything has begun. */
void world_pack(world_t *world, bool all);

/**
 * The broadcast has ended on a rank without error. It is a breach of the rule of engine/transfer.h
 * if a message to it is still to come, or is sent later.
 */
void world_rank_ends(world_t *world, int rank);

/** Sends from a rank to another that are alive. */
int world_n_sends(world_t *world, int from, int to);

/**
 * Lets some pairs meet and some requests become done. True if anything was left to do. Ranks may
 * have ports (paper 3, section 3.1: the 1-port model). Then the oldest send of each rank whose
 * receiver's port is free crosses the network first, even if no receive is posted. An ordinary send
 * is done then.
 */
bool world_step(world_t *world);

/** Tells whether the rank has every byte of the message, and none beyond was touched. */
bool world_rank_has_all(const world_t *world, int rank);

/** The latter alone. */
bool world_rank_has_guard(const world_t *world, int rank);

#endif
