/*
 * The rule by which roots send: no rank's receive buffer ever holds more than a *window* of others'
 * frames. Frames of all broadcasts of a group have *positions*, one behind the other. Every rank
 * computes the same positions, marks and blocks, from each broadcast's number of frames and the
 * agreed window.
 *
 * Let every rank have taken in all frames before position p: a root that knows p may send frames
 * before p + window. It knows p in one of two ways:
 *
 * - Some broadcasts are *marks*. A mark is *settled* when every rank has reported, up its tree,
 *   that it has all frames up to the mark's last. It also reports that nobody can ask it for any of
 *   them. The mark's root announces that down the tree. Then p is the position behind the mark.
 * - If the frames behind the last mark and a broadcast's are more than a window, its ranks *report*
 *   blocks. A block is a part of a window of this broadcast's frames, and counts once the rank has
 *   all frames of earlier broadcasts. Then p is behind the blocks that all have.
 *
 * Proof: let p be the largest position that any root knows. Every buffer then holds frames from p
 * on only. Other roots know no larger one, so all frames that were sent are before p + window.
 *
 * Every root gets on: behind a mark that is settled it may send a window, less what is between
 * the mark and the broadcast. That is less than a block, since a block makes a broadcast a mark.
 * So the first block can be sent by the mark alone, and each further one by the reports.
 *
 * The rule has one exception. A root whose broadcast reports does not wait for late ranks without
 * end, if it knows that all earlier marks are settled. After some time without news it sends a
 * block more, and twice as much each time in a row. A rank that is more than a window behind does
 * not count until it has caught up. Frames for which its buffer has no room are lost, and repaired.
 * Such a broadcast is a mark, and the next root waits for it: so that happens in one broadcast at a
 * time. Buffers have room for twice the window: for this, for a root's own frames that its host
 * loops back, and for strangers' datagrams.
 *
 * The rule also bounds the copies that ranks keep for others to a window and a block, as nobody can
 * be asked for settled frames. And as each broadcast has a frame, no more parts can be asked.
 */
#ifndef PB_MULTICAST_MARKS_H
#define PB_MULTICAST_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/** Blocks of a window. */
#define PB_MARKS_BLOCKS 4

typedef struct pb_marks {
    uint32_t window; /**< frames, > 0 */
    uint64_t end;    /**< position behind the last broadcast */
    uint64_t marked; /**< position behind the last mark */
} pb_marks_t;

/** Step of the group: one broadcast's positions, and whether it is a mark or reports. */
typedef struct pb_step {
    uint64_t first;    /**< position of its first frame */
    uint64_t end;      /**< position behind its last frame */
    uint64_t marked;   /**< position behind the last mark before it */
    bool is_mark;      /**< it is to be settled */
    uint32_t n_blocks; /**< that its ranks report; 0: none */
} pb_step_t;

/** Nothing has been sent. `window` > 0. */
void pb_marks_init(pb_marks_t *marks, uint32_t window);

/** Frames of a block. */
static inline uint32_t pb_marks_block(const pb_marks_t *marks)
{
    return marks->window < PB_MARKS_BLOCKS ? 1 : marks->window / PB_MARKS_BLOCKS;
}

/** The step of the next broadcast, of `n_frames` > 0. O(1). */
pb_step_t pb_marks_next(pb_marks_t *marks, uint32_t n_frames);

#endif
