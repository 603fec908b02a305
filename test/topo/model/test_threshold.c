/*
 * From which size on broadcasts are considered: which of them pass, and what the learner has to do
 * with it. test_learning has it among the planners of all ranks.
 */
#include "test/tap.h"
#include "topo/model/threshold.h"

static const pb_candidate_t candidates[] = {
    {.kind = PB_KIND_FALLBACK, .time = 1000000, .weight = 1000000},
    {.kind = PB_KIND_BINOMIAL, .time = 1200000, .weight = 1200000},
};

/** Broadcasts of `bytes` are tried until they are settled on the faster of the two. */
static void learn(pb_learner_t *learner, uint64_t bytes, bool is_ours)
{
    for (int i = 0; i < 12; i++) {
        bool is_trial;
        const int at = pb_learner_pick(learner, bytes, candidates, 2, true, &is_trial);
        const bool is_faster = (candidates[at].kind != PB_KIND_FALLBACK) == is_ours;
        const pb_learner_trial_t trial = {
            .bytes = bytes, .candidate = candidates[at], .is_trial = is_trial};
        pb_learner_count(learner, bytes);
        (void) pb_learner_note(learner, &trial, is_faster ? 1000000 : 1300000, 0);
    }
}

static void test_passes(void)
{
    pb_threshold_t named, assumed;
    pb_threshold_begin(&named, 64);
    pb_threshold_begin(&assumed, 0);
    ok(pb_threshold_passes(&named, 63) && !pb_threshold_passes(&named, 64),
       "what is shorter than what was named passes");
    ok(pb_threshold_passes(&assumed, PB_THRESHOLD_ASSUMED - 1) &&
           !pb_threshold_passes(&assumed, PB_THRESHOLD_ASSUMED),
       "or than what is assumed");
    int n_looked = 0, n_always = 0;
    named.bytes = 2048;
    for (int i = 0; i < 3 * PB_THRESHOLD_LOOK; i++) {
        n_looked += !pb_threshold_passes(&named, 2047);
        n_always += pb_threshold_passes(&named, 63);
        n_always += !pb_threshold_passes(&named, 2048);
    }
    ok(n_looked == 3 && n_always == 6 * PB_THRESHOLD_LOOK,
       "of what was learnt to pass, and of that alone, one of %d is looked at", PB_THRESHOLD_LOOK);
}

static void test_learnt(void)
{
    pb_learner_t learner;
    pb_threshold_t threshold;
    pb_learner_init(&learner, 0);
    pb_threshold_begin(&threshold, 0);
    ok(pb_learner_passed(&learner, PB_THRESHOLD_MOST) == 0, "nothing is known to pass at first");
    learn(&learner, 2000, false);
    pb_threshold_raise(&threshold, &learner);
    ok(threshold.bytes == pb_size_class_end(2000),
       "what is settled on the fallback component does");
    learn(&learner, 6000, false);
    learn(&learner, 4000, true);
    ok(pb_learner_passed(&learner, PB_THRESHOLD_MOST) == pb_size_class_end(2000),
       "not what is longer than something of ours");
    pb_learner_drop(&learner, UINT32_C(1) << PB_KIND_BINOMIAL);
    ok(pb_learner_passed(&learner, PB_THRESHOLD_MOST) == pb_size_class_end(6000),
       "unless that is a candidate no more");
    learn(&learner, 40000, false);
    ok(pb_learner_passed(&learner, PB_THRESHOLD_MOST) == pb_size_class_end(6000),
       "long messages are considered in any case");
    learn(&learner, 300, true);
    pb_threshold_raise(&threshold, &learner);
    ok(threshold.bytes == PB_THRESHOLD_ASSUMED, "and what is lower than at first is not reached");
    pb_learner_admit(&learner);
    ok(pb_learner_passed(&learner, PB_THRESHOLD_MOST) == 0,
       "while other candidates are tried, nothing passes");
}

/** By how fast links have turned out to be. */
static void test_links(void)
{
    pb_learner_t learner;
    pb_learner_init(&learner, 0);
    ok(pb_learner_waits_for_links(&learner), "a measured model has what software takes");
    pb_learner_init(&learner, UINT64_C(10000000000));
    ok(!pb_learner_waits_for_links(&learner), "of what links claim that is not known");
    learner.speed = PB_LEARNER_SLOW_LINKS;
    learner.is_guess = true;
    ok(!pb_learner_waits_for_links(&learner), "nor by a guess");
    learner.is_guess = false;
    ok(pb_learner_waits_for_links(&learner), "slow links are waited for");
    learner.speed++;
    ok(!pb_learner_waits_for_links(&learner), "not faster ones");
}

int main(void)
{
    test_passes();
    test_learnt();
    test_links();
    return tap_done();
}
