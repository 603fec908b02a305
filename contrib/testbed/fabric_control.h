/*
 * The control socket: other programs ask a running fabric, a line at a time.
 *
 *   status                                what every link and the fabric itself did
 *   reset                                 all counters back to zero
 *   set FROM TO [member=NUMBER] [rate=BIT/S] [latency=NS] [queue=BYTES] [loss=PPM]
 *                                         changes one directed link, each of its members or
 *                                         one; loss: frames in a million that its port drops by
 *                                         chance
 *   set SWITCH multicast=0|1              0: from now on it drops all multicast frames
 *   load FROM TO rate=BIT/S duration=NS [length=BYTES] [random=0|1] [seed=NUMBER]
 *                                         puts synthetic frames on the way between two nodes;
 *                                         length is a frame's, with its Ethernet header
 *   at NS set|load ...                    keeps a step of a script, for NS after its beginning
 *   clear                                 forgets the script that is kept
 *   play                                  begins it
 *   stop                                  ends all loads and what plays
 *
 * An answer is any number of lines of words, key=value after the first, and at its end
 * a line "ok" or "error: what and why".
 */
#ifndef FABRIC_CONTROL_H
#define FABRIC_CONTROL_H

#include <poll.h>
#include <stddef.h>
#include <stdio.h>

/** Descriptors that fabric_control_poll() may fill in. */
#define FABRIC_CONTROL_MAX_FDS 17

typedef struct fabric_control fabric_control_t;

/** One command: its first word, and what it does. */
typedef struct fabric_command {
    const char *name;
    /** Writes the answer's lines. Returns NULL, or what is wrong (static storage). */
    const char *(*run)(void *context, char **words, int n_words, FILE *answer);
} fabric_command_t;

/**
 * Listens at `path`, which must not exist, for the commands of a table that ends with a
 * NULL name. NULL with a sentence in `why` on failure.
 */
fabric_control_t *fabric_control_open(const char *path, const fabric_command_t *commands,
                                      void *context, char *why, size_t why_size);
void fabric_control_close(fabric_control_t *control);

/** Fills in what to wait for; returns the number of descriptors. */
int fabric_control_poll(const fabric_control_t *control, struct pollfd *fds);

/** Serves whoever is ready, without waiting. */
void fabric_control_serve(fabric_control_t *control);

#endif
