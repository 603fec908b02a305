/*
 * Tags of a communicator's messages.
 *
 * No tag is free for components from outside Open MPI. Its own nonblocking operations count tags
 * downward from BASE to near -2^30. Ranks do not draw from that counter in one order, as background
 * work such as MPI_Comm_idup draws whenever its rank makes progress. So pipebcast has counters of
 * its own, from which all ranks draw alike, and takes the end of that range. A PML may keep fewer
 * bits of a tag: UCX 24, cm with libfabric as few as 20. A tag beyond these is taken for another
 * one. So the range ends at what the PML has.
 *
 *     0 ... BASE  tags of blocking collectives
 *     BASE ...    tags of Open MPI's nonblocking operations
 *     floor ...   tags of operations, used again after a wrap, when the messages of those that
 *                 used them before have come (the rule of engine/transfer.h)
 *     middle ...  lasting tags, which belong to a request or to the communicator until it ends:
 *     lowest      no wrap meets them
 */
#ifndef COLL_PIPEBCAST_TAGS_H
#define COLL_PIPEBCAST_TAGS_H

#include "base/compat.h"

/** Our part of all tags, and the lasting tags' part of ours. */
#define COLL_PIPEBCAST_TAGS_PART 2
#define COLL_PIPEBCAST_LASTING_PART 4

/** The lowest tag; alike on all ranks, as they have one PML. */
static inline int coll_pipebcast_lowest_tag(void)
{
    const int of_pml = -mca_pml.pml_max_tag;
    return of_pml > MCA_COLL_BASE_TAG_NONBLOCKING_END ? of_pml : MCA_COLL_BASE_TAG_NONBLOCKING_END;
}

/** Tags of one communicator. */
typedef struct coll_pipebcast_tags {
    int floor;   /**< ours are below this one */
    int middle;  /**< lasting tags are not above this one, other ones of ours are */
    int next;    /**< the first one of the next operation */
    int lasting; /**< the highest one that is reserved until the communicator ends */
} coll_pipebcast_tags_t;

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

/** Reserves none but those of the communicator. */
static inline coll_pipebcast_tags_t coll_pipebcast_tags_new(void)
{
    const int lowest = coll_pipebcast_lowest_tag();
    const int floor = lowest - lowest / COLL_PIPEBCAST_TAGS_PART;
    return (coll_pipebcast_tags_t){.floor = floor,
                                   .middle = lowest - lowest / COLL_PIPEBCAST_TAGS_PART /
                                                          COLL_PIPEBCAST_LASTING_PART,
                                   .next = floor - 1,
                                   .lasting = coll_pipebcast_open_tag()};
}

/** Has Open MPI's counter begin anew before it comes to our tags. */
static inline void coll_pipebcast_keep_apart(const coll_pipebcast_tags_t *tags,
                                             struct ompi_communicator_t *comm)
{
    int32_t next = comm->c_nbc_tag;
    while (next <= tags->floor &&
           !OPAL_ATOMIC_COMPARE_EXCHANGE_STRONG_32(&comm->c_nbc_tag, &next,
                                                   MCA_COLL_BASE_TAG_NONBLOCKING_BASE)) {
    }
}

/** Reserves `n` consecutive tags, downward from the one returned, for one operation. */
static inline int coll_pipebcast_reserve_tags(coll_pipebcast_tags_t *tags, int n)
{
    const int first = tags->next - n < tags->middle ? tags->floor - 1 : tags->next;
    tags->next = first - n;
    return first;
}

/** The same for tags that stay until the communicator ends; 0: there are none any more. */
static inline int coll_pipebcast_reserve_lasting_tags(coll_pipebcast_tags_t *tags, int n)
{
    const int first = tags->lasting + n;
    if (first > tags->middle) {
        return 0;
    }
    tags->lasting = first;
    return first;
}

#endif
