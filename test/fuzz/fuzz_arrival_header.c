/*
 * Headers of groups, as they come off the wire. An input is the number of ranks
 * and this one's rank, two bytes each, little-endian, and then the header. What
 * is read must have this rank among its members and be written as it came, from the
 * members alone.
 */
#include "engine/arrival/arrival.h"
#include "test/fuzz/fuzz.h"

const char fuzz_name[] = "arrival_header";

enum { PREFIX = 4, MAX_RANKS = 1024 };

static void check_members(const pb_arrival_header_t *header, int n_ranks, int rank)
{
    int ranks[MAX_RANKS], n_here = 0;
    const int n = pb_arrival_members(header, n_ranks, ranks);
    must(0 < n && n <= n_ranks);
    for (int i = 0; i < n; i++) {
        must(0 <= ranks[i] && ranks[i] < n_ranks && (i == 0 || ranks[i] > ranks[i - 1]));
        n_here += ranks[i] == rank;
    }
    must(n_here == 1);
}

static void check_header(const pb_arrival_header_t *header, int n_ranks, const uint8_t *bytes,
                         size_t length)
{
    uint8_t again[PB_ARRIVAL_HEADER_FIXED + MAX_RANKS / 8], members[MAX_RANKS / 8] = {0};
    pb_arrival_header_t named = *header;
    named.members = members;
    for (int rank = 0; rank < n_ranks; rank++) {
        if (header->all || pb_rank_set_has(header->members, rank)) {
            pb_rank_set_add(members, rank);
        }
    }
    must(pb_kind_name(header->kind) != NULL);
    must(header->segment_size > 0 && header->segment_size <= PB_ARRIVAL_MAX_SEGMENT);
    must(header->total > 0);
    must(length <= pb_arrival_header_room(n_ranks));
    must(pb_arrival_header_write(&named, n_ranks, again) == length);
    must(memcmp(again, bytes, length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length < PREFIX) {
        return 0;
    }
    const int n_ranks = 1 + (bytes[0] | bytes[1] << 8) % MAX_RANKS;
    const int rank = (bytes[2] | bytes[3] << 8) % n_ranks;
    const size_t rest = length - PREFIX;
    uint8_t *copy = fuzz_copy(bytes + PREFIX, rest);
    pb_arrival_header_t header;
    if (pb_arrival_header_read(&header, n_ranks, rank, copy, rest)) {
        check_header(&header, n_ranks, copy, rest);
        check_members(&header, n_ranks, rank);
    }
    free(copy);
    return 0;
}
