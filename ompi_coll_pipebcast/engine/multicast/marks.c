/*
 * Broadcasts that are marks, or that report; see engine/multicast/marks.h.
 */
#include "engine/multicast/marks.h"

void pb_marks_init(pb_marks_t *marks, uint32_t window)
{
    *marks = (pb_marks_t){.window = window};
}

/** Blocks that ranks report, so that the root may send all frames. */
static uint32_t blocks_of(const pb_marks_t *marks, uint64_t since, uint32_t n_frames)
{
    const uint32_t block = pb_marks_block(marks);
    if (since <= marks->window) {
        return 0;
    }
    return n_frames <= marks->window ? 1 : (n_frames - marks->window - 1) / block + 1;
}

pb_step_t pb_marks_next(pb_marks_t *marks, uint32_t n_frames)
{
    const uint64_t end = marks->end + n_frames, since = end - marks->marked;
    pb_step_t step = {.first = marks->end,
                      .end = end,
                      .marked = marks->marked,
                      .n_blocks = blocks_of(marks, since, n_frames)};
    step.is_mark = since >= pb_marks_block(marks);
    marks->end = end;
    if (step.is_mark) {
        marks->marked = end;
    }
    return step;
}
