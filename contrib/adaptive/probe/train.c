#include "train.h"

#include "contrib/adaptive/search/link_matrix.h"
#include "topo/util/kit.h"

/** The longest time between two messages. */
static int64_t longest_wait(const struct probe_train *train)
{
    int64_t longest = 0;
    for (int i = 1; i < PROBE_TRAIN_CARS; i++) {
        const int64_t wait = train->car[i] - train->car[i - 1];
        longest = wait > longest ? wait : longest;
    }
    return longest;
}

static int64_t rate_of_half(const struct probe_train *train, int64_t car_bytes)
{
    const int half = PROBE_TRAIN_CARS / 2;
    return (int64_t) pb_link_rate((double) (half * car_bytes),
                                  train->car[PROBE_TRAIN_CARS - 1] - train->car[half - 1]);
}

/** Since the word, less the round trip. That may have been measured too long: it counts for half of
 * the time at most. */
static int64_t time_of_whole(const struct probe_train *train, int64_t round_trip)
{
    const int64_t time = train->car[PROBE_TRAIN_CARS - 1] - train->word;
    return time - (round_trip < time / 2 ? round_trip : time / 2);
}

void probe_band_add(struct probe_band *band, const struct probe_train *train, int64_t car_bytes,
                    int64_t round_trip)
{
    const int64_t whole = pb_max64(time_of_whole(train, round_trip),
                                   train->car[PROBE_TRAIN_CARS - 1] - train->car[0]);
    const int64_t most = rate_of_half(train, car_bytes);
    band->least = pb_max64(band->least,
                           (int64_t) pb_link_rate((double) (PROBE_TRAIN_CARS * car_bytes), whole));
    if (2 * longest_wait(train) <= whole && (band->most == 0 || most < band->most)) {
        band->most = most;
    }
}

bool probe_band_known(const struct probe_band *band)
{
    return band->most > 0 && band->most <= PROBE_CLOSE * band->least;
}

bool probe_band_settle(struct probe_band *band)
{
    const bool known = probe_band_known(band);
    const int64_t value = known ? band->most : band->least;
    *band = (struct probe_band){value, value};
    return !known;
}
