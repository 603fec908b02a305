/* Choosing: the least of all candidates, alike however it is asked. */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "topo/model/choose.h"

static pb_model_t model;
static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};

static void test_size_classes(void)
{
    bool good = true;
    for (uint64_t bytes = 1; bytes < 1 << 18; bytes++) {
        const uint64_t least = pb_size_class(bytes);
        good = good && least <= bytes && bytes - least <= bytes / 8 &&
               pb_size_class(least) == least && (bytes == 1 || least >= pb_size_class(bytes - 1));
    }
    ok(good, "size classes are eighths of octaves, and begin with themselves");
    ok(pb_size_class(UINT64_C(1) << 39) == UINT64_C(1) << 39, "powers of two begin a class");
}

/** Keeps the candidate of the least weight; at a tie the first. */
static void keep(void *context, const pb_candidate_t *candidate)
{
    pb_candidate_t *best = context;
    if (best->time < 0 || candidate->weight < best->weight) {
        *best = *candidate;
    }
}

static bool same(const pb_candidate_t *a, const pb_candidate_t *b)
{
    return a->kind == b->kind && a->segment == b->segment && a->time == b->time;
}

/** Whether the choice is the least candidate, from a used chooser and a fresh one. */
static bool judge(const pb_placement_t *placement, pb_chooser_t *used, int root, uint64_t bytes)
{
    pb_chooser_t *fresh = pb_chooser_new(placement, &model, &all);
    pb_choice_t first, again;
    pb_candidate_t best = {.time = -1};
    bool good = pb_choose(fresh, root, bytes, &first) == PB_SUCCESS &&
                pb_choose_explain(fresh, root, bytes, keep, &best) == PB_SUCCESS &&
                pb_choose(used, root, bytes, &again) == PB_SUCCESS &&
                same(&first.best, &again.best) && same(&first.next, &again.next) &&
                pb_choose_time(used, root, pb_size_class(bytes), &best) == best.time;
    good = good && same(&first.best, &best) &&
           (first.next.time < 0 || first.next.weight >= best.weight);
    if (!good) {
        printf("# root %d, %llu bytes: %s %llu, explained %s %llu\n", root,
               (unsigned long long) bytes, pb_candidate_name(&first.best),
               (unsigned long long) first.best.segment, pb_candidate_name(&best),
               (unsigned long long) best.segment);
    }
    pb_chooser_free(fresh);
    return good;
}

/* The cache never changes the choice. */
static void test_least(void)
{
    pb_random_t random = pb_random_seed(21);
    bool good = true;
    for (int i = 0; i < 24; i++) {
        const tree_case_size_t size = {.max_switches = 6,
                                       .max_hosts = 48,
                                       .max_per_host = 2,
                                       .max_speed = i % 3 == 0 ? 10 : 1};
        tree_case_t c;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), size);
        pb_model_assume(UINT64_C(1000000) << i % 16, 1500, &model);
        model.measured = i % 2 == 0;
        pb_chooser_t *used = pb_chooser_new(c.placement, &model, &all);
        for (uint64_t bytes = 1; bytes < 1 << 23 && c.placement->n_ranks > 1;
             bytes = bytes * 3 + 5) {
            good = good &&
                   judge(c.placement, used, pb_random_below(&random, c.placement->n_ranks), bytes);
        }
        pb_chooser_free(used);
        tree_case_clear(&c);
    }
    ok(good, "the choice is the least of all candidates, and the same whatever was asked before");
}

static bool is_tiny(const pb_candidate_t *candidate)
{
    return candidate->segment > 0 && 2 * (candidate->segment + model.overhead) < model.payload;
}

/** The least times of candidates with segments below half a frame, and of all others. */
typedef struct least_times {
    int64_t others, tiny; /**< -1: none was seen */
    int n_wrong;          /**< weights on the wrong side of the time */
} least_times_t;

static void note_time(void *context, const pb_candidate_t *candidate)
{
    least_times_t *least = context;
    int64_t *time = is_tiny(candidate) ? &least->tiny : &least->others;
    *time = *time < 0 || candidate->time < *time ? candidate->time : *time;
    least->n_wrong += is_tiny(candidate) ? candidate->weight <= candidate->time
                                         : candidate->weight != candidate->time;
}

/** Segments below half a frame are chosen only where they are faster by an eighth of their time. */
static void test_tiny(void)
{
    pb_random_t random = pb_random_seed(22);
    int n_tiny = 0, n_rash = 0, n_missed = 0, n_wrong = 0, n = 0;
    for (int i = 0; i < 24; i++) {
        const tree_case_size_t size = {
            .max_switches = 1 + i % 4, .max_hosts = 48, .max_per_host = 1};
        tree_case_t c;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), size);
        pb_model_assume(UINT64_C(1000000) << i % 16, 1500, &model);
        model.measured = true;
        pb_chooser_t *chooser = pb_chooser_new(c.placement, &model, &all);
        for (uint64_t bytes = 64; bytes < 1 << 23 && c.placement->n_ranks > 1; bytes *= 2) {
            least_times_t least = {.others = -1, .tiny = -1};
            pb_choice_t choice;
            if (pb_choose(chooser, 0, bytes, &choice) != PB_SUCCESS ||
                pb_choose_explain(chooser, 0, bytes, note_time, &least) != PB_SUCCESS) {
                abort();
            }
            const int64_t time = choice.best.time;
            const bool chose_tiny = is_tiny(&choice.best);
            n_tiny += chose_tiny;
            n_rash += chose_tiny && least.others >= 0 && least.others < time + time / 8;
            n_missed += !chose_tiny && least.tiny >= 0 && least.tiny + least.tiny / 8 < time;
            n_wrong += least.n_wrong;
            n++;
        }
        pb_chooser_free(chooser);
        tree_case_clear(&c);
    }
    ok(n_tiny > 10 && n_tiny < n - 20 && n_rash == 0 && n_missed == 0,
       "segments below half a frame are chosen (%d of %d) if they are faster by an eighth, and "
       "else not",
       n_tiny, n);
    ok(n_wrong == 0, "other candidates weigh their time, these more");
}

/* A segment size that a person has set is never exceeded, wherever the class of the message ends.
 */
static void test_forced_segment(void)
{
    pb_random_t random = pb_random_seed(5);
    const pb_choose_options_t forced = {.kind = PB_CHOOSE_OWN, .segment = 4000, .plan.fanout = 3};
    const tree_case_size_t size = {.max_switches = 2, .max_hosts = 12, .max_per_host = 1};
    tree_case_t c;
    bool good = true;
    tree_case_init(&c, &random, PB_SHAPE_RECURSIVE, size);
    pb_model_assume(UINT64_C(100000000), 1500, &model);
    model.measured = true;
    pb_chooser_t *chooser = pb_chooser_new(c.placement, &model, &forced);
    for (uint64_t bytes = 3500; bytes < 4600; bytes++) {
        pb_choice_t choice = {.best.time = -1};
        good = good && pb_choose(chooser, 0, bytes, &choice) == PB_SUCCESS && choice.best.time >= 0;
        const uint64_t segment = choice.best.segment != 0 ? choice.best.segment : bytes;
        good = good && segment <= 4000;
    }
    ok(good, "a forced segment size is kept");
    pb_chooser_free(chooser);
    tree_case_clear(&c);
}

static pb_placement_t *placement_of(pb_network_t **network_p, int n)
{
    char names[256][16] = {""};
    const char *pointers[256] = {NULL};
    for (int i = 0; i < n; i++) {
        snprintf(names[i], sizeof(names[i]), "n%d", i);
        pointers[i] = names[i];
    }
    *network_p = pb_network_one_switch(pointers, n);
    pb_placement_t *placement = pb_placement_new(*network_p, n);
    for (int i = 0; i < n; i++) {
        placement->host[i] = pb_network_find(*network_p, names[i]);
    }
    return placement;
}

/* On two ranks all ways of sending one segment are alike: the fallback component has it. */
static void test_ties(void)
{
    pb_network_t *network;
    pb_placement_t *placement = placement_of(&network, 2);
    pb_choice_t choice;
    pb_model_assume(UINT64_C(100000000), 1500, &model);
    model.measured = true;
    pb_chooser_t *chooser = pb_chooser_new(placement, &model, &all);
    ok(pb_choose(chooser, 1, 64, &choice) == PB_SUCCESS && choice.best.kind == PB_KIND_FALLBACK &&
           choice.next.kind == PB_KIND_CHAIN && choice.next.time == choice.best.time,
       "ties: the fallback component first, then the simplest tree");
    pb_chooser_free(chooser);
    pb_placement_free(placement);
    pb_network_free(network);
}

static void test_sensible(void)
{
    pb_network_t *network;
    pb_placement_t *placement = placement_of(&network, 32);
    pb_choice_t choice;
    pb_model_assume(UINT64_C(100000000), 1500, &model);
    model.measured = true;
    pb_chooser_t *chooser = pb_chooser_new(placement, &model, &all);
    const int rc = pb_choose(chooser, 0, 1 << 20, &choice);
    ok(rc == PB_SUCCESS && pb_kind_row((pb_kind_t) choice.best.kind)->several_streams,
       "large messages: full bandwidth at logarithmic depth (%s)", pb_candidate_name(&choice.best));
    pb_chooser_free(chooser);

    model.n_fallback = 1;
    model.fallback[0] =
        (pb_fallback_t){.n_ranks = 32, .n_rows = 2, .bytes = {1024, 1 << 21}, .time = {1, 1}};
    chooser = pb_chooser_new(placement, &model, &all);
    ok(pb_choose(chooser, 0, 1 << 20, &choice) == PB_SUCCESS &&
           choice.best.kind == PB_KIND_FALLBACK && !choice.best.estimated,
       "a fallback component that was measured to be faster is chosen");
    pb_chooser_free(chooser);
    model.fallback[0].time[0] = model.fallback[0].time[1] = PB_MODEL_MAX_NS;
    chooser = pb_chooser_new(placement, &model, &all);
    ok(pb_choose(chooser, 0, 64, &choice) == PB_SUCCESS && choice.best.kind != PB_KIND_FALLBACK,
       "and one that was measured to be slower is not");
    pb_chooser_free(chooser);
    pb_placement_free(placement);
    pb_network_free(network);
}

/** Notes the largest segment, and the fallback component. */
typedef struct seen {
    uint64_t largest, bytes;
    bool fallback;
    int n_kinds, last_kind, n;
} seen_t;

static void look(void *context, const pb_candidate_t *candidate)
{
    seen_t *seen = context;
    const uint64_t segment = candidate->segment > 0 ? candidate->segment : seen->bytes;
    seen->fallback = seen->fallback || candidate->kind == PB_KIND_FALLBACK;
    seen->n++;
    if (candidate->kind != PB_KIND_FALLBACK) {
        seen->largest = segment > seen->largest ? segment : seen->largest;
        seen->n_kinds += seen->n_kinds == 0 || seen->last_kind != candidate->kind;
        seen->last_kind = candidate->kind;
    }
}

static void test_assumed(void)
{
    pb_network_t *network;
    pb_placement_t *placement = placement_of(&network, 16);
    pb_model_assume(UINT64_C(10000000000), 1500, &model);
    pb_chooser_t *chooser = pb_chooser_new(placement, &model, &all);
    bool good = true;
    for (uint64_t bytes = 1024; bytes <= UINT64_C(1) << 30; bytes *= 2) {
        seen_t seen = {.bytes = bytes};
        good = good && pb_choose_explain(chooser, 3, bytes, look, &seen) == PB_SUCCESS &&
               seen.largest <= (bytes / 256 > 8192 ? bytes / 256 : 8192) &&
               seen.fallback == (bytes < 16384) && seen.n > 0;
    }
    ok(good, "without measurements segments are bounded, and large messages are ours");
    pb_chooser_free(chooser);
    pb_placement_free(placement);
    pb_network_free(network);
}

/** A network as the papers generate them, or one of leaves and a spine. */
static pb_network_t *large_network(pb_random_t *random, bool leaves, int n_switches, int n_hosts)
{
    if (!leaves) {
        return pb_random_network(random, PB_SHAPE_PAPER, n_switches, n_hosts, 0);
    }
    int *parents = calloc((size_t) (n_switches + n_hosts), sizeof(*parents));
    if (parents == NULL) {
        abort();
    }
    parents[0] = -1;
    for (int i = 0; i < n_hosts; i++) {
        parents[n_switches + i] = 1 + i % (n_switches - 1);
    }
    pb_network_t *network = pb_random_order_network(random, parents, n_switches, n_hosts, 0);
    free(parents);
    return network;
}

/* Many hosts. */
static void test_large(void)
{
    pb_random_t random = pb_random_seed(35);
    bool good = true;
    for (int leaves = 0; leaves <= 1; leaves++) {
        pb_network_t *network = large_network(&random, leaves, 200, 2400);
        pb_placement_t *placement = pb_random_placement(&random, network, 1);
        pb_model_assume(UINT64_C(1000000000), 1500, &model);
        model.measured = true;
        for (uint64_t bytes = 2000; bytes < 1 << 21; bytes *= 8) {
            pb_chooser_t *used = pb_chooser_new(placement, &model, &all);
            good = judge(placement, used, 5, bytes) && good;
            pb_chooser_free(used);
        }
        pb_placement_free(placement);
        pb_network_free(network);
    }
    ok(good, "with 2,400 hosts");
}

/** A chooser that predicts by another model from now on chooses as one that was made with it. */
static void test_set_model(void)
{
    static pb_model_t slow;
    pb_random_t random = pb_random_seed(33);
    const tree_case_size_t size = {.max_switches = 5, .max_hosts = 30, .max_per_host = 2};
    int n_other = 0;
    pb_model_assume(UINT64_C(10000000000), 1500, &model);
    pb_model_assume(UINT64_C(3000000), 1500, &slow);
    slow.measured = true;
    for (int i = 0; i < 12; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), size);
        pb_chooser_t *chooser = pb_chooser_new(c.placement, &model, &all);
        pb_chooser_t *alone = pb_chooser_new(c.placement, &slow, &all);
        for (uint64_t bytes = 1024; bytes <= 1 << 20; bytes *= 4) {
            const int root = pb_random_below(&random, c.placement->n_ranks);
            pb_choice_t before, a, b;
            pb_chooser_set_model(chooser, &model);
            if (pb_choose(chooser, root, bytes, &before) != PB_SUCCESS) {
                abort();
            }
            pb_chooser_set_model(chooser, &slow);
            if (pb_choose(chooser, root, bytes, &a) != PB_SUCCESS ||
                pb_choose(alone, root, bytes, &b) != PB_SUCCESS) {
                abort();
            }
            n_other += !same(&a.best, &b.best) || !same(&a.next, &b.next);
        }
        pb_chooser_free(alone);
        pb_chooser_free(chooser);
        tree_case_clear(&c);
    }
    ok(n_other == 0, "another model from now on");
}

static void test_forced(void)
{
    pb_network_t *network;
    pb_placement_t *placement = placement_of(&network, 12);
    pb_choose_options_t options = {.kind = PB_KIND_BINARY, .plan.fanout = 3};
    pb_choice_t choice;
    pb_model_assume(UINT64_C(100000000), 1500, &model);
    model.measured = true;
    pb_chooser_t *chooser = pb_chooser_new(placement, &model, &options);
    seen_t seen = {.bytes = 1 << 20};
    ok(pb_choose(chooser, 0, 1 << 20, &choice) == PB_SUCCESS &&
           choice.best.kind == PB_KIND_BINARY && choice.next.time < 0 &&
           pb_choose_explain(chooser, 0, 1 << 20, look, &seen) == PB_SUCCESS && seen.n_kinds == 1 &&
           seen.n > 5 && !seen.fallback,
       "a forced kind: only the segment is chosen");
    ok(seen.largest == 65536, "of those that MPI sends as one, or nearly");
    pb_chooser_free(chooser);

    options = (pb_choose_options_t){.kind = PB_CHOOSE_ALL, .segment = 5000, .plan.fanout = 3};
    chooser = pb_chooser_new(placement, &model, &options);
    seen = (seen_t){.bytes = 1 << 20};
    ok(pb_choose_explain(chooser, 0, 1 << 20, look, &seen) == PB_SUCCESS && seen.largest == 5000 &&
           seen.n_kinds > 3 && seen.n == seen.n_kinds + 1,
       "a forced segment: only the kind is chosen");
    pb_chooser_free(chooser);

    options.kind = PB_KIND_TWOTREE;
    options.segment = UINT64_C(1) << 30;
    chooser = pb_chooser_new(placement, &model, &options);
    ok(pb_choose(chooser, 0, UINT64_C(3) << 20, &choice) == PB_SUCCESS && choice.best.segment == 0,
       "a segment longer than the message");
    pb_chooser_free(chooser);
    pb_placement_free(placement);
    pb_network_free(network);
}

/* More roots and classes than are kept: the same choices, from the first to the last. */
static void test_many(void)
{
    pb_network_t *network;
    pb_placement_t *placement = placement_of(&network, 40);
    pb_model_assume(UINT64_C(100000000), 1500, &model);
    model.measured = true;
    pb_chooser_t *chooser = pb_chooser_new(placement, &model, &all);
    pb_choice_t first, again;
    bool good = true;
    for (int round = 0; round < 2; round++) {
        for (int root = 0; root < 40; root++) {
            for (uint64_t bytes = 1024; bytes < 1 << 24; bytes += bytes / 8) {
                good = good && pb_choose(chooser, root, bytes, &again) == PB_SUCCESS &&
                       pb_choose(chooser, root, bytes, &first) == PB_SUCCESS &&
                       same(&first.best, &again.best) && same(&first.next, &again.next);
            }
        }
    }
    ok(good, "choices of many roots and sizes");
    pb_chooser_free(chooser);
    pb_placement_free(placement);
    pb_network_free(network);
}

static bool same_parents(const pb_plan_t *a, const pb_plan_t *b)
{
    bool same = a->n_streams == b->n_streams && a->n_ranks == b->n_ranks;
    for (int s = 0; s < a->n_streams && same; s++) {
        same = memcmp(a->streams[s].parent, b->streams[s].parent,
                      (size_t) a->n_ranks * sizeof(int)) == 0;
    }
    return same;
}

/* The plan of what was chosen for a new root can be had once, and is what it would be. */
static void test_plan(void)
{
    pb_network_t *network;
    pb_placement_t *placement = placement_of(&network, 24);
    pb_view_t *view = NULL;
    pb_plan_t *wanted = NULL;
    pb_choice_t choice;
    pb_model_assume(UINT64_C(100000000), 1500, &model);
    model.measured = true;
    pb_chooser_t *chooser = pb_chooser_new(placement, &model, &all);
    pb_plan_t *plan, *again;
    if (pb_choose_plan(chooser, 5, 1 << 20, &choice, &plan) != PB_SUCCESS ||
        pb_view_new(placement, 5, NULL, 0, &view) != PB_SUCCESS ||
        pb_plan_compute(view, (pb_kind_t) choice.best.kind, &all.plan, &wanted) != PB_SUCCESS) {
        abort();
    }
    ok(plan != NULL && plan->root == 5 && plan->kind == (pb_kind_t) choice.best.kind &&
           same_parents(plan, wanted),
       "the chosen kind's (%s)", pb_candidate_name(&choice.best));
    ok(pb_choose_plan(chooser, 5, 1 << 20, &choice, &again) == PB_SUCCESS && again == NULL,
       "none where the choice was made before");
    const size_t memory = pb_chooser_memory(chooser);
    pb_chooser_forget(chooser);
    ok(memory > 0 && pb_chooser_memory(chooser) == 0, "what is kept can be given back");
    ok(pb_choose_plan(chooser, 5, 1 << 20, &choice, &again) == PB_SUCCESS && again != NULL &&
           same_parents(again, wanted) && pb_chooser_memory(chooser) > 0,
       "and is made anew");
    pb_plan_free(again);
    pb_plan_free(plan);
    pb_plan_free(wanted);
    pb_view_free(view);
    pb_chooser_free(chooser);
    pb_placement_free(placement);
    pb_network_free(network);
}

/** What may be the fallback component's, or not fit, for who cannot choose. */
static void test_may_pass(void)
{
    const pb_choose_options_t own = {.kind = PB_CHOOSE_OWN, .plan.fanout = 3};
    const pb_choose_options_t chain = {.kind = PB_KIND_CHAIN, .plan.fanout = 3};
    const pb_choose_options_t childless = {.kind = PB_KIND_KARY, .plan.fanout = 0};
    pb_model_t assumed;
    pb_model_assume(UINT64_C(1000000000), 1500, &assumed);
    pb_model_t measured = assumed;
    measured.measured = true;
    ok(pb_choose_may_pass(&assumed, &all, 6000) && pb_choose_may_pass(&measured, &all, 1 << 20),
       "messages may pass: small ones, and any where costs were measured");
    ok(!pb_choose_may_pass(&assumed, &all, PB_CHOOSE_ASSUMED_FALLBACK) &&
           !pb_choose_may_pass(&measured, &own, 6000) && !pb_choose_may_pass(&assumed, &chain, 64),
       "but not large ones without measurements, nor where it is left out, nor a forced kind");
    ok(pb_choose_may_pass(&assumed, &childless, 1 << 20), "unless it is one that may not fit");
}

int main(void)
{
    test_size_classes();
    test_least();
    test_tiny();
    test_forced_segment();
    test_ties();
    test_sensible();
    test_assumed();
    test_large();
    test_set_model();
    test_forced();
    test_many();
    test_plan();
    test_may_pass();
    return tap_done();
}
