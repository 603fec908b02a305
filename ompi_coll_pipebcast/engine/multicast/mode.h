/*
 * In which mode each broadcast of a group goes, and which earlier one has to be settled before its
 * root may send. All of it follows from the sequence of the broadcasts' numbers of frames, which
 * all ranks know, and from the window, on which they have agreed: so every rank computes the same.
 *
 * It has to achieve this: while roots send unasked (eager), no rank's receive buffer holds more
 * than `window` frames of other ranks. Proof:
 *
 * - Some broadcasts are *marks*. A mark is *settled* when every rank has reported, up its tree,
 *   that it is complete and that nobody can ask it for frames of this or any earlier broadcast;
 *   its root announces that down the tree. So when a mark is settled, every rank has all frames of
 *   the broadcasts up to it, and none of them is in a buffer.
 * - The broadcasts before `base` are relied upon, and frames of the others so far are
 *   *outstanding*. A broadcast is eager if outstanding <= window with it, if need be after moving
 *   `base` on behind a mark. Its root has to know that mark to be settled before it sends; a root
 *   that is not the mark's knows it by the announcement. So all that is in any buffer when it
 *   sends is of the broadcasts from `base` to this one, which are at most `window` frames.
 * - Where that is not possible the broadcast goes by *credit*: its root waits until all ranks
 *   report that they are there and complete in all earlier ones, which is as good as a settled
 *   mark, and sends no more than a window ahead of what all report to have. It is a mark, and
 *   counts as a whole window however short it is, so that the next eager one relies on it: that
 *   one's root need not be the one that has got the reports. It relies on the last mark before it,
 *   since its root may begin without ranks that are late: so that happens in one broadcast at a
 *   time.
 *
 * A receiver's buffer has room for twice the window, for what the proof leaves out: copies of its
 * own frames where the host loops them back, what strangers send, and broadcasts by credit that
 * have begun without it. More than that does no harm either: frames for which there is no room are
 * lost, and repaired.
 *
 * The same bounds what ranks keep for others, as nobody can be asked for a settled broadcast:
 * copies are of at most a window of frames of eager broadcasts, or of less than a quarter of one
 * and one broadcast by credit. And as each broadcast has a frame, so many parts are open at most.
 *
 * There is a mark for each quarter of a window, and for each PB_MODE_MARK_FRAMES frames and
 * PB_MODE_MARK_BROADCASTS broadcasts, as what becomes of a group is known from them
 * (engine/multicast/health.h). At most PB_MODE_MAX_MARKS are open: roots that send without a pause
 * rely on those of three quarters of a window ago, or on the oldest one.
 */
#ifndef PB_MULTICAST_MODE_H
#define PB_MULTICAST_MODE_H

#include <stdbool.h>
#include <stdint.h>

/** Open marks, at most. */
#define PB_MODE_MAX_MARKS 32

/** Parts of a window: marks are so far apart, and credit is given for so many frames at a time. */
#define PB_MODE_PARTS 4

/** Marks are no further apart than this. */
#define PB_MODE_MARK_FRAMES 32
#define PB_MODE_MARK_BROADCASTS 8

/** The broadcasts from one mark to the next. */
typedef struct pb_mode_mark {
    uint64_t number; /**< the mark's, which is the last of them */
    uint32_t frames; /**< of all of them, as counted in `outstanding` */
} pb_mode_mark_t;

typedef struct pb_mode {
    uint32_t window;      /**< frames that may be outstanding, > 0 */
    uint32_t outstanding; /**< of broadcasts after `base` */
    uint32_t since;       /**< of broadcasts after the last mark, as counted in `outstanding` */
    uint64_t sent;        /**< frames of these, all of them */
    int n_since;          /**< broadcasts after the last mark */
    uint64_t base;        /**< broadcasts before this number are relied upon */
    bool next_is_mark;    /**< the next broadcast, whatever its number of frames */
    int n_marks;
    pb_mode_mark_t marks[PB_MODE_MAX_MARKS]; /**< open, oldest first */
} pb_mode_t;

/** How one broadcast goes. */
typedef struct pb_mode_step {
    bool by_credit;     /**< else eager */
    bool is_mark;       /**< it is to be settled */
    uint64_t relies_on; /**< broadcasts before this number have to be settled */
    uint64_t frames;    /**< of the broadcasts since the last mark, this one too */
} pb_mode_step_t;

/** Nothing has been sent. `window` > 0. */
void pb_mode_init(pb_mode_t *mode, uint32_t window);

/**
 * The next broadcast is a mark, however few frames it has: to find out what becomes of it.
 */
static inline void pb_mode_mark_next(pb_mode_t *mode)
{
    mode->next_is_mark = true;
}

/** Frames of which one credit is: a part of a window. */
static inline uint32_t pb_mode_block(const pb_mode_t *mode)
{
    return mode->window < PB_MODE_PARTS ? 1 : mode->window / PB_MODE_PARTS;
}

/** How the next broadcast, of this number and so many frames > 0, goes. O(1). */
pb_mode_step_t pb_mode_next(pb_mode_t *mode, uint64_t number, uint32_t n_frames);

#endif
