/*
 * When a group of multicast is probed, used and given up.
 */
#include "engine/multicast/health.h"
#include "test/tap.h"

/** The broadcasts at which something happens, until it is given up: 'p' probed, 'w' outcome. */
static void test_health(void)
{
    pb_health_t health;
    uint64_t at[8] = {0};
    int n = 0;
    pb_health_init(&health);
    while (health.state != PB_HEALTH_GIVEN_UP && health.n_broadcasts < 100000) {
        pb_health_count(&health);
        if (pb_health_is_due(&health)) {
            pb_health_probed(&health, false);
        }
        if (pb_health_begins_probe(&health) && n < 8) {
            at[n++] = health.n_broadcasts;
        }
    }
    ok(n == PB_HEALTH_FAILURES && at[0] == PB_HEALTH_FIRST &&
           at[1] == at[0] + PB_HEALTH_LAG + PB_HEALTH_REST &&
           at[2] == at[1] + PB_HEALTH_LAG + 8 * PB_HEALTH_REST,
       "a group that never works is probed three times, and then no more");
}

static bool judge(pb_health_t *health, uint64_t missed)
{
    return pb_health_judge(health, 10, missed);
}

static pb_health_t working(void)
{
    pb_health_t health;
    pb_health_init(&health);
    for (int i = 0; i < PB_HEALTH_FIRST; i++) {
        pb_health_count(&health);
    }
    (void) pb_health_begins_probe(&health);
    pb_health_probed(&health, true);
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
    health.n_failures = 2;
    for (int i = 0; i < PB_HEALTH_REST; i++) {
        (void) judge(&health, 0);
    }
    (void) judge(&health, 10);
    ok(health.state == PB_HEALTH_RESTING && health.n_failures == 1,
       "a group that has worked for long begins to count anew");
}

int main(void)
{
    test_health();
    test_silence();
    return tap_done();
}
