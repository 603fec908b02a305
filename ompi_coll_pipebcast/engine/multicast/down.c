/*
 * The words and frames that a part sends its children; see engine/multicast/part.h.
 */
#include <string.h>

#include "engine/multicast/part_internal.h"

typedef pb_part_t part_t;
typedef pb_child_t child_t;

/* Words. */

/** Whether END may go to the children. A deaf rank may have the message before datagrams have. */
static bool knows_end(const part_t *p)
{
    return pb_part_is_root(p)
               ? p->source.all_sent
               : p->has_end || p->parent_has_failed || (pb_part_is_complete(p) && pb_part_hears(p));
}

/** Writes the next word for a child; false if there is none now. */
static bool next_down(const part_t *p, child_t *child, pb_word_t *word)
{
    *word = (pb_word_t){.kind = PB_WORD_COUNT};
    if (child->is_closed) {
        return false;
    }
    if (child->has_end && !p->step.is_mark && (pb_part_is_complete(p) || child->is_done)) {
        child->is_closed = true; /* it needs nothing of this rank any more that could fail */
    } else if (p->error != 0) {
        word->kind = PB_WORD_FAILED;
        child->is_closed = true;
    } else if (!child->has_end && knows_end(p)) {
        word->kind = PB_WORD_END;
        child->has_end = true;
        child->is_closed = !p->step.is_mark && pb_part_is_complete(p);
    } else if (child->has_end && p->is_settled) {
        word->kind = p->parent_has_failed ? PB_WORD_FAILED : PB_WORD_SETTLED;
        word->asked = p->asked;
        child->is_closed = true;
    }
    return word->kind != PB_WORD_COUNT;
}

static void send_words(part_t *p, child_t *child)
{
    pb_word_t word;
    while (pb_part_has_left(p, &child->send) && next_down(p, child, &word)) {
        pb_part_send_word(p, pb_word_write(&word, p->out), child->rank, &child->send);
    }
}

/* Frames that a child has asked for. */

/** How many of the frames that are owed from this one on are here, one behind the other. */
static int owed_run(const part_t *p, const child_t *child, int at)
{
    const int most = (int) pb_word_most_repaired(p->window.payload);
    const uint32_t first = child->owed[at];
    int n = 0;
    while (n < most && at + n < child->n_owed && child->owed[at + n] == first + (uint32_t) n &&
           pb_window_has(&p->window, first + (uint32_t) n)) {
        n++;
    }
    /* A rank that hears no datagrams asks for all frames: those that are about to come go with the
     * ones that are here, and not each on its own. */
    const uint32_t next = first + (uint32_t) n;
    const bool may_grow = n > 0 && n < most && at + n < child->n_owed &&
                          child->owed[at + n] == next && next >= p->window.seen_to;
    return may_grow ? 0 : n;
}

/**
 * Takes frames out of those that are owed and here, one behind the other: the first and how many.
 * 0: there are none to send now.
 */
static uint32_t take_owed(const part_t *p, child_t *child, uint32_t *first_p)
{
    for (int i = 0; i < child->n_owed; i++) {
        const int n = owed_run(p, child, i);
        if (n > 0) {
            *first_p = child->owed[i];
            child->n_owed -= n;
            memmove(child->owed + i, child->owed + i + n,
                    (size_t) (child->n_owed - i) * sizeof(child->owed[0]));
            return (uint32_t) n;
        }
    }
    return 0;
}

static void send_repair(part_t *p, const child_t *child, pb_request_t *send, uint32_t first,
                        uint32_t n)
{
    const pb_word_t word = {.index = first,
                            .bytes = (uint32_t) pb_window_run_bytes(&p->window, first, n),
                            .payload = p->data + (size_t) first * p->window.payload};
    pb_part_send_word(p, pb_word_write_repair(&word, p->out), child->rank, send);
    p->multicast->counters.repaired += *send != NULL ? n : 0;
}

/** Sends a child what it has asked for and this rank has. */
static void serve(part_t *p, child_t *child)
{
    for (int k = 0; k < PB_PART_REPAIRS; k++) {
        uint32_t first = 0, n = 0;
        while (pb_part_has_left(p, &child->repairs[k]) && p->error == 0 &&
               (n = take_owed(p, child, &first)) > 0) {
            send_repair(p, child, &child->repairs[k], first, n);
        }
    }
}

void pb_part_send_down(part_t *p, child_t *child)
{
    send_words(p, child);
    serve(p, child);
}
