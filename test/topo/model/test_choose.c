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
    good = good && (!model.measured || (same(&first.best, &best) &&
                                        (first.next.time < 0 || first.next.weight >= best.weight)));
    if (!good) {
        printf("# root %d, %llu bytes: %s %llu, explained %s %llu\n", root,
               (unsigned long long) bytes, pb_candidate_name(&first.best),
               (unsigned long long) first.best.segment, pb_candidate_name(&best),
               (unsigned long long) best.segment);
    }
    pb_chooser_free(fresh);
    return good;
}

/* Leaving plans out where they are beaten never changes the choice; nor does the cache. */
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

/** The least times of candidates: of those that predictions are sure of, and for each doubt. */
typedef struct doubts {
    int64_t least[3]; /**< by the number of reasons for doubt; -1: none was seen */
    int n_wrong;      /**< weights on the wrong side of the time */
} doubts_t;

static int doubts_of(const pb_candidate_t *candidate)
{
    const bool is_tiny =
        candidate->segment > 0 && 2 * (candidate->segment + model.overhead) < model.payload;
    return (candidate->kind == PB_KIND_CIRCULANT) + is_tiny;
}

static void doubt(void *context, const pb_candidate_t *candidate)
{
    doubts_t *doubts = context;
    const int n = doubts_of(candidate);
    if (doubts->least[n] < 0 || candidate->time < doubts->least[n]) {
        doubts->least[n] = candidate->time;
    }
    doubts->n_wrong +=
        n == 0 ? candidate->weight != candidate->time : candidate->weight <= candidate->time;
}

/**
 * What predictions are less sure of is chosen only where it is faster than all that they are sure
 * of by more than an eighth of its time, and is not passed over where it is.
 */
static void test_unsure(void)
{
    pb_random_t random = pb_random_seed(22);
    int n_unsure = 0, n_rash = 0, n_missed = 0, n_wrong = 0, n = 0;
    for (int i = 0; i < 24; i++) {
        const tree_case_size_t size = {
            .max_switches = 1 + i % 4, .max_hosts = 48, .max_per_host = 1};
        tree_case_t c;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), size);
        pb_model_assume(UINT64_C(1000000) << i % 16, 1500, &model);
        model.measured = true;
        pb_chooser_t *chooser = pb_chooser_new(c.placement, &model, &all);
        for (uint64_t bytes = 64; bytes < 1 << 23 && c.placement->n_ranks > 1; bytes *= 2) {
            doubts_t doubts = {.least = {-1, -1, -1}};
            pb_choice_t choice;
            if (pb_choose(chooser, 0, bytes, &choice) != PB_SUCCESS ||
                pb_choose_explain(chooser, 0, bytes, doubt, &doubts) != PB_SUCCESS) {
                abort();
            }
            const int64_t eighth = choice.best.time / 8;
            const int reasons = doubts_of(&choice.best);
            n_unsure += reasons > 0;
            n_rash += reasons > 0 && doubts.least[0] >= 0 &&
                      doubts.least[0] < choice.best.time + reasons * eighth;
            for (int k = 1; k <= 2; k++) {
                n_missed += reasons == 0 && doubts.least[k] >= 0 &&
                            doubts.least[k] + k * (doubts.least[k] / 8) < choice.best.time;
            }
            n_wrong += doubts.n_wrong;
            n++;
        }
        pb_chooser_free(chooser);
        tree_case_clear(&c);
    }
    ok(n_unsure > 20 && n_unsure < n - 20 && n_rash == 0 && n_missed == 0,
       "what is less sure is chosen (%d of %d) if it is faster by an eighth, and else not",
       n_unsure, n);
    ok(n_wrong == 0, "what is sure weighs its time, the rest more");
}

/* A segment size that a person has set is never exceeded, wherever the class of the message ends.
 */
static void test_forced_segment(void)
{
    pb_random_t random = pb_random_seed(5);
    const pb_choose_options_t forced = {.kind = PB_CHOOSE_ALL, .segment = 4000};
    const tree_case_size_t size = {.max_switches = 2, .max_hosts = 12, .max_per_host = 1};
    tree_case_t c;
    bool good = true;
    int n = 0;
    tree_case_init(&c, &random, PB_SHAPE_RECURSIVE, size);
    pb_model_assume(UINT64_C(100000000), 1500, &model);
    model.measured = true;
    pb_chooser_t *chooser = pb_chooser_new(c.placement, &model, &forced);
    for (uint64_t bytes = 3500; bytes < 4600; bytes++) {
        pb_choice_t choice = {.best.time = -1};
        good = good && pb_choose(chooser, 0, bytes, &choice) == PB_SUCCESS && choice.best.time >= 0;
        const uint64_t segment = choice.best.segment != 0 ? choice.best.segment : bytes;
        n += choice.best.kind != PB_KIND_FALLBACK;
        good = good && (choice.best.kind == PB_KIND_FALLBACK || segment <= 4000);
    }
    ok(good && (n > 0 || c.placement->n_ranks < 2), "a forced segment size is kept, %d choices", n);
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

/** What is chosen for 64 KB on one switch of hosts at 1 Gbit/s, with so many ranks on each. */
static pb_choice_t choice_of(int n_hosts, int n_each)
{
    pb_network_t *network;
    pb_placement_t *placement = placement_of(&network, n_hosts * n_each);
    pb_choice_t choice;
    for (int i = 0; i < placement->n_ranks; i++) {
        placement->host[i] = placement->host[i - i % n_each];
    }
    pb_chooser_t *chooser = pb_chooser_new(placement, &model, &all);
    if (chooser == NULL || pb_choose(chooser, 0, 65536, &choice) != PB_SUCCESS) {
        abort();
    }
    pb_chooser_free(chooser);
    pb_placement_free(placement);
    pb_network_free(network);
    return choice;
}

static void test_four_trees(void)
{
    pb_model_assume(UINT64_C(1000000000), 1500, &model);
    model.measured = true;
    const pb_choice_t one = choice_of(64, 1), two = choice_of(64, 2);
    ok(one.best.kind == PB_KIND_FOURTREE, "four trees, where levels take long (%s)",
       pb_candidate_name(&one.best));
    ok(two.best.kind != PB_KIND_FOURTREE && two.next.kind != PB_KIND_FOURTREE,
       "but not where hosts have several ranks (%s)", pb_candidate_name(&two.best));
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

/** The best time with segments of 8 KB that any kind needs, at the speed of `at`. */
static int64_t time_of_8k(pb_chooser_t *at, int root, uint64_t bytes)
{
    static const pb_kind_t kinds[] = {PB_KIND_CHAIN,  PB_KIND_BINOMIAL, PB_KIND_FLAT,
                                      PB_KIND_BINARY, PB_KIND_KARY,     PB_KIND_TWOTREE};
    int64_t least = INT64_MAX;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        const pb_candidate_t candidate = {.kind = (int) kinds[k], .segment = 8192};
        const int64_t time = pb_choose_time(at, root, bytes, &candidate);
        least = time >= 0 && time < least ? time : least;
    }
    return least;
}

/*
 * Without measurements the choice is hardly ever slower than segments of 8 KB with the best kind
 * for them, whatever the speed is that links have behind a claim of 10 Gbit/s or of 1.
 */
static void test_doubtful(void)
{
    static pb_model_t truth;
    pb_random_t random = pb_random_seed(31);
    double worst = 0, worst_large = 0, sum = 0;
    int n = 0;
    for (int i = 0; i < 24; i++) {
        const tree_case_size_t size = {.max_switches = 6, .max_hosts = 40, .max_per_host = 1};
        const uint64_t claim = i % 2 == 0 ? UINT64_C(10000000000) : UINT64_C(1000000000);
        tree_case_t c;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), size);
        pb_model_assume(claim, 1500, &model);
        pb_chooser_t *chooser = pb_chooser_new(c.placement, &model, &all);
        for (uint64_t slower = 1; slower <= 1000 && c.placement->n_ranks > 1; slower *= 10) {
            pb_model_assume(claim / slower, 1500, &truth);
            pb_chooser_t *at = pb_chooser_new(c.placement, &truth, &all);
            for (uint64_t bytes = 1024; bytes <= 1 << 21; bytes *= 2) {
                pb_choice_t choice;
                if (pb_choose(chooser, 0, bytes, &choice) != PB_SUCCESS) {
                    abort();
                }
                const double ratio = (double) pb_choose_time(at, 0, bytes, &choice.best) /
                                     (double) time_of_8k(at, 0, bytes);
                worst = ratio > worst ? ratio : worst;
                worst_large = bytes >= 16384 && ratio > worst_large ? ratio : worst_large;
                sum += ratio;
                n++;
            }
            pb_chooser_free(at);
        }
        pb_chooser_free(chooser);
        tree_case_clear(&c);
    }
    ok(worst < 1.5 && worst_large < 1.3 && sum / n < 0.95,
       "without measurements: at most %.2f times the best of 8 KB, %.2f from 16 KB, mean %.2f",
       worst, worst_large, sum / n);
}

enum { N_SPEEDS = 4 };

/** The speeds that a claim of 10 Gbit/s may stand for, and the least weight of all at each. */
typedef struct by_speed {
    pb_model_t models[N_SPEEDS];
    pb_chooser_t *chooser;
    uint64_t bytes;
    double least[N_SPEEDS];
} by_speed_t;

/** By which it is chosen, at a speed: what the time there weighs, as at the claimed one. */
static double weight_at(const by_speed_t *s, int speed, const pb_candidate_t *candidate)
{
    const double part = (double) candidate->weight / (double) candidate->time;
    return part * (double) pb_choose_time_by(s->chooser, &s->models[speed], 0, s->bytes, candidate);
}

static void note_least(void *context, const pb_candidate_t *candidate)
{
    by_speed_t *s = context;
    for (int i = 0; i < N_SPEEDS; i++) {
        const double weight = weight_at(s, i, candidate);
        s->least[i] = s->least[i] == 0 || weight < s->least[i] ? weight : s->least[i];
    }
}

static double farthest(const by_speed_t *s, const pb_candidate_t *candidate)
{
    double most = 0;
    for (int i = 0; i < N_SPEEDS; i++) {
        const double ratio = weight_at(s, i, candidate) / s->least[i];
        most = ratio > most ? ratio : most;
    }
    return most;
}

/** What a first broadcast takes, where links are slower than they claim and where they are not. */
static void test_first(void)
{
    static by_speed_t s;
    static const uint64_t claim = UINT64_C(10000000000);
    pb_random_t random = pb_random_seed(32);
    double slower = 0, of_first = 0, of_best = 0;
    int n = 0, n_worse = 0, n_passed = 0;
    uint64_t speed = claim;
    for (int i = 0; i < N_SPEEDS; i++, speed /= 10) {
        pb_model_assume(speed, 1500, &s.models[i]);
    }
    for (int i = 0; i < 24; i++) {
        const tree_case_size_t size = {.max_switches = 6, .max_hosts = 40, .max_per_host = 1};
        tree_case_t c;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), size);
        s.chooser = pb_chooser_new(c.placement, &s.models[0], &all);
        for (s.bytes = 4096; s.bytes <= 1 << 20 && c.placement->n_ranks > 1; s.bytes *= 2) {
            pb_choice_t choice;
            memset(s.least, 0, sizeof(s.least));
            if (pb_choose(s.chooser, 0, s.bytes, &choice) != PB_SUCCESS ||
                pb_choose_explain(s.chooser, 0, s.bytes, note_least, &s) != PB_SUCCESS) {
                abort();
            }
            const double more = (double) choice.first.time / (double) choice.best.time;
            const double first = farthest(&s, &choice.first), best = farthest(&s, &choice.best);
            slower = more > slower ? more : slower;
            n_worse += first > best + 0.005;
            n_passed +=
                (choice.first.kind == PB_KIND_FALLBACK) != (choice.best.kind == PB_KIND_FALLBACK);
            of_first += first;
            of_best += best;
            n++;
        }
        pb_chooser_free(s.chooser);
        tree_case_clear(&c);
    }
    ok(slower <= 1.05 && n_passed == 0,
       "a first broadcast is at most a twentieth slower at the claimed speed: %.3f", slower);
    ok(n_worse == 0 && of_first < 0.97 * of_best,
       "at the least favourable speed %.2f times the best on average, the choice %.2f",
       of_first / n, of_best / n);
}

enum { MAX_ALL = 400 };

/** All candidates, with all plans made, and their times at the speeds that a claim may stand for.
 */
typedef struct full {
    int n;
    pb_candidate_t candidates[MAX_ALL];
    int64_t times[N_SPEEDS][MAX_ALL];
    int64_t worst[MAX_ALL];    /**< of the time over the reference's, in 1024ths */
    int64_t farthest[MAX_ALL]; /**< of the weight over the least one's */
} full_t;

static void list_full(void *context, const pb_candidate_t *candidate)
{
    full_t *full = context;
    full->candidates[full->n++] = *candidate;
}

static int64_t weight_in(const full_t *full, int speed, int i)
{
    const int64_t time = full->times[speed][i];
    return time + doubts_of(&full->candidates[i]) * (time / 8);
}

/** What worst and farthest say of all candidates, as choose.h has it. */
static void weigh_full(full_t *full)
{
    memset(full->worst, 0, sizeof(full->worst));
    memset(full->farthest, 0, sizeof(full->farthest));
    for (int speed = 0; speed < N_SPEEDS; speed++) {
        int64_t reference = INT64_MAX, least = INT64_MAX;
        for (int i = 0; i < full->n; i++) {
            const pb_candidate_t *candidate = &full->candidates[i];
            const int64_t time = full->times[speed][i], weight = weight_in(full, speed, i);
            const bool is_reference = candidate->kind != PB_KIND_FALLBACK &&
                                      (candidate->segment == 0 || candidate->segment == 8192);
            reference = is_reference && time < reference ? time : reference;
            least = weight < least ? weight : least;
        }
        for (int i = 0; i < full->n; i++) {
            const int64_t time = full->times[speed][i];
            int64_t ratio = time * 1024 / (reference + 1);
            ratio = time > reference && ratio <= 1024 ? 1025 : ratio;
            full->worst[i] = ratio > full->worst[i] ? ratio : full->worst[i];
            ratio = weight_in(full, speed, i) * 1024 / (least + 1);
            full->farthest[i] = ratio > full->farthest[i] ? ratio : full->farthest[i];
        }
    }
}

/** Whether candidate a is to be preferred to b, which comes before it. */
static bool is_safer(const full_t *full, int a, int b)
{
    return full->worst[a] <= 1024 && full->worst[b] <= 1024
               ? full->candidates[a].weight < full->candidates[b].weight
               : full->worst[a] < full->worst[b];
}

/** The choice without measurements, by the rule in choose.h, with the plans of all kinds. */
static void choose_in_full(full_t *full, int *best_p, int *first_p)
{
    int best = 0;
    weigh_full(full);
    for (int i = 1; i < full->n; i++) {
        best = is_safer(full, i, best) ? i : best;
    }
    const int64_t time = full->candidates[best].time;
    int first = best;
    for (int i = 0; i < full->n && full->candidates[best].kind != PB_KIND_FALLBACK; i++) {
        if (full->candidates[i].kind != PB_KIND_FALLBACK &&
            full->candidates[i].time <= time + time / PB_CHOOSE_FIRST_PART &&
            full->farthest[i] < full->farthest[first]) {
            first = i;
        }
    }
    *best_p = best;
    *first_p = first;
}

/** Whether the choice without measurements is the same as with the plans of all kinds. */
static bool is_as_in_full(const pb_placement_t *placement, int root, uint64_t bytes)
{
    static full_t full;
    static pb_model_t slower;
    pb_chooser_t *lazy = pb_chooser_new(placement, &model, &all);
    pb_chooser_t *eager = pb_chooser_new(placement, &model, &all);
    pb_choice_t choice;
    int best, first;
    full.n = 0;
    if (pb_choose(lazy, root, bytes, &choice) != PB_SUCCESS ||
        pb_choose_explain(eager, root, bytes, list_full, &full) != PB_SUCCESS) {
        abort();
    }
    uint64_t speed = model.speed;
    for (int k = 0; k < N_SPEEDS; k++, speed /= 10) {
        pb_model_assume_other(&model, speed, &slower);
        for (int i = 0; i < full.n; i++) {
            full.times[k][i] =
                pb_choose_time_by(eager, &slower, root, pb_size_class(bytes), &full.candidates[i]);
        }
    }
    choose_in_full(&full, &best, &first);
    const bool good =
        same(&choice.best, &full.candidates[best]) && same(&choice.first, &full.candidates[first]);
    pb_chooser_free(eager);
    pb_chooser_free(lazy);
    return good;
}

/* Without measurements, too, plans that are left out never change the choice. */
static void test_doubtful_least(void)
{
    pb_random_t random = pb_random_seed(34);
    int n = 0, n_good = 0;
    for (int i = 0; i < 36; i++) {
        const tree_case_size_t size = {.max_switches = 12,
                                       .max_hosts = 80,
                                       .max_per_host = 1 + i % 2,
                                       .max_speed = i % 3 == 0 ? 10 : 1};
        tree_case_t c;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), size);
        pb_model_assume(UINT64_C(10000000) << i % 12, 1500, &model);
        for (uint64_t bytes = 500; bytes < 1 << 22 && c.placement->n_ranks > 1; bytes *= 3) {
            const int root = pb_random_below(&random, c.placement->n_ranks);
            n_good += is_as_in_full(c.placement, root, bytes);
            n++;
        }
        tree_case_clear(&c);
    }
    ok(n_good == n && n > 200, "without measurements: as with all plans in %d of %d", n_good, n);
}

/** A network as the papers generate them, or one of leaves and a spine. */
static pb_network_t *large_network(pb_random_t *random, bool leaves, int n_switches, int n_hosts)
{
    pb_network_t *network;
    int *parents = calloc((size_t) (n_switches + n_hosts), sizeof(*parents));
    if (parents == NULL) {
        abort();
    }
    parents[0] = -1;
    for (int i = 0; i < n_hosts; i++) {
        parents[n_switches + i] = 1 + i % (n_switches - 1);
    }
    const int rc = leaves
                       ? pb_random_order_network(random, parents, n_switches, n_hosts, 0, &network)
                       : pb_random_cluster(random, n_switches, n_hosts, &network);
    free(parents);
    if (rc != PB_SUCCESS) {
        abort();
    }
    return network;
}

/* So many hosts that kinds are looked at closer. */
static void test_large(void)
{
    pb_random_t random = pb_random_seed(35);
    bool good = true;
    for (int leaves = 0; leaves <= 1; leaves++) {
        pb_network_t *network = large_network(&random, leaves, 200, 2400);
        pb_placement_t *placement = pb_random_placement(&random, network, 1);
        pb_model_assume(UINT64_C(1000000000), 1500, &model);
        for (uint64_t bytes = 2000; bytes < 1 << 21; bytes *= 8) {
            model.measured = false;
            good = is_as_in_full(placement, 3, bytes) && good;
            model.measured = true;
            pb_chooser_t *used = pb_chooser_new(placement, &model, &all);
            good = judge(placement, used, 5, bytes) && good;
            pb_chooser_free(used);
        }
        pb_placement_free(placement);
        pb_network_free(network);
    }
    ok(good, "with 2,400 hosts");
}

/** A chooser beside another one, whose profiles it uses, chooses as one of its own. */
static void test_beside(void)
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
        pb_chooser_t *other = pb_chooser_new(c.placement, &model, &all);
        pb_chooser_t *beside = pb_chooser_new_beside(other, &slow);
        pb_chooser_t *alone = pb_chooser_new(c.placement, &slow, &all);
        for (uint64_t bytes = 1024; bytes <= 1 << 20; bytes *= 4) {
            /* More roots than profiles are kept of. */
            const int root = pb_random_below(&random, c.placement->n_ranks);
            pb_choice_t of_other, a, b;
            if (pb_choose(other, root, bytes, &of_other) != PB_SUCCESS ||
                pb_choose(beside, root, bytes, &a) != PB_SUCCESS ||
                pb_choose(alone, root, bytes, &b) != PB_SUCCESS) {
                abort();
            }
            n_other += !same(&a.best, &b.best) || !same(&a.next, &b.next);
            if (bytes == 16384) {
                pb_chooser_forget(other);
            }
        }
        pb_chooser_free(alone);
        pb_chooser_free(beside);
        pb_chooser_free(other);
        tree_case_clear(&c);
    }
    ok(n_other == 0, "profiles of another chooser, also after it has given them back");
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

    const int parents[] = {-1, 0, 0, 1, 1};
    pb_random_t random = pb_random_seed(1);
    if (pb_random_order_network(&random, parents, 2, 3, 0, &network) != PB_SUCCESS) {
        abort();
    }
    placement = pb_random_placement(&random, network, 1);
    options = (pb_choose_options_t){.kind = PB_KIND_CIRCULANT, .plan.fanout = 3};
    chooser = pb_chooser_new(placement, &model, &options);
    ok(pb_choose(chooser, 0, 1 << 20, &choice) == PB_ERR_UNFIT &&
           pb_choose(chooser, 0, 1 << 20, &choice) == PB_ERR_UNFIT,
       "a forced kind that does not fit says so, each time");
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
           same_parents(again, wanted) && pb_chooser_memory(chooser) == memory,
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
    const pb_choose_options_t circulant = {.kind = PB_KIND_CIRCULANT, .plan.fanout = 3};
    pb_model_t assumed;
    pb_model_assume(UINT64_C(1000000000), 1500, &assumed);
    pb_model_t measured = assumed;
    measured.measured = true;
    ok(pb_choose_may_pass(&assumed, &all, 6000) && pb_choose_may_pass(&measured, &all, 1 << 20),
       "messages may pass: small ones, and any where costs were measured");
    ok(!pb_choose_may_pass(&assumed, &all, PB_CHOOSE_ASSUMED_FALLBACK) &&
           !pb_choose_may_pass(&measured, &own, 6000) && !pb_choose_may_pass(&assumed, &chain, 64),
       "but not large ones without measurements, nor where it is left out, nor a forced kind");
    ok(pb_choose_may_pass(&assumed, &circulant, 1 << 20), "unless it is one that may not fit");
}

int main(void)
{
    test_size_classes();
    test_least();
    test_unsure();
    test_forced_segment();
    test_ties();
    test_four_trees();
    test_sensible();
    test_assumed();
    test_doubtful();
    test_first();
    test_doubtful_least();
    test_large();
    test_beside();
    test_forced();
    test_many();
    test_plan();
    test_may_pass();
    return tap_done();
}
