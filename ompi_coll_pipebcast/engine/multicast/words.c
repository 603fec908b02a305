/*
 * The words that a part takes in, and those that it sends; see engine/multicast/multicast.h.
 */
#include <string.h>

#include "engine/multicast/part_internal.h"

/* Words of the parent. */

static void take_repair(pb_part_t *p, const pb_word_t *word)
{
    p->n_open -= word->n_frames;
    for (uint32_t i = 0; i < word->n_frames; i++) {
        p->multicast->counters.repaired +=
            pb_part_add_frame(p, word->index + i, word->payload + (size_t) i * p->frames.payload,
                              pb_frames_bytes(&p->frames, word->index + i));
    }
}

/** Notes that nothing more will come from the parent. */
static void lose_parent(pb_part_t *p)
{
    p->parent_has_failed = true;
    p->n_open = 0;
    if (!pb_part_is_complete(p)) {
        pb_keep_first_error(&p->error, PB_ERR_EMPTY);
    }
    pb_part_give_up_mark(p);
}

/** A word of the parent; false if it should not have come. */
static bool take_from_parent(pb_part_t *p, const pb_word_t *word)
{
    if (p->parent_has_failed) {
        return false;
    }
    switch (word->kind) {
    case PB_WORD_REPAIR:
        if (p->n_open >= word->n_frames) {
            take_repair(p, word);
            return true;
        }
        return false;
    case PB_WORD_END:
        if (!p->has_end) {
            p->has_end = true;
            return true;
        }
        return false;
    case PB_WORD_SETTLED:
        if (p->step.is_mark && p->sent_below && !p->is_settled) {
            pb_part_settle(p);
            return true;
        }
        return false;
    case PB_WORD_FAILED:
        lose_parent(p);
        return true;
    default:
        return false;
    }
}

/* Words of children. */

/** A child lacks these frames; false if it asks for more than it may. */
static bool owe(pb_child_t *child, const pb_word_t *word)
{
    if (word->n_frames > (uint32_t) (PB_WORD_MAX_ASKED - child->n_owed)) {
        return false;
    }
    for (uint32_t i = 0; i < word->n_frames; i++) {
        child->owed[child->n_owed++] = word->index + i;
    }
    return true;
}

/** A word of a child; false if it should not have come. */
static bool take_from_child(pb_part_t *p, pb_child_t *child, const pb_word_t *word)
{
    if (child->is_done != (word->kind == PB_WORD_BELOW)) {
        return false;
    }
    switch (word->kind) {
    case PB_WORD_ASK:
        p->multicast->last_asked = p->number + 1;
        return !child->is_inside && owe(child, word);
    case PB_WORD_HERE:
        if (word->blocks > child->blocks && word->blocks <= p->step.n_blocks) {
            child->blocks = word->blocks;
            return true;
        }
        return false;
    case PB_WORD_DONE:
        child->is_done = true;
        child->n_owed = 0;
        return true;
    case PB_WORD_BELOW:
        if (p->step.is_mark && !child->is_below) {
            child->is_below = true;
            return true;
        }
        return false;
    default:
        return false;
    }
}

/* Taking words in. */

static bool take_word(pb_part_t *p, int from, size_t length)
{
    pb_word_t word;
    if (!pb_word_read(&word, &p->frames, p->in, length)) {
        return false;
    }
    if (!pb_part_is_root(p) && from == p->parent) {
        return take_from_parent(p, &word);
    }
    for (int i = 0; i < p->n_children; i++) {
        if (p->children[i].rank == from) {
            return take_from_child(p, &p->children[i], &word);
        }
    }
    return false;
}

static bool expects_parent(const pb_part_t *p)
{
    return !pb_part_is_root(p) && !p->parent_has_failed &&
           (!p->has_end || p->n_open > 0 || (p->step.is_mark && !p->is_settled));
}

bool pb_part_expects_words(const pb_part_t *p)
{
    const pb_all_t all = pb_part_children(p);
    return !all.are_done || (p->step.is_mark && !all.are_below) || expects_parent(p);
}

/** Takes in the next word; false if it is not there. */
static bool receive_one(pb_part_t *p)
{
    int from = -1, error = 0;
    size_t length = 0;
    if (p->receive == NULL) {
        error = pb_control_receive(p->control, p->in, p->room, &p->receive);
    }
    if (error == 0 && !pb_control_received(p->control, &p->receive, &from, &length, &error)) {
        return false;
    }
    if (error == 0 && !take_word(p, from, length)) {
        error = PB_ERR_MALFORMED;
    }
    if (error != 0) {
        pb_part_refused(p, error);
    }
    return error == 0;
}

void pb_part_hear(pb_part_t *p)
{
    while (!p->broken && pb_part_expects_words(p) && receive_one(p)) {
    }
}

/* Sending words. */

static void send_word(pb_part_t *p, const pb_word_t *word, int rank)
{
    const int rc = pb_control_send(p->control, p->out, pb_word_write(word, p->out), rank);
    if (rc != 0) {
        pb_part_refused(p, rc);
    }
}

/* To the parent: frames that are missing. */

/** Frames that this rank should have: up to the last it has seen, or all. */
static uint32_t due_frames(const pb_part_t *p)
{
    const bool are_all = !pb_part_hears(p) || (p->has_end && p->multicast->is_drained);
    return are_all ? p->frames.n_frames : p->frames.seen_to;
}

/** Writes which missing frames are to be asked for next; false if there are none. */
static bool next_ask(pb_part_t *p, pb_word_t *word)
{
    const uint32_t to = due_frames(p);
    if (p->n_open == PB_WORD_MAX_ASKED || p->asked_to >= to) {
        return false;
    }
    *word = (pb_word_t){.kind = PB_WORD_ASK};
    word->n_frames =
        pb_frames_gap(&p->frames, p->asked_to, to, PB_WORD_MAX_ASKED - p->n_open, &word->index);
    p->asked_to = word->n_frames > 0 ? word->index + word->n_frames : to;
    p->n_open += word->n_frames;
    p->multicast->counters.asked += word->n_frames;
    return word->n_frames > 0;
}

/* To the parent: reports. */

/** Blocks of frames that are here. A deaf rank has no buffer that overflows. */
static uint32_t own_blocks(const pb_part_t *p)
{
    const uint32_t blocks = p->frames.first_missing / pb_marks_block(&p->multicast->marks);
    return pb_part_hears(p) && blocks < p->step.n_blocks ? blocks : p->step.n_blocks;
}

/** Returns the lesser of `least` and `blocks`, if a rank with `blocks` counts. */
static uint32_t with_blocks(const pb_part_t *p, uint32_t least, uint32_t blocks, uint32_t seen)
{
    const pb_marks_t *marks = &p->multicast->marks;
    const bool counts = (uint64_t) blocks * pb_marks_block(marks) + marks->window >= seen;
    return counts && blocks < least ? blocks : least;
}

uint32_t pb_part_least_blocks(const pb_part_t *p, uint32_t seen)
{
    uint32_t least = UINT32_MAX;
    if (!pb_part_is_root(p)) {
        least = with_blocks(p, least, own_blocks(p), seen);
    }
    for (int i = 0; i < p->n_children; i++) {
        const pb_child_t *child = &p->children[i];
        if (!child->is_done) {
            least = with_blocks(p, least, child->blocks, seen);
        }
    }
    return least;
}

/** Writes a new report; false if there is none. */
static bool next_here(pb_part_t *p, pb_word_t *word)
{
    if (p->step.n_blocks == 0 || p->reported == p->step.n_blocks) {
        return false;
    }
    p->is_there = p->is_there || pb_part_earlier_are_complete(p);
    /* A deaf rank may have frames that the root has not sent: they do not show how far that is. */
    const uint32_t seen = pb_part_hears(p) ? p->frames.seen_to : 0;
    const uint32_t blocks = p->is_there ? pb_part_least_blocks(p, seen) : 0;
    if (blocks <= p->reported || blocks == UINT32_MAX) {
        return false;
    }
    *word = (pb_word_t){.kind = PB_WORD_HERE, .blocks = blocks};
    p->reported = blocks;
    return true;
}

/**
 * Returns whether a rank that has all frames still reports. A deaf one may have them before the
 * root has sent them, and the ranks below it still count then.
 */
static bool goes_on_to_report(const pb_part_t *p)
{
    return p->step.n_blocks > 0 && p->error == 0 && !pb_part_hears(p) && !p->has_end &&
           !p->parent_has_failed;
}

/* To the parent: all words. */

/** Returns whether this rank asks for nothing more. */
static bool is_done(const pb_part_t *p)
{
    return p->broken ||
           ((pb_part_is_complete(p) || p->error != 0) && p->n_open == 0 && !goes_on_to_report(p));
}

/** Writes the next word for the parent; false if there is none now. */
static bool next_up(pb_part_t *p, pb_word_t *word)
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
        *word = (pb_word_t){.kind = PB_WORD_BELOW};
        p->sent_below = true;
        return true;
    }
    return false;
}

static void send_up(pb_part_t *p)
{
    pb_word_t word;
    while (next_up(p, &word)) {
        send_word(p, &word, p->parent);
    }
}

/* To children. */

/** Returns whether END may go to the children. A deaf rank may have the message too early for that.
 */
static bool knows_end(const pb_part_t *p)
{
    return pb_part_is_root(p)
               ? p->source.all_sent
               : p->has_end || p->parent_has_failed || (pb_part_is_complete(p) && pb_part_hears(p));
}

/** Writes the next word for a child; false if there is none now. */
static bool next_down(const pb_part_t *p, pb_child_t *child, pb_word_t *word)
{
    const bool may_ask = p->step.is_mark || !pb_part_is_complete(p);
    /* A child that needs nothing of this rank any more meets nothing that could fail. */
    child->is_closed |= child->has_end && !p->step.is_mark && (!may_ask || child->is_done);
    if (child->is_closed) {
        return false;
    }
    if (p->error != 0 || (child->has_end && p->is_settled)) {
        const bool failed = p->error != 0 || p->parent_has_failed;
        *word = (pb_word_t){.kind = failed ? PB_WORD_FAILED : PB_WORD_SETTLED};
        child->is_closed = true;
        return true;
    }
    if (child->has_end || !knows_end(p)) {
        return false;
    }
    *word = (pb_word_t){.kind = PB_WORD_END};
    child->has_end = true;
    child->is_closed = !may_ask;
    return true;
}

/* To children: frames that they have asked for. */

/** Counts the owed frames from this one on that are here, in a row. */
static int owed_run(const pb_part_t *p, const pb_child_t *child, int at)
{
    const int most = (int) pb_word_most_repaired(p->frames.payload);
    const uint32_t first = child->owed[at];
    int n = 0;
    while (n < most && at + n < child->n_owed && child->owed[at + n] == first + (uint32_t) n &&
           pb_frames_has(&p->frames, first + (uint32_t) n)) {
        n++;
    }
    /* A rank that hears no datagrams asks for all frames. Frames that are about to come then go
     * together with those that are here. */
    const uint32_t next = first + (uint32_t) n;
    const bool may_grow = n > 0 && n < most && at + n < child->n_owed &&
                          child->owed[at + n] == next && next >= p->frames.seen_to;
    return may_grow ? 0 : n;
}

/** Writes a REPAIR with frames that are owed and here, which are owed no more; false: there are
 * none to send now. */
static bool next_repair(const pb_part_t *p, pb_child_t *child, pb_word_t *word)
{
    int at = 0, n = 0;
    while (p->error == 0 && at < child->n_owed && (n = owed_run(p, child, at)) == 0) {
        at++;
    }
    if (n == 0) {
        return false;
    }
    const uint32_t first = child->owed[at];
    *word = (pb_word_t){.kind = PB_WORD_REPAIR,
                        .index = first,
                        .bytes = (uint32_t) pb_frames_run_bytes(&p->frames, first, (uint32_t) n),
                        .payload = p->data + (size_t) first * p->frames.payload};
    child->n_owed -= n;
    memmove(child->owed + at, child->owed + at + n,
            (size_t) (child->n_owed - at) * sizeof(child->owed[0]));
    return true;
}

/** Sends a child the words that are due, then what it has asked for and this rank has. */
static void send_down(pb_part_t *p, pb_child_t *child)
{
    pb_word_t word;
    while (next_down(p, child, &word) || next_repair(p, child, &word)) {
        send_word(p, &word, child->rank);
    }
}

void pb_part_send_words(pb_part_t *p)
{
    if (!pb_part_is_root(p)) {
        send_up(p);
    }
    for (int i = 0; i < p->n_children; i++) {
        send_down(p, &p->children[i]);
    }
}
