/*
 * Bandwidths from made-up arrival times: a link of 1 MB/s, on which messages of 1,000 bytes take 1
 * ms each, and what may hide that.
 */
#include "contrib/adaptive/probe/train.h"

#include "test/tap.h"

enum { CAR = 1000, ROUND_TRIP = 2000000, MS = 1000000 };

#define SPEED INT64_C(1000000) /* bytes per second */

/** Messages come one after the other; `late_ns` more passes before the first. */
static struct probe_train make_train(int64_t late_ns)
{
    struct probe_train train = {.word = 5 * MS};
    for (int i = 0; i < PROBE_TRAIN_CARS; i++) {
        train.car[i] = train.word + ROUND_TRIP + late_ns + (i + 1) * MS;
    }
    return train;
}

/** From message `first` on all that came until `late_ns` after message `last` are found then, 10 us
 * for each. */
static struct probe_train stall(struct probe_train train, int first, int last, int64_t late_ns)
{
    const int64_t found = train.car[last] + late_ns;
    for (int i = first; i < PROBE_TRAIN_CARS; i++) {
        const int64_t at = found + (i - first) * 10000;
        train.car[i] = train.car[i] < at ? at : train.car[i];
    }
    return train;
}

/** The bounds from one train alone. */
static struct probe_band bounds_of(struct probe_train train)
{
    struct probe_band band = {.least = 0};
    probe_band_add(&band, &train, CAR, ROUND_TRIP);
    return band;
}

static bool near(int64_t value, int64_t wanted)
{
    return value >= wanted * 9 / 10 && value <= wanted * 11 / 10;
}

static void is_undecided(struct probe_train train, const char *what)
{
    const struct probe_band band = bounds_of(train);
    ok(!probe_band_known(&band) && band.least <= SPEED && (band.most == 0 || band.most >= SPEED),
       "%s: unknown, between %lld and %lld", what, (long long) band.least, (long long) band.most);
}

static void test_known(void)
{
    struct probe_band band = bounds_of(make_train(0));
    ok(probe_band_known(&band) && band.most == SPEED && band.least == SPEED, "an even train");
    band = bounds_of(make_train(10 * MS));
    ok(probe_band_known(&band) && band.most == SPEED, "TCP's window took five round trips to open");

    struct probe_train train = make_train(0);
    for (int i = PROBE_TRAIN_CARS / 2; i < PROBE_TRAIN_CARS; i++) {
        train.car[i] += (i - PROBE_TRAIN_CARS / 2 + 1) * 3 * MS;
    }
    band = bounds_of(train);
    ok(probe_band_known(&band) && band.most == SPEED / 4,
       "others' frames between those of its second half");

    train = stall(make_train(0), 2, 5, 0);
    band = bounds_of(train);
    ok(probe_band_known(&band) && band.most == SPEED, "a short stall of the first half");
}

static void test_stalled(void)
{
    const int last = PROBE_TRAIN_CARS - 1, half = PROBE_TRAIN_CARS / 2;
    is_undecided(stall(make_train(0), 3, last, 0), "most of the train found at once");
    is_undecided(stall(make_train(0), half - 1, last, 40 * MS),
                 "its second half, and long after it came");
    is_undecided(stall(make_train(0), 0, last, 100 * MS), "the whole train, long after it came");
    is_undecided(stall(make_train(0), 4, half + 6, 0), "all but the last message");
}

/** If a round trip were found that is far too long, a train found together would seem to be on
 * time. */
static void test_round_trip(void)
{
    for (int first = 0; first < 2; first++) {
        const struct probe_train train = stall(make_train(0), first, PROBE_TRAIN_CARS - 1, 0);
        struct probe_band band = {.least = 0};
        probe_band_add(&band, &train, CAR, 1000 * MS);
        ok(!probe_band_known(&band) && band.least <= 2 * SPEED,
           "a round trip beyond the train's time");
    }
}

/** A frame of a message is lost, and TCP repeats it after 200 ms. */
static void test_lost(void)
{
    const int last = PROBE_TRAIN_CARS - 1, half = PROBE_TRAIN_CARS / 2;
    const struct probe_train even = make_train(0);
    is_undecided(stall(make_train(0), 0, 0, 200 * MS), "lost in the first message");
    is_undecided(stall(make_train(0), 3, 3, 200 * MS), "in the first half");
    is_undecided(stall(make_train(0), half + 3, half + 3, 200 * MS), "in the second half");
    is_undecided(stall(make_train(0), last, last, 200 * MS), "in the last message");
    struct probe_band band = bounds_of(stall(make_train(0), half + 3, half + 3, 200 * MS));
    probe_band_add(&band, &even, CAR, ROUND_TRIP);
    ok(probe_band_known(&band) && band.most == SPEED, "and then none");
}

static void test_again(void)
{
    const int last = PROBE_TRAIN_CARS - 1;
    const struct probe_train stalled = stall(make_train(0), 0, last, 0), even = make_train(0);
    struct probe_band band = bounds_of(stalled);
    probe_band_add(&band, &even, CAR, ROUND_TRIP);
    ok(probe_band_known(&band) && band.most == SPEED, "an even train after a stalled one");

    band = bounds_of(make_train(60 * MS));
    probe_band_add(&band, &stalled, CAR, ROUND_TRIP);
    ok(probe_band_known(&band) && near(band.most, SPEED),
       "one that began late gives the upper bound, one that was found at once the lower one");

    band = bounds_of(stall(make_train(30 * MS), 0, last, 0));
    for (int i = 1; i < PROBE_TRAINS; i++) {
        const struct probe_train next = stall(make_train(0), 0, last, (30 + i) * MS);
        probe_band_add(&band, &next, CAR, ROUND_TRIP);
    }
    ok(!probe_band_known(&band), "five that were found at once, and late");
}

static void test_settle(void)
{
    struct probe_band band = {.least = 900, .most = 1000};
    ok(!probe_band_settle(&band) && band.most == 1000 && band.least == 1000, "known");
    band = (struct probe_band){.least = 10, .most = 1000000};
    ok(probe_band_settle(&band) && band.most == 10 && band.least == 10, "unknown: the least");
}

int main(void)
{
    test_known();
    test_stalled();
    test_round_trip();
    test_lost();
    test_again();
    test_settle();
    return tap_done();
}
