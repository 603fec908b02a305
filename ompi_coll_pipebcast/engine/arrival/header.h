/*
 * The header of a group: what the root announces to those to whom it broadcasts
 * together (paper 3, section 4), before the segments come. From it each member
 * computes its own role in the group's tree.
 *
 * As bytes: 1 version, 1 kind, 1 flags, 1 mode, 4 segment size, 8 message size,
 * all little-endian; then, unless all ranks are members, one bit per rank.
 */
#ifndef PB_ARRIVAL_HEADER_H
#define PB_ARRIVAL_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/rank_set.h"
#include "topo/trees/plan.h"

/** Bytes before the bits of the members. */
#define PB_ARRIVAL_HEADER_FIXED 16

/** Bytes of a segment that a header may ask for: no root cuts larger ones, and receivers make
 * room for several. */
#define PB_ARRIVAL_MAX_SEGMENT (UINT32_C(1) << 30)

typedef struct pb_arrival_header {
    pb_kind_t kind;        /**< of the group's tree */
    uint8_t mode;          /**< for the broadcasts after this one: see engine/arrival/mode.h */
    uint32_t segment_size; /**< bytes */
    uint64_t total;        /**< bytes of the message */
    bool all;              /**< every rank is a member */
    bool unasked;          /**< the one receiver has not arrived; known to the root alone */
    uint8_t *members;      /**< a set of ranks, borrowed */
} pb_arrival_header_t;

/** Bytes of the longest header of a communicator of `n_ranks`. */
size_t pb_arrival_header_room(int n_ranks);

static inline bool pb_arrival_is_member(const pb_arrival_header_t *header, int rank)
{
    return header->all || pb_rank_set_has(header->members, rank);
}

/** Writes the header into `bytes`, which has the room; returns its length. */
size_t pb_arrival_header_write(const pb_arrival_header_t *header, int n_ranks, uint8_t *bytes);

/**
 * Reads a header; its `members` lie in `bytes`. False if `length` bytes are no
 * header of a communicator of `n_ranks` that has `rank` among its members: another
 * version or kind, a length that does not fit, bits of ranks that there are not, a
 * segment of no bytes or more than PB_ARRIVAL_MAX_SEGMENT, an empty message.
 */
bool pb_arrival_header_read(pb_arrival_header_t *header, int n_ranks, int rank, uint8_t *bytes,
                            size_t length);

/**
 * The members in ascending order, into `ranks`, which has room for n_ranks; returns their number.
 */
int pb_arrival_members(const pb_arrival_header_t *header, int n_ranks, int *ranks);

#endif
