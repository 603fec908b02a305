/*
 * Which tree and which segment size a broadcast uses. Depends only on what the
 * ranks have agreed on and on the packed size, in integers, so that all ranks
 * choose alike.
 */
#include "coll_pipebcast.h"

/** Ranks up to which the chain is chosen: it is as low as two trees there, and simpler. */
#define CHAIN_RANKS 3

/**
 * Payload of a TCP segment on Ethernet (MTU 1500, timestamps), and what the PML
 * and the TCP BTL put before a segment's bytes. A segment that fills whole TCP
 * segments costs fewer frames than a power of two.
 */
#define TCP_PAYLOAD 1448
#define MESSAGE_HEADERS 22

/** What a segment costs beside its bytes, in bytes of wire: headers, acknowledgement, software. */
#define SEGMENT_COST 400

/** TCP segments per segment, at most: below the TCP BTL's eager limit of 64 KiB. */
#define MAX_TCP_SEGMENTS 44

static uint64_t square_root(uint64_t n)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit >>= 1) {
        root |= (root | bit) * (root | bit) <= n ? bit : 0;
    }
    return root;
}

/** Steps that the last segment makes after it has left the root, roughly. */
static uint64_t tail_length(pb_kind_t kind, int n_ranks)
{
    uint64_t height = 1;
    while (UINT64_C(1) << height < (uint64_t) n_ranks) {
        height++;
    }
    return kind == PB_KIND_CHAIN || kind == PB_KIND_RANK_CHAIN ? (uint64_t) n_ranks : 2 * height;
}

/**
 * The segment size that minimises (M / m + tail) * (m + cost) for a message of M
 * bytes: m = sqrt(M * cost / tail) (paper 2, section 5.1: the best size grows as
 * the square root of the message), rounded to whole TCP segments.
 */
static size_t square_root_segment(pb_kind_t kind, int n_ranks, size_t total)
{
    const uint64_t tail = tail_length(kind, n_ranks);
    const uint64_t best = total > UINT64_MAX / SEGMENT_COST
                              ? UINT32_MAX
                              : square_root((uint64_t) total * SEGMENT_COST / tail);
    uint64_t tcp_segments = (best + MESSAGE_HEADERS + TCP_PAYLOAD / 2) / TCP_PAYLOAD;
    tcp_segments = tcp_segments < 1                  ? 1
                   : tcp_segments > MAX_TCP_SEGMENTS ? MAX_TCP_SEGMENTS
                                                     : tcp_segments;
    return (size_t) tcp_segments * TCP_PAYLOAD - MESSAGE_HEADERS;
}

coll_pipebcast_choice_t coll_pipebcast_choose(const coll_pipebcast_module_t *module, size_t total)
{
    const coll_pipebcast_params_t *params = &mca_coll_pipebcast_component.params;
    const int n_ranks = ompi_comm_size(module->comm);
    coll_pipebcast_choice_t choice;
    choice.kind = params->algorithm != COLL_PIPEBCAST_AUTO ? (pb_kind_t) params->algorithm
                  : n_ranks <= CHAIN_RANKS                 ? PB_KIND_CHAIN
                                                           : PB_KIND_TWOTREE;
    choice.segment_size = params->segment_size != 0
                              ? params->segment_size
                              : square_root_segment(choice.kind, n_ranks, total);
    return choice;
}
