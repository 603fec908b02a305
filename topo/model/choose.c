#include "topo/model/choose.h"

#include <stdlib.h>
#include <string.h>

#include "topo/model/least.h"
#include "topo/model/piece.h"
#include "topo/model/predict.h"
#include "topo/trees/leaders.h"
#include "topo/util/hash.h"
#include "topo/util/times.h"

/** Roots whose profiles are kept. */
#define MAX_ROOTS 16

/** Choices that are kept, a power of two. */
#define MAX_CHOICES 4096
#define FEWEST_CHOICES 64

/** Sizes of segments that are tried: see list_segments(). */
#define MAX_SEGMENTS 40

/**
 * No segment is longer. MPI asks before it sends more than its eager limit over TCP, 64 KB with its
 * header, and cuts what is longer itself, so nothing is won: measured where processors and memory
 * are the limit, longer segments came within 5 % of these at best, and took up to half as long
 * again in messages of a few of them. Bounce buffers of data that are not contiguous stay small,
 * too.
 */
#define LONGEST_SEGMENT (UINT64_C(1) << 16)

/** Candidates that one size class can have. */
#define MAX_CANDIDATES ((PB_KIND_COUNT + 1) * (MAX_SEGMENTS + 1))

/**
 * Where nothing was measured, so many speeds are looked at, each a tenth of the one before. Virtual
 * interfaces claim any speed (veth: 10 Gbit/s), whatever is behind them.
 */
#define N_SPEEDS 4

/** Among fewer ranks a plan takes no longer than a closer look at its kind: see may_look_at(). */
#define LOOK_FROM 2048

/** Among kinds that are to be planned: none. */
#define NONE (-2)

_Static_assert(NONE != PB_KIND_FALLBACK, "the fallback component may be one of them");

/** The unit of how much longer one time is than another. */
#define EQUAL INT64_C(1024)

/** What is known of one root: profiles by kind, and the fallback component's. */
typedef struct root_profiles {
    int root; /**< -1: none */
    uint64_t used;
    pb_profile_t *profiles[PB_KIND_COUNT]; /**< NULL: not made */
    bool unfit[PB_KIND_COUNT];
    pb_profile_t *fallback;
} root_profiles_t;

/** A plan of all ranks. */
typedef struct root_plan {
    int root;
    pb_kind_t kind;
    pb_plan_t *plan; /**< NULL: none */
} root_plan_t;

/** All candidates of one size class, in the order of the rule for ties. */
typedef struct field {
    uint64_t bytes;
    int n;
    pb_candidate_t candidates[MAX_CANDIDATES];
    uint32_t unplanned;         /**< bit k is set: no plan of kind k was made, and the times of its
                                     candidates are such that those of a plan are no less */
    bool is_fallback_unplanned; /**< the same of the fallback component, which has no plan, but
                                     a profile */
    pb_least_distances_t distances;  /**< from the root */
    pb_least_t least[PB_KIND_COUNT]; /**< by kind: from which these follow */
    uint32_t looked_at; /**< bit k is set: of kind k it was asked what it knows without a plan */
    pb_candidate_t planned; /**< the best of the others; its time is -1 if there is none */
    /* Where nothing was measured: */
    int64_t times[MAX_CANDIDATES];    /**< at the speed that is looked at */
    int64_t weights[MAX_CANDIDATES];  /**< likewise */
    int64_t worst[MAX_CANDIDATES];    /**< of all speeds: the time over the reference's, by EQUAL */
    int64_t farthest[MAX_CANDIDATES]; /**< likewise: the weight over the least one's */
    pb_model_t model;                 /**< of the speed that is looked at */
} field_t;

typedef struct made_choice {
    uint64_t size_class; /**< 0: none */
    int root;
    pb_choice_t choice;
} made_choice_t;

struct pb_chooser {
    pb_chooser_t
        *profiler; /**< whose profiles are used: itself, or the one that it was made beside */
    const pb_placement_t *placement;
    const pb_model_t *model;
    pb_choose_options_t options;
    pb_least_t least[PB_KIND_COUNT]; /**< by kind */
    pb_least_t least_fallback;
    bool one_on_each_host; /**< a rank; so hops are between hosts */
    int height_inside; /**< of trees inside hosts; 0: where leaders are not wanted, or for none */
    int n_kinds;
    pb_kind_t kinds[PB_KIND_COUNT]; /**< tried unless one is forced, in the order of the rule */
    int n_segments;
    pb_segment_cost_t segments[MAX_SEGMENTS]; /**< falling */
    root_profiles_t roots[MAX_ROOTS];
    uint64_t clock;    /**< counts uses of roots */
    size_t n_profiles; /**< of all roots */
    root_plan_t made;  /**< that of the profile that was made last, if not dropped or kept */
    root_plan_t kept;  /**< during a choice: that of the best kind so far */
    pb_view_t *view;   /**< that plans were made of last; NULL: dropped */
    pb_profile_ground_t *ground; /**< during a choice: of its profiles; NULL: none is needed yet */
    made_choice_t *choices;      /**< an open hash table */
    size_t n_choices, capacity;
};

static int class_shift(uint64_t bytes)
{
    int shift = 0;
    while (bytes >> shift > 15) {
        shift++;
    }
    return shift;
}

uint64_t pb_size_class(uint64_t bytes)
{
    const int shift = class_shift(bytes);
    return bytes >> shift << shift;
}

uint64_t pb_size_class_end(uint64_t bytes)
{
    return pb_size_class(bytes) + (UINT64_C(1) << class_shift(bytes));
}

/** The largest message of a class. */
static uint64_t largest_of_class(uint64_t size_class)
{
    return pb_size_class_end(size_class) - 1;
}

const char *pb_candidate_name(const pb_candidate_t *candidate)
{
    return candidate->kind == PB_KIND_FALLBACK ? "fallback"
                                               : pb_kind_name((pb_kind_t) candidate->kind);
}

/* ---- multicast ---- */

/** Whether switches copy a candidate's frames. */
static bool is_copied(int kind)
{
    return kind >= 0 && pb_kind_row((pb_kind_t) kind)->copies;
}

int pb_choose_kind(const pb_choose_options_t *options)
{
    return is_copied(options->kind) && options->frame == 0 ? PB_CHOOSE_OWN : options->kind;
}

bool pb_choose_may_multicast(const pb_choose_options_t *options)
{
    return is_copied(options->kind) || options->kind < 0;
}

/* ---- segment sizes ---- */

/** Adds a size to the falling list of sizes, once. */
static int add_segment(uint64_t *sizes, int n, uint64_t size)
{
    int at = n;
    while (at > 0 && sizes[at - 1] < size) {
        at--;
    }
    if (n == MAX_SEGMENTS || (at > 0 && sizes[at - 1] == size)) {
        return n;
    }
    memmove(&sizes[at + 1], &sizes[at], (size_t) (n - at) * sizeof(*sizes));
    sizes[at] = size;
    return n + 1;
}

/**
 * The paper's eight sizes (paper 2, section 5.1) and their doubles up to 64 KiB; and
 * those that fill whole TCP segments, which cost fewer frames.
 */
static void list_segments(pb_chooser_t *chooser)
{
    uint64_t sizes[MAX_SEGMENTS] = {0};
    const pb_model_t *model = chooser->model;
    int n = 0;
    if (chooser->options.segment != 0) {
        n = add_segment(sizes, n, chooser->options.segment);
    } else {
        for (uint64_t size = 256; size <= LONGEST_SEGMENT; size *= 2) {
            n = add_segment(sizes, n, size);
        }
        for (int i = 0; i < PB_WHOLE_COUNT; i++) {
            n = add_segment(sizes, n,
                            (uint64_t) pb_whole_segments[i] * model->payload - model->overhead);
        }
        /* Half of one: half as long on each hop, for one header more. */
        n = add_segment(sizes, n, model->payload / 2 - model->overhead);
    }
    chooser->n_segments = n;
    for (int i = 0; i < n; i++) {
        chooser->segments[i] = pb_segment_cost(model, sizes[i]);
    }
}

/** The kinds that are tried unless one is forced, in the order of the rule. */
static void list_kinds(pb_chooser_t *chooser)
{
    pb_kind_t kinds[PB_KIND_COUNT];
    const int n = pb_kinds_by_turn(kinds);
    for (int i = 0; i < n; i++) {
        if ((chooser->options.excluded >> kinds[i] & 1) == 0) {
            chooser->kinds[chooser->n_kinds++] = kinds[i];
        }
    }
}

/** No segment of a message of `bytes` is longer. */
static uint64_t segment_limit(const pb_chooser_t *chooser, uint64_t bytes)
{
    if (chooser->options.segment != 0) {
        return chooser->options.segment;
    }
    if (chooser->model->measured) {
        return LONGEST_SEGMENT;
    }
    /* A claimed speed may be far from the wire's (virtual links claim any): then
     * a segment that is too long costs more than one that is too short. */
    return bytes / 256 <= PB_CHOOSE_ASSUMED_SEGMENT ? PB_CHOOSE_ASSUMED_SEGMENT
           : bytes / 256 < LONGEST_SEGMENT          ? bytes / 256
                                                    : LONGEST_SEGMENT;
}

/* ---- profiles ---- */

static void clear_root(pb_chooser_t *chooser, root_profiles_t *root)
{
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        chooser->n_profiles -= root->profiles[kind] != NULL;
        free(root->profiles[kind]);
    }
    chooser->n_profiles -= root->fallback != NULL;
    free(root->fallback);
    memset(root, 0, sizeof(*root));
    root->root = -1;
}

/** The root's profiles; those of the root that was longest unused give way. */
static root_profiles_t *find_root(pb_chooser_t *user, int root)
{
    pb_chooser_t *chooser = user->profiler;
    root_profiles_t *oldest = &chooser->roots[0];
    for (int i = 0; i < MAX_ROOTS; i++) {
        root_profiles_t *at = &chooser->roots[i];
        if (at->root == root) {
            at->used = ++chooser->clock;
            return at;
        }
        oldest = at->used < oldest->used ? at : oldest;
    }
    clear_root(chooser, oldest);
    oldest->root = root;
    oldest->used = ++chooser->clock;
    return oldest;
}

static void drop_plan(root_plan_t *of)
{
    pb_plan_free(of->plan);
    of->plan = NULL;
}

/** The plan that was made for a profile of `kind`, if any, is kept if that is the best so far. */
static void settle_plan(pb_chooser_t *chooser, pb_kind_t kind, const pb_candidate_t *best)
{
    root_plan_t *made = &chooser->profiler->made;
    if (made->plan == NULL) {
        return;
    }
    if (best != NULL && best->kind == (int) kind) {
        drop_plan(&chooser->kept);
        chooser->kept = *made;
        made->plan = NULL;
    }
    drop_plan(made);
}

static void drop_view(pb_chooser_t *chooser)
{
    pb_view_free(chooser->view);
    chooser->view = NULL;
}

/** Drops what the profiles of one choice share. */
static void drop_shared(const pb_chooser_t *user)
{
    drop_view(user->profiler);
    pb_profile_ground_free(user->profiler->ground);
    user->profiler->ground = NULL;
}

static int get_ground(pb_chooser_t *chooser)
{
    if (chooser->ground == NULL) {
        chooser->ground = pb_profile_ground_new(chooser->placement);
    }
    return chooser->ground != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

/** The view of a root, which the kinds share. */
static int get_view(pb_chooser_t *chooser, int root)
{
    if (chooser->view != NULL && chooser->view->order[0] == root) {
        return PB_SUCCESS;
    }
    drop_view(chooser);
    return pb_view_new(chooser->placement, root, NULL, 0, &chooser->view);
}

/** Makes the profile, and leaves its plan in chooser->made. */
static int make_profile(pb_chooser_t *chooser, int root, pb_kind_t kind, pb_profile_t *profile)
{
    pb_plan_t *plan = NULL;
    int rc = get_view(chooser, root);
    if (rc == PB_SUCCESS) {
        rc = pb_plan_compute(chooser->view, kind, &chooser->options.plan, &plan);
    }
    if (rc == PB_SUCCESS) {
        rc = get_ground(chooser);
    }
    if (rc == PB_SUCCESS) {
        pb_profile_plan_on(chooser->ground, plan, profile);
        profile->height_inside = plan->leader != NULL ? chooser->height_inside : 0;
    }
    drop_plan(&chooser->made);
    chooser->made = (root_plan_t){.root = root, .kind = kind, .plan = plan};
    return rc;
}

/** The profile of a kind; NULL with PB_SUCCESS if the kind does not fit. */
static int get_profile(pb_chooser_t *user, root_profiles_t *root, pb_kind_t kind,
                       const pb_profile_t **profile_p)
{
    pb_chooser_t *chooser = user->profiler;
    *profile_p = root->profiles[kind];
    if (*profile_p != NULL || root->unfit[kind]) {
        return PB_SUCCESS;
    }
    pb_profile_t *profile = malloc(sizeof(*profile));
    int rc = profile == NULL ? PB_ERR_NO_MEMORY : make_profile(chooser, root->root, kind, profile);
    if (rc != PB_SUCCESS) {
        free(profile);
        root->unfit[kind] = rc == PB_ERR_UNFIT;
        return rc == PB_ERR_UNFIT ? PB_SUCCESS : rc;
    }
    root->profiles[kind] = profile;
    chooser->n_profiles++;
    *profile_p = profile;
    return PB_SUCCESS;
}

/** Segments below half a frame, see PB_CHOOSE_UNSURE. */
static bool is_tiny(const pb_chooser_t *chooser, uint64_t segment)
{
    return segment != 0 && segment < chooser->model->payload / 2 - chooser->model->overhead;
}

/** By which a candidate that takes so long is chosen. */
static int64_t weight_of(const pb_chooser_t *chooser, const pb_candidate_t *candidate, int64_t time)
{
    const pb_kind_row_t *row =
        candidate->kind == PB_KIND_FALLBACK ? NULL : pb_kind_row((pb_kind_t) candidate->kind);
    const int reasons = (row != NULL && row->unsure) + is_tiny(chooser, candidate->segment);
    return time + reasons * (time / PB_CHOOSE_UNSURE);
}

/** By what the candidates of a kind are predicted: the profile of its plan, or if that is NULL the
 * least times of all its plans. */
typedef struct basis {
    const pb_profile_t *profile;
    const pb_least_t *least;
} basis_t;

static int64_t predict(const basis_t *basis, const pb_model_t *model, const pb_segment_cost_t *cost,
                       uint64_t bytes)
{
    return basis->profile != NULL ? pb_predict(basis->profile, model, cost, bytes)
                                  : pb_least_predict(basis->least, model, cost, bytes);
}

/** The geometric mean of two times that are not 0, by Newton's method, which comes from above. */
static int64_t mean_of(int64_t a, int64_t b)
{
    int64_t mean = (a + b) / 2, next = mean;
    do {
        mean = next;
        next = (mean + pb_time_scale(a, (uint64_t) b, (uint64_t) mean)) / 2;
    } while (next < mean);
    return mean;
}

/**
 * What a candidate's time counts for, where others like this communicator may broadcast, too. Least
 * times count as they are: beside others none is less.
 */
static int64_t among_alike(const pb_chooser_t *chooser, const basis_t *basis,
                           const pb_model_t *model, const pb_segment_cost_t *cost, uint64_t bytes,
                           int64_t time)
{
    const pb_profile_t *profile = basis->profile;
    const int n_alike = chooser->options.n_alike;
    return n_alike > 1 && profile != NULL && profile->crossing > 0 && time > 0
               ? mean_of(time, pb_predict_among(profile, model, cost, bytes, n_alike))
               : time;
}

/** Sets time and weight. */
static void judge(const pb_chooser_t *chooser, const basis_t *basis, const pb_segment_cost_t *cost,
                  uint64_t bytes, pb_candidate_t *candidate)
{
    candidate->time = predict(basis, chooser->model, cost, bytes);
    candidate->weight =
        weight_of(chooser, candidate,
                  among_alike(chooser, basis, chooser->model, cost, bytes, candidate->time));
}

/** The profile by which the fallback component's time is estimated. */
static int get_fallback(pb_chooser_t *user, root_profiles_t *root, const pb_profile_t **profile_p)
{
    pb_chooser_t *chooser = user->profiler;
    *profile_p = root->fallback;
    if (root->fallback != NULL) {
        return PB_SUCCESS;
    }
    pb_profile_t *profile = malloc(sizeof(*profile));
    const int rc = profile == NULL ? PB_ERR_NO_MEMORY : get_ground(chooser);
    if (rc != PB_SUCCESS) {
        free(profile);
        return rc;
    }
    pb_profile_fallback_on(chooser->ground, root->root, profile);
    root->fallback = profile;
    chooser->n_profiles++;
    *profile_p = profile;
    return PB_SUCCESS;
}

/** The fallback component's time: measured, or estimated. */
static int fallback_time(pb_chooser_t *chooser, root_profiles_t *root, uint64_t bytes,
                         pb_candidate_t *candidate)
{
    const int64_t measured = pb_model_fallback(chooser->model, chooser->placement->n_ranks, bytes);
    *candidate = (pb_candidate_t){
        .kind = PB_KIND_FALLBACK, .time = measured, .weight = measured, .estimated = measured < 0};
    if (measured >= 0 && chooser->options.n_alike <= 1) {
        return PB_SUCCESS;
    }
    const pb_profile_t *profile;
    const int rc = get_fallback(chooser, root, &profile);
    if (rc == PB_SUCCESS) {
        const pb_segment_cost_t cost = pb_segment_cost(chooser->model, bytes);
        judge(chooser, &(basis_t){.profile = profile}, &cost, bytes, candidate);
    }
    if (rc == PB_SUCCESS && measured >= 0) { /* beside others it is slower by as many times */
        candidate->weight =
            pb_time_scale(measured, (uint64_t) candidate->weight, (uint64_t) candidate->time + 1);
        candidate->time = measured;
    }
    return rc;
}

/* ---- candidates ---- */

/**
 * Shows a kind with every segment size to `visit`. Where the largest message of the
 * class must not go in one, the segments are tried that hold the smallest one only.
 */
static void visit_segments(const pb_chooser_t *chooser, int kind, const basis_t *basis,
                           uint64_t bytes, pb_choose_visit_t *visit, void *context)
{
    const uint64_t limit = segment_limit(chooser, bytes);
    pb_candidate_t candidate = {.kind = kind};
    const bool may_be_whole = largest_of_class(bytes) <= limit;
    const uint64_t longest = may_be_whole ? bytes : largest_of_class(bytes);
    if (may_be_whole) {
        const pb_segment_cost_t cost = pb_segment_cost(chooser->model, bytes);
        judge(chooser, basis, &cost, bytes, &candidate);
        visit(context, &candidate);
    }
    for (int i = 0; i < chooser->n_segments; i++) {
        candidate.segment = chooser->segments[i].segment;
        if (candidate.segment < longest && candidate.segment <= limit) {
            judge(chooser, basis, &chooser->segments[i], bytes, &candidate);
            visit(context, &candidate);
        }
    }
}

/** Whether a candidate is to be preferred to another one, of which time < 0 says there is none. */
static bool is_better(const pb_candidate_t *a, const pb_candidate_t *b)
{
    return b->time < 0 || a->weight < b->weight;
}

/** Whether the plan of a candidate is yet to be made, if that is needed. */
static bool is_unplanned(const field_t *field, const pb_candidate_t *candidate)
{
    return candidate->kind == PB_KIND_FALLBACK ? field->is_fallback_unplanned
                                               : (field->unplanned >> candidate->kind & 1) != 0;
}

/** For visit_all(): keeps all candidates. */
static void collect(void *context, const pb_candidate_t *candidate)
{
    field_t *field = context;
    field->candidates[field->n++] = *candidate;
    if (!is_unplanned(field, candidate) && is_better(candidate, &field->planned)) {
        field->planned = *candidate;
    }
}

/** Of the least weight, of all kinds but one; -1 if there is none. */
static int lightest(const field_t *field, int but_kind, bool is_planned)
{
    int best = -1;
    for (int i = 0; i < field->n; i++) {
        const pb_candidate_t *candidate = &field->candidates[i];
        if (candidate->kind != but_kind && (!is_planned || !is_unplanned(field, candidate)) &&
            (best < 0 || candidate->weight < field->candidates[best].weight)) {
            best = i;
        }
    }
    return best;
}

/* ---- choosing without measurements ---- */

/** Whether a candidate is one that a person without measurements would set: segments of 8 KB. */
static bool is_reference(const pb_chooser_t *chooser, const pb_candidate_t *candidate)
{
    return candidate->kind != PB_KIND_FALLBACK && !is_copied(candidate->kind) &&
           (chooser->options.segment != 0 || candidate->segment == 0 ||
            candidate->segment == PB_CHOOSE_ASSUMED_SEGMENT);
}

/**
 * Brings `farthest` of all candidates up to date by their times at one speed. Returns the kind
 * without a plan that may have the least weight, if there is one, or else NONE.
 */
static int compare_weights(field_t *field)
{
    int64_t least = PB_TIME_LONGEST;
    int unplanned = NONE;
    for (int i = 0; i < field->n; i++) {
        const pb_candidate_t *candidate = &field->candidates[i];
        if (field->weights[i] < least) {
            least = field->weights[i];
            unplanned = is_unplanned(field, candidate) ? candidate->kind : NONE;
        }
    }
    for (int i = 0; i < field->n; i++) {
        const int64_t ratio =
            pb_time_scale(field->weights[i], (uint64_t) EQUAL, (uint64_t) least + 1);
        field->farthest[i] = ratio > field->farthest[i] ? ratio : field->farthest[i];
    }
    return unplanned;
}

/** The same of `worst`, and the kind that may have the reference. */
static int compare_times(const pb_chooser_t *chooser, field_t *field)
{
    int64_t reference = PB_TIME_LONGEST;
    int unplanned = NONE;
    for (int i = 0; i < field->n; i++) {
        const pb_candidate_t *candidate = &field->candidates[i];
        if (is_reference(chooser, candidate) && field->times[i] < reference) {
            reference = field->times[i];
            unplanned = is_unplanned(field, candidate) ? candidate->kind : NONE;
        }
    }
    for (int i = 0; i < field->n; i++) {
        const int64_t time = field->times[i];
        int64_t ratio = pb_time_scale(time, (uint64_t) EQUAL, (uint64_t) reference + 1);
        ratio = time > reference && ratio <= EQUAL ? EQUAL + 1 : ratio;
        field->worst[i] = ratio > field->worst[i] ? ratio : field->worst[i];
    }
    return unplanned;
}

/** Both. */
static int weigh(const pb_chooser_t *chooser, field_t *field)
{
    const int unplanned = compare_times(chooser, field);
    return unplanned != NONE ? unplanned : compare_weights(field);
}

static basis_t basis_of(const pb_chooser_t *chooser, const field_t *field,
                        const root_profiles_t *root, const pb_candidate_t *candidate)
{
    const bool is_fallback = candidate->kind == PB_KIND_FALLBACK;
    basis_t basis = {.profile = NULL, .least = NULL};
    if (is_unplanned(field, candidate)) {
        basis.least = is_fallback ? &chooser->least_fallback : &field->least[candidate->kind];
    } else {
        basis.profile = is_fallback ? root->fallback : root->profiles[candidate->kind];
    }
    return basis;
}

/** The candidates' times at the speed of field->model. Their profiles are there. */
static void predict_all(const pb_chooser_t *chooser, const root_profiles_t *root, field_t *field)
{
    pb_segment_cost_t cost = {.segment = 0};
    bool copies = false;
    for (int i = 0; i < field->n; i++) {
        const pb_candidate_t *candidate = &field->candidates[i];
        const basis_t basis = basis_of(chooser, field, root, candidate);
        const uint64_t segment = candidate->segment != 0 ? candidate->segment : field->bytes;
        if (cost.segment != segment || copies != is_copied(candidate->kind)) {
            copies = is_copied(candidate->kind);
            cost = copies ? pb_segment_cost_in(basis.profile, &field->model, segment)
                          : pb_segment_cost(&field->model, segment);
        }
        field->times[i] = predict(&basis, &field->model, &cost, field->bytes);
        field->weights[i] = weight_of(
            chooser, candidate,
            among_alike(chooser, &basis, &field->model, &cost, field->bytes, field->times[i]));
    }
}

/** Whether candidate `a` is to be preferred to `b`, which comes before it or is -1. */
static bool is_safer(const field_t *field, int a, int b)
{
    if (b < 0) {
        return true;
    }
    const bool safe_a = field->worst[a] <= EQUAL, safe_b = field->worst[b] <= EQUAL;
    if (safe_a && safe_b) {
        return is_better(&field->candidates[a], &field->candidates[b]);
    }
    return field->worst[a] < field->worst[b];
}

/** The best candidate of all kinds but one; -1 if there is none. */
static int safest(const field_t *field, int but_kind, bool is_planned)
{
    int best = -1;
    for (int i = 0; i < field->n; i++) {
        const pb_candidate_t *candidate = &field->candidates[i];
        if (candidate->kind != but_kind && (!is_planned || !is_unplanned(field, candidate)) &&
            is_safer(field, i, best)) {
            best = i;
        }
    }
    return best;
}

/** The candidate for the first broadcast, where `best` is that of others. */
static int for_first(const field_t *field, int best)
{
    const pb_candidate_t *candidates = field->candidates;
    const int64_t longest = candidates[best].time + candidates[best].time / PB_CHOOSE_FIRST_PART;
    int first = best;
    if (candidates[best].kind == PB_KIND_FALLBACK) {
        return best;
    }
    for (int i = 0; i < field->n; i++) {
        if (candidates[i].kind != PB_KIND_FALLBACK && candidates[i].time <= longest &&
            field->farthest[i] < field->farthest[first]) {
            first = i;
        }
    }
    return first;
}

static bool fallback_is_candidate(const pb_model_t *model, const pb_choose_options_t *options,
                                  uint64_t bytes)
{
    return options->kind == PB_CHOOSE_ALL &&
           (model->measured || bytes < PB_CHOOSE_ASSUMED_FALLBACK);
}

bool pb_choose_may_pass(const pb_model_t *model, const pb_choose_options_t *options, uint64_t bytes)
{
    const bool fits =
        options->kind < 0 || pb_kind_always_fits((pb_kind_t) options->kind, &options->plan);
    return !fits || fallback_is_candidate(model, options, pb_size_class(bytes));
}

/** Shows the one candidate of a kind whose frames switches copy. */
static void visit_frame(const pb_chooser_t *chooser, int kind, const basis_t *basis, uint64_t bytes,
                        pb_choose_visit_t *visit, void *context)
{
    pb_candidate_t candidate = {.kind = kind, .segment = chooser->options.frame};
    const pb_segment_cost_t cost =
        pb_segment_cost_in(basis->profile, chooser->model, candidate.segment);
    judge(chooser, basis, &cost, bytes, &candidate);
    visit(context, &candidate);
}

/** Shows the candidates of one kind; *seen_p is set if it fits. */
static int visit_kind(pb_chooser_t *chooser, root_profiles_t *root, pb_kind_t kind, uint64_t bytes,
                      pb_choose_visit_t *visit, void *context, bool *seen_p)
{
    const pb_profile_t *profile;
    int rc = get_profile(chooser, root, kind, &profile);
    if (rc == PB_SUCCESS && profile != NULL) {
        (profile->copies ? visit_frame : visit_segments)(
            chooser, (int) kind, &(basis_t){.profile = profile}, bytes, visit, context);
        *seen_p = true;
    }
    return rc;
}

/** Whether the plan of a kind need not be made at first. */
static bool has_least_times(const pb_chooser_t *chooser, pb_kind_t kind)
{
    return chooser->least[kind].n_ways > 0;
}

/** Shows the fallback component, as visit_all(). */
static int visit_fallback(pb_chooser_t *chooser, root_profiles_t *root, uint64_t bytes,
                          pb_choose_visit_t *visit, void *context, field_t *field)
{
    pb_candidate_t candidate = {.kind = PB_KIND_FALLBACK, .estimated = true};
    int rc = PB_SUCCESS;
    if (field != NULL && chooser->least_fallback.n_ways > 0 &&
        pb_model_fallback(chooser->model, chooser->placement->n_ranks, bytes) < 0) {
        const pb_segment_cost_t cost = pb_segment_cost(chooser->model, bytes);
        judge(chooser, &(basis_t){.least = &chooser->least_fallback}, &cost, bytes, &candidate);
        field->is_fallback_unplanned = true;
    } else {
        rc = fallback_time(chooser, root, bytes, &candidate);
    }
    if (rc == PB_SUCCESS) {
        visit(context, &candidate);
    }
    return rc;
}

/**
 * Shows all candidates. With `field`, to which `visit` adds them, those of which least times are
 * known are shown with these, without plans.
 */
static int visit_all(pb_chooser_t *chooser, int root, uint64_t bytes, pb_choose_visit_t *visit,
                     void *context, field_t *field)
{
    root_profiles_t *profiles = find_root(chooser, root);
    const pb_candidate_t *best = field != NULL ? &field->planned : NULL;
    bool seen = false;
    int rc = PB_SUCCESS;
    const int only = pb_choose_kind(&chooser->options);
    if (only >= 0) {
        rc = visit_kind(chooser, profiles, (pb_kind_t) only, bytes, visit, context, &seen);
        settle_plan(chooser, (pb_kind_t) only, best);
        return rc == PB_SUCCESS && !seen ? PB_ERR_UNFIT : rc;
    }
    if (fallback_is_candidate(chooser->model, &chooser->options, bytes)) {
        rc = visit_fallback(chooser, profiles, bytes, visit, context, field);
    }
    for (int i = 0; i < chooser->n_kinds && rc == PB_SUCCESS; i++) {
        const pb_kind_t kind = chooser->kinds[i];
        if (is_copied((int) kind) && chooser->options.frame == 0) {
            continue;
        }
        /* Without regard to what is known already, so that ranks never differ. */
        if (field != NULL && has_least_times(chooser, kind)) {
            field->unplanned |= UINT32_C(1) << kind;
            visit_segments(chooser, (int) kind, &(basis_t){.least = &field->least[kind]}, bytes,
                           visit, context);
            continue;
        }
        rc = visit_kind(chooser, profiles, kind, bytes, visit, context, &seen);
        settle_plan(chooser, kind, best);
    }
    return rc;
}

/** Predicts the candidates of a kind anew; they are gone where there is no basis. */
static void judge_again(const pb_chooser_t *chooser, int kind, const basis_t *basis, field_t *field)
{
    const bool is_gone = basis->profile == NULL && basis->least == NULL;
    const int n = field->n;
    field->n = 0;
    for (int i = 0; i < n; i++) {
        pb_candidate_t candidate = field->candidates[i];
        if (candidate.kind == kind && is_gone) {
            continue;
        }
        if (candidate.kind == kind) {
            const pb_segment_cost_t cost = pb_segment_cost(
                chooser->model, candidate.segment != 0 ? candidate.segment : field->bytes);
            judge(chooser, basis, &cost, field->bytes, &candidate);
        }
        collect(field, &candidate);
    }
}

/** Makes the plan of a kind. Its candidates are gone if it does not fit. */
static int plan_kind(pb_chooser_t *chooser, int root, pb_kind_t kind, field_t *field)
{
    basis_t basis = {.least = NULL};
    const int rc = get_profile(chooser, find_root(chooser, root), kind, &basis.profile);
    if (rc == PB_SUCCESS) {
        field->unplanned &= ~(UINT32_C(1) << kind);
        judge_again(chooser, (int) kind, &basis, field);
        settle_plan(chooser, kind, &field->planned);
    }
    return rc;
}

/** The same of the fallback component. */
static int profile_fallback(pb_chooser_t *chooser, int root, field_t *field)
{
    basis_t basis = {.least = NULL};
    const int rc = get_fallback(chooser, find_root(chooser, root), &basis.profile);
    if (rc == PB_SUCCESS) {
        field->is_fallback_unplanned = false;
        judge_again(chooser, PB_KIND_FALLBACK, &basis, field);
    }
    return rc;
}

/**
 * Whether more can be known of a kind than at first, in less time than its plan takes. Where
 * nothing was measured, that seldom is enough, for all speeds.
 */
static bool may_look_at(const pb_chooser_t *chooser, pb_kind_t kind, const field_t *field)
{
    return chooser->model->measured && chooser->one_on_each_host &&
           chooser->placement->n_ranks >= LOOK_FROM && (field->looked_at >> kind & 1) == 0;
}

/**
 * Looks closer at a kind on which the choice depends: at what is known of its plans for this root,
 * without regard to profiles that are there.
 */
static int look_at(pb_chooser_t *chooser, int root, pb_kind_t kind, field_t *field)
{
    field->looked_at |= UINT32_C(1) << kind;
    int rc = get_view(chooser->profiler, root);
    if (rc == PB_SUCCESS && field->distances.n == 0) {
        rc = pb_least_look_far(chooser->profiler->view, &field->distances);
    }
    if (rc == PB_SUCCESS) {
        rc = pb_least_look(&field->least[kind], kind, chooser->profiler->view, &field->distances);
    }
    if (rc == PB_SUCCESS) {
        judge_again(chooser, (int) kind, &(basis_t){.least = &field->least[kind]}, field);
    }
    return rc;
}

/* ---- choices that were made ---- */

/** The entry of a choice, or the free one where it belongs; there is always a free one. */
static made_choice_t *find_choice(const pb_chooser_t *chooser, int root, uint64_t size_class)
{
    const uint64_t hash =
        pb_hash_end(pb_hash_number(pb_hash_number(PB_HASH_START, (uint64_t) root), size_class));
    size_t at = (size_t) hash & (chooser->capacity - 1);
    while (chooser->choices[at].size_class != 0 &&
           (chooser->choices[at].size_class != size_class || chooser->choices[at].root != root)) {
        at = (at + 1) & (chooser->capacity - 1);
    }
    return &chooser->choices[at];
}

/** Makes room for one more: a larger table, or at the bound an empty one. */
static int make_room(pb_chooser_t *chooser)
{
    if (4 * (chooser->n_choices + 1) <= 3 * chooser->capacity) {
        return PB_SUCCESS;
    }
    made_choice_t *old = chooser->choices;
    const size_t old_capacity = chooser->capacity;
    if (old_capacity == MAX_CHOICES) {
        memset(old, 0, old_capacity * sizeof(*old));
        chooser->n_choices = 0;
        return PB_SUCCESS;
    }
    const size_t capacity = old_capacity > 0 ? 2 * old_capacity : FEWEST_CHOICES;
    made_choice_t *choices = calloc(capacity, sizeof(*choices));
    if (choices == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    chooser->choices = choices;
    chooser->capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].size_class != 0) {
            *find_choice(chooser, old[i].root, old[i].size_class) = old[i];
        }
    }
    free(old);
    return PB_SUCCESS;
}

/** What is chosen of the field; each is the index of a candidate, -1: there is none. */
typedef struct picked {
    int best, first, next;
} picked_t;

/** The kind of one that was picked, if there is no plan of it; else NONE. */
static int unplanned_kind(const field_t *field, int picked)
{
    const pb_candidate_t *candidate = &field->candidates[picked];
    return is_unplanned(field, candidate) ? candidate->kind : NONE;
}

/**
 * Picks by the times as they are. Returns the kind without a plan on which that depends, or NONE:
 * then it would be the same with the plans of all kinds, as longer times only make a candidate
 * worse.
 */
static int pick_measured(const field_t *field, picked_t *picked)
{
    picked->best = picked->first = lightest(field, PB_KIND_COUNT, false);
    picked->next = lightest(field, field->candidates[picked->best].kind, true);
    return unplanned_kind(field, picked->best);
}

/**
 * The same: the fastest by the speed that the links claim, of those that are no slower than the
 * best with segments of 8 KB at any of the speeds; if there are none, the one that is least slower.
 */
static int pick_doubtful(pb_chooser_t *chooser, int root, field_t *field, picked_t *picked)
{
    uint64_t speed = chooser->model->speed;
    memset(field->worst, 0, sizeof(field->worst));
    memset(field->farthest, 0, sizeof(field->farthest));
    for (int i = 0; i < field->n; i++) {
        field->times[i] = field->candidates[i].time;
        field->weights[i] = field->candidates[i].weight;
    }
    int unplanned = weigh(chooser, field);
    for (int i = 1; i < N_SPEEDS && speed >= 10 && unplanned == NONE; i++) {
        speed /= 10;
        pb_model_assume_other(chooser->model, speed, &field->model);
        predict_all(chooser, find_root(chooser, root), field);
        unplanned = weigh(chooser, field);
    }
    if (unplanned != NONE) {
        return unplanned;
    }
    picked->best = safest(field, PB_KIND_COUNT, false);
    picked->first = for_first(field, picked->best);
    picked->next = safest(field, field->candidates[picked->best].kind, true);
    unplanned = unplanned_kind(field, picked->best);
    return unplanned != NONE ? unplanned : unplanned_kind(field, picked->first);
}

/** Brings the times of a kind without a plan, on which the choice depends, nearer to the truth. */
static int know_more(pb_chooser_t *chooser, int root, int unplanned, field_t *field)
{
    const pb_kind_t kind = (pb_kind_t) unplanned;
    if (unplanned == PB_KIND_FALLBACK) {
        return profile_fallback(chooser, root, field);
    }
    return may_look_at(chooser, kind, field) ? look_at(chooser, root, kind, field)
                                             : plan_kind(chooser, root, kind, field);
}

/** Fills a field, and makes plans until the choice is sure. */
static int fill_field(pb_chooser_t *chooser, int root, field_t *field, picked_t *picked)
{
    int rc = visit_all(chooser, root, field->bytes, collect, field, field);
    while (rc == PB_SUCCESS && field->n > 0) {
        const int unplanned = chooser->model->measured
                                  ? pick_measured(field, picked)
                                  : pick_doubtful(chooser, root, field, picked);
        if (unplanned == NONE) {
            break;
        }
        rc = know_more(chooser, root, unplanned, field);
    }
    return rc;
}

static int choose_new(pb_chooser_t *chooser, int root, uint64_t size_class, pb_choice_t *choice)
{
    static const pb_choice_t none = {.best.time = -1, .first.time = -1, .next.time = -1};
    field_t *field = calloc(1, sizeof(*field));
    picked_t picked = {-1, -1, -1};
    if (field == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    field->bytes = size_class;
    field->planned.time = -1;
    memcpy(field->least, chooser->least, sizeof(field->least));
    const int rc = fill_field(chooser, root, field, &picked);
    *choice = none;
    if (rc == PB_SUCCESS && field->n > 0) {
        choice->best = field->candidates[picked.best];
        choice->first = field->candidates[picked.first];
        choice->next = picked.next >= 0 ? field->candidates[picked.next] : none.next;
    }
    free(field);
    return rc;
}

/** As pb_choose(), and leaves the plan, if it was computed, in chooser->kept. */
static int choose(pb_chooser_t *chooser, int root, uint64_t bytes, pb_choice_t *choice)
{
    const uint64_t size_class = pb_size_class(bytes);
    made_choice_t *made = chooser->capacity > 0 ? find_choice(chooser, root, size_class) : NULL;
    if (made == NULL || made->size_class == 0) {
        pb_choice_t best;
        int rc = make_room(chooser);
        if (rc != PB_SUCCESS) {
            return rc;
        }
        rc = choose_new(chooser, root, size_class, &best);
        if (rc != PB_SUCCESS) {
            return rc;
        }
        made = find_choice(chooser, root, size_class); /* in a table with room */
        *made = (made_choice_t){.size_class = size_class, .root = root, .choice = best};
        chooser->n_choices++;
    }
    *choice = made->choice;
    return PB_SUCCESS;
}

int pb_choose_plan(pb_chooser_t *chooser, int root, uint64_t bytes, pb_choice_t *choice,
                   pb_plan_t **plan_p)
{
    root_plan_t *kept = &chooser->kept;
    const int rc = choose(chooser, root, bytes, choice);
    *plan_p = NULL;
    if (rc == PB_SUCCESS && kept->plan != NULL && (int) kept->kind == choice->best.kind) {
        *plan_p = kept->plan;
        kept->plan = NULL;
    }
    drop_plan(kept);
    drop_plan(&chooser->profiler->made);
    drop_shared(chooser);
    return rc;
}

int pb_choose(pb_chooser_t *chooser, int root, uint64_t bytes, pb_choice_t *choice)
{
    pb_plan_t *plan;
    const int rc = pb_choose_plan(chooser, root, bytes, choice, &plan);
    pb_plan_free(plan);
    return rc;
}

int pb_choose_explain(pb_chooser_t *chooser, int root, uint64_t bytes, pb_choose_visit_t *visit,
                      void *context)
{
    const int rc = visit_all(chooser, root, pb_size_class(bytes), visit, context, NULL);
    drop_shared(chooser);
    return rc;
}

int64_t pb_choose_time(pb_chooser_t *chooser, int root, uint64_t bytes,
                       const pb_candidate_t *candidate)
{
    pb_candidate_t fallback;
    if (candidate->kind != PB_KIND_FALLBACK) {
        return pb_choose_time_by(chooser, chooser->model, root, bytes, candidate);
    }
    const int rc = fallback_time(chooser, find_root(chooser, root), bytes, &fallback);
    drop_shared(chooser);
    return rc == PB_SUCCESS ? fallback.time : -1;
}

int64_t pb_choose_time_by(pb_chooser_t *chooser, const pb_model_t *model, int root, uint64_t bytes,
                          const pb_candidate_t *candidate)
{
    const pb_profile_t *profile;
    const uint64_t segment = pb_candidate_segment(candidate, bytes);
    const int rc =
        candidate->kind == PB_KIND_FALLBACK
            ? get_fallback(chooser, find_root(chooser, root), &profile)
            : get_profile(chooser, find_root(chooser, root), (pb_kind_t) candidate->kind, &profile);
    if (candidate->kind != PB_KIND_FALLBACK) {
        settle_plan(chooser, (pb_kind_t) candidate->kind, NULL);
    }
    drop_shared(chooser);
    if (rc != PB_SUCCESS || profile == NULL) {
        return -1;
    }
    const pb_segment_cost_t cost = pb_segment_cost_in(profile, model, segment);
    return pb_predict(profile, model, &cost, bytes);
}

uint64_t pb_choose_piece(const pb_chooser_t *chooser, pb_kind_t kind, uint64_t bytes)
{
    return chooser->height_inside > 0 && pb_kind_has_leaders(kind)
               ? pb_piece_size(chooser->model, chooser->height_inside, bytes)
               : 0;
}

uint64_t pb_candidate_segment(const pb_candidate_t *candidate, uint64_t bytes)
{
    return candidate->segment > 0 && candidate->segment < bytes ? candidate->segment : bytes;
}

uint64_t pb_choose_first(const pb_chooser_t *chooser, const pb_candidate_t *candidate,
                         uint64_t bytes)
{
    const uint64_t segment = pb_candidate_segment(candidate, bytes);
    const uint64_t piece = candidate->kind != PB_KIND_FALLBACK
                               ? pb_choose_piece(chooser, (pb_kind_t) candidate->kind, bytes)
                               : 0;
    return piece > segment ? piece : segment;
}

/** The bits of kinds that are for hosts with one rank each. */
static uint32_t kinds_for_one_each(void)
{
    uint32_t bits = 0;
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        bits |= (uint32_t) pb_kind_row((pb_kind_t) kind)->one_each << kind;
    }
    return bits;
}

/** The least times of the kinds that may be chosen. By leaders, one rank of each host sends. */
static int list_least_times(pb_chooser_t *chooser, int n_hosts, int most_on_host)
{
    const bool by_leaders = chooser->height_inside > 0;
    const bool is_large = chooser->one_on_each_host && n_hosts >= LOOK_FROM;
    pb_least_hosts_t hosts;
    const int rc =
        pb_least_hosts(chooser->placement, n_hosts, by_leaders ? 1 : most_on_host, &hosts);
    for (int i = 0; i < chooser->n_kinds && rc == PB_SUCCESS; i++) {
        const pb_kind_t kind = chooser->kinds[i];
        const pb_bound_t bound = pb_kind_row(kind)->bound;
        /* Plans of these kinds are as soon made as bounds, among few ranks. */
        if (is_large || (bound != PB_BOUND_ROOT && bound != PB_BOUND_PHASES)) {
            chooser->least[kind] = pb_least_of(&hosts, kind, &chooser->options.plan);
        }
    }
    if (rc == PB_SUCCESS && is_large) {
        chooser->least_fallback = pb_least_of_fallback(&hosts);
    }
    return rc;
}

pb_chooser_t *pb_chooser_new(const pb_placement_t *placement, const pb_model_t *model,
                             const pb_choose_options_t *options)
{
    pb_chooser_t *chooser = calloc(1, sizeof(*chooser));
    if (chooser == NULL) {
        return NULL;
    }
    chooser->profiler = chooser;
    chooser->placement = placement;
    chooser->model = model;
    chooser->options = *options;
    for (int i = 0; i < MAX_ROOTS; i++) {
        chooser->roots[i].root = -1;
    }
    const int n_hosts = pb_placement_n_hosts(placement);
    const int most = pb_placement_most_on_host(placement);
    if (n_hosts < 0 || most < 0) {
        free(chooser);
        return NULL;
    }
    chooser->options.excluded |= most > 1 ? kinds_for_one_each() : 0;
    if (options->plan.leaders && pb_leaders_matter(n_hosts, placement->n_ranks)) {
        chooser->height_inside = pb_leaders_height(most);
    }
    chooser->one_on_each_host = most == 1;
    list_kinds(chooser);
    if (list_least_times(chooser, n_hosts, most) != PB_SUCCESS) {
        free(chooser);
        return NULL;
    }
    list_segments(chooser);
    return chooser;
}

pb_chooser_t *pb_chooser_new_beside(pb_chooser_t *other, const pb_model_t *model)
{
    pb_chooser_t *chooser = pb_chooser_new(other->placement, model, &other->options);
    if (chooser != NULL) {
        chooser->profiler = other->profiler;
    }
    return chooser;
}

static void drop_choices(pb_chooser_t *chooser)
{
    free(chooser->choices);
    chooser->choices = NULL;
    chooser->n_choices = chooser->capacity = 0;
}

void pb_chooser_renew(pb_chooser_t *chooser)
{
    drop_choices(chooser);
    list_segments(chooser);
}

void pb_chooser_set_frame(pb_chooser_t *chooser, uint64_t frame)
{
    chooser->options.frame = frame;
    drop_choices(chooser);
}

size_t pb_chooser_memory(const pb_chooser_t *chooser)
{
    return chooser->capacity * sizeof(*chooser->choices) +
           chooser->n_profiles * sizeof(pb_profile_t);
}

void pb_chooser_forget(pb_chooser_t *chooser)
{
    for (int i = 0; i < MAX_ROOTS; i++) {
        clear_root(chooser, &chooser->roots[i]);
    }
    drop_plan(&chooser->made);
    drop_plan(&chooser->kept);
    drop_shared(chooser);
    drop_choices(chooser);
}

void pb_chooser_free(pb_chooser_t *chooser)
{
    if (chooser != NULL) {
        pb_chooser_forget(chooser);
        free(chooser);
    }
}
