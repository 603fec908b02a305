/*
 * Communicators like one another: how many there are, what their plans put on the links that they
 * share, and what is chosen for that. How well it goes is what
 * "samples sharing" of contrib/experiments computes.
 */
#include <stdlib.h>

#include "test/must.h"
#include "test/tap.h"
#include "test/topo/model/planning.h"
#include "test/topo/trees/tree_case.h"
#include "topo/model/alike.h"
#include "topo/model/predict.h"

enum { N_SWITCHES = 6, N_HOSTS = 36, N_MEMBERS = 6, MAX_NODES = 64 };

/** A network, the hosts of a job that has one rank on each, and a communicator of some of them. */
typedef struct job {
    pb_network_t *network;
    int hosts[N_HOSTS];
    pb_placement_t *placement;
} job_t;

static void job_init(job_t *job, pb_random_t *random, pb_shape_t shape, int n_switches)
{
    int n = 0;
    job->network = pb_random_network(random, shape, n_switches, N_HOSTS, 0);
    for (int node = 0; node < pb_network_size(job->network); node++) {
        if (pb_network_node(job->network, node)->kind == PB_NODE_HOST) {
            job->hosts[n++] = node;
        }
    }
    pb_random_shuffle(random, job->hosts, N_HOSTS);
    job->placement = pb_placement_new(job->network, N_MEMBERS);
    for (int rank = 0; rank < N_MEMBERS; rank++) {
        job->placement->host[rank] = job->hosts[rank];
    }
}

static void job_clear(job_t *job)
{
    pb_placement_free(job->placement);
    pb_network_free(job->network);
}

static void test_count(void)
{
    static const struct {
        const char *what, *hosts;
        int n_at, n;
    } cases[] = {
        {"all ranks of a job are alone", "h[0-11]", 12, 1},
        {"rows of a job are as many as it has", "h0,h4,h8", 12, 4},
        {"what is behind one switch shares no link between switches", "h0,h1", 12, 1},
        {"ranks behind other switches do not count", "h0,h4", 12, 4},
        {"nor do those whose host is not known, or a part of one", "h0,h4,h8", -12, 3},
        {"a communicator is one at least", "h0,h4,h8", 0, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tree_case_t c;
        int at[12];
        tree_case_read(&c,
                       "SwitchName=s0 Switches=s[1-3];SwitchName=s1 Nodes=h[0-3];"
                       "SwitchName=s2 Nodes=h[4-7];SwitchName=s3 Nodes=h[8-11]",
                       cases[i].hosts, 0);
        for (int k = 0; k < 12; k++) {
            char name[8];
            snprintf(name, sizeof(name), "h%d", k);
            at[k] = cases[i].n_at < 0 && (k == 1 || k == 2) ? -1 : pb_network_find(c.network, name);
        }
        const int n = pb_alike(c.placement, at, abs(cases[i].n_at));
        ok(n == cases[i].n, "%s: %d", cases[i].what, n);
        tree_case_clear(&c);
    }
}

/** Segments of a round over a link between switches that is used, by the plan's edges. */
static double crossings(const job_t *job, const pb_plan_t *plan)
{
    int load[MAX_NODES] = {0}, links[MAX_NODES], sum = 0, n_used = 0;
    for (int s = 0; s < plan->n_streams; s++) {
        for (int rank = 0; rank < N_MEMBERS; rank++) {
            const int parent = plan->streams[s].parent[rank];
            const int n = parent >= 0 ? pb_placement_path(job->placement, parent, rank, links) : 0;
            for (int i = 0; i < n; i++) {
                load[pb_link_node(links[i])]++;
            }
        }
    }
    for (int node = 0; node < pb_network_size(job->network); node++) {
        const bool is_shared = pb_network_node(job->network, node)->kind == PB_NODE_SWITCH;
        sum += is_shared ? load[node] : 0;
        n_used += is_shared && load[node] > 0;
    }
    return n_used > 0 ? (double) sum / n_used : 0;
}

/** Facts of candidates. */
typedef struct looked {
    const job_t *job;
    const pb_model_t *model;
    uint64_t bytes;
    int n_alike;
    int n_wrong;
} looked_t;

/** The profile of a kind; its crossings are compared. */
static pb_profile_t profile_of(looked_t *looked, int kind)
{
    static const pb_plan_options_t options = {.fanout = 3};
    pb_view_t *view;
    pb_plan_t *plan;
    must(pb_view_new(looked->job->placement, 0, NULL, 0, &view) == PB_SUCCESS);
    must(pb_plan_compute(view, (pb_kind_t) kind, &options, &plan) == PB_SUCCESS);
    const pb_profile_t profile = planning_profile(looked->job->placement, plan);
    const double units = crossings(looked->job, plan) * PB_PROFILE_UNIT;
    looked->n_wrong += profile.crossing != (int64_t) (units + 0.5);
    pb_plan_free(plan);
    pb_view_free(view);
    return profile;
}

static void look(void *context, const pb_candidate_t *candidate)
{
    looked_t *looked = context;
    if (candidate->kind == PB_KIND_FALLBACK) {
        return;
    }
    const pb_profile_t profile = profile_of(looked, candidate->kind);
    const uint64_t segment = candidate->segment != 0 ? candidate->segment : looked->bytes;
    const pb_segment_cost_t cost = pb_segment_cost(looked->model, segment);
    const double alone = (double) pb_predict(&profile, looked->model, &cost, looked->bytes, 1);
    const double among =
        (double) pb_predict(&profile, looked->model, &cost, looked->bytes, looked->n_alike);
    const double weight = (double) candidate->weight, product = alone * among;
    looked->n_wrong += among < alone || alone != (double) candidate->time;
    if (segment >= 1426) { /* shorter ones are less sure, which weighs, too */
        looked->n_wrong += weight * weight > 1.0001 * product || weight * weight < 0.9999 * product;
    }
}

static pb_candidate_t choose(const job_t *job, const pb_model_t *model, uint64_t bytes, int n_alike)
{
    const pb_choose_options_t options = {
        .kind = PB_CHOOSE_OWN, .plan.fanout = 3, .n_alike = n_alike};
    pb_chooser_t *chooser = pb_chooser_new(job->placement, model, &options);
    pb_candidate_t choice;
    must(chooser != NULL && pb_choose(chooser, 0, bytes, &choice) == PB_SUCCESS);
    pb_chooser_free(chooser);
    return choice;
}

/** Looks at all candidates; how many are not weighed as they must be. */
static int n_wrong_of(looked_t looked)
{
    const pb_choose_options_t options = {
        .kind = PB_CHOOSE_OWN, .plan.fanout = 3, .n_alike = looked.n_alike};
    pb_chooser_t *chooser = pb_chooser_new(looked.job->placement, looked.model, &options);
    (void) pb_choose_explain(chooser, 0, looked.bytes, false, look, &looked);
    pb_chooser_free(chooser);
    return looked.n_wrong;
}

static bool is_same(const pb_candidate_t *a, const pb_candidate_t *b)
{
    return a->kind == b->kind && a->segment == b->segment && a->weight == b->weight;
}

static double crossings_of(const job_t *job, int kind)
{
    looked_t looked = {.job = job};
    const pb_profile_t profile = profile_of(&looked, kind);
    return (double) profile.crossing / PB_PROFILE_UNIT / profile.n_streams;
}

static void test_choice(void)
{
    pb_random_t random = pb_random_seed(31);
    int n_wrong = 0, n_other = 0, n_more = 0, n = 0, n_chains = 0;
    double alone = 0, among = 0;
    for (int i = 0; i < tap_trials(60, 24); i++) {
        const bool is_one_switch = i % 4 == 3;
        pb_model_t model;
        job_t job;
        job_init(&job, &random, i % 2 == 0 ? PB_SHAPE_LINE : PB_SHAPE_RECURSIVE,
                 is_one_switch ? 1 : N_SWITCHES);
        pb_model_assume(i % 3 == 0 ? 1000000000 : 2000000, 1500, &model);
        model.measured = i % 8 != 7;
        const int n_alike = is_one_switch ? 6 : pb_alike(job.placement, job.hosts, N_HOSTS);
        for (uint64_t bytes = 65536; bytes <= 262144 && n_alike > 1; bytes *= 4) {
            const pb_candidate_t usual = choose(&job, &model, bytes, 0);
            const pb_candidate_t one = choose(&job, &model, bytes, 1);
            const pb_candidate_t shared = choose(&job, &model, bytes, n_alike);
            n_other += !is_same(&usual, &one) || (is_one_switch && !is_same(&usual, &shared));
            if (!is_one_switch) {
                const double before = crossings_of(&job, usual.kind);
                const double after = crossings_of(&job, shared.kind);
                n_wrong += n_wrong_of(
                    (looked_t){.job = &job, .model = &model, .bytes = bytes, .n_alike = n_alike});
                n_chains += shared.kind == PB_KIND_CHAIN;
                alone += before;
                among += after;
                n_more += after > before;
                n++;
            }
        }
        job_clear(&job);
    }
    ok(n > 20 && n_wrong == 0, "crossings are those of the plan, and weigh by the geometric mean");
    ok(n_other == 0, "of what is alone, or crosses no link between switches, as without");
    ok(among < alone && n_more == 0 && n_chains > n / 2,
       "links between switches carry %.2f messages and not %.2f, both ways; %d of %d are chains",
       among / n, alone / n, n_chains, n);
}

int main(void)
{
    test_count();
    test_choice();
    return tap_done();
}
