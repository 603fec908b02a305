/*
 * The control socket: other programs ask a running fabric.
 *
 * A client connects, sends one request, closes its side of the connection for sending, and reads
 * the answer. That is any number of lines of words, key=value after the first. The last line is
 * "ok" or "error: what and why". A request is one of these words, or lines of steps
 * (fabric_words.h), which are done all or not at all:
 *
 *   status   what every link and the fabric itself did
 *   reset    all counters back to zero
 *   stop     ends all loads and forgets the steps to come
 *   check    and the lines of steps after it: whether they can be done
 */
#ifndef FABRIC_CONTROL_H
#define FABRIC_CONTROL_H

#include <stddef.h>
#include <stdio.h>

typedef struct fabric_control fabric_control_t;

/** Answers a request, which it may change. Returns NULL, or what is wrong (valid until the next).
 */
typedef const char *fabric_answer_t(void *context, char *request, FILE *answer);

/** Listens at `path`, which must not exist. NULL with a sentence in `why` on failure. */
fabric_control_t *fabric_control_open(const char *path, fabric_answer_t *answer, void *context,
                                      char *why, size_t why_size);
void fabric_control_close(fabric_control_t *control);

/** The descriptor that is readable when fabric_control_serve() has something to do. */
int fabric_control_fd(const fabric_control_t *control);

/**
 * Serves one client at most, without waiting for a request. Between two calls the steps of the
 * first client happen, so the next one is told what came of them.
 */
void fabric_control_serve(fabric_control_t *control);

#endif
