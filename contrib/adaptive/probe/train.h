/*
 * Bounds on a link's bandwidth by the arrival times of a train's messages.
 *
 * A process may find a message long after its bytes came. TCP holds back data behind a lost frame
 * until this is repeated. A process waits for a processor. Frames may wait in a queue that they
 * leave faster than they came. After such a wait all messages are found together, and the speed
 * between two messages has no meaning. It is far too high without the wait, and too low with it.
 * The speed of the whole train since its start word includes all waits, so it is a lower bound. If
 * the speed of the second half is close to it, there was no long wait in the first half. If no two
 * messages have half of the train's time between them, there was none in the second.
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

/** Largest ratio of close bounds. It leaves TCP a round trip in which its window opens, which may
 * take as long as the train. */
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

/** Narrows the bounds by a train whose messages have `car_bytes` each; round_trip in ns, of short
 * messages. */
void probe_band_add(struct probe_band *band, const struct probe_train *train, int64_t car_bytes,
                    int64_t round_trip);

/** Tells whether there are both bounds, and close; the bandwidth is the upper one then. */
bool probe_band_known(const struct probe_band *band);

/**
 * Makes one bandwidth of the bounds, in both of them: the upper one if they are close, else the
 * lower one. Returns whether it is unknown by these bounds.
 */
bool probe_band_settle(struct probe_band *band);

#endif
