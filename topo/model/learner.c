#include "topo/model/learner.h"

#include <string.h>

#include "topo/util/times.h"

/** The unit of ratios. */
#define ONE INT64_C(1024)

/** Speeds of links may turn out to be so many times what was assumed. */
#define MOST_TIMES_ASSUMED 4

/** Links are faster than was known if by an eighth: less is noise. */
#define FASTER_PART 8

/** A root that is later than this part of a broadcast hides how long the fallback component took.
 */
#define LATE_PART 8

/** For each octave that a segment is shorter, so much of its time more, where that is in doubt. */
#define SHORTER_PART 3

/** A trial that opened connections and took so many times what was expected is not repeated. */
#define FAR_SLOWER 4

/* How much less than expected a candidate may take, as parts of ONE. */
#define MARGIN_SEEN (ONE / 24)    /* it was measured once */
#define MARGIN_NEAR (ONE / 32)    /* another segment of the kind was, of about the length, */
#define MARGIN_OCTAVE (ONE / 32)  /* and for each octave that it is longer or shorter, */
#define MARGIN_FAR (ONE / 8)      /* up to this */
#define MARGIN_OTHER (ONE / 16)   /* in other size classes only: so much more */
#define MARGIN_KIND (ONE / 5)     /* nothing of the kind was */
#define MARGIN_FALLBACK (ONE / 2) /* it is not known what the fallback component does */

static int64_t part(int64_t time, int64_t of_one)
{
    return pb_time_scale(time, (uint64_t) of_one, ONE);
}

static int octave(uint64_t bytes)
{
    int at = 0;
    while (bytes >> at > 1) {
        at++;
    }
    return at < PB_LEARNER_OCTAVES ? at : PB_LEARNER_OCTAVES - 1;
}

static int row_of(const pb_candidate_t *candidate)
{
    return candidate->kind == PB_KIND_FALLBACK ? PB_KIND_COUNT : candidate->kind;
}

static uint64_t segment_of(uint64_t segment, uint64_t bytes)
{
    return segment != 0 ? segment : bytes;
}

/* ---- classes ---- */

static int find_class(const pb_learner_t *learner, uint64_t bytes)
{
    const uint64_t size_class = pb_size_class(bytes);
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        if (learner->classes[i].size_class == size_class) {
            return i;
        }
    }
    return -1;
}

/** The class of `bytes`; one that was not used for longest gives way to it. */
static pb_learner_class_t *use_class(pb_learner_t *learner, uint64_t bytes)
{
    int at = find_class(learner, bytes);
    if (at < 0) {
        at = 0;
        for (int i = 1; i < PB_LEARNER_CLASSES; i++) {
            at = learner->classes[i].used < learner->classes[at].used ? i : at;
        }
        memset(&learner->classes[at], 0, sizeof(learner->classes[at]));
        learner->classes[at].size_class = pb_size_class(bytes);
        learner->classes[at].in_force = -1;
    }
    learner->classes[at].used = ++learner->clock;
    return &learner->classes[at];
}

/* ---- entries ---- */

static int find_entry(const pb_learner_class_t *class, int kind, uint64_t segment)
{
    for (int i = 0; i < class->n_entries; i++) {
        if (class->entries[i].kind == kind && class->entries[i].segment == segment) {
            return i;
        }
    }
    return -1;
}

/** Removes an entry; nothing is in force if that was. */
static void remove_entry(pb_learner_class_t *class, int at)
{
    class->n_entries--;
    memmove(&class->entries[at], &class->entries[at + 1],
            (size_t) (class->n_entries - at) * sizeof(class->entries[0]));
    class->in_force = class->in_force == at  ? -1
                      : class->in_force > at ? class->in_force - 1
                                             : class->in_force;
}

int64_t pb_learner_time(const pb_learner_entry_t *entry)
{
    int64_t least = entry->notes[0];
    const int n = entry->n < PB_LEARNER_KEPT ? entry->n : PB_LEARNER_KEPT;
    for (int i = 1; i < n; i++) {
        least = entry->notes[i] < least ? entry->notes[i] : least;
    }
    return least;
}

int64_t pb_learner_usual_time(const pb_learner_entry_t *entry)
{
    const int n = entry->n < PB_LEARNER_KEPT ? entry->n : PB_LEARNER_KEPT;
    for (int i = 0; i < n; i++) {
        int n_shorter = 0;
        for (int k = 0; k < n; k++) {
            n_shorter +=
                entry->notes[k] < entry->notes[i] || (entry->notes[k] == entry->notes[i] && k < i);
        }
        if (n_shorter == n / 2) {
            return entry->notes[i];
        }
    }
    return entry->notes[0];
}

static int64_t time_in_force(const pb_learner_class_t *class)
{
    return class->in_force >= 0 ? pb_learner_time(&class->entries[class->in_force]) : 0;
}

/* ---- expectations ---- */

/** What may be expected of a candidate, and the least that it may take. */
typedef struct expected {
    int64_t time;
    int64_t least;
} expected_t;

static expected_t with_margin(int64_t time, int64_t margin)
{
    return (expected_t){.time = time, .least = time - part(time, margin)};
}

/** How far apart two segment lengths are, in octaves. */
static int distance(uint64_t a, uint64_t b)
{
    const uint64_t longer = a > b ? a : b, shorter = a > b ? b : a;
    int n = 0;
    while (shorter << n < longer - longer / 4) {
        n++;
    }
    return n;
}

static int64_t margin_at(int n_octaves, int64_t more)
{
    const int64_t margin = MARGIN_NEAR + n_octaves * MARGIN_OCTAVE + more;
    return margin < MARGIN_FAR ? margin : MARGIN_FAR;
}

static bool is_slow(const pb_learner_t *learner)
{
    return learner->speed != 0 && learner->speed <= PB_LEARNER_SLOW_LINKS;
}

/** The shortest segment that was measured in the class; 0: none was. */
static uint64_t shortest_measured(const pb_learner_class_t *class)
{
    uint64_t shortest = 0;
    for (int i = 0; i < class->n_entries; i++) {
        const uint64_t segment = segment_of(class->entries[i].segment, class->size_class);
        if (class->entries[i].n > 0 && (shortest == 0 || segment < shortest)) {
            shortest = segment;
        }
    }
    return shortest;
}

/** A question, and what the class's entries are predicted to take in it. */
typedef struct question {
    const pb_learner_t *learner;
    const pb_learner_class_t *class;
    const pb_candidate_t *candidates;
    int n;
    int64_t predicted[PB_LEARNER_ENTRIES]; /**< 0: it is no candidate */
    uint64_t shortest;                     /**< segment that was measured */
} question_t;

static question_t ask(const pb_learner_t *learner, const pb_learner_class_t *class,
                      const pb_candidate_t *candidates, int n)
{
    question_t q = {.learner = learner,
                    .class = class,
                    .candidates = candidates,
                    .n = n,
                    .shortest = shortest_measured(class)};
    for (int i = 0; i < n; i++) {
        const int at = find_entry(class, candidates[i].kind, candidates[i].segment);
        if (at >= 0) {
            q.predicted[at] = candidates[i].time;
        }
    }
    return q;
}

/** By what other segments of its kind took in the class; false if none was measured. */
static bool expect_by_class(const question_t *q, const pb_candidate_t *candidate,
                            expected_t *expected)
{
    const uint64_t bytes = q->class->size_class;
    const uint64_t segment = segment_of(candidate->segment, bytes);
    int nearest = -1, least = 0;
    for (int i = 0; i < q->class->n_entries; i++) {
        const pb_learner_entry_t *entry = &q->class->entries[i];
        const int apart = distance(segment, segment_of(entry->segment, bytes));
        if (entry->kind == candidate->kind && entry->n > 0 && q->predicted[i] > 0 &&
            (nearest < 0 || apart < least)) {
            nearest = i;
            least = apart;
        }
    }
    if (nearest >= 0) {
        const int64_t time = pb_learner_time(&q->class->entries[nearest]);
        *expected = with_margin(
            pb_time_scale(candidate->time, (uint64_t) time, (uint64_t) q->predicted[nearest]),
            margin_at(least, 0));
    }
    return nearest >= 0;
}

/** By what its kind took in other classes; false if that is not known. */
static bool expect_by_kind(const question_t *q, const pb_candidate_t *candidate,
                           expected_t *expected)
{
    const int64_t *ratio = q->learner->ratio[row_of(candidate)];
    const int at = octave(segment_of(candidate->segment, q->class->size_class));
    for (int apart = 0; apart < PB_LEARNER_OCTAVES; apart++) {
        const int64_t below = at >= apart ? ratio[at - apart] : 0;
        const int64_t above = at + apart < PB_LEARNER_OCTAVES ? ratio[at + apart] : 0;
        const int64_t known = below != 0 ? below : above;
        if (known != 0) {
            *expected = with_margin(part(candidate->time, known), margin_at(apart, MARGIN_OTHER));
            return true;
        }
    }
    return false;
}

static expected_t expect_unmeasured(const question_t *q, const pb_candidate_t *candidate)
{
    expected_t expected;
    if (expect_by_class(q, candidate, &expected) || expect_by_kind(q, candidate, &expected)) {
        return expected;
    }
    return candidate->kind == PB_KIND_FALLBACK ? with_margin(candidate->time, MARGIN_FALLBACK)
                                               : with_margin(candidate->weight, MARGIN_KIND);
}

/** Where software may be what broadcasts wait for, shorter segments are less promising. */
static int64_t doubt(const question_t *q, const pb_candidate_t *candidate)
{
    const uint64_t segment = segment_of(candidate->segment, q->class->size_class);
    const bool is_known = !q->learner->assumes || is_slow(q->learner) ||
                          candidate->kind == PB_KIND_FALLBACK || segment >= q->shortest;
    return is_known ? 0 : distance(q->shortest, segment) * (candidate->time / SHORTER_PART);
}

static expected_t expect(const question_t *q, const pb_candidate_t *candidate)
{
    const int at = find_entry(q->class, candidate->kind, candidate->segment);
    const pb_learner_entry_t *entry = at >= 0 ? &q->class->entries[at] : NULL;
    if (entry != NULL && entry->n > 0) {
        return with_margin(pb_learner_time(entry), entry->n == 1 ? MARGIN_SEEN : 0);
    }
    expected_t expected = expect_unmeasured(q, candidate);
    expected.time += doubt(q, candidate);
    if (entry == NULL) {
        return expected;
    }
    /* It takes less without the connections that were opened; but by how much? */
    if (entry->notes[0] > FAR_SLOWER * expected.time) {
        return with_margin(entry->notes[0], 0);
    }
    return entry->notes[0] < expected.time ? with_margin(entry->notes[0], MARGIN_KIND) : expected;
}

/* ---- picking ---- */

/** Where a late root would hide how long it takes, the fallback component is not tried. */
static bool may_be_tried(const pb_learner_t *learner, const pb_candidate_t *candidate,
                         int64_t in_force)
{
    return candidate->kind != PB_KIND_FALLBACK || learner->lateness <= in_force / LATE_PART;
}

static bool is_in_force(const pb_learner_class_t *class, const pb_candidate_t *candidate)
{
    return class->in_force >= 0 &&
           class->in_force == find_entry(class, candidate->kind, candidate->segment);
}

/** The most promising candidate that may win, or -1; and what is expected of it. */
static int next_trial(const question_t *q, expected_t *of_it)
{
    const int64_t in_force = time_in_force(q->class);
    const int64_t to_beat = in_force - in_force / PB_LEARNER_BETTER_PART;
    int best = -1;
    for (int i = 0; i < q->n; i++) {
        const expected_t expected = expect(q, &q->candidates[i]);
        if (expected.least < to_beat && may_be_tried(q->learner, &q->candidates[i], in_force) &&
            !is_in_force(q->class, &q->candidates[i]) &&
            (best < 0 || expected.time + expected.least < of_it->time + of_it->least)) {
            best = i;
            *of_it = expected;
        }
    }
    return best;
}

/** The candidate in force, or the one that is expected to be fastest. */
static int without_trial(const question_t *q)
{
    int best = -1;
    int64_t least = 0;
    for (int i = 0; i < q->n; i++) {
        if (is_in_force(q->class, &q->candidates[i])) {
            return i;
        }
        const int64_t time = expect(q, &q->candidates[i]).time;
        if (best < 0 || time < least) {
            best = i;
            least = time;
        }
    }
    return best;
}

/** The invariant: see topo/model/learner.h. */
static bool is_within_bound(const pb_learner_class_t *class, int64_t expected)
{
    const int64_t in_force = time_in_force(class);
    const int64_t more = expected > in_force ? expected - in_force : 0;
    return class->extra + more <=
           class->spent / PB_LEARNER_EXTRA_PART + PB_LEARNER_GRANT * in_force;
}

static void settle(pb_learner_class_t *class)
{
    class->is_settled = true;
    class->is_paused = false;
    class->reference = pb_learner_usual_time(&class->entries[class->in_force]);
    class->n_drifted = 0;
}

/** What should take half as long over slow links is used at once, if it is also tried. */
static int without_delay(const question_t *q, int usual)
{
    expected_t expected = {0};
    const int trial = next_trial(q, &expected);
    const bool is_far_better = trial >= 0 && expected.time <= time_in_force(q->class) / 2;
    return is_far_better && is_within_bound(q->class, expected.time) ? trial : usual;
}

int pb_learner_pick(pb_learner_t *learner, uint64_t bytes, const pb_candidate_t *candidates, int n,
                    bool may_try, bool *is_trial_p)
{
    pb_learner_class_t *class = use_class(learner, bytes);
    const question_t q = ask(learner, class, candidates, n);
    const int usual = without_trial(&q);
    *is_trial_p = false;
    if (class->is_settled || class->in_force < 0) {
        return usual;
    }
    if (!may_try) {
        return is_slow(learner) ? without_delay(&q, usual) : usual;
    }
    const pb_learner_entry_t *in_force = &class->entries[class->in_force];
    const bool may_go_on =
        class->n_entries < PB_LEARNER_ENTRIES && class->n_notes < PB_LEARNER_MOST_NOTES;
    expected_t expected = {0};
    const int trial = may_go_on ? next_trial(&q, &expected) : -1;
    if (trial < 0) {
        if (in_force->n > 1 || !may_go_on) {
            settle(class);
        }
        return usual;
    }
    class->is_paused = !is_within_bound(class, expected.time);
    if (class->is_paused) {
        return usual;
    }
    *is_trial_p = true;
    return trial;
}

/* ---- speeds ---- */

/** What a note says by a curve at point `i`: the time that it falls short of the note. */
static int64_t at_point(const pb_learner_curve_t *curve, int i, int64_t least_wait)
{
    const int64_t late = least_wait - curve->hop[i];
    return curve->time[i] + (late > 0 ? late : 0);
}

/** The speed at which the broadcast would have taken so long; the least or the highest beyond. */
static uint64_t speed_by(const pb_learner_curve_t *curve, int64_t longest, int64_t least_wait)
{
    int i = 0;
    while (i < PB_LEARNER_SPEEDS && at_point(curve, i, least_wait) > longest) {
        i++;
    }
    if (i == 0 || i == PB_LEARNER_SPEEDS) {
        return pb_learner_speed_of(i > 0 ? i - 1 : 0);
    }
    /* Between two points times are about linear in the time of a bit. */
    const int64_t slow = at_point(curve, i - 1, least_wait), fast = at_point(curve, i, least_wait);
    const int64_t x = pb_time_scale(ONE, (uint64_t) (longest - fast), (uint64_t) (slow - fast));
    return pb_learner_speed_of(i) * (uint64_t) ONE / (uint64_t) (ONE + x);
}

/** A curve's value at a speed, in the same way. */
static int64_t curve_at(const int64_t *values, uint64_t speed)
{
    int i = 0;
    while (i < PB_LEARNER_SPEEDS && pb_learner_speed_of(i) < speed) {
        i++;
    }
    if (i == 0 || i == PB_LEARNER_SPEEDS) {
        return values[i > 0 ? i - 1 : 0];
    }
    const int64_t x = (int64_t) (pb_learner_speed_of(i) * (uint64_t) ONE / speed) - ONE;
    return values[i] + part(values[i - 1] - values[i], x);
}

/** What was measured, and predicted at the speed that is known now. */
typedef struct measured {
    int64_t time, predicted;
    uint64_t speed; /**< by this note alone; 0: it shows none */
} measured_t;

static uint64_t limited(const pb_learner_t *learner, uint64_t speed)
{
    return speed < learner->fastest ? speed : learner->fastest;
}

/**
 * What a note says of the speed: the first one alone makes it slower. One of a broadcast that
 * opened connections is no better than a guess there: it took longer than links need.
 */
static void note_speed(pb_learner_t *learner, uint64_t speed, bool is_guess, bool opens)
{
    const bool is_first = learner->speed == 0 || (learner->is_guess && !is_guess && !opens);
    if (is_first || (!is_guess && speed > learner->speed + learner->speed / FASTER_PART)) {
        learner->speed = speed;
        learner->is_guess = is_guess;
    }
}

static measured_t measure(pb_learner_t *learner, const pb_learner_trial_t *trial, int64_t longest,
                          int64_t least_wait)
{
    measured_t measured = {.time = longest, .predicted = trial->candidate.time};
    const bool is_fallback = trial->candidate.kind == PB_KIND_FALLBACK;
    int64_t hop = trial->hop;
    if (learner->assumes && trial->curve.is_known) {
        measured.speed = limited(learner, speed_by(&trial->curve, longest, least_wait));
        note_speed(learner, measured.speed, is_fallback, trial->opens);
        measured.predicted = curve_at(trial->curve.time, learner->speed);
        hop = curve_at(trial->curve.hop, learner->speed);
    }
    if (is_fallback) {
        return measured;
    }
    learner->lateness = least_wait > hop ? least_wait - hop : 0;
    measured.time = longest > learner->lateness ? longest - learner->lateness : 1;
    return measured;
}

/* ---- notes ---- */

static void note_ratio(pb_learner_t *learner, const pb_learner_trial_t *trial,
                       const measured_t *measured)
{
    const uint64_t segment = segment_of(trial->candidate.segment, trial->bytes);
    int64_t *ratio = &learner->ratio[row_of(&trial->candidate)][octave(segment)];
    if (measured->predicted > 0) {
        const int64_t now =
            pb_time_scale(ONE, (uint64_t) measured->time, (uint64_t) measured->predicted);
        *ratio = *ratio == 0 || now < *ratio ? now + (now == 0) : (3 * *ratio + now) / 4;
    }
}

/** Adds the note to its entry, a new one if there is room for it. */
static void note_entry(pb_learner_class_t *class, const pb_learner_trial_t *trial, int64_t time)
{
    const pb_candidate_t *candidate = &trial->candidate;
    int at = find_entry(class, candidate->kind, candidate->segment);
    if (at < 0) {
        if (class->n_entries == PB_LEARNER_ENTRIES) {
            return;
        }
        at = class->n_entries++;
        class->entries[at] =
            (pb_learner_entry_t){.kind = (int16_t) candidate->kind, .segment = candidate->segment};
    }
    pb_learner_entry_t *entry = &class->entries[at];
    entry->is_connected = entry->is_connected || !trial->opens;
    if (trial->opens && entry->n == 0) {
        const bool is_less = entry->n_opened == 0 || time < entry->notes[0];
        entry->notes[0] = is_less ? time : entry->notes[0];
        entry->n = ++entry->n_opened > 1;
        return;
    }
    entry->notes[entry->n % PB_LEARNER_KEPT] = time;
    entry->n++;
    entry->n =
        entry->n == 2 * PB_LEARNER_KEPT ? PB_LEARNER_KEPT : entry->n; /* the same slot is next */
}

/** The entry with the least time; -1 if no note counts. */
static int fastest_entry(const pb_learner_class_t *class)
{
    int best = -1;
    for (int i = 0; i < class->n_entries; i++) {
        if (class->entries[i].n > 0 && (best < 0 || pb_learner_time(&class->entries[i]) <
                                                        pb_learner_time(&class->entries[best]))) {
            best = i;
        }
    }
    return best;
}

/** Another candidate is in force if one of those that were measured is faster; true if so. */
static bool renew(pb_learner_class_t *class)
{
    const int before = class->in_force;
    const int best = fastest_entry(class);
    if (best >= 0 && best != before) {
        const int64_t time = pb_learner_time(&class->entries[best]), now = time_in_force(class);
        if (before < 0 || time < now - now / PB_LEARNER_BETTER_PART) {
            class->in_force = best;
        }
    }
    return class->in_force != before;
}

/**
 * Whether what is in force has drifted for long enough; `time` is its next note. While candidates
 * are tried, a shorter time counts without that.
 */
static bool drifts(pb_learner_class_t *class, int64_t time)
{
    const int64_t before = class->is_settled ? class->reference : time_in_force(class);
    const bool up = time > before + before / PB_LEARNER_DRIFT_PART;
    const bool down = class->is_settled && time < before - before / (PB_LEARNER_DRIFT_PART + 1);
    if (!up && !down) {
        class->n_drifted = 0;
        return false;
    }
    class->n_drifted = class->n_drifted > 0 && class->drifts_up == up ? class->n_drifted + 1 : 1;
    class->drifts_up = up;
    return class->n_drifted >= PB_LEARNER_DRIFT_NOTES;
}

/** Of a class, what is in force alone is known, by its last notes. */
static void forget_others(pb_learner_class_t *class)
{
    if (class->in_force >= 0) {
        class->entries[0] = class->entries[class->in_force];
        class->in_force = 0;
    }
    class->n_entries = class->in_force >= 0;
    class->n_notes = class->n_drifted = 0;
    class->has_drifted = class->has_drifted || class->is_settled;
    class->is_settled = class->is_paused = false;
}

static pb_candidate_t candidate_in_force(const pb_learner_class_t *class)
{
    if (class->in_force < 0) {
        return (pb_candidate_t){.kind = PB_KIND_FALLBACK, .time = -1};
    }
    const pb_learner_entry_t *entry = &class->entries[class->in_force];
    return (pb_candidate_t){.kind = entry->kind,
                            .segment = entry->segment,
                            .time = pb_learner_time(entry),
                            .weight = pb_learner_time(entry)};
}

/** The network has changed: trying begins anew, and in classes that are being tried, too. */
static void restart(pb_learner_t *learner, pb_learner_class_t *class, uint64_t speed)
{
    if (learner->assumes && speed != 0) {
        learner->speed = speed;
        learner->is_guess = candidate_in_force(class).kind == PB_KIND_FALLBACK;
    }
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        pb_learner_class_t *other = &learner->classes[i];
        if (other->size_class != 0 && (other == class || !other->is_settled)) {
            forget_others(other);
        }
    }
}

/** What is in force was kept, and opens connections now: that takes longer than it did. */
static bool is_start_of_kept(const pb_learner_class_t *class, const pb_learner_trial_t *trial)
{
    return trial->opens && class->is_kept && class->n_own <= PB_LEARNER_OPENING_NOTES &&
           is_in_force(class, &trial->candidate);
}

/** Accounts for a trial: its broadcast was counted with the time of what was in force. */
static void account(pb_learner_class_t *class, bool is_trial, int64_t time)
{
    const int64_t in_force = time_in_force(class);
    class->spent += in_force == 0 ? time : time > in_force ? time - in_force : 0;
    class->extra += is_trial && time > in_force ? time - in_force : 0;
}

pb_lesson_t pb_learner_note(pb_learner_t *learner, const pb_learner_trial_t *trial, int64_t longest,
                            int64_t least_wait)
{
    const measured_t measured =
        measure(learner, trial, pb_time_limited(longest), pb_time_limited(least_wait));
    const int at = find_class(learner, trial->bytes);
    pb_lesson_t lesson = {.time = measured.time, .bits_per_second = learner->speed};
    if (!trial->opens && !trial->is_dropped && !learner->is_guess) {
        note_ratio(learner, trial, &measured);
    }
    learner->n_trials += trial->is_trial;
    if (at < 0) {
        return lesson;
    }
    pb_learner_class_t *class = &learner->classes[at];
    account(class, trial->is_trial, measured.time);
    if (trial->is_dropped) {
        lesson.in_force = candidate_in_force(class);
        return lesson;
    }
    learner->has_news = learner->has_news || !class->is_settled;
    class->n_notes++;
    class->n_own++;
    if (is_start_of_kept(class, trial)) {
        lesson.in_force = candidate_in_force(class);
        return lesson;
    }
    const bool has_drifted = is_in_force(class, &trial->candidate) && drifts(class, measured.time);
    note_entry(class, trial, measured.time);
    if (has_drifted) {
        restart(learner, class, measured.speed);
        lesson.restarts = lesson.is_new = learner->has_news = true;
    } else if (!class->is_settled && renew(class)) {
        lesson.is_new = true;
        learner->n_changes++;
    }
    lesson.bits_per_second = learner->speed;
    lesson.in_force = candidate_in_force(class);
    return lesson;
}

/* ---- questions ---- */

void pb_learner_init(pb_learner_t *learner, uint64_t assumed)
{
    memset(learner, 0, sizeof(*learner));
    learner->assumes = assumed != 0;
    learner->fastest = MOST_TIMES_ASSUMED * assumed;
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        learner->classes[i].in_force = -1;
    }
}

void pb_learner_begin_with(pb_learner_t *learner, const pb_learner_t *kept)
{
    if (learner->assumes) {
        learner->speed = limited(learner, kept->speed);
        learner->is_guess = kept->is_guess;
    }
    memcpy(learner->ratio, kept->ratio, sizeof(learner->ratio));
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        pb_learner_class_t *class = &learner->classes[i];
        *class = kept->classes[i];
        class->used = class->size_class != 0 ? ++learner->clock : 0;
        class->is_kept = class->size_class != 0;
        class->n_own = class->n_drifted = 0;
        class->is_paused = class->has_drifted = false;
    }
}

/** Candidates are tried anew beside what is known. */
static void try_anew(pb_learner_class_t *class)
{
    class->n_notes = class->n_drifted = 0;
    class->is_settled = class->is_paused = false;
}

/** Has room for one more entry, by giving up the slowest one that is not in force. */
static void make_room(pb_learner_class_t *class)
{
    int slowest = -1;
    for (int i = 0; class->n_entries == PB_LEARNER_ENTRIES && i < class->n_entries; i++) {
        const pb_learner_entry_t *entry = &class->entries[i];
        if (i != class->in_force &&
            (slowest < 0 || pb_learner_time(entry) > pb_learner_time(&class->entries[slowest]))) {
            slowest = i;
        }
    }
    if (slowest >= 0) {
        remove_entry(class, slowest);
    }
}

void pb_learner_admit(pb_learner_t *learner)
{
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        try_anew(&learner->classes[i]);
        make_room(&learner->classes[i]);
    }
}

/** Whether an entry is of one of the kinds. */
static bool is_of(const pb_learner_entry_t *entry, uint32_t kinds)
{
    return entry->kind != PB_KIND_FALLBACK && (kinds >> entry->kind & 1) != 0;
}

static void drop_entries(pb_learner_class_t *class, uint32_t kinds)
{
    for (int i = class->n_entries - 1; i >= 0; i--) {
        if (is_of(&class->entries[i], kinds)) {
            remove_entry(class, i);
        }
    }
}

void pb_learner_drop(pb_learner_t *learner, uint32_t kinds)
{
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        if ((kinds >> kind & 1) != 0) {
            memset(learner->ratio[kind], 0, sizeof(learner->ratio[kind]));
        }
    }
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        pb_learner_class_t *class = &learner->classes[i];
        const bool was_there = class->in_force >= 0;
        drop_entries(class, kinds);
        if (was_there && class->in_force < 0) {
            class->in_force = fastest_entry(class);
            try_anew(class);
        }
    }
}

bool pb_learner_is_eager(const pb_learner_t *learner, uint64_t bytes)
{
    const int at = find_class(learner, bytes);
    const pb_learner_class_t *class = at >= 0 ? &learner->classes[at] : NULL;
    return class == NULL || (class->is_settled ? class->n_drifted > 0 : !class->is_paused);
}

bool pb_learner_knows_links(const pb_learner_t *learner)
{
    return !learner->assumes || learner->speed != 0;
}

bool pb_learner_waits_for_links(const pb_learner_t *learner)
{
    return !learner->assumes || (is_slow(learner) && !learner->is_guess);
}

/** Whether one of ours is in force for a class. */
static bool is_ours(const pb_learner_class_t *class)
{
    return class->size_class != 0 && class->in_force >= 0 &&
           class->entries[class->in_force].kind != PB_KIND_FALLBACK;
}

uint64_t pb_learner_passed(const pb_learner_t *learner, uint64_t most)
{
    uint64_t longest = 0;
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        const pb_learner_class_t *class = &learner->classes[i];
        most = is_ours(class) && class->size_class < most ? class->size_class : most;
    }
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        const pb_learner_class_t *class = &learner->classes[i];
        const bool passes = class->is_settled && !is_ours(class) && class->size_class < most;
        longest = passes && class->size_class > longest ? class->size_class : longest;
    }
    return longest != 0 ? pb_size_class_end(longest) : 0;
}

bool pb_learner_wants_curve(const pb_learner_t *learner, uint64_t bytes)
{
    const int at = find_class(learner, bytes);
    return learner->assumes &&
           (learner->speed == 0 || learner->is_guess || at < 0 ||
            learner->classes[at].in_force < 0 || learner->classes[at].n_drifted > 0);
}

bool pb_learner_trusts(const pb_learner_t *learner, uint64_t bytes)
{
    const int at = find_class(learner, bytes);
    return !learner->assumes || is_slow(learner) || (at >= 0 && learner->classes[at].in_force >= 0);
}

bool pb_learner_in_force(const pb_learner_t *learner, uint64_t bytes, pb_candidate_t *candidate)
{
    const int at = find_class(learner, bytes);
    *candidate = candidate_in_force(&learner->classes[at >= 0 ? at : 0]);
    return at >= 0 && learner->classes[at].in_force >= 0;
}

void pb_learner_count(pb_learner_t *learner, uint64_t bytes)
{
    pb_learner_class_t *class = use_class(learner, bytes);
    class->spent += time_in_force(class);
}
