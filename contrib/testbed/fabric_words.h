/*
 * Steps as the control socket reads them: words.
 */
#ifndef FABRIC_WORDS_H
#define FABRIC_WORDS_H

#include "contrib/testbed/fabric_step.h"
#include "topo/network/network.h"

/** The longest time, in ns: a quarter of what a clock holds, so that sums of two do not overflow.
 */
#define FABRIC_MAX_TIME (INT64_MAX / 4)

/** Reads a whole number; false if it is none or not from `least` to `most`. */
bool fabric_read_number(const char *text, int64_t least, int64_t most, int64_t *value_p);

/**
 * Reads "set FROM TO ...", "set SWITCH ..." or "load FROM TO ...", as fabric_control.h has them,
 * for frames of at most `max_length` bytes. The step's time is left at 0. Returns NULL, or what is
 * wrong (static storage).
 */
const char *fabric_read_step(const pb_network_t *network, uint32_t max_length, char **words,
                             int n_words, fabric_step_t *step);

#endif
