/*
 * The header of a group, as bytes; see engine/arrival/arrival.h.
 */
#include "engine/arrival/arrival.h"

#include <string.h>

#include "topo/util/bytes.h"

/** Changes with the form of the header. */
#define FORM 1

#define FLAG_ALL 1

size_t pb_arrival_header_room(int n_ranks)
{
    return PB_ARRIVAL_HEADER_FIXED + pb_rank_set_bytes(n_ranks);
}

static bool is_member(const pb_arrival_header_t *header, int rank)
{
    return header->all || pb_rank_set_has(header->members, rank);
}

static size_t length_of(const pb_arrival_header_t *header, int n_ranks)
{
    return PB_ARRIVAL_HEADER_FIXED + (header->all ? 0 : pb_rank_set_bytes(n_ranks));
}

size_t pb_arrival_header_write(const pb_arrival_header_t *header, int n_ranks, uint8_t *bytes)
{
    bytes[0] = FORM;
    bytes[1] = (uint8_t) header->kind;
    bytes[2] = header->all ? FLAG_ALL : 0;
    bytes[3] = header->mode;
    pb_bytes_put(bytes + 4, header->segment_size, 4);
    pb_bytes_put(bytes + 8, header->total, 8);
    if (!header->all) {
        memcpy(bytes + PB_ARRIVAL_HEADER_FIXED, header->members, pb_rank_set_bytes(n_ranks));
    }
    return length_of(header, n_ranks);
}

/** Returns whether the last byte of a set has bits that stand for no rank. */
static bool names_too_many(const uint8_t *set, int n_ranks)
{
    return n_ranks % 8 != 0 && set[n_ranks / 8] >> n_ranks % 8 != 0;
}

bool pb_arrival_header_read(pb_arrival_header_t *header, int n_ranks, int rank, uint8_t *bytes,
                            size_t length)
{
    if (length < PB_ARRIVAL_HEADER_FIXED || bytes[0] != FORM || bytes[1] >= PB_KIND_COUNT ||
        bytes[2] > FLAG_ALL) {
        return false;
    }
    *header = (pb_arrival_header_t){
        .kind = (pb_kind_t) bytes[1],
        .mode = bytes[3],
        .segment_size = (uint32_t) pb_bytes_get(bytes + 4, 4),
        .total = pb_bytes_get(bytes + 8, 8),
        .all = bytes[2] == FLAG_ALL,
        .members = bytes + PB_ARRIVAL_HEADER_FIXED,
    };
    return length == length_of(header, n_ranks) && header->segment_size > 0 &&
           header->segment_size <= PB_ARRIVAL_MAX_SEGMENT && header->total > 0 &&
           (header->all || !names_too_many(header->members, n_ranks)) && is_member(header, rank);
}

int pb_arrival_members(const pb_arrival_header_t *header, int n_ranks, int *ranks)
{
    int n = 0;
    for (int rank = 0; rank < n_ranks; rank++) {
        if (is_member(header, rank)) {
            ranks[n++] = rank;
        }
    }
    return n;
}
