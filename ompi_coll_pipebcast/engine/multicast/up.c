/*
 * The words that a part sends its parent; see engine/multicast/part.h.
 */
#include "engine/multicast/part_internal.h"

typedef pb_part_t part_t;
typedef pb_child_t child_t;

/* Frames that are missing. */

/** Frames that this rank should have: up to the last it has seen, or all. */
static uint32_t due_frames(const part_t *p)
{
    const bool are_all = !pb_part_hears(p) || (p->has_end && p->multicast->is_drained);
    return are_all ? p->window.n_frames : p->window.seen_to;
}

/** Writes which missing frames are to be asked for next; false if there are none. */
static bool next_ask(part_t *p, pb_word_t *word)
{
    const uint32_t to = due_frames(p);
    *word = (pb_word_t){.kind = PB_WORD_ASK};
    while (word->n_runs < PB_WORD_MAX_RUNS && p->n_open < PB_WORD_MAX_ASKED && p->asked_to < to) {
        pb_word_run_t *run = &word->runs[word->n_runs];
        run->n =
            pb_window_gap(&p->window, p->asked_to, to, PB_WORD_MAX_ASKED - p->n_open, &run->first);
        p->asked_to = run->n > 0 ? run->first + run->n : to;
        p->n_open += run->n;
        p->multicast->counters.asked += run->n;
        word->n_runs += run->n > 0;
    }
    return word->n_runs > 0;
}

/* Reports. */

/** Blocks of frames that are here. A deaf rank has no buffer that overflows. */
static uint32_t own_blocks(const part_t *p)
{
    const uint32_t blocks = p->window.first_missing / pb_marks_block(&p->multicast->marks);
    return pb_part_hears(p) && blocks < p->step.n_blocks ? blocks : p->step.n_blocks;
}

/** The lesser one, if a rank of so many blocks counts. */
static uint32_t with_blocks(const part_t *p, uint32_t least, uint32_t blocks, uint32_t seen)
{
    const pb_marks_t *marks = &p->multicast->marks;
    const bool counts = (uint64_t) blocks * pb_marks_block(marks) + marks->window >= seen;
    return counts && blocks < least ? blocks : least;
}

uint32_t pb_part_least_blocks(const part_t *p, uint32_t seen)
{
    uint32_t least = UINT32_MAX;
    if (!pb_part_is_root(p)) {
        least = with_blocks(p, least, own_blocks(p), seen);
    }
    for (int i = 0; i < p->n_children; i++) {
        const child_t *child = &p->children[i];
        if (!child->is_done) {
            least = with_blocks(p, least, child->blocks, seen);
        }
    }
    return least;
}

/** Writes a new report; false if there is none. */
static bool next_here(part_t *p, pb_word_t *word)
{
    if (p->step.n_blocks == 0 || p->reported == p->step.n_blocks) {
        return false;
    }
    p->is_there = p->is_there || pb_part_earlier_are_complete(p);
    /* A deaf rank may have frames that the root has not sent: they do not show how far that is. */
    const uint32_t seen = pb_part_hears(p) ? p->window.seen_to : 0;
    const uint32_t blocks = p->is_there ? pb_part_least_blocks(p, seen) : 0;
    if (blocks <= p->reported || blocks == UINT32_MAX) {
        return false;
    }
    *word = (pb_word_t){.kind = PB_WORD_HERE, .blocks = blocks};
    p->reported = blocks;
    return true;
}

/**
 * Whether a rank that has all frames goes on to report. A deaf one may have them before the root
 * has sent them, and then those below it still count.
 */
static bool goes_on_to_report(const part_t *p)
{
    return p->step.n_blocks > 0 && p->error == 0 && !pb_part_hears(p) && !p->has_end &&
           !p->parent_has_failed;
}

/* Words. */

/** Whether this rank asks for nothing more. */
static bool is_done(const part_t *p)
{
    return p->broken ||
           ((pb_part_is_complete(p) || p->error != 0) && p->n_open == 0 && !goes_on_to_report(p));
}

/** Writes the next word for the parent; false if there is none now. */
static bool next_up(part_t *p, pb_word_t *word)
{
    if (p->error == 0 && !p->sent_done && !p->parent_has_failed) {
        if (next_ask(p, word) || (!is_done(p) && next_here(p, word))) {
            return true;
        }
    }
    if (!p->sent_done && is_done(p)) {
        *word = (pb_word_t){.kind = PB_WORD_DONE};
        p->sent_done = true;
        return true;
    }
    if (p->step.is_mark && p->sent_done && !p->sent_below && pb_part_is_below(p)) {
        *word = (pb_word_t){.kind = PB_WORD_BELOW, .asked = pb_part_sum_asked(p)};
        p->sent_below = true;
        return true;
    }
    return false;
}

void pb_part_send_up(part_t *p)
{
    pb_word_t word;
    while (pb_part_has_left(p, &p->up) && next_up(p, &word)) {
        pb_part_send_word(p, pb_word_write(&word, p->out), p->parent, &p->up);
    }
}
