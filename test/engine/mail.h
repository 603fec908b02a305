/*
 * Control messages in memory that were sent and not received: those of each sender stay in order,
 * those of several come in any.
 */
#ifndef PB_TEST_MAIL_H
#define PB_TEST_MAIL_H

#include <stddef.h>
#include <stdint.h>

#include "topo/util/random.h"

typedef struct mail {
    struct mail *next;
    int from;
    size_t bytes;
    uint8_t content[];
} mail_t;

/** Puts a copy of a message behind all others, and returns it. Aborts without memory. */
mail_t *mail_post(mail_t **first, int from, const void *content, size_t bytes);

/** Takes the oldest one of a random sender, for the caller to free; NULL if there is none. */
mail_t *mail_take(mail_t **first, pb_random_t *random);

/** Frees all; returns how many there were. */
int mail_drop_all(mail_t **first);

#endif
