/*
 * The model: what messages between two ranks cost, measured.
 *
 * Paper 2, section 4.2 extends the parametrized LogP model by a latency that depends on the
 * message. The gap g(m) is the least time between the starts of two messages of m bytes. RTT(m) is
 * the time of a ping-pong, and L(m) = RTT(m)/2 - g(m). Beyond the paper (ours): costs by the
 * distance of the two ranks, and the gap of a rank that sends while it receives. Also the
 * processor's times o_s and o_r.
 *
 * All times are integers of nanoseconds and all arithmetic on them is in integers, so that all
 * ranks choose alike.
 */
#ifndef PB_MODEL_H
#define PB_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "topo/model/medium.h"
#include "topo/util/diag.h"

/** Rows that a place may have. */
#define PB_MODEL_MAX_ROWS 64

/** A message that a model may cover, in bytes. */
#define PB_MODEL_MAX_BYTES (UINT64_C(1) << 40)

/** Bytes that Open MPI's PML and TCP transport put before a message of ours (4.1: 14 and 8). */
#define PB_MODEL_ASSUMED_OVERHEAD 22

/** A time that a model may have: an hour. */
#define PB_MODEL_MAX_NS INT64_C(3600000000000)

/** The distance of two ranks. */
typedef enum {
    PB_PLACE_HOST,   /**< on one host */
    PB_PLACE_SWITCH, /**< on two hosts of one switch */
    PB_PLACE_FAR,    /**< with more switches between them */
    PB_PLACE_COUNT,
} pb_place_t;

/** The word by which model files have a place. */
const char *pb_place_name(pb_place_t place);

/** The rows of a place have sizes on both sides of this, in bytes. */
#define PB_MODEL_MIDDLE_BYTES 4096

/** Largest ratio of a size to the one before it. */
#define PB_MODEL_MAX_STEP 16

/**
 * Numbers of whole TCP segments, ascending. A message of one of these sizes takes fewer frames than
 * others of about its size. Models have rows for the first PB_WHOLE_ROWS; the others are tried as
 * segments only.
 */
enum { PB_WHOLE_ROWS = 11, PB_WHOLE_COUNT = 15 };
extern const uint16_t pb_whole_segments[PB_WHOLE_COUNT];

/** Costs of messages of one size, in nanoseconds. */
typedef struct pb_cost {
    uint64_t bytes;
    int64_t gap;     /**< g(m) */
    int64_t rtt;     /**< RTT(m) */
    int64_t both;    /**< g(m) where the rank receives as much at the same time; at least gap */
    int64_t send;    /**< o_s(m): the sender's processor is busy */
    int64_t receive; /**< o_r(m): the receiver's processor is busy */
} pb_cost_t;

/** Costs between two ranks at this distance, by ascending bytes. */
typedef struct pb_costs {
    int n_links; /**< links between the two ranks: 0 in a host, 2 on one switch, 3 and more */
    int n_ring;  /**< ranks, one a host, that sent simultaneously for `both`; 0: not known */
    int n_rows;  /**< 0: not measured */
    pb_cost_t rows[PB_MODEL_MAX_ROWS];
} pb_costs_t;

typedef struct pb_model {
    uint64_t topology; /**< pb_network_hash_described() of the network it was measured on; 0: any */
    bool measured;     /**< false: assumed from the link's speed and MTU */
    uint64_t speed;    /**< bits per second that were assumed; 0 if it is measured */
    bool has_medium;   /**< it is known what it was measured on */
    pb_medium_t medium; /**< if so, but for its mtu and is_ethernet, which no file has */
    uint32_t payload;   /**< bytes of one full TCP segment on this network (MTU less headers) */
    uint32_t overhead;  /**< bytes that MPI and its transport put before a message of ours */
    pb_costs_t costs[PB_PLACE_COUNT]; /**< PB_PLACE_SWITCH always has rows */
} pb_model_t;

/*
 * The file, version 2: text, one item a line, '#' starts a comment.
 *
 *   pipebcast-model 2
 *   topology 5b1c02...            # hexadecimal, or "any"
 *   transport ob1 btl tcp interface eth0 rate 1000   # Mbit/s; "-": not known; may be missing
 *   payload 1448
 *   overhead 22
 *   place switch links 2
 *   #    bytes  gap  rtt  both  send  receive      (nanoseconds)
 *   cost   256   ..   ..    ..    ..       ..
 *   place far links 5 ring 32     # `both` while 32 ranks send; may be missing
 *   cost ...
 *
 * The first line comes first. Rows ascend in bytes, by at most a factor of 16 each; those of a
 * place cover 4096 bytes. `place switch` must be there with at least two rows. Names of several
 * BTLs or interfaces are separated by '+'. A model without a transport applies wherever pipebcast
 * serves, and is no reason to serve a transport.
 */
#define PB_MODEL_VERSION 2

/**
 * Reads a model file; model->measured is then true. PB_ERR_IO or PB_ERR_INPUT with every error in
 * `diag`, each with file and line: another version, missing sizes, tables with less than two rows.
 * Negative or absurd values are errors, too, such as times that shrink by more than half as the
 * size grows. O(file).
 */
int pb_model_read(const char *path, pb_model_t *model, pb_diag_t *diag);
int pb_model_parse(const char *text, size_t length, const char *name, pb_model_t *model,
                   pb_diag_t *diag);

/** Writes a model as pb_model_read() reads it. PB_ERR_IO if the stream fails. */
int pb_model_write(const pb_model_t *model, FILE *stream);

/**
 * The model that is assumed where nothing was measured. It has links of `bits_per_second` (0: 1
 * Gbit/s), frames of `mtu` bytes (0: 1500), and the software costs of TCP on common hosts. Integers
 * only.
 */
void pb_model_assume(uint64_t bits_per_second, uint32_t mtu, pb_model_t *model);

/** The same for links of another speed, where `model` is an assumed one. */
void pb_model_assume_other(const pb_model_t *model, uint64_t bits_per_second, pb_model_t *other);

/** Adds a size to an ascending list of n that has room, unless it is there; returns how many there
 * are. */
int pb_model_add_size(uint64_t *sizes, int n, uint64_t size);

/** Hash of a model that was read or assumed, for ranks to compare: all bytes that nothing has
 * filled are 0. */
uint64_t pb_model_hash(const pb_model_t *model);

/**
 * The costs of a message of `bytes` over a path of `n_links` links, interpolated between rows, and
 * between places by number of links. Beyond the last row they are on the line from the last row of
 * at most half its size. If that does not grow, they are in proportion. O(log rows).
 */
pb_cost_t pb_model_cost(const pb_model_t *model, int n_links, uint64_t bytes);

/** The time of a message between two hosts of one switch, T(M), in nanoseconds. O(log rows). */
static inline int64_t pb_model_message_time(const pb_model_t *model, uint64_t bytes)
{
    return pb_model_cost(model, 2, bytes).rtt / 2;
}

/**
 * Costs of datagrams with `payload` bytes of ours, at least 1, between two hosts of one switch.
 * Links pass one after the other, so they are those of messages as long on the wire. O(log rows).
 */
pb_cost_t pb_model_datagram(const pb_model_t *model, uint64_t payload);

/** Nanoseconds that a further link and switch, which store and forward, add to such a datagram's
 * time. They are measured with messages between far hosts, or else follow from the time of long
 * messages. O(log rows). */
int64_t pb_model_further_datagram(const pb_model_t *model, uint64_t payload);

/**
 * The time of `bytes` over a host's uplink, from the slope beyond the last row
 * of PB_PLACE_SWITCH; 0 if the gap does not grow there.
 */
int64_t pb_model_byte_time(const pb_model_t *model, uint64_t bytes);

/** L(m) = RTT(m)/2 - g(m), at least 0. */
static inline int64_t pb_cost_latency(const pb_cost_t *cost)
{
    return cost->rtt / 2 > cost->gap ? cost->rtt / 2 - cost->gap : 0;
}

#endif
