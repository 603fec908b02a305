/*
 * One rank's part of one broadcast by multicast. The protocol is in engine/multicast/multicast.h.
 *
 * A state machine like pb_transfer_t; it never blocks. Its files: part.c begins and ends it,
 * words.c takes in and sends words, and source.c sends the root's frames to the group.
 */
#ifndef PB_MULTICAST_PART_H
#define PB_MULTICAST_PART_H

#include "engine/control.h"
#include "engine/multicast/multicast.h"
#include "engine/transfer.h"
#include "topo/trees/role.h"

typedef struct pb_multicast_child {
    int rank;
    bool is_inside;  /**< on this host: it gets pieces in place of frames, and asks for none */
    bool is_done;    /**< DONE has come */
    bool is_below;   /**< BELOW has come */
    bool has_end;    /**< END was sent */
    bool is_closed;  /**< nothing more will be sent: SETTLED or FAILED was, or END sufficed */
    uint32_t blocks; /**< that it and those below it have reported */
    int n_owed;
    uint32_t owed[PB_WORD_MAX_ASKED]; /**< frames that it has asked for, in that order */
} pb_multicast_child_t;

/** Progress of the root's sending. */
typedef struct pb_multicast_source {
    uint32_t n_granted; /**< frames that may be sent */
    uint32_t n_sent;    /**< frames that were */
    bool all_sent;      /**< all have left this host */
    bool is_waiting;    /**< `since` is known */
    int64_t since;      /**< nanoseconds, when more was granted for the last time */
    int n_impatient;    /**< times in a row that more was granted without news, < 33 */
} pb_multicast_source_t;

typedef struct pb_multicast_part {
    pb_multicast_t *multicast; /**< borrowed */
    pb_control_t *control;     /**< borrowed */
    struct pb_multicast_part *next;
    uint64_t number;
    pb_step_t step;
    int parent; /**< -1: this is the root */
    pb_multicast_source_t source;
    int n_children;
    pb_multicast_child_t *children;
    char *data; /**< the message; NULL: nobody can ask for it */
    char *copy; /**< the same if it is the part's own, else NULL */
    pb_frames_t frames;
    bool is_there;          /**< this rank is complete in all earlier broadcasts */
    bool has_end;           /**< END has come */
    bool parent_has_failed; /**< FAILED has come */
    bool is_settled;        /**< all ranks have settled it, or no word of that will come */
    uint32_t asked_to;      /**< frames before this one are here or were asked for */
    uint32_t n_open;        /**< asked for and not answered */
    bool sent_done, sent_below;
    uint32_t reported;    /**< blocks, by the last HERE */
    pb_request_t receive; /**< of the next word; NULL: none is posted */
    uint8_t *in;          /**< room for any word that comes */
    uint8_t *out;         /**< room to write one that goes */
    size_t room;          /**< bytes of each */
    int error;            /**< the first error, 0 if none; may be PB_ERR_EMPTY */
    bool broken; /**< the channel refused, or a word made no sense: nothing more is waited for */
} pb_multicast_part_t;

/**
 * Begins the group's next broadcast. `data` has `total` > 0 bytes: the
 * message at the root (a rank without a parent in stream 0 of `role`), else room for it. It is not
 * used where the role is led. Data and channel are borrowed until the end. Sends nothing. False if
 * out of memory, or if there are too many frames; then nothing has begun, and it may be tried
 * again. O(children + frames / 64).
 */
bool pb_multicast_part_start(pb_multicast_part_t *part, pb_multicast_t *multicast,
                             pb_control_t *control, const pb_role_t *role, char *data,
                             size_t total);

/**
 * Does what can be done without waiting, at `now`, in nanoseconds on a clock of this rank that does
 * not go back. True when nothing more is to come or under way, so that pb_multicast_part_finish()
 * is due. Bounded by what may come in one broadcast.
 */
bool pb_multicast_part_advance(pb_multicast_part_t *part, int64_t now);

/**
 * Offers the frames that are here without a gap to a leader's transfer of the same message inside
 * its host, in pieces. After an error of the part offers empty messages. O(pieces).
 */
void pb_multicast_part_offer(const pb_multicast_part_t *part, pb_transfer_t *pieces);

/** A frame of this broadcast has come, whatever it is; whether it was missing. */
bool pb_multicast_part_take_frame(pb_multicast_part_t *part, const pb_frame_t *frame);

/** Returns whether frames are missing that may still come by datagrams. */
bool pb_multicast_part_is_awaiting_frames(const pb_multicast_part_t *part);

/**
 * Returns whether the call may return: the message is here, or there is an error, and the words
 * that others wait for were sent. Data are not written after that.
 */
bool pb_multicast_part_is_through(const pb_multicast_part_t *part);

/** Returns whether a child that may ask for frames has not confirmed that it has the message. */
bool pb_multicast_part_may_be_asked(const pb_multicast_part_t *part);

/** Returns whether pb_multicast_part_advance() would return true. */
bool pb_multicast_part_is_over(const pb_multicast_part_t *part);

/**
 * Lets go of the caller's data, when the part is through. Makes a copy if children may ask for it.
 * False if there is no memory, or if the message has more than a window of frames: then they
 * are needed for longer. May be called again.
 */
bool pb_multicast_part_detach(pb_multicast_part_t *part);

/** Nothing more is to come: nothing new is started. */
void pb_multicast_part_cancel(pb_multicast_part_t *part);

/** Gives up what is under way after an error, and gives the memory back. May be called twice. */
void pb_multicast_part_finish(pb_multicast_part_t *part);

#endif
