/*
 * What the arrival times of a train's messages show of a link's bandwidth.
 *
 * A time is that at which a process found a message, which may be long after its bytes came: TCP
 * holds back what follows a lost frame until that is repeated, a process waits for a processor, and
 * frames may wait behind others' in a queue that they leave faster than they came. Then there is a
 * wait, after it everything is found at once, and the speed between two messages has no meaning:
 * without the wait it is far too high, with it too low. The speed of the whole train since the word
 * that let it start has all waits in it, so it is a lower bound. Where the speed of the second half
 * is close to it, no wait of any weight was in the first half; and where no two messages have half
 * of the train's time between them, none was in the second.
 */
#ifndef ADVISE_PROBE_TRAIN_H
#define ADVISE_PROBE_TRAIN_H

#include <stdbool.h>
#include <stdint.h>

/** Messages that a train's bytes are cut into. Its second half is timed, when TCP's window has
 * opened and queues are in their steady state. */
#define PROBE_TRAIN_CARS 16

/** Trains one way until their bounds are close, and at most. */
#define PROBE_TRAINS 5

/** Bounds are close where the upper one is at most so many times the lower one: that leaves TCP a
 * round trip in which its window opens, where a train takes as long. */
#define PROBE_CLOSE 2

/** Times by one clock, in ns. */
struct probe_train {
    int64_t word;                  /**< just before the word was sent that let the train start */
    int64_t car[PROBE_TRAIN_CARS]; /**< when each message was found, in order */
};

/** Bounds of a bandwidth in bytes per second; least is 0 before the first train, most before the
 * first without a long wait. */
struct probe_band {
    int64_t least, most;
};

/** Narrows the bounds by a train whose messages have so many bytes each; round_trip in ns, of short
 * messages. */
void probe_band_add(struct probe_band *band, const struct probe_train *train, int64_t car_bytes,
                    int64_t round_trip);

/** Whether there are both bounds, and close; the bandwidth is the upper one then. */
bool probe_band_known(const struct probe_band *band);

/**
 * Makes one bandwidth of the bounds, in both of them: the upper one if they are close, else the
 * lower one. Returns whether it is unknown by these bounds.
 */
bool probe_band_settle(struct probe_band *band);

#endif
