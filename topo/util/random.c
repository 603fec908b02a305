#include "topo/util/random.h"

pb_random_t pb_random_seed(uint64_t seed)
{
    /* The state must not be 0, and small seeds should not look alike. */
    pb_random_t random = {.state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    if (random.state == 0) {
        random.state = 1;
    }
    pb_random_next(&random);
    return random;
}

uint64_t pb_random_next(pb_random_t *random)
{
    uint64_t x = random->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

int pb_random_below(pb_random_t *random, int n)
{
    return (int) ((pb_random_next(random) >> 32) * (uint64_t) n >> 32);
}

void pb_random_shuffle(pb_random_t *random, int *values, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = pb_random_below(random, i + 1);
        int value = values[i];
        values[i] = values[j];
        values[j] = value;
    }
}
