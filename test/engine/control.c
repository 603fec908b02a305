/*
 * The control messages of control.h.
 */
#include "control.h"

#include <stdlib.h>
#include <string.h>

#include "test/must.h"

/** A control message under way. */
typedef struct control_request {
    void *to;     /**< receives */
    size_t bytes; /**< of the message, or the room */
} control_request_t;

/** Puts a copy of a message behind all others, and returns it. */
static mail_t *mail_post(mail_t **first, int from, const void *content, size_t bytes)
{
    mail_t *mail = must_zeroed(1, sizeof(*mail) + bytes);
    mail->from = from;
    mail->bytes = bytes;
    memcpy(mail->content, content, bytes);
    while (*first != NULL) {
        first = &(*first)->next;
    }
    *first = mail;
    return mail;
}

/** Takes the oldest one of a random sender; NULL if there is none. */
static mail_t *mail_take(mail_t **first, pb_random_t *random)
{
    int n = 0;
    for (const mail_t *mail = *first; mail != NULL; mail = mail->next) {
        n++;
    }
    if (n == 0) {
        return NULL;
    }
    const mail_t *drawn = *first;
    for (int i = pb_random_below(random, n); i > 0; i--) {
        drawn = drawn->next;
    }
    while ((*first)->from != drawn->from) {
        first = &(*first)->next;
    }
    mail_t *taken = *first;
    *first = taken->next;
    return taken;
}

void controls_init(controls_t *c, world_t *world)
{
    *c = (controls_t){.world = world};
    c->of = must_zeroed((size_t) world->n_ranks, sizeof(*c->of));
    c->mail = must_zeroed((size_t) world->n_ranks, sizeof(mail_t *));
    for (int rank = 0; rank < world->n_ranks; rank++) {
        c->of[rank] = (pb_control_t){.controls = c, .rank = rank};
    }
}

void controls_fini(controls_t *c)
{
    for (int rank = 0; rank < c->world->n_ranks; rank++) {
        while (c->mail[rank] != NULL) {
            free(mail_take(&c->mail[rank], &c->world->random));
        }
    }
    free(c->mail);
    free(c->of);
}

bool controls_fail(controls_t *c, int rank, control_failure_t failure)
{
    if (c->failure != failure || c->failed || rank != c->fail_rank) {
        return false;
    }
    c->failed = c->fail_after-- == 0;
    c->world->failed = c->world->failed || c->failed;
    return c->failed;
}

static bool comes(controls_t *c)
{
    return c->prompt || pb_random_below(&c->world->random, 2) == 0;
}

/** An error if out of memory. */
static int request_new(controls_t *c, control_request_t content, pb_request_t *request_p)
{
    control_request_t *r = malloc(sizeof(*r));
    if (r == NULL) {
        return WORLD_ERROR;
    }
    *r = content;
    c->n_alive++;
    *request_p = r;
    return 0;
}

static void give_back(controls_t *c, pb_request_t *request_p)
{
    c->n_alive--;
    free(*request_p);
    *request_p = NULL;
}

int pb_control_send(pb_control_t *control, const void *buffer, size_t bytes, int rank)
{
    controls_t *c = control->controls;
    if (controls_fail(c, control->rank, FAIL_SEND)) {
        return WORLD_ERROR;
    }
    if (rank == control->rank || rank < 0 || rank >= c->world->n_ranks || bytes == 0) {
        world_breach(c->world, "a control message of wrong size or rank", rank);
        return WORLD_ERROR;
    }
    if (c->world->has_ended[rank]) {
        world_breach(c->world, "a control message to a rank that has ended", rank);
    }
    mail_t *mail = mail_post(&c->mail[rank], control->rank, buffer, bytes);
    if (controls_fail(c, control->rank, FAIL_GARBLED)) {
        mail->content[0] = 99;
    }
    if (controls_fail(c, control->rank, FAIL_DAMAGED)) {
        mail->content[pb_random_below(&c->world->random, (int) bytes)] =
            (uint8_t) pb_random_below(&c->world->random, 256);
    }
    return 0;
}

int pb_control_receive(pb_control_t *control, void *buffer, size_t room, pb_request_t *request_p)
{
    controls_t *c = control->controls;
    if (controls_fail(c, control->rank, FAIL_RECEIVE)) {
        return WORLD_ERROR;
    }
    return request_new(c, (control_request_t){.to = buffer, .bytes = room}, request_p);
}

bool pb_control_received(pb_control_t *control, pb_request_t *request_p, int *rank_p,
                         size_t *bytes_p, int *error_p)
{
    controls_t *c = control->controls;
    const control_request_t *r = *request_p;
    *error_p = controls_fail(c, control->rank, FAIL_RECEIVED) ? WORLD_ERROR : 0;
    if (*error_p == 0) {
        mail_t *mail = comes(c) ? mail_take(&c->mail[control->rank], &c->world->random) : NULL;
        if (mail == NULL) {
            return false;
        }
        *rank_p = mail->from;
        *bytes_p = mail->bytes;
        if (mail->bytes > r->bytes) {
            world_breach(c->world, "a control message is longer than its place", control->rank);
        } else {
            memcpy(r->to, mail->content, mail->bytes);
        }
        c->n_taken++;
        free(mail);
    }
    give_back(c, request_p);
    return true;
}

void pb_control_withdraw(pb_control_t *control, pb_request_t *request_p)
{
    if (*request_p == NULL) {
        return;
    }
    controls_t *c = control->controls;
    if (c->failure == FAIL_NOTHING && !c->withdraws && !c->world->failed) {
        world_breach(c->world, "a control message was given up", control->rank);
    }
    give_back(c, request_p);
}
