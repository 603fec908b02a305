/*
 * Broadcasts by multicast: one datagram of each frame reaches the whole group, and a tree over the
 * reliable channel repairs lost frames. Everything that must arrive goes over that channel
 * (engine/control.h), so a loss of datagrams delays a broadcast at most.
 *
 * ## Messages
 *
 * All members have a pb_multicast_t, and start the group's broadcasts in the same order, with the
 * same root and bytes. Numbers and positions follow from that. A rank's share in one of them is a
 * *part* (engine/multicast/part.h). Each broadcast has a control channel of its own (a tag). The
 * *words* of engine/multicast/word.h go there between parents and children of its tree, stream 0 of
 * the role. The tree should follow the switches, as loss is shared below a switch.
 *
 * 1. The root sends its frames to the group as far as the rule of engine/multicast/marks.h lets it,
 *    and no faster than its rate (engine/multicast/rate.h).
 * 2. A receiver that sees a gap in the indices asks its parent for those frames (ASK), only once,
 *    since the channel is reliable. At most PB_WORD_MAX_ASKED may be open. The parent answers with
 *    frames when it has them (REPAIR), and remembers what it lacks. So the root is asked by its own
 *    children only.
 * 3. The root sends END to its children when all frames have left the host: END must not overtake
 *    them in its queue. A rank that has got END, or all frames, sends END to its children. A
 *    receiver that has got END takes in the frames that its socket holds, and asks for all that are
 *    missing then. So no timer is needed to find a lost tail. If everything is lost, all ranks find
 *    that at about the same time. If END overtakes the last frames in another queue of the
 *    interface, the host asks for some in vain. A *deaf* rank, which knows that it hears no
 *    datagrams, asks for all frames from the start. It may have them before datagrams were sent,
 *    and sends END only after it has got it. In a plan by leaders (topo/trees/leaders.h) a rank
 *    that is led asks for nothing. Its leader offers the frames that are here to a transfer
 *    (engine/transfer.h) in pieces, with a tag of its own. For the words, a rank that is led has
 *    all frames from the start.
 * 4. A rank that has all frames, and no answer to come, sends DONE to its parent. When all its
 *    children have sent that, nobody can ask it for anything.
 * 5. Where a broadcast reports, a rank with all earlier broadcasts sends HERE whenever it and all
 *    below it that count have another block.
 * 6. In a mark, BELOW goes up the tree. A rank sends it after END, after BELOW from all its
 *    children, and when nobody can ask its parts of earlier broadcasts. SETTLED goes down from the
 *    root when all have sent BELOW. Only a root that needs the mark waits for it.
 *
 * A part knows which words are still to come. From its parent: END, REPAIRs of all frames that it
 * has asked for, and SETTLED of a mark. From each child: DONE, and BELOW of a mark. It is over when
 * all have come and its own have left. So no word is on its way to a rank whose part is over. A
 * communicator that waits for its parts before it ends leaves no word to the next one.
 *
 * ## Memory
 *
 * A rank keeps the message until all its children are DONE: in the user's buffer while the call
 * lasts. If the call returns before that (pb_multicast_part_is_through()), the part goes on as a
 * task with one copy of the message (pb_multicast_part_detach()). A copy has at most a window.
 * Beyond a window the call lasts until its children have the message, as in a tree.
 *
 * A parent that returned and computes serves its children when MPI makes progress again. Before it
 * returned it has sent END to its children and DONE to its parent, so only ranks that have lost
 * frames wait for it. The caller may let blocking calls linger for about the time of an answer.
 *
 * ## Late ranks
 *
 * Nobody waits for them at first: a window of frames waits in their sockets. Later frames wait at
 * their root, which needs a mark that these ranks have not settled. In a broadcast that reports the
 * root goes on without them, see engine/multicast/marks.h. A late rank finds in its socket the
 * frames that fitted, and gets the rest from its parent, PB_WORD_MAX_ASKED frames ahead.
 *
 * ## Errors
 *
 * Datagrams make no errors: if the group cannot be reached, the root takes its frames as sent, and
 * all are repaired. If the control channel refuses, or a word makes no sense, the rank tries to
 * send FAILED to its children and DONE to its parent. It waits for nothing more, and ends with the
 * error. After FAILED nothing more comes from that rank. A child that is not complete then ends
 * with PB_ERR_EMPTY, sends FAILED on, and takes in the words that its own children still send. No
 * rank above waits, or has an error. The channel keeps what it may still read or write.
 *
 * ## Duties of the caller
 *
 * - The message is contiguous, at `data`, until the part is over or detached.
 * - All members have the same rule, payload and window: the smallest of half of each rank's
 *   pb_datagrams_t.capacity. The payload and its header fit into the smallest MTU.
 * - The numbers of a group are those of its pb_multicast_t: communicators that share a group's
 *   address and port have keys of their own.
 * - Parts that are through are advanced as tasks until they are over.
 * - One thread at a time is inside a group.
 * - A rank that cannot start a part (out of memory), or cancels one, leaves others waiting. The
 *   caller notifies them by its own means, and they cancel theirs.
 */
#ifndef PB_MULTICAST_H
#define PB_MULTICAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/multicast/datagrams.h"
#include "engine/multicast/frame.h"
#include "engine/multicast/marks.h"
#include "engine/multicast/rate.h"
#include "engine/multicast/word.h"

struct pb_multicast_part;

/** Configuration: values on which the members agree, and values of this rank. */
typedef struct pb_multicast_config {
    pb_frame_rule_t rule;
    uint32_t payload;          /**< bytes of a frame, 1 .. PB_FRAME_MAX_PAYLOAD */
    uint32_t window;           /**< frames, > 0 */
    pb_datagrams_t *datagrams; /**< borrowed; NULL: this rank can neither send nor hear them */
    bool is_deaf;              /**< it is known to hear none: it asks for all frames */
    /* Values of a root, which need not be agreed on: */
    int64_t patience; /**< nanoseconds: some times what a word takes up the tree */
    uint64_t ceiling; /**< of pb_rate_of() */
} pb_multicast_config_t;

/**
 * Returns a root's patience: four times `way`, from 2 ms to 1 s. `way` is how long a word took up
 * the tree and down again. More than 32 times `lag` counts as that: some rank was away. `lag`
 * belongs to sweeps (engine/schedule.h); 0: not known. All in nanoseconds.
 */
static inline int64_t pb_multicast_patience(int64_t way, int64_t lag)
{
    const int64_t least = 2000000, most = 1000000000;
    const int64_t patience = 4 * (lag > 0 && way > 32 * lag ? 32 * lag : way);
    return patience < least ? least : patience > most ? most : patience;
}

/** Counts up to some time: frames that were lost on the way, and drops by the own host. */
typedef struct pb_multicast_loss {
    int64_t lost;
    uint32_t dropped; /**< it wraps */
} pb_multicast_loss_t;

/** Counters of this group on this rank. */
typedef struct pb_multicast_counters {
    uint64_t reporting; /**< broadcasts that report */
    uint64_t received;  /**< frames that were missing and came by datagram */
    uint64_t unused;    /**< frames of this group that were here already, or came too early */
    uint64_t foreign;   /**< datagrams that are no frames of this group, or damaged or forged */
    uint64_t asked;     /**< frames that this rank has asked its parents for */
    uint64_t repaired;  /**< frames that were missing and came from a parent */
    uint64_t impatient; /**< times that a root has not waited any longer for reports */
} pb_multicast_counters_t;

/** One rank's membership in a group. */
typedef struct pb_multicast {
    pb_multicast_config_t config;
    uint64_t next; /**< number of the next broadcast */
    pb_marks_t marks;
    pb_rate_t rate;
    uint64_t settled;                /**< position: what is before it is known to be settled */
    uint64_t last_asked;             /**< the last broadcast in which a child has asked for frames,
                                          counted from 1; 0: none */
    struct pb_multicast_part *parts; /**< those that are not over, oldest first */
    bool has_frame;                  /**< `frame` has come and has not been taken */
    pb_frame_t frame;
    bool is_drained; /**< the last pump has left nothing that a part could take */
    pb_multicast_counters_t counters;
} pb_multicast_t;

/** Joins a group whose datagrams are there. Needs no memory and sends nothing. */
void pb_multicast_init(pb_multicast_t *multicast, const pb_multicast_config_t *config);

/** Uses these datagrams from now on; NULL: none, and frames that are missing are repaired. */
void pb_multicast_use(pb_multicast_t *multicast, pb_datagrams_t *datagrams);

/**
 * Takes in what has come and gives it to the parts that want it. Stops at a frame of a broadcast
 * that has not been started here: it stays where it is, in the socket. Bounded.
 */
void pb_multicast_pump(pb_multicast_t *multicast);

/** Returns whether this rank hears datagrams. */
static inline bool pb_multicast_hears(const pb_multicast_t *multicast)
{
    return multicast->config.datagrams != NULL && !multicast->config.is_deaf;
}

/**
 * Returns the frames lost on the way here since `before`, which becomes now. 0 where this rank
 * hears none, or its own host dropped some because nobody took them in. Takes in what has come.
 */
uint32_t pb_multicast_take_lost(pb_multicast_t *multicast, pb_multicast_loss_t *before);

#endif
