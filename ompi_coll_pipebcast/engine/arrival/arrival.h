/*
 * Arrival-aware broadcasts (paper 3): the header of a group, and what the parts of root and
 * receivers ask of their caller.
 *
 * The plugin implements the caller (operation/arrival.c); the engine's unit tests in memory.
 */
#ifndef PB_ARRIVAL_H
#define PB_ARRIVAL_H

#include "engine/arrival/state.h"
#include "engine/group.h"
#include "engine/rank_set.h"

/*
 * The header: what the root announces to those to whom it broadcasts together (section 4). From it
 * each member computes its own role in the group's tree.
 *
 * As bytes: 1 version, 1 kind, 1 whether all ranks are members, 1 mode, 4 segment size, 8 message
 * size, all little-endian. Unless all ranks are members, one bit per rank follows.
 */

/** Bytes before the bits of the members. */
#define PB_ARRIVAL_HEADER_FIXED 16

/** Bytes of a segment that a header may ask for: no root cuts larger ones, and receivers make
 * room for several. */
#define PB_ARRIVAL_MAX_SEGMENT (UINT32_C(1) << 30)

typedef struct pb_arrival_header {
    pb_kind_t kind;        /**< of the group's tree */
    uint8_t mode;          /**< for the broadcasts after this one: see engine/arrival/state.h */
    uint32_t segment_size; /**< bytes */
    uint64_t total;        /**< bytes of the message */
    bool all;              /**< every rank is a member */
    bool unasked;          /**< the one receiver has not arrived; known to the root alone */
    uint8_t *members;      /**< a set of ranks, borrowed */
} pb_arrival_header_t;

/** Bytes of the longest header of a communicator of `n_ranks`. */
size_t pb_arrival_header_room(int n_ranks);

/** Writes the header into `bytes`, which has the room; returns its length. */
size_t pb_arrival_header_write(const pb_arrival_header_t *header, int n_ranks, uint8_t *bytes);

/**
 * Reads a header; its `members` lie in `bytes`. False if `length` bytes are no header of a
 * communicator of `n_ranks` that has `rank` among its members. Errors are another version, kind or
 * length, ranks that do not exist, an empty message, or a segment outside 1 to
 * PB_ARRIVAL_MAX_SEGMENT bytes.
 */
bool pb_arrival_header_read(pb_arrival_header_t *header, int n_ranks, int rank, uint8_t *bytes,
                            size_t length);

/**
 * The members in ascending order, into `ranks`, which has room for n_ranks; returns their number.
 */
int pb_arrival_members(const pb_arrival_header_t *header, int n_ranks, int *ranks);

typedef struct pb_arrival_caller pb_arrival_caller_t;

/** Environment of one rank's part of one operation; all borrowed. */
typedef struct pb_arrival_env {
    pb_arrival_caller_t *caller;
    pb_control_t *control;
    pb_transport_t *transport;
    int n_ranks;
    int rank;
    int root;
    size_t total;                  /**< bytes of the message, > 0 */
    const pb_arrival_mode_t *mode; /**< NULL: the user has decided */
    pb_arrival_credit_t *credit;   /**< at the root; NULL: nothing is sent unasked (arrival_b) */
} pb_arrival_env_t;

/** Nanoseconds on a clock of this rank that never goes back. */
int64_t pb_arrival_caller_now(pb_arrival_caller_t *caller);

/**
 * The other ranks in the root's depth-first order, n_ranks - 1 of them; owned by
 * the caller. NULL if out of memory. Asked at the root only.
 */
const int *pb_arrival_caller_order(pb_arrival_caller_t *caller);

/**
 * Chooses for a group whose members are set: fills header->kind and header->segment_size. Where
 * header->unasked is set, segments are so small that they go without waiting for their receiver.
 * Asked at the root only; then pb_arrival_caller_part(). 0, PB_ERR_NO_MEMORY, or the caller's
 * error code.
 */
int pb_arrival_caller_choose(pb_arrival_caller_t *caller, pb_arrival_header_t *header);

/**
 * Fills this rank's part in the group of a header. The role is borrowed until the next call, the
 * message until the operation ends. A message of another size than the user's has an error and no
 * bytes: the rank sends empty messages to its children. 0, PB_ERR_NO_MEMORY, or the caller's error
 * code.
 */
int pb_arrival_caller_part(pb_arrival_caller_t *caller, const pb_arrival_header_t *header,
                           pb_group_part_t *part);

#endif
