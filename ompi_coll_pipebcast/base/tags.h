/*
 * Tags of a communicator's messages.
 *
 * No tag is free for components from outside Open MPI. Operations that may overlap draw from the
 * counter of Open MPI's own nonblocking operations, downward. So all ranks must draw alike and in
 * the same order. Open MPI wraps that counter near -2^30. A PML may keep fewer bits of a tag: UCX
 * 24, cm with libfabric as few as 20. A tag beyond these is taken for another one. So pipebcast
 * wraps it at what the PML has.
 *
 *     0 ... BASE  tags of blocking collectives
 *     BASE ...    tags of operations, used again after a wrap, when the messages of those that
 *                 used them before have come (the rule of engine/transfer.h)
 *     floor ...   lasting tags, which belong to a request or to the communicator until it ends:
 *     lowest      no wrap meets them
 */
#ifndef COLL_PIPEBCAST_TAGS_H
#define COLL_PIPEBCAST_TAGS_H

#include "base/compat.h"

/** The part of all tags that are lasting ones. */
#define COLL_PIPEBCAST_LASTING_PART 4

/** The lowest tag; alike on all ranks, as they have one PML. */
static inline int coll_pipebcast_lowest_tag(void)
{
    const int of_pml = -mca_pml.pml_max_tag;
    return of_pml > MCA_COLL_BASE_TAG_NONBLOCKING_END ? of_pml : MCA_COLL_BASE_TAG_NONBLOCKING_END;
}

/** The lowest tag of operations. */
static inline int coll_pipebcast_floor_tag(void)
{
    const int lowest = coll_pipebcast_lowest_tag();
    return lowest - lowest / COLL_PIPEBCAST_LASTING_PART;
}

/** The tag of the reports of lost ranks (communicator/lost.h), */
static inline int coll_pipebcast_lost_tag(void)
{
    return coll_pipebcast_lowest_tag();
}

/** and the tag of messages that open connections (communicator/connections.h). */
static inline int coll_pipebcast_open_tag(void)
{
    return coll_pipebcast_lowest_tag() + 1;
}

/** Reserves `n` consecutive tags, downward from the one returned, for one operation. */
static inline int coll_pipebcast_reserve_tags(struct ompi_communicator_t *comm, int n)
{
    const int floor = coll_pipebcast_floor_tag();
    int32_t next, first;
    do {
        next = comm->c_nbc_tag;
        first = next - n < floor ? MCA_COLL_BASE_TAG_NONBLOCKING_BASE : next;
    } while (!OPAL_ATOMIC_COMPARE_EXCHANGE_STRONG_32(&comm->c_nbc_tag, &next, first - n));
    return first;
}

/**
 * The same for tags that stay until the communicator ends; *n_p counts those that are reserved. 0:
 * there are none any more.
 */
static inline int coll_pipebcast_reserve_lasting_tags(int *n_p, int n)
{
    const int first = coll_pipebcast_open_tag() + *n_p + n;
    if (first >= coll_pipebcast_floor_tag()) {
        return 0;
    }
    *n_p += n;
    return first;
}

#endif
