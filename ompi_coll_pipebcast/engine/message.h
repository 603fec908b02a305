/*
 * The message of one broadcast: bytes [0, total) in packed order, cut into segments. Contiguous
 * data are sent from and received in the user's buffer; others are packed through a bounded set of
 * bounce buffers.
 *
 * The plugin implements this over Open MPI's datatypes (pml/message.c);
 * the engine's unit tests over plain memory.
 */
#ifndef PB_MESSAGE_H
#define PB_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

/** No bounce buffer is free now; ask again after a send or receive is done. */
#define PB_MESSAGE_BUSY 1

typedef struct pb_message pb_message_t;

/**
 * The message's first byte where every segment lies in place, at its offset from there;
 * then nothing below may be asked. NULL where that is not so.
 */
char *pb_message_in_place(pb_message_t *message);

/**
 * Bytes [offset, offset + bytes) of segment `segment`, packed, for sending. Each
 * success is paired with one pb_message_release(). 0, PB_MESSAGE_BUSY or the
 * host's error code.
 */
int pb_message_to_send(pb_message_t *message, uint64_t segment, size_t offset, size_t bytes,
                       const void **buffer_p);

/** A buffer to receive the bytes of a segment; paired with pb_message_release(). As above. */
int pb_message_to_receive(pb_message_t *message, uint64_t segment, size_t offset, size_t bytes,
                          void **buffer_p);

/** The segment has arrived in `buffer`: puts it where the user wants it. 0 or an error code. */
int pb_message_received(pb_message_t *message, uint64_t segment, size_t offset, size_t bytes,
                        void *buffer);

/** One send or receive no longer needs the segment's buffer. */
void pb_message_release(pb_message_t *message, uint64_t segment, const void *buffer);

#endif
