/*
 * One rank's part of one broadcast by multicast; see engine/multicast/part.h.
 */
#include "engine/multicast/part.h"

#include <stdlib.h>
#include <string.h>

/** The tree of the broadcast is that of this stream. */
#define STREAM UINT32_C(1)

typedef pb_multicast_part_t part_t;
typedef pb_multicast_child_t child_t;

static bool is_complete(const part_t *p)
{
    return pb_window_is_complete(&p->window);
}

static bool is_root(const part_t *p)
{
    return p->parent < 0;
}

/* Errors. */

static void keep_first_error(part_t *p, int error)
{
    p->error = p->error != 0 ? p->error : error;
}

/** The mark is settled, and has brought this. */
static void settle(part_t *p, const pb_word_asked_t *asked)
{
    pb_multicast_t *m = p->multicast;
    p->is_settled = true;
    p->asked = *asked;
    /* News of a later mark may have come first, down another tree. */
    m->settled = p->number >= m->settled ? p->number + 1 : m->settled;
    m->results[m->n_results++ % PB_MULTICAST_RESULTS] =
        (pb_multicast_result_t){.number = p->number, .frames = p->step.frames, .asked = *asked};
}

/** Nobody will settle the mark, and no root may wait for that for ever. */
static void give_up_mark(part_t *p)
{
    if (p->step.is_mark && !p->is_settled) {
        settle(p, &(pb_word_asked_t){0});
    }
}

/** The channel refused, or a word made no sense. */
static void refused(part_t *p, int error)
{
    keep_first_error(p, error);
    p->broken = true;
    give_up_mark(p);
}

/* Start and end. */

/** The parent and the children of the role in the tree. */
static void take_role(part_t *p, const pb_role_t *role)
{
    p->parent = -1;
    for (int i = 0; i < role->n_parents; i++) {
        if ((role->parent_mask[i] & STREAM) != 0) {
            p->parent = role->parent[i];
        }
    }
    for (int i = 0; i < role->n_children; i++) {
        if ((role->child_mask[i] & STREAM) != 0) {
            p->children[p->n_children++].rank = role->child[i];
        }
    }
}

static void give_memory_back(part_t *p)
{
    pb_window_fini(&p->window);
    free(p->repairs);
    free(p->children);
    free(p->copy);
    free(p->in);
    p->repairs = NULL;
    p->in = NULL;
    p->children = NULL;
    p->copy = p->data = NULL;
    p->n_children = 0;
}

/** Memory for children and words. False if there is none. */
static bool allocate(part_t *p, const pb_role_t *role, size_t total)
{
    const uint32_t payload = p->multicast->config.payload;
    const size_t most = (size_t) payload * pb_word_most_repaired(payload);
    const size_t largest = total < most ? total : most;
    p->repair_room = PB_WORD_REPAIR_BYTES + largest;
    p->in_room = p->repair_room > PB_WORD_BYTES ? p->repair_room : PB_WORD_BYTES;
    p->in = malloc(p->in_room);
    p->children = calloc((size_t) role->n_children + 1, sizeof(*p->children));
    if (p->in == NULL || p->children == NULL) {
        return false;
    }
    take_role(p, role);
    p->repairs =
        malloc(sizeof(*p->repairs) + (size_t) p->n_children * PB_PART_REPAIRS * p->repair_room);
    for (int i = 0; p->repairs != NULL && i < p->n_children; i++) {
        p->children[i].repair_bytes =
            p->repairs->bytes + (size_t) i * PB_PART_REPAIRS * p->repair_room;
    }
    return p->repairs != NULL && pb_window_init(&p->window, total, payload, is_root(p));
}

static void enlist(part_t *p)
{
    pb_multicast_t *m = p->multicast;
    *(m->newest != NULL ? &m->newest->next : &m->parts) = p;
    m->newest = p;
}

static void unlist(part_t *p)
{
    pb_multicast_t *m = p->multicast;
    part_t **at = &m->parts, *before = NULL;
    while (*at != NULL && *at != p) {
        before = *at;
        at = &before->next;
    }
    if (*at == p) {
        *at = p->next;
        m->newest = m->newest == p ? before : m->newest;
    }
}

static void note_begun(const part_t *p)
{
    pb_multicast_t *m = p->multicast;
    m->n_frames += p->window.n_frames;
    if (p->step.is_mark) {
        m->marks[m->n_marks++ % (sizeof(m->marks) / sizeof(m->marks[0]))] =
            (pb_multicast_mark_t){.number = p->number, .n_frames = m->n_frames};
    }
}

bool pb_multicast_part_start(part_t *p, pb_multicast_t *m, pb_control_t *control,
                             const pb_role_t *role, char *data, size_t total)
{
    *p = (part_t){.multicast = m, .control = control, .number = m->next, .data = data};
    const uint32_t n_frames = pb_window_count(total, m->config.payload);
    if (n_frames == 0 || !allocate(p, role, total)) {
        give_memory_back(p);
        return false;
    }
    m->next++;
    p->step = pb_mode_next(&m->mode, p->number, n_frames);
    note_begun(p);
    m->counters.eager += !p->step.by_credit;
    m->counters.by_credit += p->step.by_credit;
    enlist(p);
    return true;
}

static void withdraw(part_t *p, pb_request_t *request)
{
    int rank;
    if (*request != NULL) {
        (void) pb_control_withdraw(p->control, request, &rank);
    }
}

/** Gives the REPAIRs back that are under way, and keeps the memory of what may be read still. */
static void withdraw_repairs(part_t *p)
{
    bool are_read = false;
    for (int i = 0; i < p->n_children; i++) {
        for (int k = 0; k < PB_PART_REPAIRS; k++) {
            pb_request_t *repair = &p->children[i].repairs[k];
            are_read = are_read || *repair != NULL;
            withdraw(p, repair);
        }
    }
    if (are_read) {
        p->repairs->next = p->multicast->withdrawn;
        p->multicast->withdrawn = p->repairs;
        p->repairs = NULL;
    }
}

void pb_multicast_part_finish(part_t *p)
{
    withdraw(p, &p->receive);
    withdraw(p, &p->up);
    for (int i = 0; i < p->n_children; i++) {
        withdraw(p, &p->children[i].send);
    }
    withdraw_repairs(p);
    unlist(p);
    give_memory_back(p);
}

void pb_multicast_part_use_pieces(part_t *p, const pb_role_t *role)
{
    p->is_fed = role->is_led;
    for (int i = 0; i < p->n_children; i++) {
        for (int k = role->n_children - role->n_inside; k < role->n_children; k++) {
            p->children[i].is_fed |= p->children[i].rank == role->child[k];
        }
    }
}

void pb_multicast_part_fail(part_t *p, int error)
{
    keep_first_error(p, error);
}

void pb_multicast_part_cancel(part_t *p)
{
    refused(p, PB_ERR_EMPTY);
    p->sent_done = p->sent_below = true;
    for (int i = 0; i < p->n_children; i++) {
        p->children[i].is_closed = true;
    }
}

/* What is known of all. */

static bool all_children_are_done(const part_t *p)
{
    for (int i = 0; i < p->n_children; i++) {
        if (!p->children[i].is_done) {
            return false;
        }
    }
    return true;
}

/** Whether no child can ask for frames any more. */
static bool nobody_asks(const part_t *p)
{
    for (int i = 0; i < p->n_children; i++) {
        if (!p->children[i].is_done && !p->children[i].is_fed) {
            return false;
        }
    }
    return true;
}

static bool all_children_are_below(const part_t *p)
{
    for (int i = 0; i < p->n_children; i++) {
        if (!p->children[i].is_below) {
            return false;
        }
    }
    return true;
}

/** Whether nobody lacks frames that come from this rank any more, nor it any itself. */
static bool is_quiet(const part_t *p)
{
    if (p->broken) {
        return true;
    }
    const bool is_ended = is_root(p) ? p->all_sent : p->has_end || p->parent_has_failed;
    return is_ended && (is_complete(p) || p->error != 0) && p->n_open == 0 &&
           all_children_are_done(p);
}

/** Whether the parts of earlier broadcasts are. */
static bool earlier_are_quiet(const part_t *p)
{
    for (const part_t *earlier = p->multicast->parts; earlier != p; earlier = earlier->next) {
        if (!is_quiet(earlier)) {
            return false;
        }
    }
    return true;
}

/** Whether they have all their frames. */
static bool earlier_are_complete(const part_t *p)
{
    for (const part_t *earlier = p->multicast->parts; earlier != p; earlier = earlier->next) {
        if (!is_complete(earlier) && earlier->error == 0) {
            return false;
        }
    }
    return true;
}

bool pb_multicast_part_is_awaiting_frames(const part_t *p)
{
    return pb_multicast_hears(p->multicast) && !is_complete(p) && p->error == 0 && !p->has_end;
}

/** Whether END may go to the children. A deaf rank may have the message before datagrams have. */
static bool knows_end(const part_t *p)
{
    const bool is_deaf = !pb_multicast_hears(p->multicast);
    return is_root(p) ? p->all_sent
                      : p->has_end || p->parent_has_failed || (is_complete(p) && !is_deaf);
}

/* Frames. */

/** Takes a frame that the message has; whether it was missing, and not to come in a piece. */
static bool add_frame(part_t *p, uint32_t index, const char *payload, uint32_t bytes)
{
    if (p->error != 0 || p->is_fed || !pb_window_add(&p->window, index)) {
        return false;
    }
    memcpy(p->data + (size_t) index * p->window.payload, payload, bytes);
    return true;
}

bool pb_multicast_part_take_frame(part_t *p, const pb_frame_t *frame)
{
    return pb_window_fits(&p->window, frame->index, frame->bytes) &&
           add_frame(p, frame->index, frame->payload, frame->bytes);
}

void pb_multicast_part_feed(part_t *p, size_t bytes)
{
    pb_window_t *window = &p->window;
    const uint32_t n =
        bytes == window->total ? window->n_frames : (uint32_t) (bytes / window->payload);
    while (p->error == 0 && window->first_missing < n) {
        (void) pb_window_add(window, window->first_missing);
    }
}

/* Words that come. */

static void take_repair(part_t *p, const pb_word_t *word)
{
    p->n_open -= word->n_frames;
    for (uint32_t i = 0; i < word->n_frames; i++) {
        (void) add_frame(p, word->index + i, word->payload + (size_t) i * p->window.payload,
                         pb_window_bytes(&p->window, word->index + i));
    }
}

/** Nothing more will come from the parent. */
static void lose_parent(part_t *p)
{
    p->parent_has_failed = true;
    p->n_open = 0;
    if (!is_complete(p)) {
        keep_first_error(p, PB_ERR_EMPTY);
    }
    give_up_mark(p);
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
            settle(p, &word->asked);
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

/** Whether the root has begun to send, as far as is known here. What a deaf rank has may be older.
 */
static bool root_has_begun(const part_t *p)
{
    return pb_multicast_hears(p->multicast) ? p->window.seen_to > 0 : p->has_end;
}

/** Ranks below that are there. The first such word counts only if it has come in time. */
static bool take_ready(part_t *p, child_t *child, const pb_word_t *word)
{
    if (!p->step.by_credit || word->blocks < child->blocks) {
        return false;
    }
    /* Credit is never taken back. */
    const bool is_in_time = is_root(p) ? !p->sent_ready
                                       : !root_has_begun(p) && (p->ready_blocks == 0 ||
                                                                !pb_multicast_hears(p->multicast));
    child->is_ready = child->is_ready || (child->n_there == 0 && is_in_time);
    child->n_there = word->n_there;
    child->blocks = word->blocks;
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
        return !child->is_fed && owe(child, word);
    case PB_WORD_READY:
        return take_ready(p, child, word);
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

static bool take_word(part_t *p, int from, size_t length)
{
    pb_word_t word;
    if (!pb_word_read(&word, &p->window, p->in, length)) {
        return false;
    }
    if (!is_root(p) && from == p->parent) {
        return take_from_parent(p, &word);
    }
    for (int i = 0; i < p->n_children; i++) {
        if (p->children[i].rank == from) {
            return take_from_child(p, &p->children[i], &word);
        }
    }
    return false;
}

/** Whether a word is still to come from this child. */
static bool expects_child(const part_t *p, const child_t *child)
{
    return !child->is_done || (p->step.is_mark && !child->is_below);
}

/** Whether any word is still to come; if so a receive is posted. */
static bool expects_words(const part_t *p)
{
    if (!is_root(p) && !p->parent_has_failed &&
        (!p->has_end || p->n_open > 0 || (p->step.is_mark && !p->is_settled))) {
        return true;
    }
    for (int i = 0; i < p->n_children; i++) {
        if (expects_child(p, &p->children[i])) {
            return true;
        }
    }
    return false;
}

/** Takes in the next word; false if it is not there. */
static bool receive_one(part_t *p)
{
    int from = -1, error = 0;
    size_t length = 0;
    if (p->receive == NULL) {
        error = pb_control_receive(p->control, p->in, p->in_room, &p->receive);
    }
    if (error == 0 && !pb_control_received(p->control, &p->receive, &from, &length, &error)) {
        return false;
    }
    if (error == 0 && !take_word(p, from, length)) {
        error = PB_ERR_MALFORMED;
    }
    if (error != 0) {
        refused(p, error);
    }
    return error == 0;
}

void pb_multicast_part_receive(part_t *p)
{
    while (!p->broken && expects_words(p) && receive_one(p)) {
    }
}

/* Words that go. */

/** Whether a send is not under way (any more). */
static bool has_left(part_t *p, pb_request_t *send)
{
    int error = 0;
    if (*send != NULL && !pb_control_sent(p->control, send, &error)) {
        return false;
    }
    if (error != 0) {
        refused(p, error);
    }
    return true;
}

/** Starts to send a word from `out`. */
static void send_word(part_t *p, const pb_word_t *word, int rank, uint8_t *out, pb_request_t *send)
{
    const int rc = pb_control_send(p->control, out, pb_word_write(word, out), rank, send);
    if (rc != 0) {
        refused(p, rc);
    }
}

/** Frames that this rank should have: up to the last it has seen, or all. None come by themselves
 * where pieces do. */
static uint32_t due_frames(const part_t *p)
{
    if (p->is_fed) {
        return 0;
    }
    const bool are_all =
        !pb_multicast_hears(p->multicast) || (p->has_end && p->multicast->is_drained);
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
        p->multicast->asked_here += pb_multicast_hears(p->multicast) ? run->n : 0;
        p->multicast->counters.asked += run->n;
        word->n_runs += run->n > 0;
    }
    return word->n_runs > 0;
}

static bool all_children_are_ready(const part_t *p)
{
    for (int i = 0; i < p->n_children; i++) {
        if (!p->children[i].is_ready) {
            return false;
        }
    }
    return true;
}

/**
 * Blocks of frames that are here, of those that a root may have to wait for. A deaf rank has no
 * buffer that overflows: as soon as all below it count, nobody waits for it. Until then it has
 * none, as those below have none, and credit is never taken back.
 */
static uint32_t own_blocks(const part_t *p)
{
    const uint32_t block = pb_mode_block(&p->multicast->mode);
    const uint32_t window = p->multicast->config.window, all = p->window.n_frames;
    const uint32_t most = all > window ? (all - window - 1) / block + 1 : 0;
    uint32_t blocks = p->window.first_missing / block;
    if (!pb_multicast_hears(p->multicast)) {
        blocks = all_children_are_ready(p) ? most : 0;
    }
    return blocks < most ? blocks : most;
}

uint32_t pb_multicast_part_blocks(const part_t *p, uint32_t *n_there_p)
{
    uint32_t least = is_root(p) ? UINT32_MAX : own_blocks(p);
    *n_there_p = !is_root(p);
    for (int i = 0; i < p->n_children; i++) {
        const child_t *child = &p->children[i];
        if (child->is_ready) {
            *n_there_p += child->n_there;
        }
        if (child->is_ready && !child->is_done && child->blocks < least) {
            least = child->blocks;
        }
    }
    return least;
}

/** Writes a new credit; false if there is none. */
static bool next_ready(part_t *p, pb_word_t *word)
{
    p->is_there = p->is_there || earlier_are_complete(p);
    if (!p->step.by_credit || !p->is_there) {
        return false;
    }
    *word = (pb_word_t){.kind = PB_WORD_READY};
    word->blocks = pb_multicast_part_blocks(p, &word->n_there);
    /* How many are there counts only until the root begins. */
    const bool is_new = !p->sent_ready || word->blocks > p->ready_blocks ||
                        (word->n_there > p->ready_there && !root_has_begun(p));
    if (is_new) {
        p->sent_ready = true;
        p->ready_there = word->n_there;
        p->ready_blocks = word->blocks;
    }
    return is_new;
}

/**
 * By credit a deaf rank may be complete before the root has begun; it goes on to report who is
 * there below it, and is done after END.
 */
static bool goes_on_to_report(const part_t *p)
{
    return p->step.by_credit && p->error == 0 && !root_has_begun(p) && !p->parent_has_failed;
}

/** Whether this rank asks for nothing more. */
static bool is_done(const part_t *p)
{
    return p->broken ||
           ((is_complete(p) || p->error != 0) && p->n_open == 0 && !goes_on_to_report(p));
}

/** Whether it and all below are, and nobody asks for anything of earlier broadcasts. */
static bool is_below(const part_t *p)
{
    return p->broken || (is_quiet(p) && all_children_are_below(p) && earlier_are_quiet(p));
}

/** Frames that were lost on the way here since the last call. */
static uint32_t take_lost(pb_multicast_t *m)
{
    const uint64_t dropped =
        pb_multicast_hears(m) ? m->config.datagrams->dropped(m->config.datagrams) : 0;
    const uint64_t here = dropped - m->dropped_then, asked = m->asked_here;
    m->dropped_then = dropped;
    m->asked_here = 0;
    return asked > here ? (uint32_t) (asked - here) : 0;
}

/** What this rank and those below have lost; this rank counts anew after it. */
static pb_word_asked_t sum_asked(part_t *p)
{
    const uint32_t own = take_lost(p->multicast);
    return (pb_word_asked_t){.most = own > p->below.most ? own : p->below.most,
                             .all = p->below.all + own};
}

/** Writes the next word for the parent; false if there is none now. */
static bool next_up(part_t *p, pb_word_t *word)
{
    if (p->error == 0 && !p->sent_done && !p->parent_has_failed) {
        if (next_ask(p, word) ||
            ((!is_complete(p) || goes_on_to_report(p)) && next_ready(p, word))) {
            return true;
        }
    }
    if (!p->sent_done && is_done(p)) {
        *word = (pb_word_t){.kind = PB_WORD_DONE};
        p->sent_done = true;
        return true;
    }
    if (p->step.is_mark && p->sent_done && !p->sent_below && is_below(p)) {
        *word = (pb_word_t){.kind = PB_WORD_BELOW, .asked = sum_asked(p)};
        p->sent_below = true;
        return true;
    }
    return false;
}

static void send_up(part_t *p)
{
    pb_word_t word;
    while (has_left(p, &p->up) && next_up(p, &word)) {
        send_word(p, &word, p->parent, p->out, &p->up);
    }
}

/** Writes the next word for a child; false if there is none now. */
static bool next_down(const part_t *p, child_t *child, pb_word_t *word)
{
    *word = (pb_word_t){.kind = PB_WORD_COUNT};
    if (child->is_closed) {
        return false;
    }
    if (child->has_end && !p->step.is_mark && (is_complete(p) || child->is_done)) {
        child->is_closed = true; /* it needs nothing of this rank any more that could fail */
    } else if (p->error != 0) {
        word->kind = PB_WORD_FAILED;
        child->is_closed = true;
    } else if (!child->has_end && knows_end(p)) {
        word->kind = PB_WORD_END;
        child->has_end = true;
        child->is_closed = !p->step.is_mark && is_complete(p);
    } else if (child->has_end && p->is_settled) {
        word->kind = p->parent_has_failed ? PB_WORD_FAILED : PB_WORD_SETTLED;
        word->asked = p->asked;
        child->is_closed = true;
    }
    return word->kind != PB_WORD_COUNT;
}

static void send_to(part_t *p, child_t *child)
{
    pb_word_t word;
    while (has_left(p, &child->send) && next_down(p, child, &word)) {
        send_word(p, &word, child->rank, child->out, &child->send);
    }
}

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
static int take_owed(const part_t *p, child_t *child, uint32_t *first_p)
{
    for (int i = 0; i < child->n_owed; i++) {
        const int n = owed_run(p, child, i);
        if (n > 0) {
            *first_p = child->owed[i];
            child->n_owed -= n;
            memmove(child->owed + i, child->owed + i + n,
                    (size_t) (child->n_owed - i) * sizeof(child->owed[0]));
            return n;
        }
    }
    return 0;
}

/** Sends a child what it has asked for and this rank has. */
static void serve(part_t *p, child_t *child)
{
    for (int k = 0; k < PB_PART_REPAIRS; k++) {
        uint32_t first;
        int n = 0;
        uint8_t *bytes = child->repair_bytes + (size_t) k * p->repair_room;
        while (has_left(p, &child->repairs[k]) && p->error == 0 &&
               (n = take_owed(p, child, &first)) > 0) {
            const uint32_t n_frames = (uint32_t) n;
            const pb_word_t word = {.index = first,
                                    .bytes =
                                        (uint32_t) pb_window_run_bytes(&p->window, first, n_frames),
                                    .payload = p->data + (size_t) first * p->window.payload};
            const int rc = pb_control_send(p->control, bytes, pb_word_write_repair(&word, bytes),
                                           child->rank, &child->repairs[k]);
            if (rc != 0) {
                refused(p, rc);
            }
            p->multicast->counters.repaired += rc == 0 ? n_frames : 0;
        }
    }
}

/** The root settles a mark when all have. */
static void settle_at_root(part_t *p)
{
    if (p->step.is_mark && !p->is_settled && is_below(p)) {
        p->sent_below = true;
        const pb_word_asked_t asked = sum_asked(p);
        settle(p, &asked);
    }
}

/** Gives the copy back when nobody can ask for it. */
static void let_go_of_copy(part_t *p)
{
    if (p->copy != NULL && nobody_asks(p)) {
        free(p->copy);
        p->copy = p->data = NULL;
    }
}

void pb_multicast_part_send(part_t *p)
{
    if (is_root(p)) {
        settle_at_root(p);
    } else {
        send_up(p);
    }
    for (int i = 0; i < p->n_children; i++) {
        send_to(p, &p->children[i]);
        serve(p, &p->children[i]);
    }
    let_go_of_copy(p);
}

/* How far it is. */

static bool has_sent_to_children(const part_t *p)
{
    for (int i = 0; i < p->n_children; i++) {
        if (!p->children[i].is_closed && (p->error != 0 || !p->children[i].has_end)) {
            return false;
        }
    }
    return true;
}

bool pb_multicast_part_is_through(const part_t *p)
{
    const bool has_sent_to_parent = is_root(p) || p->sent_done || p->n_open > 0;
    const bool has_result = p->error != 0 || (is_root(p) ? p->all_sent : is_complete(p));
    return has_result && has_sent_to_parent && has_sent_to_children(p);
}

static bool is_sending_to(const child_t *child)
{
    for (int k = 0; k < PB_PART_REPAIRS; k++) {
        if (child->repairs[k] != NULL) {
            return true;
        }
    }
    return child->send != NULL;
}

static bool is_sending(const part_t *p)
{
    for (int i = 0; i < p->n_children; i++) {
        if (is_sending_to(&p->children[i])) {
            return true;
        }
    }
    return p->up != NULL;
}

static bool has_sent_all_words(const part_t *p)
{
    for (int i = 0; i < p->n_children; i++) {
        if (!p->children[i].is_closed) {
            return false;
        }
    }
    return is_root(p) ? p->error != 0 || (p->all_sent && (!p->step.is_mark || p->is_settled))
                      : p->sent_done && (!p->step.is_mark || p->sent_below);
}

bool pb_multicast_part_may_be_asked(const part_t *p)
{
    return !p->broken && p->error == 0 && !nobody_asks(p);
}

bool pb_multicast_part_is_over(const part_t *p)
{
    return has_sent_all_words(p) && !is_sending(p) && (p->broken || !expects_words(p));
}

bool pb_multicast_part_detach(part_t *p)
{
    if (p->copy != NULL || p->data == NULL) {
        return true;
    }
    if (p->error != 0 || nobody_asks(p)) {
        p->data = NULL;
        return true;
    }
    if (p->window.n_frames > p->multicast->config.window) {
        return false;
    }
    p->copy = malloc(p->window.total);
    if (p->copy == NULL) {
        return false;
    }
    memcpy(p->copy, p->data, p->window.total);
    p->data = p->copy;
    return true;
}
