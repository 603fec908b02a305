/* Choosing: the least of all candidates, alike however it is asked. */
#include <stdlib.h>
#include <string.h>

#include "test/must.h"
#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "topo/model/choose.h"

enum { LONG = 1 << 20, MBIT = 1000000 };

static pb_model_t model;
static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};

/** A model of links that were measured, or whose speed was assumed. */
static void set_model(pb_model_t *of, uint64_t bits_per_second, bool measured)
{
    pb_model_assume(bits_per_second, 1500, of);
    of->measured = measured;
}

/** `n` hosts on one switch, with links of 100 Mbit/s, and a chooser for them. */
static pb_chooser_t *bed(tree_case_t *c, int n, const pb_choose_options_t *options)
{
    tree_case_line(c, 1, n, 0, 0);
    set_model(&model, UINT64_C(100) * MBIT, true);
    return pb_chooser_new(c->placement, &model, options);
}

static void bed_clear(tree_case_t *c, pb_chooser_t *chooser)
{
    pb_chooser_free(chooser);
    tree_case_clear(c);
}

static pb_candidate_t choose(pb_chooser_t *chooser, int root, uint64_t bytes)
{
    pb_candidate_t choice;
    must(pb_choose(chooser, root, bytes, &choice) == PB_SUCCESS);
    return choice;
}

static void test_size_classes(void)
{
    bool good = true;
    for (uint64_t bytes = 1; bytes < 1 << 18; bytes++) {
        const uint64_t least = pb_size_class(bytes);
        good = good && least <= bytes && (bytes < PB_CHOOSE_SHORT || bytes - least <= bytes / 8) &&
               pb_size_class(least) == least && (bytes == 1 || least >= pb_size_class(bytes - 1));
    }
    ok(good, "size classes are eighths of octaves, and begin with themselves");
    ok(pb_size_class(PB_CHOOSE_SHORT / 8 - 1) == 1 && pb_size_class(PB_CHOOSE_SHORT / 8) > 1 &&
           pb_size_class(PB_CHOOSE_SHORT - 1) == pb_size_class(PB_CHOOSE_SHORT / 8) &&
           pb_size_class(PB_CHOOSE_SHORT) == PB_CHOOSE_SHORT,
       "short messages have two classes");
    ok(pb_size_class(UINT64_C(1) << 39) == UINT64_C(1) << 39, "powers of two begin a class");
}

/* ---- all candidates ---- */

/** Facts that were seen of all candidates. */
typedef struct seen {
    uint64_t bytes;
    pb_candidate_t best; /**< of the least weight; at a tie the first */
    uint64_t largest;    /**< segment */
    bool fallback;
    int n_kinds, last_kind, n;
    int64_t others, tiny; /**< least times with segments below half a frame, and of all others */
    int n_wrong;          /**< weights on the wrong side of the time */
} seen_t;

static bool is_tiny(const pb_candidate_t *candidate)
{
    return candidate->segment > 0 && 2 * (candidate->segment + model.overhead) < model.payload;
}

static void look(void *context, const pb_candidate_t *candidate)
{
    seen_t *seen = context;
    const uint64_t segment = pb_candidate_segment(candidate, seen->bytes);
    int64_t *time = is_tiny(candidate) ? &seen->tiny : &seen->others;
    if (seen->best.time < 0 || candidate->weight < seen->best.weight) {
        seen->best = *candidate;
    }
    *time = *time < 0 || candidate->time < *time ? candidate->time : *time;
    seen->n_wrong += is_tiny(candidate) ? candidate->weight <= candidate->time
                                        : candidate->weight != candidate->time;
    seen->n++;
    if (candidate->kind == PB_KIND_FALLBACK) {
        seen->fallback = true;
        return;
    }
    seen->largest = segment > seen->largest ? segment : seen->largest;
    seen->n_kinds += seen->n_kinds == 0 || seen->last_kind != candidate->kind;
    seen->last_kind = candidate->kind;
}

static seen_t look_at(pb_chooser_t *chooser, int root, uint64_t bytes, bool in_trial)
{
    seen_t seen = {.bytes = bytes, .best.time = -1, .others = -1, .tiny = -1};
    must(pb_choose_explain(chooser, root, bytes, in_trial, look, &seen) == PB_SUCCESS);
    return seen;
}

static seen_t look_at_all(pb_chooser_t *chooser, int root, uint64_t bytes)
{
    return look_at(chooser, root, bytes, false);
}

static bool same(const pb_candidate_t *a, const pb_candidate_t *b)
{
    return a->kind == b->kind && a->segment == b->segment && a->time == b->time;
}

/** Tells whether the choice is the least candidate, from a used chooser and a fresh one. */
static bool judge(const pb_placement_t *placement, pb_chooser_t *used, int root, uint64_t bytes)
{
    pb_chooser_t *fresh = pb_chooser_new(placement, &model, &all);
    const pb_candidate_t first = choose(fresh, root, bytes), again = choose(used, root, bytes);
    const pb_candidate_t best = look_at_all(fresh, root, bytes).best;
    pb_chooser_free(fresh);
    return same(&first, &again) && same(&first, &best) &&
           pb_choose_time(used, root, pb_size_class(bytes), &best) == best.time;
}

/** Kept profiles never change the choice; another model from now on does as one from the start. */
static bool is_least(tree_case_t *c, pb_random_t *random, void *context)
{
    static pb_model_t slow;
    bool good = true;
    (void) context;
    set_model(&model, UINT64_C(1000000) << pb_random_below(random, 16),
              pb_random_below(random, 2) == 1);
    set_model(&slow, UINT64_C(3) * MBIT, true);
    pb_chooser_t *used = pb_chooser_new(c->placement, &model, &all);
    pb_chooser_t *alone = pb_chooser_new(c->placement, &slow, &all);
    for (uint64_t bytes = 1; bytes < 1 << 23 && c->placement->n_ranks > 1; bytes = bytes * 3 + 5) {
        const int root = pb_random_below(random, c->placement->n_ranks);
        good = good && judge(c->placement, used, root, bytes);
        pb_chooser_set_model(used, &slow);
        const pb_candidate_t other = choose(used, root, bytes), wanted = choose(alone, root, bytes);
        good = good && same(&other, &wanted);
        pb_chooser_set_model(used, &model);
    }
    pb_chooser_free(used);
    pb_chooser_free(alone);
    return good;
}

/** Segments below half a frame are chosen only where they are faster by an eighth of their time;
 * other candidates weigh their time. context: times that they are chosen, and others are. */
static bool is_sure(tree_case_t *c, pb_random_t *random, void *context)
{
    int *n = context;
    bool good = true;
    set_model(&model, UINT64_C(1000000) << pb_random_below(random, 16), true);
    pb_chooser_t *chooser = pb_chooser_new(c->placement, &model, &all);
    for (uint64_t bytes = 64; bytes < 1 << 23 && c->placement->n_ranks > 1; bytes *= 2) {
        const pb_candidate_t choice = choose(chooser, 0, bytes);
        const seen_t seen = look_at_all(chooser, 0, bytes);
        const int64_t time = choice.time;
        const bool chose_tiny = is_tiny(&choice);
        n[chose_tiny]++;
        good = good && seen.n_wrong == 0 &&
               (chose_tiny ? seen.others < 0 || seen.others >= time + time / 8
                           : seen.tiny < 0 || seen.tiny + seen.tiny / 8 >= time);
    }
    pb_chooser_free(chooser);
    return good;
}

/* More roots and classes than are kept: the same choices, from the first to the last. */
static void test_many(void)
{
    tree_case_t c;
    pb_chooser_t *chooser = bed(&c, 40, &all);
    static pb_candidate_t first[40][128];
    bool good = true;
    for (int round = 0; round < 2; round++) {
        for (int root = 0; root < 40; root++) {
            int n = 0;
            for (uint64_t bytes = 1024; bytes < 1 << 24; bytes += bytes / 8, n++) {
                const pb_candidate_t choice = choose(chooser, root, bytes);
                good = good && (round == 0 || same(&choice, &first[root][n]));
                first[root][n] = choice;
            }
        }
    }
    ok(good, "choices of many roots and sizes");
    bed_clear(&c, chooser);
}

/* ---- examples ---- */

static void test_examples(void)
{
    tree_case_t c;
    /* On two ranks all ways of sending one segment are alike: the fallback component has it. */
    pb_chooser_t *chooser = bed(&c, 2, &all);
    pb_candidate_t choice = choose(chooser, 1, 64);
    ok(choice.kind == PB_KIND_FALLBACK, "ties: the fallback component first");
    bed_clear(&c, chooser);

    chooser = bed(&c, 32, &all);
    choice = choose(chooser, 0, LONG);
    ok(pb_kind_row((pb_kind_t) choice.kind)->several_streams,
       "large messages: full bandwidth at logarithmic depth (%s)", pb_candidate_name(&choice));
    ok(look_at_all(chooser, 0, LONG).fallback,
       "by measured costs the fallback component is a candidate for them, too");
    bed_clear(&c, chooser);

    chooser = bed(&c, 16, &all);
    set_model(&model, UINT64_C(10000) * MBIT, false);
    pb_chooser_set_model(chooser, &model);
    bool good = true;
    for (uint64_t bytes = 1024; bytes <= UINT64_C(1) << 30; bytes *= 2) {
        const seen_t seen = look_at_all(chooser, 3, bytes);
        good = good && seen.largest <= (bytes / 256 > 8192 ? bytes / 256 : 8192) &&
               seen.fallback == (bytes < 16384) && seen.n > 0;
    }
    ok(good, "without measurements segments are bounded, and large messages are ours");
    ok(look_at(chooser, 3, 1 << 18, true).largest == 16384, "but trials have longer segments");
    bed_clear(&c, chooser);
}

static void test_forced(void)
{
    pb_choose_options_t options = {.kind = PB_KIND_BINARY, .plan.fanout = 3};
    tree_case_t c;
    pb_chooser_t *chooser = bed(&c, 12, &options);
    const pb_candidate_t choice = choose(chooser, 0, LONG);
    seen_t seen = look_at_all(chooser, 0, LONG);
    ok(choice.kind == PB_KIND_BINARY && seen.n_kinds == 1 && seen.n > 5 && !seen.fallback &&
           seen.largest == 65536,
       "a forced kind: only the segment is chosen, of those that MPI sends as one, or nearly");
    bed_clear(&c, chooser);

    options = (pb_choose_options_t){.kind = PB_CHOOSE_ALL, .segment = 5000, .plan.fanout = 3};
    chooser = bed(&c, 12, &options);
    seen = look_at_all(chooser, 0, LONG);
    bool good =
        seen.largest == 5000 && seen.n_kinds > 3 && seen.n == seen.n_kinds + 1 /* fallback */;
    for (uint64_t bytes = 4500; bytes < 5600 && good; bytes++) {
        const pb_candidate_t best = choose(chooser, 0, bytes);
        good = best.kind == PB_KIND_FALLBACK || pb_candidate_segment(&best, bytes) <= 5000;
    }
    ok(good, "a forced segment: only the kind is chosen, and it is never exceeded");
    bed_clear(&c, chooser);

    options.kind = PB_KIND_TWOTREE;
    options.segment = UINT64_C(1) << 30;
    chooser = bed(&c, 12, &options);
    ok(choose(chooser, 0, UINT64_C(3) << 20).segment == 0, "a segment longer than the message");
    bed_clear(&c, chooser);
}

/* The plan of what was chosen for a new root can be had once, and is what it would be. */
static void test_plan(void)
{
    tree_case_t c;
    pb_chooser_t *chooser = bed(&c, 24, &all);
    pb_candidate_t choice;
    pb_plan_t *plan, *again;
    must(pb_choose_plan(chooser, 0, LONG, &choice, &plan) == PB_SUCCESS);
    pb_plan_t *wanted = tree_case_plan(&c, (pb_kind_t) choice.kind, 3);
    ok(plan != NULL && plan->kind == wanted->kind && tree_case_same_plan(plan, wanted),
       "the chosen kind's (%s)", pb_candidate_name(&choice));
    ok(pb_choose_plan(chooser, 0, LONG, &choice, &again) == PB_SUCCESS && again == NULL,
       "none where the choice was made before");
    const size_t memory = pb_chooser_memory(chooser);
    pb_chooser_forget(chooser);
    ok(memory > 0 && pb_chooser_memory(chooser) == 0, "what is kept can be given back");
    ok(pb_choose_plan(chooser, 0, LONG, &choice, &again) == PB_SUCCESS && again != NULL &&
           tree_case_same_plan(again, wanted) && pb_chooser_memory(chooser) > 0,
       "and is made anew");
    pb_plan_free(again);
    pb_plan_free(plan);
    pb_plan_free(wanted);
    bed_clear(&c, chooser);
}

/** Broadcasts that may be the fallback component's, for a rank that cannot choose. */
static void test_may_pass(void)
{
    static const struct {
        pb_choose_options_t options;
        uint64_t bytes;
        bool assumed, measured; /**< whether it may, by such a model */
    } cases[] = {
        {{.kind = PB_CHOOSE_ALL, .plan.fanout = 3}, 6000, true, true},
        {{.kind = PB_CHOOSE_ALL, .plan.fanout = 3}, PB_CHOOSE_ASSUMED_FALLBACK, false, true},
        {{.kind = PB_CHOOSE_ALL, .plan.fanout = 3}, LONG, false, true},
        {{.kind = PB_CHOOSE_OWN, .plan.fanout = 3}, 6000, false, false},
        {{.kind = PB_KIND_CHAIN, .plan.fanout = 3}, 64, false, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool may[2];
        for (int measured = 0; measured < 2; measured++) {
            set_model(&model, UINT64_C(1000) * MBIT, measured == 1);
            may[measured] = pb_choose_may_pass(&model, &cases[i].options, cases[i].bytes);
        }
        ok(may[0] == cases[i].assumed && may[1] == cases[i].measured,
           "kind %d, %lu bytes: may%s pass, measured%s", cases[i].options.kind,
           (unsigned long) cases[i].bytes, may[0] ? "" : " not", may[1] ? "" : " not");
    }
}

int main(void)
{
    int n[2] = {0};
    test_size_classes();
    tree_case_hold("the choice is the least of all candidates, whatever was asked before", 21, 3,
                   (tree_case_size_t){6, 48, 2, 0, false}, is_least, NULL);
    tree_case_hold("also with links of unequal speed", 22, 1,
                   (tree_case_size_t){6, 48, 2, 10, false}, is_least, NULL);
    tree_case_hold("short segments are chosen if they are faster by an eighth", 23, 4,
                   (tree_case_size_t){4, 48, 1, 0, false}, is_sure, n);
    ok(n[1] > 10 && n[0] > 20, "they are in %d cases, and not in %d", n[1], n[0]);
    tree_case_hold("with 1,200 hosts", 35, 1, (tree_case_size_t){200, 1200, 1, 0, false}, is_least,
                   NULL);
    test_many();
    test_examples();
    test_forced();
    test_plan();
    test_may_pass();
    return tap_done();
}
