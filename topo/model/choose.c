#include "topo/model/choose.h"

#include <stdlib.h>
#include <string.h>

#include "topo/model/piece.h"
#include "topo/model/predict.h"
#include "topo/trees/leaders.h"
#include "topo/trees/shapes.h"
#include "topo/util/kit.h"
#include "topo/util/times.h"

/** Roots whose profiles are kept. */
#define MAX_ROOTS 16

/** Choices that are kept. */
#define MAX_CHOICES 32768

/** Sizes of segments that are tried: see list_segments(). */
#define MAX_SEGMENTS 40

/**
 * No segment is longer. Over TCP, MPI asks before it sends more than its eager limit, 64 KB with
 * its header, and cuts longer messages itself. So longer segments win nothing. Measured:
 * doc/design/candidates.md.
 */
#define LONGEST_SEGMENT (UINT64_C(1) << 16)

/** Profiles for one root: by kind, and the fallback component's. */
typedef struct root_profiles {
    int root; /**< -1: none */
    uint64_t used;
    pb_profile_t *profiles[PB_KIND_COUNT]; /**< NULL: not made */
    pb_profile_t *fallback;
} root_profiles_t;

/** Parts that the profiles made for one choice share. All zeros: nothing was made. */
typedef struct workshop {
    int root;
    pb_view_t *view;
    pb_profile_ground_t *ground;
    pb_plan_t *plan; /**< of the profile that was made last; NULL: it was known */
} workshop_t;

struct pb_chooser {
    const pb_placement_t *placement;
    const pb_model_t *model;
    pb_choose_options_t options;
    int height_inside; /**< of trees inside hosts; 0: plans are not by leaders */
    int n_kinds;
    pb_kind_t kinds[PB_KIND_COUNT]; /**< tried unless one is forced, in the order of the rule */
    int n_segments;
    pb_segment_cost_t segments[MAX_SEGMENTS]; /**< falling */
    root_profiles_t roots[MAX_ROOTS];
    uint64_t clock;    /**< counts uses of roots */
    size_t n_profiles; /**< of all roots */
    pb_shapes_t made;  /**< the root and class of each choice */
    pb_candidate_t *choices;
    int capacity; /**< of choices */
};

/** Bits of a number, of PB_CHOOSE_SHORT at least, behind the first four. */
static int class_shift(uint64_t bytes)
{
    return 60 - __builtin_clzll(bytes);
}

uint64_t pb_size_class(uint64_t bytes)
{
    if (bytes < PB_CHOOSE_SHORT) {
        return bytes < PB_CHOOSE_SHORT / 8 ? 1 : PB_CHOOSE_SHORT / 8;
    }
    const int shift = class_shift(bytes);
    return bytes >> shift << shift;
}

/** The largest message of a class. */
static uint64_t largest_of_class(uint64_t size_class)
{
    if (size_class < PB_CHOOSE_SHORT) {
        return size_class == 1 ? PB_CHOOSE_SHORT / 8 - 1 : PB_CHOOSE_SHORT - 1;
    }
    return size_class + (UINT64_C(1) << class_shift(size_class)) - 1;
}

const char *pb_candidate_name(const pb_candidate_t *candidate)
{
    return candidate->kind == PB_KIND_FALLBACK ? "fallback"
                                               : pb_kind_name((pb_kind_t) candidate->kind);
}

/* ---- multicast ---- */

/** Tells whether switches copy a candidate's frames. */
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

/**
 * The paper's eight sizes (paper 2, section 5.1), their doubles up to 64 KiB, and those that fill
 * whole TCP segments.
 */
static void list_segments(pb_chooser_t *chooser)
{
    uint64_t sizes[MAX_SEGMENTS] = {0};
    const pb_model_t *model = chooser->model;
    int n = 0;
    if (chooser->options.segment != 0) {
        n = pb_model_add_size(sizes, n, chooser->options.segment);
    } else {
        for (uint64_t size = 256; size <= LONGEST_SEGMENT; size *= 2) {
            n = pb_model_add_size(sizes, n, size);
        }
        for (int i = 0; i < PB_WHOLE_COUNT; i++) {
            n = pb_model_add_size(
                sizes, n, (uint64_t) pb_whole_segments[i] * model->payload - model->overhead);
        }
        /* Half of one: half as long on each hop, for one header more. */
        if (model->payload / 2 > model->overhead) {
            n = pb_model_add_size(sizes, n, model->payload / 2 - model->overhead);
        }
    }
    chooser->n_segments = n;
    for (int i = 0; i < n; i++) {
        chooser->segments[i] = pb_segment_cost(model, sizes[n - 1 - i]);
    }
}

/** Returns the length of the longest segment of a message of `bytes`, in a trial or a choice. */
static uint64_t segment_limit(const pb_chooser_t *chooser, uint64_t bytes, bool in_trial)
{
    if (chooser->options.segment != 0) {
        return chooser->options.segment;
    }
    if (chooser->model->measured) {
        return LONGEST_SEGMENT;
    }
    /* A reported speed may be far from the wire's (virtual links report any). A segment that is too
     * long then costs more than one that is too short. A trial goes one step further: more of them
     * would cost more than they find. */
    const uint64_t usual =
        bytes / 256 > PB_CHOOSE_ASSUMED_SEGMENT ? bytes / 256 : PB_CHOOSE_ASSUMED_SEGMENT;
    const uint64_t limit = in_trial ? 2 * usual : usual;
    return limit < LONGEST_SEGMENT ? limit : LONGEST_SEGMENT;
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
static root_profiles_t *find_root(pb_chooser_t *chooser, int root)
{
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

static void workshop_clear(workshop_t *workshop)
{
    pb_view_free(workshop->view);
    pb_profile_ground_free(workshop->ground);
    pb_plan_free(workshop->plan);
    *workshop = (workshop_t){0};
}

static int get_ground(const pb_chooser_t *chooser, workshop_t *workshop)
{
    if (workshop->ground == NULL) {
        workshop->ground = pb_profile_ground_new(chooser->placement);
    }
    return workshop->ground != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

/** Makes the plan of a kind, which stays in the workshop, and its profile. */
static int make_profile(const pb_chooser_t *chooser, int root, pb_kind_t kind, workshop_t *workshop,
                        pb_profile_t *profile)
{
    int rc = get_ground(chooser, workshop);
    if (rc == PB_SUCCESS && workshop->view == NULL) {
        rc = pb_view_new(chooser->placement, root, NULL, 0, &workshop->view);
    }
    if (rc == PB_SUCCESS) {
        rc = pb_plan_compute(workshop->view, kind, &chooser->options.plan, &workshop->plan);
    }
    if (rc == PB_SUCCESS) {
        pb_profile_plan(workshop->ground, workshop->plan, profile);
        profile->height_inside = workshop->plan->leader != NULL ? chooser->height_inside : 0;
    }
    return rc;
}

/** The profile of a kind. */
static int get_profile(pb_chooser_t *chooser, root_profiles_t *root, pb_kind_t kind,
                       workshop_t *workshop, const pb_profile_t **profile_p)
{
    pb_plan_free(workshop->plan);
    workshop->plan = NULL;
    *profile_p = root->profiles[kind];
    if (*profile_p != NULL) {
        return PB_SUCCESS;
    }
    pb_profile_t *profile = malloc(sizeof(*profile));
    const int rc = profile != NULL ? make_profile(chooser, root->root, kind, workshop, profile)
                                   : PB_ERR_NO_MEMORY;
    if (rc != PB_SUCCESS) {
        free(profile);
        return rc;
    }
    root->profiles[kind] = profile;
    chooser->n_profiles++;
    *profile_p = profile;
    return PB_SUCCESS;
}

/** The profile by which the fallback component's time is estimated. */
static int get_fallback(pb_chooser_t *chooser, root_profiles_t *root, workshop_t *workshop,
                        const pb_profile_t **profile_p)
{
    if (root->fallback == NULL) {
        pb_profile_t *profile = malloc(sizeof(*profile));
        const int rc = profile != NULL ? get_ground(chooser, workshop) : PB_ERR_NO_MEMORY;
        if (rc != PB_SUCCESS) {
            free(profile);
            return rc;
        }
        pb_profile_fallback(workshop->ground, root->root, profile);
        root->fallback = profile;
        chooser->n_profiles++;
    }
    *profile_p = root->fallback;
    return PB_SUCCESS;
}

/* ---- predicting one candidate ---- */

/** Segments below half a frame, see PB_CHOOSE_UNSURE. */
static bool is_tiny(const pb_chooser_t *chooser, uint64_t segment)
{
    return segment != 0 && segment + chooser->model->overhead < chooser->model->payload / 2;
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

/** The weight of a candidate's time where others like this communicator may broadcast, too. */
static int64_t among_alike(const pb_chooser_t *chooser, const pb_profile_t *profile,
                           const pb_segment_cost_t *cost, uint64_t bytes, int64_t time)
{
    const int n_alike = chooser->options.n_alike;
    return n_alike > 1 && profile->crossing > 0 && time > 0
               ? mean_of(time, pb_predict(profile, chooser->model, cost, bytes, n_alike))
               : time;
}

/** Sets time and weight. */
static void judge(const pb_chooser_t *chooser, const pb_profile_t *profile,
                  const pb_segment_cost_t *cost, uint64_t bytes, pb_candidate_t *candidate)
{
    candidate->time = pb_predict(profile, chooser->model, cost, bytes, 1);
    candidate->weight = among_alike(chooser, profile, cost, bytes, candidate->time);
    if (is_tiny(chooser, candidate->segment)) {
        candidate->weight += candidate->weight / PB_CHOOSE_UNSURE;
    }
}

/* ---- candidates ---- */

/** Is called after the candidates of each kind, with its plan, or NULL, in the workshop. */
typedef void after_kind_t(void *context, pb_kind_t kind, workshop_t *workshop);

/** To whom candidates are shown. */
typedef struct visitor {
    bool in_trial; /**< also those that are tried only, see segment_limit() */
    pb_choose_visit_t *visit;
    after_kind_t *after; /**< or NULL */
    void *context;
} visitor_t;

/**
 * Shows a kind with every segment size. Where the largest message of the class must not
 * go in one segment, only segments are tried that are shorter than it.
 */
static void visit_segments(const pb_chooser_t *chooser, int kind, const pb_profile_t *profile,
                           uint64_t bytes, const visitor_t *visitor)
{
    const uint64_t limit = segment_limit(chooser, bytes, visitor->in_trial);
    pb_candidate_t candidate = {.kind = kind};
    const bool may_be_whole = largest_of_class(bytes) <= limit;
    const uint64_t longest = may_be_whole ? bytes : largest_of_class(bytes);
    if (may_be_whole) {
        const pb_segment_cost_t cost = pb_segment_cost(chooser->model, bytes);
        judge(chooser, profile, &cost, bytes, &candidate);
        visitor->visit(visitor->context, &candidate);
    }
    for (int i = 0; i < chooser->n_segments; i++) {
        candidate.segment = chooser->segments[i].segment;
        if (candidate.segment < longest && candidate.segment <= limit) {
            judge(chooser, profile, &chooser->segments[i], bytes, &candidate);
            visitor->visit(visitor->context, &candidate);
        }
    }
}

/** Shows the one candidate of a kind whose frames switches copy. */
static void visit_frame(const pb_chooser_t *chooser, int kind, const pb_profile_t *profile,
                        uint64_t bytes, const visitor_t *visitor)
{
    pb_candidate_t candidate = {.kind = kind, .segment = chooser->options.frame};
    const pb_segment_cost_t cost = pb_segment_cost_in(profile, chooser->model, candidate.segment);
    judge(chooser, profile, &cost, bytes, &candidate);
    visitor->visit(visitor->context, &candidate);
}

bool pb_choose_may_pass(const pb_model_t *model, const pb_choose_options_t *options, uint64_t bytes)
{
    return options->kind == PB_CHOOSE_ALL &&
           (model->measured || bytes < PB_CHOOSE_ASSUMED_FALLBACK);
}

/** Shows the fallback component, whose time is estimated. */
static int visit_fallback(pb_chooser_t *chooser, root_profiles_t *root, uint64_t bytes,
                          workshop_t *workshop, const visitor_t *visitor)
{
    const pb_profile_t *profile;
    pb_candidate_t candidate = {.kind = PB_KIND_FALLBACK};
    const int rc = get_fallback(chooser, root, workshop, &profile);
    if (rc == PB_SUCCESS) {
        const pb_segment_cost_t cost = pb_segment_cost(chooser->model, bytes);
        judge(chooser, profile, &cost, bytes, &candidate);
        visitor->visit(visitor->context, &candidate);
    }
    return rc;
}

/** Shows the candidates of one kind, and leaves its plan in the workshop. */
static int visit_kind(pb_chooser_t *chooser, root_profiles_t *root, pb_kind_t kind, uint64_t bytes,
                      workshop_t *workshop, const visitor_t *visitor)
{
    const pb_profile_t *profile;
    const int rc = get_profile(chooser, root, kind, workshop, &profile);
    if (rc == PB_SUCCESS) {
        (profile->copies ? visit_frame : visit_segments)(chooser, (int) kind, profile, bytes,
                                                         visitor);
    }
    return rc;
}

/** Lists the kinds that are tried, in the order of the rule; returns how many they are. Kinds that
 * only pipelining makes fast are not planned for short messages. */
static int kinds_of(const pb_chooser_t *chooser, uint64_t bytes, pb_kind_t kinds[PB_KIND_COUNT])
{
    const int only = pb_choose_kind(&chooser->options);
    int n = 0;
    if (only >= 0) {
        kinds[n++] = (pb_kind_t) only;
    }
    for (int i = 0; i < chooser->n_kinds && only < 0; i++) {
        const pb_kind_row_t *row = pb_kind_row(chooser->kinds[i]);
        if ((bytes >= PB_CHOOSE_SHORT || row->is_for_short) &&
            (!row->copies || chooser->options.frame > 0)) {
            kinds[n++] = chooser->kinds[i];
        }
    }
    return n;
}

/** Shows all candidates. */
static int visit_all(pb_chooser_t *chooser, int root, uint64_t bytes, const visitor_t *visitor)
{
    root_profiles_t *profiles = find_root(chooser, root);
    workshop_t workshop = {0};
    pb_kind_t kinds[PB_KIND_COUNT];
    const int n_kinds = kinds_of(chooser, bytes, kinds);
    int rc = PB_SUCCESS;
    if (pb_choose_may_pass(chooser->model, &chooser->options, bytes)) {
        rc = visit_fallback(chooser, profiles, bytes, &workshop, visitor);
    }
    for (int i = 0; i < n_kinds && rc == PB_SUCCESS; i++) {
        rc = visit_kind(chooser, profiles, kinds[i], bytes, &workshop, visitor);
        if (rc == PB_SUCCESS && visitor->after != NULL) {
            visitor->after(visitor->context, kinds[i], &workshop);
        }
    }
    workshop_clear(&workshop);
    return rc;
}

/** The best of all candidates so far, with its plan. */
typedef struct pick {
    pb_candidate_t choice;
    pb_plan_t *plan; /**< NULL: it was not made in this choice */
} pick_t;

static void pick_best(void *context, const pb_candidate_t *candidate)
{
    pb_candidate_t *choice = &((pick_t *) context)->choice;
    if (choice->time < 0 || candidate->weight < choice->weight) {
        *choice = *candidate;
    }
}

static void keep_plan(void *context, pb_kind_t kind, workshop_t *workshop)
{
    pick_t *pick = context;
    if (pick->choice.kind == (int) kind) {
        pb_plan_free(pick->plan);
        pick->plan = workshop->plan;
        workshop->plan = NULL;
    }
}

/* ---- choices that were made ---- */

static void drop_choices(pb_chooser_t *chooser)
{
    free(chooser->choices);
    chooser->choices = NULL;
    chooser->capacity = 0;
    pb_shapes_clear(&chooser->made);
}

/** The choice for a root and class, whose best has no time if it is not made; NULL: no memory. */
static pb_candidate_t *find_choice(pb_chooser_t *chooser, int root, uint64_t size_class)
{
    const int key[] = {root, (int) (size_class >> 32), (int) (size_class & UINT32_MAX)};
    bool is_new;
    if (chooser->made.n == MAX_CHOICES) {
        drop_choices(chooser);
    }
    pb_candidate_t *choices =
        pb_grow(chooser->choices, chooser->made.n, &chooser->capacity, sizeof(*chooser->choices));
    if (choices == NULL) {
        return NULL;
    }
    chooser->choices = choices;
    const int at = pb_shapes_find(&chooser->made, key, 3, &is_new);
    if (at >= 0 && is_new) {
        choices[at] = (pb_candidate_t){.time = -1};
    }
    return at >= 0 ? &choices[at] : NULL;
}

int pb_choose_plan(pb_chooser_t *chooser, int root, uint64_t bytes, pb_candidate_t *choice,
                   pb_plan_t **plan_p)
{
    const uint64_t size_class = pb_size_class(bytes);
    pick_t pick = {.choice = {.time = -1}};
    *plan_p = NULL;
    pb_candidate_t *made = find_choice(chooser, root, size_class);
    if (made == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    if (made->time < 0) {
        const visitor_t visitor = {.visit = pick_best, .after = keep_plan, .context = &pick};
        const int rc = visit_all(chooser, root, size_class, &visitor);
        if (rc != PB_SUCCESS) {
            pb_plan_free(pick.plan);
            return rc;
        }
        *made = pick.choice;
    }
    *choice = *made;
    *plan_p = pick.plan;
    return PB_SUCCESS;
}

int pb_choose(pb_chooser_t *chooser, int root, uint64_t bytes, pb_candidate_t *choice)
{
    pb_plan_t *plan;
    const int rc = pb_choose_plan(chooser, root, bytes, choice, &plan);
    pb_plan_free(plan);
    return rc;
}

int pb_choose_explain(pb_chooser_t *chooser, int root, uint64_t bytes, bool in_trial,
                      pb_choose_visit_t *visit, void *context)
{
    const visitor_t visitor = {.in_trial = in_trial, .visit = visit, .context = context};
    return visit_all(chooser, root, pb_size_class(bytes), &visitor);
}

int64_t pb_choose_time(pb_chooser_t *chooser, int root, uint64_t bytes,
                       const pb_candidate_t *candidate)
{
    return pb_choose_time_by(chooser, chooser->model, root, bytes, candidate);
}

int64_t pb_choose_time_by(pb_chooser_t *chooser, const pb_model_t *model, int root, uint64_t bytes,
                          const pb_candidate_t *candidate)
{
    root_profiles_t *profiles = find_root(chooser, root);
    const pb_profile_t *profile;
    workshop_t workshop = {0};
    const int rc =
        candidate->kind == PB_KIND_FALLBACK
            ? get_fallback(chooser, profiles, &workshop, &profile)
            : get_profile(chooser, profiles, (pb_kind_t) candidate->kind, &workshop, &profile);
    workshop_clear(&workshop);
    if (rc != PB_SUCCESS) {
        return -1;
    }
    const pb_segment_cost_t cost =
        pb_segment_cost_in(profile, model, pb_candidate_segment(candidate, bytes));
    return pb_predict(profile, model, &cost, bytes, 1);
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

pb_chooser_t *pb_chooser_new(const pb_placement_t *placement, const pb_model_t *model,
                             const pb_choose_options_t *options)
{
    int n_hosts, most;
    pb_chooser_t *chooser =
        pb_placement_count(placement, &n_hosts, &most) ? calloc(1, sizeof(*chooser)) : NULL;
    if (chooser == NULL) {
        return NULL;
    }
    chooser->placement = placement;
    chooser->model = model;
    chooser->options = *options;
    for (int i = 0; i < MAX_ROOTS; i++) {
        chooser->roots[i].root = -1;
    }
    if (options->plan.leaders && n_hosts > 1) {
        chooser->height_inside = pb_leaders_height(most);
    }
    chooser->n_kinds = pb_kinds_by_turn(options->excluded, chooser->kinds);
    list_segments(chooser);
    return chooser;
}

void pb_chooser_set_model(pb_chooser_t *chooser, const pb_model_t *model)
{
    chooser->model = model;
    drop_choices(chooser);
    list_segments(chooser);
}

size_t pb_chooser_memory(const pb_chooser_t *chooser)
{
    return (size_t) chooser->capacity * sizeof(*chooser->choices) +
           pb_shapes_memory(&chooser->made) + chooser->n_profiles * sizeof(pb_profile_t);
}

void pb_chooser_forget(pb_chooser_t *chooser)
{
    for (int i = 0; i < MAX_ROOTS; i++) {
        clear_root(chooser, &chooser->roots[i]);
    }
    drop_choices(chooser);
}

void pb_chooser_free(pb_chooser_t *chooser)
{
    if (chooser != NULL) {
        pb_chooser_forget(chooser);
        free(chooser);
    }
}
