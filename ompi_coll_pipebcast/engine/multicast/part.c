/*
 * One rank's part of one broadcast by multicast: its begin and end, its frames, and how far it is.
 */
#include "engine/multicast/part.h"

#include <stdlib.h>
#include <string.h>

#include "engine/multicast/part_internal.h"

/** The stream with the tree of the broadcast. */
#define STREAM 0

void pb_part_settle(pb_part_t *p)
{
    pb_multicast_t *m = p->multicast;
    p->is_settled = true;
    if (p->step.end > m->settled) { /* news of a later mark may have come first */
        m->settled = p->step.end;
    }
}

void pb_part_give_up_mark(pb_part_t *p)
{
    if (p->step.is_mark && !p->is_settled) {
        pb_part_settle(p);
    }
}

void pb_part_refused(pb_part_t *p, int error)
{
    pb_keep_first_error(&p->error, error);
    p->broken = true;
    pb_part_give_up_mark(p);
}

/* Begin and end. */

/** Takes the parent and the children of the role in the tree. */
static void take_role(pb_part_t *p, const pb_role_t *role)
{
    p->parent = pb_role_parent_in(role, STREAM);
    for (int i = 0; i < role->n_children; i++) {
        if (pb_role_has_child_in(role, i, STREAM)) {
            p->children[p->n_children++] = (pb_child_t){
                .rank = role->child[i], .is_inside = i >= role->n_children - role->n_inside};
        }
    }
}

static void give_memory_back(pb_part_t *p)
{
    pb_frames_fini(&p->frames);
    free(p->children);
    free(p->copy);
    free(p->in);
    p->children = NULL;
    p->in = p->out = NULL;
    p->copy = p->data = NULL;
    p->n_children = 0;
}

/** Gets the memory for children and words. False if there is none. */
static bool allocate(pb_part_t *p, const pb_role_t *role, size_t total)
{
    const uint32_t payload = p->multicast->config.payload;
    const size_t most = (size_t) payload * pb_word_most_repaired(payload);
    const size_t repair = PB_WORD_REPAIR_BYTES + (total < most ? total : most);
    p->room = repair > PB_WORD_BYTES ? repair : PB_WORD_BYTES;
    p->in = malloc(2 * p->room);
    p->children = calloc((size_t) role->n_children + 1, sizeof(*p->children));
    if (p->in == NULL || p->children == NULL) {
        return false;
    }
    p->out = p->in + p->room;
    take_role(p, role);
    return pb_frames_init(&p->frames, total, payload, pb_part_is_root(p) || role->is_led);
}

/** Returns the pointer to the part in the group's list, or the NULL behind its last one. */
static pb_part_t **place_of(pb_multicast_t *m, const pb_part_t *p)
{
    pb_part_t **at = &m->parts;
    while (*at != NULL && *at != p) {
        at = &(*at)->next;
    }
    return at;
}

bool pb_multicast_part_start(pb_part_t *p, pb_multicast_t *m, pb_control_t *control,
                             const pb_role_t *role, char *data, size_t total)
{
    *p = (pb_part_t){
        .multicast = m, .control = control, .number = m->next, .data = role->is_led ? NULL : data};
    const uint32_t n_frames = pb_frames_count(total, m->config.payload);
    if (n_frames == 0 || !allocate(p, role, total)) {
        give_memory_back(p);
        return false;
    }
    m->next++;
    p->step = pb_marks_next(&m->marks, n_frames);
    m->counters.reporting += p->step.n_blocks > 0;
    *place_of(m, NULL) = p;
    return true;
}

void pb_multicast_part_finish(pb_part_t *p)
{
    pb_control_withdraw(p->control, &p->receive);
    pb_part_t **at = place_of(p->multicast, p);
    if (*at == p) {
        *at = p->next;
    }
    give_memory_back(p);
}

void pb_multicast_part_cancel(pb_part_t *p)
{
    pb_part_refused(p, PB_ERR_EMPTY);
    p->sent_done = p->sent_below = true;
    for (int i = 0; i < p->n_children; i++) {
        p->children[i].is_closed = true;
    }
}

/* Frames. */

bool pb_part_add_frame(pb_part_t *p, uint32_t index, const char *payload, uint32_t bytes)
{
    if (p->error != 0 || !pb_frames_add(&p->frames, index)) {
        return false;
    }
    memcpy(p->data + (size_t) index * p->frames.payload, payload, bytes);
    return true;
}

bool pb_multicast_part_take_frame(pb_part_t *p, const pb_frame_t *frame)
{
    return pb_frames_fits(&p->frames, frame->index, frame->bytes) &&
           pb_part_add_frame(p, frame->index, frame->payload, frame->bytes);
}

void pb_multicast_part_offer(const pb_part_t *p, pb_transfer_t *pieces)
{
    const pb_frames_t *frames = &p->frames;
    pb_transfer_offer(pieces,
                      pb_part_is_complete(p) ? frames->total
                                             : (size_t) frames->first_missing * frames->payload,
                      p->error);
}

bool pb_multicast_part_is_awaiting_frames(const pb_part_t *p)
{
    return pb_part_hears(p) && !pb_part_is_complete(p) && p->error == 0 && !p->has_end;
}

/* State over all children or parts. */

pb_all_t pb_part_children(const pb_part_t *p)
{
    pb_all_t all = {true, true, true, true, true};
    for (int i = 0; i < p->n_children; i++) {
        const pb_child_t *child = &p->children[i];
        all.are_done = all.are_done && child->is_done;
        all.are_below = all.are_below && child->is_below;
        all.ask_no_more = all.ask_no_more && (child->is_done || child->is_inside);
        all.have_end = all.have_end && (child->is_closed || child->has_end);
        all.are_closed = all.are_closed && child->is_closed;
    }
    return all;
}

/** Returns whether no child needs frames from this rank, and this rank needs none. */
static bool is_quiet(const pb_part_t *p)
{
    if (p->broken) {
        return true;
    }
    const bool is_ended =
        pb_part_is_root(p) ? p->source.all_sent : p->has_end || p->parent_has_failed;
    return is_ended && (pb_part_is_complete(p) || p->error != 0) && p->n_open == 0 &&
           pb_part_children(p).are_done;
}

static bool earlier_are_quiet(const pb_part_t *p)
{
    for (const pb_part_t *earlier = p->multicast->parts; earlier != p; earlier = earlier->next) {
        if (!is_quiet(earlier)) {
            return false;
        }
    }
    return true;
}

bool pb_part_earlier_are_complete(const pb_part_t *p)
{
    for (const pb_part_t *earlier = p->multicast->parts; earlier != p; earlier = earlier->next) {
        if (!pb_part_is_complete(earlier) && earlier->error == 0) {
            return false;
        }
    }
    return true;
}

bool pb_part_is_below(const pb_part_t *p)
{
    return p->broken || (is_quiet(p) && pb_part_children(p).are_below && earlier_are_quiet(p));
}

/* Advancing. */

/** The root settles a mark when all have. */
static void settle_at_root(pb_part_t *p)
{
    if (p->step.is_mark && !p->is_settled && pb_part_is_below(p)) {
        p->sent_below = true;
        pb_part_settle(p);
    }
}

/** Gives the copy back when nobody can ask for it. */
static void let_go_of_copy(pb_part_t *p)
{
    if (p->copy != NULL && pb_part_children(p).ask_no_more) {
        free(p->copy);
        p->copy = p->data = NULL;
    }
}

/** Takes in frames, after words: what is not there when END has come is lost. */
static void take_frames(pb_part_t *p)
{
    const bool needs = pb_part_is_root(p) ? !p->source.all_sent : !pb_part_is_complete(p);
    if (needs && p->error == 0) {
        pb_multicast_pump(p->multicast); /* at the root copies of its own, and earlier ones */
    }
}

bool pb_multicast_part_advance(pb_part_t *p, int64_t now)
{
    pb_part_hear(p);
    take_frames(p);
    if (pb_part_is_root(p)) {
        pb_part_send_frames(p, now);
        settle_at_root(p);
    }
    pb_part_send_words(p);
    let_go_of_copy(p);
    return pb_multicast_part_is_over(p);
}

/* Progress of a part. */

bool pb_multicast_part_is_through(const pb_part_t *p)
{
    const bool is_root = pb_part_is_root(p);
    const bool has_sent_to_parent = is_root || p->sent_done || p->n_open > 0;
    const bool has_result =
        p->error != 0 || (is_root ? p->source.all_sent : pb_part_is_complete(p));
    const pb_all_t all = pb_part_children(p);
    return has_result && has_sent_to_parent && (p->error != 0 ? all.are_closed : all.have_end);
}

static bool has_sent_all_words(const pb_part_t *p)
{
    const bool has_settled = !p->step.is_mark || p->is_settled;
    if (!pb_part_children(p).are_closed) {
        return false;
    }
    return pb_part_is_root(p) ? p->error != 0 || (p->source.all_sent && has_settled)
                              : p->sent_done && (!p->step.is_mark || p->sent_below);
}

bool pb_multicast_part_may_be_asked(const pb_part_t *p)
{
    return !p->broken && p->error == 0 && !pb_part_children(p).ask_no_more;
}

bool pb_multicast_part_is_over(const pb_part_t *p)
{
    return has_sent_all_words(p) && (p->broken || !pb_part_expects_words(p));
}

bool pb_multicast_part_detach(pb_part_t *p)
{
    if (p->copy != NULL || p->data == NULL) {
        return true;
    }
    if (p->error != 0 || pb_part_children(p).ask_no_more) {
        p->data = NULL;
        return true;
    }
    if (p->frames.n_frames > p->multicast->config.window) {
        return false;
    }
    p->copy = malloc(p->frames.total);
    if (p->copy == NULL) {
        return false;
    }
    memcpy(p->copy, p->data, p->frames.total);
    p->data = p->copy;
    return true;
}
