/*
 * When a group of multicast is probed, used and given up.
 */
#include "engine/multicast/health.h"
#include "engine/multicast/multicast.h"
#include "test/tap.h"

static void test_health(void)
{
    pb_health_t health = {.state = PB_HEALTH_GIVEN_UP};
    uint64_t at[PB_HEALTH_FAILURES] = {0};
    ok(!pb_health_is_due(&health), "a group that may not be used is not probed");
    pb_health_begin(&health);
    for (int i = 0; i < PB_HEALTH_FAILURES; i++) {
        while (!pb_health_is_due(&health)) {
            pb_health_count(&health);
        }
        at[i] = health.n_broadcasts;
        health.state = PB_HEALTH_PROBING;
        (void) pb_health_judge(&health, 4, 2);
    }
    ok(health.state == PB_HEALTH_GIVEN_UP && at[0] == 0 && at[1] == PB_HEALTH_REST &&
           at[2] == at[1] + 8 * PB_HEALTH_REST && at[3] == at[2] + 64 * PB_HEALTH_REST,
       "a group that never works is probed four times, and then no more");
}

static bool judge(pb_health_t *health, uint64_t missed)
{
    return pb_health_judge(health, 10, missed);
}

static pb_health_t working(void)
{
    pb_health_t health = {.state = PB_HEALTH_PROBING};
    (void) pb_health_judge(&health, 4, 1);
    return health;
}

static void test_silence(void)
{
    pb_health_t health = working();
    ok(health.state == PB_HEALTH_WORKING && !judge(&health, 4) && !judge(&health, 5) &&
           !judge(&health, 4) && !judge(&health, 8) && health.state == PB_HEALTH_WORKING,
       "loss is no silence, nor is one deaf verdict");
    ok(judge(&health, 5) && health.state == PB_HEALTH_RESTING && !judge(&health, 10),
       "two in a row are: broadcasts go by trees");
    health = working();
    ok(!pb_health_judge(&health, 0, 0) && !pb_health_judge(&health, 4, 4) &&
           pb_health_judge(&health, 4, 4),
       "nearly all of some frames that are missed are silence, and few frames wait for more");
    health = working();
    health.n_failures = PB_HEALTH_FAILURES - 1;
    for (int i = 0; i < PB_HEALTH_GOOD; i++) {
        (void) judge(&health, 0);
    }
    (void) judge(&health, 10);
    ok(health.state == PB_HEALTH_RESTING && health.due == 8 * PB_HEALTH_REST,
       "a group that has worked for long begins to count anew");
}

static void test_patience(void)
{
    const int64_t second = 1000000000, lag = 500000;
    ok(pb_multicast_patience(second / 4, 0) == second && pb_multicast_patience(1, lag) == 4 * lag &&
           pb_multicast_patience(8 * lag, lag) == 32 * lag &&
           pb_multicast_patience(second, lag) == 128 * lag,
       "a root waits for some ways up and down, and no longer where a rank was away");
}

int main(void)
{
    test_patience();
    test_health();
    test_silence();
    return tap_done();
}
