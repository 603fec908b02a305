/*
 * The learner alone, in worlds of made-up costs: whose links are slower than was assumed, whose
 * kinds of trees take longer than predicted, which change, are noisy, or have nothing to do with
 * predictions.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "topo/model/learner.h"
#include "topo/util/random.h"

enum { N_RANKS = 32, MAX_CANDIDATES = 200, ASSUMED_MBIT = 10000 };

typedef struct world {
    pb_random_t random;
    uint64_t bits_per_second;         /**< that links give */
    double factor[PB_KIND_COUNT + 1]; /**< that the kind takes, of what is predicted */
    double message_ns;                /**< that each segment takes beside, which nobody predicts */
    double noise;                     /**< the most that a broadcast takes longer or shorter */
    double opening;                   /**< times longer, where a plan is new */
    bool is_unrelated;                /**< times have nothing to do with predictions */
    int64_t root_late;                /**< nanoseconds */
    double unrelated[MAX_CANDIDATES];
    bool is_open[PB_KIND_COUNT + 1];
    pb_candidate_t candidates[MAX_CANDIDATES];
    int n;
    uint64_t bytes;
} world_t;

static double hop(uint64_t segment, double bits_per_second)
{
    const double frames = (double) ((segment + 22 + 1447) / 1448);
    return ((double) segment + 22 + frames * 90) * 8e9 / bits_per_second + 20000;
}

/** Of a candidate, at a speed; each segment takes `more` longer. */
static double formula(uint64_t bytes, const pb_candidate_t *candidate, double speed, double more)
{
    const uint64_t segment = candidate->segment != 0 ? candidate->segment : bytes;
    const double n = (double) ((bytes - 1) / segment + 1), g = hop(segment, speed) + more;
    switch (candidate->kind) {
    case PB_KIND_CHAIN:
        return (N_RANKS - 1 + n - 1) * g;
    case PB_KIND_BINOMIAL:
        return 5 * n * g;
    case PB_KIND_BINARY:
        return 8 * g + (n - 1) * 2 * g;
    case PB_KIND_KARY:
        return 9 * g + (n - 1) * 3 * g;
    case PB_KIND_TWOTREE:
        return 10 * g + (n - 1) * g;
    case PB_KIND_FLAT:
        return 31 * n * g;
    case PB_KIND_MULTICAST:
        return (4 + n - 1) * g;
    case PB_KIND_FALLBACK:
        return 6 * hop(bytes, speed);
    default:
        return 7 * g + (n - 1) * g;
    }
}

static uint64_t known_speed(const pb_learner_t *learner)
{
    return learner->speed != 0 ? learner->speed : UINT64_C(1000000) * ASSUMED_MBIT;
}

static void predict(world_t *w, const pb_learner_t *learner)
{
    for (int i = 0; i < w->n; i++) {
        pb_candidate_t *c = &w->candidates[i];
        c->time = (int64_t) formula(w->bytes, c, (double) known_speed(learner), 0);
        c->weight = c->time;
    }
}

static double random_part(world_t *w)
{
    return pb_random_below(&w->random, 1 << 20) / (double) (1 << 20);
}

static world_t world_of(uint64_t seed, uint64_t bytes, uint64_t bits_per_second)
{
    static const int kinds[] = {PB_KIND_FALLBACK, PB_KIND_CHAIN,   PB_KIND_BINOMIAL, PB_KIND_BINARY,
                                PB_KIND_KARY,     PB_KIND_TWOTREE, PB_KIND_FLAT};
    world_t w = {.random = pb_random_seed(seed),
                 .bits_per_second = bits_per_second,
                 .opening = 1.3,
                 .bytes = bytes};
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        w.candidates[w.n++] = (pb_candidate_t){.kind = kinds[k]};
        for (uint64_t s = 256; kinds[k] != PB_KIND_FALLBACK && s <= 65536 && s < bytes; s *= 2) {
            w.candidates[w.n++] = (pb_candidate_t){.kind = kinds[k], .segment = s};
            w.candidates[w.n++] =
                (pb_candidate_t){.kind = kinds[k], .segment = s / 256 * 1448 - 22};
        }
    }
    for (int i = 0; i <= PB_KIND_COUNT; i++) {
        w.factor[i] = 0.97 + 0.3 * random_part(&w);
    }
    for (int i = 0; i < w.n; i++) {
        w.unrelated[i] = 1 + 9 * random_part(&w);
    }
    return w;
}

/** What candidate `i` takes, without noise. */
static double truth(const world_t *w, int i)
{
    const pb_candidate_t *c = &w->candidates[i];
    const int row = c->kind == PB_KIND_FALLBACK ? PB_KIND_COUNT : c->kind;
    return w->is_unrelated
               ? 1e6 * w->unrelated[i]
               : w->factor[row] * formula(w->bytes, c, (double) w->bits_per_second, w->message_ns);
}

static double best_of(const world_t *w)
{
    double best = truth(w, 0);
    for (int i = 1; i < w->n; i++) {
        best = truth(w, i) < best ? truth(w, i) : best;
    }
    return best;
}

/** A series of broadcasts, every second one watched while it is asked for, else every fourth. */
typedef struct series {
    pb_learner_t learner;
    pb_learner_trial_t trial; /**< the last watched one; bytes == 0: none */
    int since;                /**< broadcasts since then */
    int due_after;            /**< so many, what it took is noted */
    int64_t longest, least_wait;
    double sum;  /**< of all */
    double last; /**< without noise, of the last that was no trial */
    int n_changes;
} series_t;

static void curve_of(const world_t *w, const pb_candidate_t *c, pb_learner_curve_t *curve)
{
    curve->is_known = true;
    for (int i = 0; i < PB_LEARNER_SPEEDS; i++) {
        const double speed = (double) pb_learner_speed_of(i);
        curve->time[i] = (int64_t) formula(w->bytes, c, speed, 0);
        curve->hop[i] = (int64_t) hop(c->segment != 0 ? c->segment : w->bytes, speed);
    }
}

/** What is safe where speeds are not known: two trees, segments of 8 KB. */
static int safe(const world_t *w)
{
    int at = 0;
    for (int i = 0; i < w->n; i++) {
        const pb_candidate_t *c = &w->candidates[i];
        at = c->kind == PB_KIND_TWOTREE && (c->segment == 0 || c->segment <= 8192) &&
                     (w->candidates[at].kind != c->kind || w->candidates[at].segment == 0 ||
                      c->segment > w->candidates[at].segment)
                 ? i
                 : at;
    }
    return at;
}

static void broadcast(series_t *s, world_t *w)
{
    const bool eager = pb_learner_is_eager(&s->learner, w->bytes);
    if (s->trial.bytes != 0 && s->since >= s->due_after) {
        const pb_lesson_t lesson =
            pb_learner_note(&s->learner, &s->trial, s->longest, s->least_wait);
        s->n_changes += lesson.is_new;
        s->trial.bytes = 0;
    }
    const bool is_watched = s->trial.bytes == 0 && (eager || s->since >= 4);
    bool is_trial = false;
    predict(w, &s->learner);
    const int at =
        pb_learner_trusts(&s->learner, w->bytes)
            ? pb_learner_pick(&s->learner, w->bytes, w->candidates, w->n, is_watched, &is_trial)
            : safe(w);
    pb_learner_count(&s->learner, w->bytes);
    const pb_candidate_t *c = &w->candidates[at];
    const int row = c->kind == PB_KIND_FALLBACK ? PB_KIND_COUNT : c->kind;
    double time = truth(w, at) * (1 + w->noise * (2 * random_part(w) - 1));
    time *= w->is_open[row] ? 1 : w->opening;
    s->sum += time;
    s->last = is_trial ? s->last : truth(w, at);
    s->since++;
    if (is_watched) {
        s->since = 1;
        s->due_after = pb_learner_knows_links(&s->learner) ? 2 : 1;
        s->trial = (pb_learner_trial_t){
            .bytes = w->bytes, .candidate = *c, .opens = !w->is_open[row], .is_trial = is_trial};
        if (pb_learner_wants_curve(&s->learner, w->bytes) && c->kind != PB_KIND_FALLBACK) {
            curve_of(w, c, &s->trial.curve);
        }
        const double way =
            hop(c->segment != 0 ? c->segment : w->bytes, (double) w->bits_per_second);
        s->longest = (int64_t) time + w->root_late;
        s->least_wait = c->kind == PB_KIND_FALLBACK ? 0 : (int64_t) way + w->root_late;
        s->trial.hop = (int64_t) way;
    }
    w->is_open[row] = true;
}

static series_t *series_new(bool assumes)
{
    series_t *s = calloc(1, sizeof(*s));
    if (s == NULL) {
        abort();
    }
    pb_learner_init(&s->learner, assumes ? UINT64_C(1000000) * ASSUMED_MBIT : 0);
    return s;
}

static const uint64_t sizes[] = {4096, 16384, 65536, 262144, 1048576};
static const uint64_t speeds[] = {2000000, 10000000, 1000000000, UINT64_C(10000000000)};

/** Sums and results of many worlds, by the best of all candidates. */
typedef struct results {
    double mean_sum, worst_sum;     /**< of 50 broadcasts */
    double mean_after, worst_after; /**< of those after 20 */
    int n_right;                    /**< worlds in which the latter is at most 1.05 */
    int n;
} results_t;

static void add_result(results_t *r, double sum, double after)
{
    r->mean_sum = (r->mean_sum * r->n + sum) / (r->n + 1);
    r->mean_after = (r->mean_after * r->n + after) / (r->n + 1);
    r->worst_sum = sum > r->worst_sum ? sum : r->worst_sum;
    r->worst_after = after > r->worst_after ? after : r->worst_after;
    r->n_right += after <= 1.05;
    r->n++;
}

/** 200 worlds of all sizes, over slow or over fast links. */
static results_t learn_in_worlds(bool fast, double noise, double message_ns, int64_t root_late)
{
    results_t r = {0};
    for (int i = 0; i < 200; i++) {
        world_t w = world_of((uint64_t) i, sizes[i % 5], speeds[i / 5 % 2 + 2 * fast]);
        series_t *s = series_new(true);
        w.noise = noise;
        w.message_ns = message_ns;
        w.root_late = root_late;
        const double best = best_of(&w);
        double after = 0;
        for (int k = 0; k < 50; k++) {
            broadcast(s, &w);
            after += k >= 20 ? s->last / 30 : 0;
        }
        add_result(&r, s->sum / 50 / best, after / best);
        free(s);
    }
    return r;
}

static void check_worlds(bool fast, double sum, const char *which)
{
    const results_t calm = learn_in_worlds(fast, 0, 0, 0);
    const results_t costly = learn_in_worlds(fast, 0, 20000, 0);
    const results_t noisy = learn_in_worlds(fast, 0.1, 0, 0);
    const results_t late = learn_in_worlds(fast, 0, 0, 1000000000);
    ok(calm.n_right >= 190 && calm.mean_after < 1.01 && calm.worst_after < (fast ? 1.3 : 1.2),
       "%s, after 20 broadcasts: %.3f times the best on average, within 5 %% in %d of 200", which,
       calm.mean_after, calm.n_right);
    ok(calm.mean_sum < sum && calm.worst_sum < 1.35,
       "%s, the first 50: %.3f on average, %.3f at most", which, calm.mean_sum, calm.worst_sum);
    ok(costly.n_right >= (fast ? 125 : 190) && costly.mean_after < 1.1 &&
           costly.mean_sum < sum + 0.15 * fast,
       "%s, where segments take longer than anyone predicts: %.3f, %d of 200, %.3f", which,
       costly.mean_after, costly.n_right, costly.mean_sum);
    ok(noisy.n_right >= 170 && noisy.mean_after < 1.03 && noisy.mean_sum < sum + 0.02,
       "%s, where times differ by 10 %% either way: %.3f, %d of 200, %.3f", which, noisy.mean_after,
       noisy.n_right, noisy.mean_sum);
    ok(late.n_right >= 185 && late.mean_after < 1.02 && late.mean_sum < sum,
       "%s, where the root is late by a second each time: %.3f, %d of 200, %.3f", which,
       late.mean_after, late.n_right, late.mean_sum);
}

/** Over fast links what is safe is used until something was measured. */
static void test_worlds(void)
{
    check_worlds(false, 1.13, "slow links");
    check_worlds(true, 1.2, "fast links");
}

/** The speed follows from the first note; connections that were opened make no guess slower. */
static void test_first_notes(void)
{
    world_t w = world_of(1, 65536, 2000000);
    pb_learner_trial_t guessed = {.bytes = w.bytes, .opens = true}, opening, later;
    guessed.candidate = w.candidates[0];
    curve_of(&w, &guessed.candidate, &guessed.curve);
    later = guessed;
    later.candidate = w.candidates[safe(&w)];
    curve_of(&w, &later.candidate, &later.curve);
    opening = later;
    later.opens = false;
    series_t *s = series_new(true), *measured = series_new(false);
    const int64_t of_fallback = (int64_t) formula(w.bytes, &guessed.candidate, 2.5e6, 0);
    const int64_t of_tree = (int64_t) formula(w.bytes, &later.candidate, 2e6, 0);
    ok(!pb_learner_knows_links(&s->learner) && pb_learner_knows_links(&measured->learner),
       "how fast links are is not known where it was assumed");
    (void) pb_learner_note(&s->learner, &guessed, of_fallback, 0);
    const uint64_t guess = s->learner.speed;
    ok(pb_learner_knows_links(&s->learner) && guess > 2400000 && guess < 2600000,
       "until the first note");
    (void) pb_learner_note(&s->learner, &opening, 3 * of_tree, 0);
    ok(s->learner.speed == guess, "a guess is not corrected by what connections took");
    (void) pb_learner_note(&s->learner, &later, of_tree, 0);
    ok(s->learner.speed > 1900000 && s->learner.speed < 2100000, "but by the next note");
    free(s);
    free(measured);
}

/** All links drop to half, or come back to it. */
static void test_drift(void)
{
    results_t r = {0};
    for (int i = 0; i < 200; i++) {
        world_t w = world_of((uint64_t) i, sizes[i % 5], speeds[i / 5 % 2]);
        series_t *s = series_new(true);
        for (int k = 0; k < 100; k++) {
            broadcast(s, &w);
        }
        w.bits_per_second = i / 10 % 2 == 0 ? w.bits_per_second / 2 : 2 * w.bits_per_second;
        const double best = best_of(&w);
        double after = 0;
        for (int k = 0; k < 60; k++) {
            broadcast(s, &w);
            after += k >= 30 ? s->last / 30 : 0;
        }
        add_result(&r, 1, after / best);
        free(s);
    }
    ok(r.n_right >= 195 && r.mean_after < 1.01,
       "30 broadcasts after links drop to half, or come back: %.3f, within 5 %% in %d of 200",
       r.mean_after, r.n_right);
}

/** The least of what was settled drifts in one direction alone. */
static void test_no_flapping(void)
{
    int64_t n_changes = 0, n_more = 0;
    for (int i = 0; i < 100; i++) {
        world_t w = world_of((uint64_t) i, sizes[i % 5], speeds[i / 5 % 4]);
        series_t *s = series_new(true);
        w.noise = 0.1;
        for (int k = 0; k < 60; k++) {
            broadcast(s, &w);
        }
        n_changes += s->n_changes;
        s->n_changes = 0;
        for (int k = 0; k < 1000; k++) {
            broadcast(s, &w);
        }
        n_more += s->n_changes;
        free(s);
    }
    ok(n_changes < 400 && n_more == 0,
       "times differ by 10 %% either way: %d changes in 100 series of 60, %d in 1000 more each",
       (int) n_changes, (int) n_more);
}

/** The invariant, where times have nothing to do with predictions, and change. */
static void test_bound(void)
{
    int n_beyond = 0;
    double most = 0;
    for (int i = 0; i < 300; i++) {
        world_t w = world_of((uint64_t) i, sizes[i % 5], speeds[i / 5 % 4]);
        series_t *s = series_new(i % 2 == 0);
        w.is_unrelated = true;
        w.noise = i % 3 == 0 ? 0.3 : 0;
        double first = 0, overshoot = 0;
        for (int k = 0; k < 400; k++) {
            const pb_learner_class_t *class = &s->learner.classes[0];
            if (k % 100 == 50 && i % 5 == 0) {
                for (int c = 0; c < w.n; c++) {
                    w.unrelated[c] = 1 + 9 * random_part(&w);
                }
            }
            broadcast(s, &w);
            first = s->sum > first && k < 3 ? s->sum : first;
            overshoot = (double) (s->trial.is_trial ? s->longest : 0) > overshoot
                            ? (double) s->longest
                            : overshoot;
            const double extra = (double) class->extra;
            const double bound = (double) class->spent / PB_LEARNER_EXTRA_PART +
                                 PB_LEARNER_GRANT * first + overshoot;
            n_beyond += extra > bound;
        }
        const double part = (double) s->learner.classes[0].extra / s->sum;
        most = part > most ? part : most;
        free(s);
    }
    ok(n_beyond == 0, "trials take no longer than they may, whatever they take (%.3f of 400)",
       most);
}

/** Whether trials took longer than they may by now; `first`: of a broadcast, see test_bound(). */
typedef struct bound {
    double first, overshoot;
    int n_beyond;
} bound_t;

static void broadcast_within(series_t *s, world_t *w, bound_t *bound)
{
    const double before = s->sum;
    broadcast(s, w);
    const double time = s->sum - before;
    const pb_learner_class_t *class = &s->learner.classes[0];
    bound->first = time > bound->first ? time : bound->first;
    if (s->trial.is_trial && (double) s->longest > bound->overshoot) {
        bound->overshoot = (double) s->longest;
    }
    bound->n_beyond += (double) class->extra > (double) class->spent / PB_LEARNER_EXTRA_PART +
                                                   PB_LEARNER_GRANT * bound->first +
                                                   bound->overshoot;
}

/** Multicast comes, and what was in force before goes on; then it goes. */
static void test_multicast(void)
{
    results_t with = {0}, without = {0};
    int n_beyond = 0, n_left = 0, n_forgotten = 0, n_used = 0, n_best = 0;
    for (int i = 0; i < 200; i++) {
        const bool is_measured = i % 3 == 0;
        world_t w = world_of((uint64_t) i, sizes[i % 5],
                             is_measured ? UINT64_C(1000000) * ASSUMED_MBIT : speeds[i / 5 % 4]);
        series_t *s = series_new(!is_measured);
        bound_t bound = {0};
        pb_candidate_t before, after;
        w.noise = i % 4 == 0 ? 0.05 : 0;
        w.factor[PB_KIND_MULTICAST] = i % 2 == 0 ? 1.02 : 3;
        for (int k = 0; k < 60; k++) {
            broadcast_within(s, &w, &bound);
        }
        (void) pb_learner_in_force(&s->learner, w.bytes, &before);
        const int n_entries = s->learner.classes[0].n_entries;
        w.candidates[w.n++] = (pb_candidate_t){.kind = PB_KIND_MULTICAST, .segment = 1426};
        pb_learner_admit(&s->learner);
        n_forgotten += !pb_learner_in_force(&s->learner, w.bytes, &after) ||
                       after.kind != before.kind || after.segment != before.segment ||
                       s->learner.classes[0].n_entries < n_entries - 1;
        const double best_with = best_of(&w);
        for (int k = 0; k < 60; k++) {
            broadcast_within(s, &w, &bound);
        }
        add_result(&with, 1, s->last / best_with);
        (void) pb_learner_in_force(&s->learner, w.bytes, &after);
        n_used += after.kind == PB_KIND_MULTICAST;
        w.n--;
        pb_learner_drop(&s->learner, UINT32_C(1) << PB_KIND_MULTICAST);
        s->trial.is_dropped = s->trial.candidate.kind == PB_KIND_MULTICAST;
        const double best = best_of(&w);
        n_best += best_with < 0.9 * best;
        for (int k = 0; k < 60; k++) {
            broadcast_within(s, &w, &bound);
            const pb_learner_class_t *class = &s->learner.classes[0];
            for (int e = 0; e < class->n_entries; e++) {
                n_left += class->entries[e].kind == PB_KIND_MULTICAST;
            }
            n_left += class->in_force >= class->n_entries;
        }
        add_result(&without, 1, s->last / best);
        n_beyond += bound.n_beyond;
        free(s);
    }
    ok(n_forgotten == 0, "multicast comes: what is known of others stays, and is in force");
    ok(n_best > 20 && n_used >= n_best && with.n_right >= 180 && with.mean_after < 1.03,
       "it is used where it is faster, in %d: %.3f times the best, within 5 %% in %d of 200",
       n_used, with.mean_after, with.n_right);
    ok(n_left == 0 && without.n_right >= 180 && without.mean_after < 1.03,
       "it goes, and nothing of it is left: %.3f, %d of 200", without.mean_after, without.n_right);
    ok(n_beyond == 0, "and trials take no longer than they may all the time");
}

/** It comes where there is no room, and goes where nothing else was measured. */
static void test_multicast_alone(void)
{
    series_t *s = series_new(false);
    world_t w = world_of(1, 1 << 16, UINT64_C(1000000) * ASSUMED_MBIT);
    pb_candidate_t in_force;
    broadcast(s, &w);
    pb_learner_class_t *class = &s->learner.classes[0];
    for (int i = 0; i < PB_LEARNER_ENTRIES; i++) {
        class->entries[i] = (pb_learner_entry_t){
            .kind = PB_KIND_CHAIN, .segment = 256 + (uint64_t) i, .notes = {100 + i}, .n = 1};
    }
    class->n_entries = PB_LEARNER_ENTRIES;
    class->in_force = PB_LEARNER_ENTRIES - 1;
    pb_learner_admit(&s->learner);
    ok(class->n_entries == PB_LEARNER_ENTRIES - 1 && class->in_force == class->n_entries - 1 &&
           class->entries[class->in_force].segment == 256 + PB_LEARNER_ENTRIES - 1 &&
           class->entries[class->n_entries - 2].segment == 256 + PB_LEARNER_ENTRIES - 3,
       "where there is no room the slowest that is not in force gives way");
    class->n_entries = 1;
    class->in_force = 0;
    class->is_settled = true;
    class->entries[0].kind = PB_KIND_MULTICAST;
    pb_learner_drop(&s->learner, UINT32_C(1) << PB_KIND_MULTICAST);
    ok(!pb_learner_in_force(&s->learner, w.bytes, &in_force) && !class->is_settled &&
           pb_learner_is_eager(&s->learner, w.bytes),
       "where nothing else was measured, nothing is in force");
    free(s);
}

/** Nothing that was measured is corrected by speed. */
static void test_measured(void)
{
    results_t r = {0};
    bool is_corrected = false;
    for (int i = 0; i < 100; i++) {
        world_t w = world_of((uint64_t) i, sizes[i % 5], UINT64_C(1000000) * ASSUMED_MBIT);
        series_t *s = series_new(false);
        const double best = best_of(&w);
        double after = 0;
        for (int k = 0; k < 50; k++) {
            broadcast(s, &w);
            after += k >= 20 ? s->last / 30 : 0;
        }
        is_corrected = is_corrected || s->learner.speed != 0;
        add_result(&r, s->sum / 50 / best, after / best);
        free(s);
    }
    ok(!is_corrected && r.n_right >= 95 && r.mean_sum < 1.08,
       "where a model was measured: %.3f, within 5 %% in %d of 100, the first 50: %.3f",
       r.mean_after, r.n_right, r.mean_sum);
}

/** Several sizes in turn: more than there is room for. */
static void test_alike(void)
{
    world_t a = world_of(1, 1 << 20, 10000000), b = world_of(1, 1 << 20, 10000000);
    series_t *s = series_new(true), *t = series_new(true);
    a.noise = b.noise = 0.1;
    for (int i = 0; i < 600; i++) {
        a.bytes = b.bytes = UINT64_C(1024) << (i / 7 % 20);
        broadcast(s, &a);
        broadcast(t, &b);
    }
    ok(memcmp(&s->learner, &t->learner, sizeof(s->learner)) == 0,
       "the same notes and questions: the same state, byte for byte");
    int n_used = 0;
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        n_used += s->learner.classes[i].size_class != 0;
    }
    ok(n_used == PB_LEARNER_CLASSES, "of more size classes than there is room for, the last stay");
    free(s);
    free(t);
}

/** A later communicator begins with what an earlier one settled, and opens its connections anew. */
static void test_begin_with(void)
{
    results_t at_once = {0}, later = {0};
    int n_trials = 0, n_news = 0, n_restarted = 0;
    for (int i = 0; i < 200; i++) {
        world_t w = world_of((uint64_t) i, sizes[i % 5], speeds[i / 5 % 2]);
        series_t *first = series_new(true), *s = series_new(true);
        for (int k = 0; k < 100; k++) {
            broadcast(first, &w);
        }
        w.noise = 0.1;
        w.opening = 2;
        memset(w.is_open, 0, sizeof(w.is_open));
        pb_learner_begin_with(&s->learner, &first->learner);
        for (int k = 0; k < 100; k++) {
            broadcast(s, &w);
        }
        n_trials += (int) s->learner.n_trials;
        n_news += s->learner.has_news;
        add_result(&at_once, 1, s->last / first->last);
        w.noise = 0;
        w.bits_per_second /= 2;
        double after = 0;
        for (int k = 0; k < 60; k++) {
            broadcast(s, &w);
            after += k >= 30 ? s->last / 30 : 0;
        }
        n_restarted += s->learner.has_news;
        add_result(&later, 1, after / best_of(&w));
        free(first);
        free(s);
    }
    ok(n_trials == 0 && n_news == 0 && at_once.worst_after == 1,
       "what an earlier learner settled is used, and nothing is tried (%d trials, %d news)",
       n_trials, n_news);
    ok(n_restarted >= 195 && later.n_right >= 170 && later.mean_after < 1.05,
       "links drop to half: trying begins anew in %d of 200, then %.3f, within 5 %% in %d of 200",
       n_restarted, later.mean_after, later.n_right);
}

/** One that had not settled goes on where it was. */
static void test_goes_on(void)
{
    int n_more = 0, n_again = 0;
    for (int i = 0; i < 100; i++) {
        world_t w = world_of((uint64_t) i, sizes[i % 5], speeds[i / 5 % 2]);
        series_t *first = series_new(true), *s = series_new(true);
        for (int k = 0; k < 9; k++) {
            broadcast(first, &w);
        }
        pb_learner_begin_with(&s->learner, &first->learner);
        const int n_known = s->learner.classes[0].n_entries;
        for (int k = 0; k < 100; k++) {
            broadcast(s, &w);
        }
        n_again += s->learner.classes[0].n_entries < n_known;
        n_more += s->learner.classes[0].is_settled;
        free(first);
        free(s);
    }
    ok(n_again == 0 && n_more == 100, "what was tried before is not tried again");
}

int main(void)
{
    test_begin_with();
    test_goes_on();
    test_first_notes();
    test_worlds();
    test_drift();
    test_no_flapping();
    test_bound();
    test_multicast();
    test_multicast_alone();
    test_measured();
    test_alike();
    return tap_done();
}
