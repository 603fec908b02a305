/*
 * Interface between the files of a part; see engine/multicast/part.h.
 */
#ifndef PB_MULTICAST_PART_INTERNAL_H
#define PB_MULTICAST_PART_INTERNAL_H

#include "engine/multicast/part.h"

typedef pb_multicast_part_t pb_part_t;
typedef pb_multicast_child_t pb_child_t;

static inline bool pb_part_is_complete(const pb_part_t *part)
{
    return pb_frames_is_complete(&part->frames);
}

static inline bool pb_part_is_root(const pb_part_t *part)
{
    return part->parent < 0;
}

static inline bool pb_part_hears(const pb_part_t *part)
{
    return pb_multicast_hears(part->multicast);
}

/** State that holds of all children. */
typedef struct pb_all {
    bool are_done;    /**< they need nothing more of this rank */
    bool are_below;   /**< the mark is settled below them */
    bool ask_no_more; /**< they cannot ask for frames any more */
    bool have_end;    /**< END was sent to them, or nothing more will be */
    bool are_closed;  /**< nothing more will be sent to them */
} pb_all_t;

/* part.c */

pb_all_t pb_part_children(const pb_part_t *part);

/** Returns whether all parts of earlier broadcasts have all their frames. */
bool pb_part_earlier_are_complete(const pb_part_t *part);

/** The channel refused, or a word made no sense. */
void pb_part_refused(pb_part_t *part, int error);

/** The mark is settled. */
void pb_part_settle(pb_part_t *part);

/** Gives the mark up: nobody will settle it, and no root may wait for that. */
void pb_part_give_up_mark(pb_part_t *part);

/** Returns whether this rank and all below have ended the part, and no earlier one can be asked. */
bool pb_part_is_below(const pb_part_t *part);

/** Takes a frame that the message has; whether it was missing. */
bool pb_part_add_frame(pb_part_t *part, uint32_t index, const char *payload, uint32_t bytes);

/* words.c */

/** Takes in the words that have come. */
void pb_part_hear(pb_part_t *part);

/** Returns whether any word is still to come. */
bool pb_part_expects_words(const pb_part_t *part);

/** Sends the words and frames that can be sent to the parent and the children. */
void pb_part_send_words(pb_part_t *part);

/**
 * The least of the blocks that this rank has and its children have reported, of those that count;
 * UINT32_MAX: none counts. `seen` frames have come here, or were sent by the root: who is more
 * than a window behind does not count.
 */
uint32_t pb_part_least_blocks(const pb_part_t *part, uint32_t seen);

/* source.c */

/** Sends frames of the root to the group, as far as that may and can be done. */
void pb_part_send_frames(pb_part_t *part, int64_t now);

#endif
