/*
 * In which mode each broadcast goes; see engine/multicast/mode.h.
 */
#include "engine/multicast/mode.h"

#include <string.h>

void pb_mode_init(pb_mode_t *mode, uint32_t window)
{
    *mode = (pb_mode_t){.window = window};
}

/** Relies on the oldest open mark. */
static void move_base(pb_mode_t *mode)
{
    mode->base = mode->marks[0].number + 1;
    mode->outstanding -= mode->marks[0].frames;
    mode->n_marks--;
    memmove(mode->marks, mode->marks + 1, (size_t) mode->n_marks * sizeof(mode->marks[0]));
}

/** The number behind the last mark, or what is relied upon if that is not open. */
static uint64_t last_mark(const pb_mode_t *mode)
{
    return mode->n_marks > 0 ? mode->marks[mode->n_marks - 1].number + 1 : mode->base;
}

/** Whether so many frames more may be outstanding, after `base` was moved as far as it must be. */
static bool make_room(pb_mode_t *mode, uint32_t n_frames)
{
    const uint32_t least = mode->since; /* if all open marks are relied upon */
    if (n_frames > mode->window || least + n_frames > mode->window) {
        return false;
    }
    while (mode->outstanding + n_frames > mode->window || mode->n_marks == PB_MODE_MAX_MARKS) {
        move_base(mode);
    }
    return true;
}

/** Whether the broadcast that was counted last is a mark. */
static bool is_mark(const pb_mode_t *mode)
{
    return mode->next_is_mark || mode->since >= pb_mode_block(mode) ||
           mode->since >= PB_MODE_MARK_FRAMES || mode->n_since >= PB_MODE_MARK_BROADCASTS;
}

pb_mode_step_t pb_mode_next(pb_mode_t *mode, uint64_t number, uint32_t n_frames)
{
    const bool is_eager = make_room(mode, n_frames);
    const uint32_t counted = is_eager ? n_frames : mode->window;
    const uint64_t relies_on = is_eager ? mode->base : last_mark(mode);
    if (!is_eager) {
        mode->n_marks = 0;
        mode->outstanding = mode->since = 0;
        mode->base = number;
    }
    mode->outstanding += counted;
    mode->since += counted;
    mode->sent += n_frames;
    mode->n_since++;
    const pb_mode_step_t step = {
        .by_credit = !is_eager,
        .is_mark = is_mark(mode),
        .relies_on = relies_on,
        .frames = mode->sent,
    };
    mode->next_is_mark = false;
    if (step.is_mark) {
        mode->marks[mode->n_marks++] = (pb_mode_mark_t){.number = number, .frames = mode->since};
        mode->since = 0;
        mode->sent = 0;
        mode->n_since = 0;
    }
    return step;
}
