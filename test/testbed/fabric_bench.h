/*
 * Functions that the tests of the fabric's model share: a network, frames with a mark, their
 * arrivals.
 */
#ifndef FABRIC_BENCH_H
#define FABRIC_BENCH_H

#include "contrib/testbed/fabric_model.h"

/* 10 Mbit/s is 800 ns for a byte; 5 us of latency. */
#define RATE 10000000
#define LATENCY 5000
#define WIRE(length) (((int64_t) (length) + FABRIC_WIRE_OVERHEAD) * 800)

enum { BENCH_NODES = 64 };

typedef struct bench {
    pb_network_t *network;
    fabric_model_t *model;
    int host, mark;            /**< of the last delivery */
    int n_got[BENCH_NODES];    /**< deliveries so far, by host */
    int64_t last[BENCH_NODES]; /**< and the time of the last one */
} bench_t;

/** Links of RATE and LATENCY with the queues that the testbed's have. */
extern const fabric_links_t bench_links;

/** A model of the network of `conf`, its lines separated by ';'. Ends the test on failure. */
bench_t bench_set_up(const char *conf, fabric_links_t links);

/** A model of a network, which it owns. Ends the test on failure. */
bench_t bench_on(pb_network_t *network, fabric_links_t links);
void bench_tear_down(bench_t *bench);

/** The node of a name. */
int bench_find(const bench_t *bench, const char *name);

/** Has a host send a frame of flow 0, to all if `to` is NULL; `mark` is its first byte. */
void bench_send(const bench_t *bench, const char *from, const char *to, uint32_t length,
                unsigned char mark, int64_t now);

/** The same, of another flow. */
void bench_send_flow(const bench_t *bench, const char *from, const char *to, uint32_t length,
                     uint32_t flow, unsigned char mark, int64_t now);

/** The time of the next delivery up to `until`; -1 if there is none. */
int64_t bench_next(bench_t *bench, int64_t until);

/** Runs the model to its end; returns how many frames reached hosts. */
int bench_run_out(bench_t *bench);

/** Plans a change of a link, or of one of its members, not -1. As fabric_model_plan(). */
int bench_change(const bench_t *bench, int link, int member, int64_t time, fabric_change_t change);

/** A member of the link between a node and the one above it. */
const fabric_link_t *bench_member(const bench_t *bench, const char *below, bool up, int number);

/** The first of them. */
const fabric_link_t *bench_link(const bench_t *bench, const char *below, bool up);

#endif
