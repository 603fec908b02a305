/*
 * The words that a part takes in; see engine/multicast/part.h.
 */
#include "engine/multicast/part_internal.h"

typedef pb_part_t part_t;
typedef pb_child_t child_t;

/* Of the parent. */

static void take_repair(part_t *p, const pb_word_t *word)
{
    p->n_open -= word->n_frames;
    for (uint32_t i = 0; i < word->n_frames; i++) {
        (void) pb_part_add_frame(p, word->index + i, word->payload + (size_t) i * p->window.payload,
                                 pb_window_bytes(&p->window, word->index + i));
    }
}

/** Nothing more will come from the parent. */
static void lose_parent(part_t *p)
{
    p->parent_has_failed = true;
    p->n_open = 0;
    if (!pb_part_is_complete(p)) {
        pb_part_keep_error(p, PB_ERR_EMPTY);
    }
    pb_part_give_up_mark(p);
}

/** A word of the parent; false if it should not have come. */
static bool take_from_parent(part_t *p, const pb_word_t *word)
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
            pb_part_settle(p, &word->asked);
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

/* Of children. */

/** A child lacks these frames; false if it asks for more than it may. */
static bool owe(child_t *child, const pb_word_t *word)
{
    for (int i = 0; i < word->n_runs; i++) {
        const pb_word_run_t *run = &word->runs[i];
        if (run->n > (uint32_t) (PB_WORD_MAX_ASKED - child->n_owed)) {
            return false;
        }
        for (uint32_t k = 0; k < run->n; k++) {
            child->owed[child->n_owed++] = run->first + k;
        }
    }
    return true;
}

static void take_below(part_t *p, child_t *child, const pb_word_t *word)
{
    child->is_below = true;
    p->below.all += word->asked.all;
    p->below.most = word->asked.most > p->below.most ? word->asked.most : p->below.most;
}

/** A word of a child; false if it should not have come. */
static bool take_from_child(part_t *p, child_t *child, const pb_word_t *word)
{
    if (child->is_done != (word->kind == PB_WORD_BELOW)) {
        return false;
    }
    switch (word->kind) {
    case PB_WORD_ASK:
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
            take_below(p, child, word);
            return true;
        }
        return false;
    default:
        return false;
    }
}

/* All. */

static bool take_word(part_t *p, int from, size_t length)
{
    pb_word_t word;
    if (!pb_word_read(&word, &p->window, p->in, length)) {
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

static bool expects_parent(const part_t *p)
{
    return !pb_part_is_root(p) && !p->parent_has_failed &&
           (!p->has_end || p->n_open > 0 || (p->step.is_mark && !p->is_settled));
}

bool pb_part_expects_words(const part_t *p)
{
    for (int i = 0; i < p->n_children; i++) {
        const child_t *child = &p->children[i];
        if (!child->is_done || (p->step.is_mark && !child->is_below)) {
            return true;
        }
    }
    return expects_parent(p);
}

/** Takes in the next word; false if it is not there. */
static bool receive_one(part_t *p)
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

void pb_part_hear(part_t *p)
{
    while (!p->broken && pb_part_expects_words(p) && receive_one(p)) {
    }
}
