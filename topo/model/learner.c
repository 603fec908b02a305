#include "topo/model/learner.h"

#include <string.h>

#include "topo/trees/kinds.h"
#include "topo/util/times.h"

/** The unit of margins. */
#define ONE INT64_C(1024)

/* Part of ONE by which a candidate may take less than expected. */
#define MARGIN_SEEN (ONE / 24)   /* it was measured once */
#define MARGIN_SEGMENT (ONE / 8) /* one of its kind was measured */
#define MARGIN_KIND (ONE / 5)    /* it is another kind */
#define MARGIN_FALLBACK ONE      /* what the fallback component does is not known */

/** Another candidate is in force if it takes less by this part. */
#define BETTER_PART 32

/** Part of its time by which a settled candidate drifts. */
#define DRIFT_PART 4

/** A root that is later than this part of a broadcast hides how long the fallback component took.
 * The lateness is less sure there. */
#define LATE_PART 4

/* ---- classes and entries ---- */

static int find_class(const pb_learner_t *learner, uint64_t size_class)
{
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        if (learner->classes[i].size_class == size_class) {
            return i;
        }
    }
    return -1;
}

/** Candidates are tried anew, and the next broadcast is swept. */
static void try_anew(pb_learner_class_t *class)
{
    class->n_notes = class->n_drifted = 0;
    class->not_before = 0;
    class->is_settled = false;
    class->next = class->n + 1;
}

void pb_learner_init(pb_learner_t *learner, bool assumes)
{
    const uint32_t version = learner->version + 1;
    memset(learner, 0, sizeof(*learner));
    learner->assumes = assumes;
    learner->version = version;
}

int pb_learner_take(pb_learner_t *learner, uint64_t bytes)
{
    const uint64_t size_class = pb_size_class(bytes);
    int at = find_class(learner, size_class);
    if (at >= 0) {
        return at;
    }
    at = 0;
    for (int i = 1; i < PB_LEARNER_CLASSES; i++) {
        at = learner->classes[i].used < learner->classes[at].used ? i : at;
    }
    if (learner->classes[at].size_class != 0 &&
        learner->clock - learner->classes[at].used < PB_LEARNER_STALE) {
        return -1;
    }
    /* The first broadcast of a class opens connections: the second one says more. */
    learner->version += learner->classes[at].size_class != 0;
    learner->classes[at] =
        (pb_learner_class_t){.size_class = size_class, .in_force = -1, .next = 2};
    return at;
}

static int find_entry(const pb_learner_class_t *class, const pb_candidate_t *candidate)
{
    for (int i = 0; i < class->n_entries; i++) {
        if (class->entries[i].kind == candidate->kind &&
            class->entries[i].segment == candidate->segment) {
            return i;
        }
    }
    return -1;
}

static int64_t time_of(const pb_learner_entry_t *entry)
{
    const int n = entry->n_notes < PB_LEARNER_NOTES ? entry->n_notes : PB_LEARNER_NOTES;
    int64_t least = entry->notes[0];
    for (int i = 1; i < n; i++) {
        least = entry->notes[i] < least ? entry->notes[i] : least;
    }
    return least;
}

static int64_t time_in_force(const pb_learner_class_t *class)
{
    return class->in_force >= 0 ? time_of(&class->entries[class->in_force]) : 0;
}

bool pb_learner_in_force(const pb_learner_t *learner, uint64_t bytes, pb_candidate_t *candidate)
{
    const int at = find_class(learner, pb_size_class(bytes));
    if (at < 0 || learner->classes[at].in_force < 0) {
        return false;
    }
    const pb_learner_class_t *class = &learner->classes[at];
    const pb_learner_entry_t *entry = &class->entries[class->in_force];
    *candidate =
        (pb_candidate_t){.kind = entry->kind, .segment = entry->segment, .time = time_of(entry)};
    return true;
}

static void remove_entry(pb_learner_class_t *class, int at)
{
    class->n_entries--;
    memmove(&class->entries[at], &class->entries[at + 1],
            (size_t) (class->n_entries - at) * sizeof(class->entries[0]));
    class->in_force = class->in_force == at  ? -1
                      : class->in_force > at ? class->in_force - 1
                                             : class->in_force;
}

/** The entry with the least time, of all or of the trees; -1: there is none. */
static int fastest(const pb_learner_class_t *class, bool of_trees)
{
    int best = -1;
    for (int i = 0; i < class->n_entries; i++) {
        const bool counts = !of_trees || class->entries[i].kind != PB_KIND_FALLBACK;
        if (counts && (best < 0 || time_of(&class->entries[i]) < time_of(&class->entries[best]))) {
            best = i;
        }
    }
    return best;
}

/** Bytes of a segment of the class, in which 0 stands for the whole message. */
static uint64_t length_of(const pb_learner_class_t *class, uint64_t segment)
{
    return segment != 0 ? segment : class->size_class;
}

/** The measured entry of the candidate's kind with the nearest segment size; -1: there is none. */
static int nearest(const pb_learner_class_t *class, const pb_candidate_t *candidate)
{
    const uint64_t wanted = length_of(class, candidate->segment);
    uint64_t least = 0;
    int best = -1;
    for (int i = 0; i < class->n_entries; i++) {
        const pb_learner_entry_t *entry = &class->entries[i];
        const uint64_t length = length_of(class, entry->segment);
        const uint64_t from = length > wanted ? length - wanted : wanted - length;
        if (entry->kind == candidate->kind && !entry->is_unsure && (best < 0 || from < least)) {
            best = i;
            least = from;
        }
    }
    return best;
}

/** Makes room for one more entry: the slowest one goes, unless it is in force. */
static void make_room(pb_learner_class_t *class)
{
    int slowest = -1;
    for (int i = 0; i < class->n_entries; i++) {
        if (i != class->in_force &&
            (slowest < 0 || time_of(&class->entries[i]) > time_of(&class->entries[slowest]))) {
            slowest = i;
        }
    }
    if (class->n_entries == PB_LEARNER_ENTRIES) {
        remove_entry(class, slowest);
    }
}

/* ---- trials ---- */

/** The expected time of a candidate, and the least that it may take. */
typedef struct expected {
    int64_t time, least;
} expected_t;

static expected_t with_margin(int64_t time, int64_t margin)
{
    return (expected_t){.time = time, .least = time - pb_time_scale(time, (uint64_t) margin, ONE)};
}

/** An entry's candidate, with its prediction; NULL: it is no candidate any more. */
static const pb_candidate_t *find_candidate(const pb_learner_entry_t *entry,
                                            const pb_candidate_t *candidates, int n)
{
    for (int i = 0; i < n; i++) {
        if (candidates[i].kind == entry->kind && candidates[i].segment == entry->segment) {
            return &candidates[i];
        }
    }
    return NULL;
}

/** The entry that gives the scale for a candidate that was not measured; -1: there is none. It is
 * of a tree, as the fallback component is predicted in another way. */
static int find_reference(const pb_learner_class_t *class, const pb_candidate_t *candidate)
{
    const int like = nearest(class, candidate);
    if (like >= 0) {
        return like;
    }
    const bool is_tree = class->entries[class->in_force].kind != PB_KIND_FALLBACK;
    return is_tree ? class->in_force : fastest(class, true);
}

static expected_t expect(const pb_learner_class_t *class, const pb_candidate_t *candidate,
                         const pb_candidate_t *candidates, int n)
{
    const int at = find_entry(class, candidate);
    if (at >= 0 && !class->entries[at].is_unsure) {
        return with_margin(time_of(&class->entries[at]),
                           class->entries[at].n_notes == 1 ? MARGIN_SEEN : 0);
    }
    const int reference = find_reference(class, candidate);
    const pb_candidate_t *by =
        reference >= 0 ? find_candidate(&class->entries[reference], candidates, n) : NULL;
    const int64_t time =
        by != NULL && by->time > 0
            ? pb_time_scale(candidate->time, (uint64_t) time_of(&class->entries[reference]),
                            (uint64_t) by->time)
            : candidate->time;
    const int64_t margin = candidate->kind == PB_KIND_FALLBACK         ? MARGIN_FALLBACK
                           : by != NULL && candidate->kind == by->kind ? MARGIN_SEGMENT
                                                                       : MARGIN_KIND;
    /* Connections are open now. What took several times as long with them does not get better. */
    if (at >= 0 && time_of(&class->entries[at]) > 4 * time) {
        return with_margin(time_of(&class->entries[at]), 0);
    }
    return with_margin(time, margin);
}

/** Tells whether a candidate may be tried. The fallback component may not where a late root would
 * hide how long it takes. */
static bool may_be_tried(const pb_learner_t *learner, const pb_candidate_t *candidate,
                         int64_t in_force)
{
    return candidate->kind != PB_KIND_FALLBACK || learner->lateness <= in_force / LATE_PART;
}

/** The broadcast of the class from which on a trial of a candidate is within the invariant. */
static uint64_t first_for(const pb_learner_class_t *class, int64_t expected)
{
    const int64_t in_force = time_in_force(class);
    const int64_t more = expected > in_force ? expected - in_force : 0;
    const int64_t n = PB_LEARNER_EXTRA_PART * ((class->extra + more) / (in_force + 1)) + 1;
    if (expected <= in_force / 2 && class->extra == 0) {
        return 0;
    }
    return n > PB_LEARNER_FIRST ? (uint64_t) n : PB_LEARNER_FIRST + 1;
}

static void settle(pb_learner_class_t *class)
{
    class->is_settled = true;
    class->reference = time_in_force(class);
    class->n_drifted = 0;
    class->next = UINT64_MAX;
}

int pb_learner_next(pb_learner_t *learner, int slot, const pb_candidate_t *candidates, int n)
{
    pb_learner_class_t *class = &learner->classes[slot];
    if (!pb_learner_is_trying(learner, slot)) {
        return -1;
    }
    const pb_candidate_t *in_force =
        find_candidate(&class->entries[class->in_force], candidates, n);
    const int64_t now = time_in_force(class), to_beat = now - now / BETTER_PART;
    int64_t best_time = 0;
    int best = -1;
    for (int i = 0; i < n && class->n_notes < PB_LEARNER_ENTRIES; i++) {
        const expected_t expected = expect(class, &candidates[i], candidates, n);
        if (expected.least < to_beat && &candidates[i] != in_force &&
            may_be_tried(learner, &candidates[i], now) && (best < 0 || expected.time < best_time)) {
            best = i;
            best_time = expected.time;
        }
    }
    if (best < 0) {
        if (class->entries[class->in_force].n_notes > 1 || class->n_notes >= PB_LEARNER_ENTRIES) {
            settle(class);
        }
        return -1;
    }
    class->not_before = first_for(class, best_time);
    return class->n >= class->not_before ? best : -1;
}

/* ---- notes ---- */

static void note_entry(pb_learner_class_t *class, const pb_learner_trial_t *trial, int64_t time)
{
    int at = find_entry(class, &trial->candidate);
    /* Of each size the fallback component may use other connections. */
    const bool may_open = at < 0 && trial->candidate.kind == PB_KIND_FALLBACK;
    if (at < 0) {
        make_room(class);
        at = class->n_entries++;
        class->entries[at] = (pb_learner_entry_t){
            .kind = trial->candidate.kind, .segment = trial->candidate.segment, .is_unsure = true};
    }
    pb_learner_entry_t *entry = &class->entries[at];
    if (entry->is_unsure) {
        entry->is_unsure = trial->opens || may_open;
        entry->n_notes = 0;
    }
    entry->notes[entry->n_notes % PB_LEARNER_NOTES] = time;
    entry->n_notes++;
    if (entry->n_notes == 2 * PB_LEARNER_NOTES) { /* the same slot is next */
        entry->n_notes = PB_LEARNER_NOTES;
    }
}

/** Tells whether the broadcast shows another speed of links than the known one. */
static bool is_other_speed(const pb_learner_t *learner, const pb_learner_class_t *class,
                           const pb_learner_trial_t *trial)
{
    const int at = find_entry(class, &trial->candidate);
    const int64_t predicted = trial->candidate.time, time = time_of(&class->entries[at]);
    if (!learner->assumes || learner->n_speeds >= PB_LEARNER_SPEEDS || predicted <= 0 ||
        trial->candidate.kind == PB_KIND_FALLBACK || trial->size_class < PB_CHOOSE_SHORT ||
        pb_kind_row((pb_kind_t) trial->candidate.kind)->copies) { /* lost frames are no speed */
        return false;
    }
    const bool is_slower = class->entries[at].n_notes > 1 && !class->entries[at].is_unsure
                               ? time > predicted + predicted / 2
                               : time > 4 * predicted;
    return is_slower || (learner->n_speeds > 0 && time < predicted - predicted / 5);
}

/** Counts a note of the candidate in force that drifts; returns whether it has for long enough. */
static bool count_drift(pb_learner_class_t *class, int64_t time)
{
    const bool up = time > class->reference + class->reference / DRIFT_PART;
    const bool down = time < class->reference - class->reference / (DRIFT_PART + 1);
    if (!class->is_settled || (!up && !down)) {
        class->n_drifted = 0;
        return false;
    }
    class->n_drifted = class->n_drifted > 0 && class->drifts_up == up ? class->n_drifted + 1 : 1;
    class->drifts_up = up;
    return class->n_drifted >= PB_LEARNER_DRIFTS;
}

/** Forgets all but the candidate in force, which is known by its last note. */
static void restart(pb_learner_class_t *class, int64_t time)
{
    class->entries[0] = class->entries[class->in_force];
    class->entries[0].notes[0] = time;
    class->entries[0].n_notes = 1;
    class->in_force = 0;
    class->n_entries = 1;
    try_anew(class);
}

/** Another candidate is in force if one of those that were measured is faster; true if so. */
static bool put_in_force(pb_learner_class_t *class)
{
    const int best = fastest(class, false), before = class->in_force;
    const int64_t now = time_in_force(class);
    if (before < 0 || time_of(&class->entries[best]) < now - now / BETTER_PART) {
        class->in_force = best;
    }
    if (class->in_force != before && before >= 0 &&
        class->entries[before].kind == PB_KIND_FALLBACK) {
        class->entries[before].is_unsure = true; /* only a tree shows how late the root was */
    }
    return class->in_force != before;
}

/** The broadcast of the class from which on the next sweep is wanted. */
static uint64_t next_of(const pb_learner_class_t *class)
{
    if (class->is_settled) {
        return class->n_drifted > 0 ? class->n + 1 : UINT64_MAX;
    }
    return class->n_notes > 1 && class->n < class->not_before ? class->not_before : class->n + 1;
}

/** The broadcast's time without the root's lateness, which is noted. In the fallback component
 * ranks may wait for others than the root, too: that gives an upper bound alone. A wait of up to
 * two hops is none: the error of the predicted hop would differ by the tree. */
static int64_t time_without_lateness(pb_learner_t *learner, const pb_learner_trial_t *trial,
                                     int64_t longest, int64_t least_wait)
{
    const int64_t waited = least_wait > 2 * trial->hop ? least_wait - trial->hop : 0;
    if (trial->candidate.kind != PB_KIND_FALLBACK || waited < learner->lateness) {
        learner->lateness = waited;
    }
    return longest > learner->lateness ? longest - learner->lateness : 1;
}

/** A swept broadcast's class; NULL: there is none, or it has given way to another one. */
static pb_learner_class_t *class_of(pb_learner_t *learner, const pb_learner_trial_t *trial)
{
    pb_learner_class_t *class = trial->slot >= 0 ? &learner->classes[trial->slot] : NULL;
    return class != NULL && class->size_class == trial->size_class ? class : NULL;
}

pb_outcome_t pb_learner_note(pb_learner_t *learner, const pb_learner_trial_t *trial,
                             int64_t longest, int64_t least_wait, int64_t *time_p)
{
    const int64_t time = time_without_lateness(learner, trial, pb_time_limited(longest),
                                               pb_time_limited(least_wait));
    *time_p = time;
    pb_learner_class_t *class = class_of(learner, trial);
    if (class == NULL) {
        return PB_OUTCOME_STAYS;
    }
    const int64_t in_force = time_in_force(class);
    class->extra += trial->is_trial && time > in_force ? time - in_force : 0;
    class->n_notes++;
    if (class->in_force >= 0 && find_entry(class, &trial->candidate) == class->in_force &&
        count_drift(class, time)) {
        restart(class, time);
        learner->version++;
        learner->n_speeds = 0;
        return PB_OUTCOME_DRIFTS;
    }
    note_entry(class, trial, time);
    if (is_other_speed(learner, class, trial)) {
        *time_p = time_of(&class->entries[find_entry(class, &trial->candidate)]);
        return PB_OUTCOME_SPEED;
    }
    const bool changes = !class->is_settled && put_in_force(class);
    class->next = next_of(class);
    learner->version += changes;
    return changes ? PB_OUTCOME_CHANGES : PB_OUTCOME_STAYS;
}

void pb_learner_pass_over(pb_learner_t *learner, const pb_learner_trial_t *trial)
{
    pb_learner_class_t *class = class_of(learner, trial);
    if (class != NULL && !class->is_settled) {
        class->next = 2 * class->n;
    }
}

/* ---- changes ---- */

void pb_learner_forget(pb_learner_t *learner)
{
    learner->version++;
    learner->n_speeds++;
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        pb_learner_class_t *class = &learner->classes[i];
        class->in_force = class->is_settled ? class->in_force : -1;
        try_anew(class);
    }
}

void pb_learner_renew(pb_learner_t *learner, uint32_t kinds)
{
    learner->version++;
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        pb_learner_class_t *class = &learner->classes[i];
        for (int k = class->n_entries - 1; k >= 0; k--) {
            const int kind = class->entries[k].kind;
            if (kind != PB_KIND_FALLBACK && (kinds >> kind & 1) != 0) {
                remove_entry(class, k);
            }
        }
        class->in_force = class->in_force < 0 ? fastest(class, false) : class->in_force;
        try_anew(class);
    }
}
