/*
 * One rank's part of one broadcast by multicast: what the root and the receivers have in common.
 * The protocol is in engine/multicast/multicast.h.
 *
 * A state machine like pb_transfer_t; it never blocks.
 */
#ifndef PB_MULTICAST_PART_H
#define PB_MULTICAST_PART_H

#include "engine/control.h"
#include "engine/multicast/multicast.h"
#include "topo/trees/role.h"

/** Frames on their way to one child, at most. */
#define PB_PART_REPAIRS 2

typedef struct pb_multicast_child {
    int rank;
    bool is_fed;       /**< it gets pieces in place of frames, so it asks for none */
    bool is_done;      /**< DONE has come */
    bool is_below;     /**< BELOW has come */
    bool is_ready;     /**< READY has come, and in time to count */
    bool has_end;      /**< END was sent */
    bool is_closed;    /**< SETTLED or FAILED was sent: nothing more will be */
    uint32_t n_there;  /**< by READY: ranks of its subtree */
    uint32_t blocks;   /**< likewise: that they have */
    pb_request_t send; /**< a word under way; NULL: none is */
    uint8_t out[PB_WORD_BYTES];
    pb_request_t repairs[PB_PART_REPAIRS];
    uint8_t *repair_bytes; /**< of these, one after the other */
    int n_owed;
    uint32_t owed[PB_WORD_MAX_ASKED]; /**< frames that it has asked for, in that order */
} pb_multicast_child_t;

typedef struct pb_multicast_part {
    pb_multicast_t *multicast; /**< borrowed */
    pb_control_t *control;     /**< borrowed */
    struct pb_multicast_part *next;
    uint64_t number;
    pb_mode_step_t step;
    int parent; /**< -1: this is the root */
    int n_children;
    pb_multicast_child_t *children;
    bool is_fed;           /**< this rank gets pieces in place of frames */
    char *data;            /**< the message; NULL: nobody can ask for it */
    char *copy;            /**< the same if it is the part's own, else NULL */
    pb_repairs_t *repairs; /**< memory of the children's */
    size_t repair_room;    /**< bytes of one repair */
    pb_window_t window;
    bool all_sent;          /**< root: all frames have left this host */
    bool is_there;          /**< this rank is complete in all earlier broadcasts */
    bool has_end;           /**< END has come */
    bool parent_has_failed; /**< FAILED has come */
    bool is_settled;        /**< all ranks have settled it, or no word of that will come */
    uint32_t asked_to;      /**< frames before this one are here or were asked for */
    uint32_t n_open;        /**< asked for and not answered */
    pb_word_asked_t below;  /**< what the children's BELOWs have brought */
    pb_word_asked_t asked;  /**< of a settled mark: of all ranks */
    bool sent_done, sent_below;
    bool sent_ready;
    uint32_t ready_there, ready_blocks; /**< of the last READY */
    pb_request_t up;                    /**< a word to the parent; NULL: none is under way */
    uint8_t out[PB_WORD_BYTES];
    pb_request_t receive; /**< of the next word; NULL: none is posted */
    uint8_t *in;          /**< room for any word */
    size_t in_room;
    int error;   /**< the first error, 0 if none; may be PB_ERR_EMPTY */
    bool broken; /**< the channel refused, or a word made no sense: nothing more is waited for */
} pb_multicast_part_t;

/**
 * Begins the group's next broadcast. `data` has `total` > 0 bytes: at the root (a rank that has no
 * parent in stream 0 of `role`) the message, elsewhere room for it. Both, and the control channel,
 * are borrowed until the end. False if out of memory, or if there are too many frames; then nothing
 * has begun, and it may be tried again. O(children + frames / 64).
 */
bool pb_multicast_part_start(pb_multicast_part_t *part, pb_multicast_t *multicast,
                             pb_control_t *control, const pb_role_t *role, char *data,
                             size_t total);

/**
 * Begins with the part: ranks inside this one's host get pieces in place of frames, by the same
 * role, in a plan by leaders (engine/multicast/inside.h). If that is this rank, it hears no
 * datagrams, asks for no frame and needs no data.
 */
void pb_multicast_part_use_pieces(pb_multicast_part_t *part, const pb_role_t *role);

/** The first `bytes` of the message are here: they have come in pieces. O(frames that are new). */
void pb_multicast_part_feed(pb_multicast_part_t *part, size_t bytes);

/** What should have come in pieces will not, for this error, if there was none before. */
void pb_multicast_part_fail(pb_multicast_part_t *part, int error);

/** Takes in words that have come. Bounded by what may come in one broadcast. */
void pb_multicast_part_receive(pb_multicast_part_t *part);

/** Sends what can be sent to parent and children. */
void pb_multicast_part_send(pb_multicast_part_t *part);

/** A frame of this broadcast has come, whatever it is; whether it was missing. */
bool pb_multicast_part_take_frame(pb_multicast_part_t *part, const pb_frame_t *frame);

/** Whether frames are missing that may still come by datagrams. */
bool pb_multicast_part_is_awaiting_frames(const pb_multicast_part_t *part);

/**
 * Whether the call may return: the message is here, or there is an error, and the words that others
 * wait for were sent. Then data are written no more.
 */
bool pb_multicast_part_is_through(const pb_multicast_part_t *part);

/** Whether children that may ask for frames have not confirmed that they have the message. */
bool pb_multicast_part_may_be_asked(const pb_multicast_part_t *part);

/** Whether nothing more is to come or under way, so that pb_multicast_part_finish() is due. */
bool pb_multicast_part_is_over(const pb_multicast_part_t *part);

/**
 * Lets go of the caller's data, when the part is through. Makes a copy if children may ask for it.
 * False if there is no memory, or if the message has more than a window of frames: then they
 * are needed for longer. May be called again.
 */
bool pb_multicast_part_detach(pb_multicast_part_t *part);

/** Nothing more is to come: what is under way ends or is withdrawn, and nothing new is started. */
void pb_multicast_part_cancel(pb_multicast_part_t *part);

/** Withdraws what is under way after an error, and gives the memory back. May be called twice. */
void pb_multicast_part_finish(pb_multicast_part_t *part);

/* For the root. */

/** The least of the blocks that all ranks have that count for the window, and how many are there.
 */
uint32_t pb_multicast_part_blocks(const pb_multicast_part_t *part, uint32_t *n_there_p);

#endif
