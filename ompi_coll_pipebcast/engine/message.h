/*
 * The message of one broadcast at one rank: its bytes in packed order. A segment is a part of them.
 *
 * Where the user's data are contiguous, the bytes are the user's. Else the rank has a packed copy
 * as long as the message. The root packs it, and the others unpack it, in order and as segments go
 * and come: so packing is pipelined, too.
 */
#ifndef PB_MESSAGE_H
#define PB_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

struct pb_packing; /* of a packed copy; its owner's: pml/message.c */

typedef struct pb_message {
    char *bytes;                /**< the first; NULL: they cannot be had, */
    int error;                  /**< for this reason; 0: there is none */
    size_t total;               /**< bytes, > 0 */
    struct pb_packing *packing; /**< NULL: the bytes are the user's own */
    bool packs;                 /**< the copy is the root's, who packs what it sends */
    bool is_held;               /**< a request that was given up may still use the bytes */
} pb_message_t;

/**
 * Packs a copy up to its first `n` bytes, or unpacks them, if that was not done before. 0 or the
 * caller's error code. The plugin implements it over Open MPI's datatypes (pml/message.c), the
 * engine's unit tests over plain memory.
 */
int pb_message_convert(pb_message_t *message, size_t n);

#endif
