#include "grow.h"

#include <stdio.h>
#include <stdlib.h>

#include "message.h"
#include "study_network.h"
#include "topo/check/least_time.h"
#include "topo/check/simulator.h"
#include "topo/model/choose.h"
#include "topo/trees/tables.h"

/*
 * For each network, speed and number of hosts, every kind of tree with the segment that the model
 * predicts to be the best, simulated in the wire model with the costs that the model assumes.
 */

/* Of the message, without --bytes. */
#define DEFAULT_BYTES 65536

/* One network, and what is compared on it. */
typedef struct study {
    const tool_options_t *options;
    tool_study_network_t kind;
    int n_hosts;
    uint64_t bytes;
    pb_network_t *network;
    pb_placement_t *placement;
    pb_view_t *view;       /* of the first host */
    pb_tables_t tables;    /* of all speeds */
    pb_plan_t *plan;       /* of the kind that is simulated */
    pb_chooser_t *chooser; /* of its segment size */
    pb_model_t model;      /* of one speed */
    int megabits;          /* which that is */
    int64_t least;         /* ns: no broadcast by unicast takes less */
} study_t;

/* What a segment of so many bytes costs; with `copies`, a datagram. */
static pb_simulate_cost_t cost_of(const pb_model_t *model, uint64_t segment, bool copies)
{
    const pb_cost_t near =
        copies ? pb_model_datagram(model, segment) : pb_model_cost(model, 2, segment);
    const pb_link_use_t use = pb_model_link_use(model, segment);
    const int64_t further =
        (pb_model_cost(model, 3, segment).rtt - pb_model_cost(model, 2, segment).rtt) / 2;
    const int64_t way = near.rtt / 2 - near.gap - near.receive - further;
    return (pb_simulate_cost_t){.send = near.send,
                                .receive = near.receive,
                                .link = use.message,
                                .acknowledgements = copies ? 0 : use.acknowledgements,
                                .further =
                                    copies ? pb_model_further_datagram(model, segment) : further,
                                .way = way > 0 ? way : 0,
                                .memory = pb_model_cost(model, 0, segment).gap};
}

/* The segment size that is predicted to be the best. */
static int choose_segment(const study_t *study, uint64_t *segment_p)
{
    pb_choice_t choice;
    const int rc = pb_choose(study->chooser, 0, study->bytes, &choice);
    if (rc == PB_SUCCESS) {
        const uint64_t segment = choice.best.segment;
        *segment_p = segment == 0 || segment > study->bytes ? study->bytes : segment;
    }
    return rc;
}

static void print_row(const study_t *study, pb_kind_t kind, uint64_t segment, int64_t time)
{
    const int64_t alone = pb_model_cost(&study->model, 2, study->bytes).rtt / 2;
    const int64_t by_segments =
        pb_least_time_of_segments(&study->model, study->n_hosts, study->bytes, segment);
    printf("%s,%d,%d,%llu,%s,%llu,%.1f,%.3f", tool_study_network_name(study->kind), study->megabits,
           study->n_hosts, (unsigned long long) study->bytes, pb_kind_name(kind),
           (unsigned long long) segment, (double) time / 1e3, (double) time / (double) alone);
    if (pb_kind_row(kind)->copies || study->least <= 0 || by_segments <= 0) {
        puts(",,");
    } else {
        printf(",%.3f,%.3f\n", (double) time / (double) study->least,
               (double) time / (double) by_segments);
    }
}

static int simulate(const study_t *study, pb_kind_t kind)
{
    const bool copies = pb_kind_row(kind)->copies;
    uint64_t segment;
    int rc = choose_segment(study, &segment);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    const uint64_t n_segments = (study->bytes - 1) / segment + 1;
    const pb_simulate_options_t options = {
        .model = PB_SIMULATE_WIRE,
        .n_segments = n_segments > PB_SIMULATE_MAX_SEGMENTS ? 0 : (int) n_segments,
        .cost = cost_of(&study->model, segment, copies),
        .rest = cost_of(&study->model, study->bytes - (n_segments - 1) * segment, copies)};
    pb_simulation_t result;
    rc = pb_simulate(study->placement, study->plan, &options, &result);
    if (rc == PB_SUCCESS) {
        print_row(study, kind, segment, result.completion);
    }
    pb_simulation_clear(&result);
    return rc;
}

/* Costs at a speed, as if they were measured: otherwise segments would have bounds. */
static void set_speed(study_t *study, int megabits)
{
    study->megabits = megabits;
    pb_model_assume((uint64_t) megabits * 1000000, (uint32_t) study->options->mtu, &study->model);
    study->model.measured = true;
    study->least = pb_least_time(&study->model, study->n_hosts, study->bytes);
}

/* The plan of a kind, and what chooses its segment size; both are the same at all speeds. */
static int prepare(study_t *study, pb_kind_t kind)
{
    const tool_options_t *options = study->options;
    const pb_plan_options_t plan_options = {.fanout = options->plan.fanout,
                                            .tables = &study->tables};
    set_speed(study, (int) options->speeds.values[0]);
    const pb_choose_options_t choose_options = {.kind = (int) kind,
                                                .segment = options->segment,
                                                .frame = study->model.payload,
                                                .plan = plan_options};
    const int rc = pb_plan_compute(study->view, kind, &plan_options, &study->plan);
    if (rc == PB_SUCCESS) {
        study->chooser = pb_chooser_new(study->placement, &study->model, &choose_options);
    }
    return rc == PB_SUCCESS && study->chooser == NULL ? PB_ERR_NO_MEMORY : rc;
}

/* One kind at all speeds. */
static int study_kind(study_t *study, pb_kind_t kind)
{
    const common_list_t *speeds = &study->options->speeds;
    int rc = prepare(study, kind);
    for (int i = 0; i < speeds->n && rc == PB_SUCCESS; i++) {
        set_speed(study, (int) speeds->values[i]);
        pb_chooser_renew(study->chooser);
        rc = simulate(study, kind);
        fflush(stdout);
    }
    pb_chooser_free(study->chooser);
    pb_plan_free(study->plan);
    study->chooser = NULL;
    study->plan = NULL;
    return rc == PB_ERR_UNFIT ? PB_SUCCESS : rc;
}

static int place(study_t *study)
{
    const int n_nodes = pb_network_size(study->network);
    study->placement = pb_placement_new(study->network, study->n_hosts);
    for (int rank = 0; study->placement != NULL && rank < study->n_hosts; rank++) {
        study->placement->host[rank] = n_nodes - study->n_hosts + rank;
    }
    return study->placement != NULL ? pb_view_new(study->placement, 0, NULL, 0, &study->view)
                                    : PB_ERR_NO_MEMORY;
}

/* The kinds that were named, or all that may be chosen, and multicast among them. */
static int list_kinds(const tool_options_t *options, pb_kind_t kinds[PB_KIND_COUNT])
{
    if (options->all_kinds || options->n_kinds == 0) {
        return pb_kinds_by_turn(kinds);
    }
    for (int i = 0; i < options->n_kinds; i++) {
        kinds[i] = options->kinds[i];
    }
    return options->n_kinds;
}

static int study_network(const tool_options_t *options, tool_study_network_t kind, int n_hosts)
{
    study_t study = {.options = options,
                     .kind = kind,
                     .n_hosts = n_hosts,
                     .bytes = options->bytes > 0 ? options->bytes : DEFAULT_BYTES};
    pb_random_t random = pb_random_seed(options->seed);
    pb_kind_t kinds[PB_KIND_COUNT];
    const int n_kinds = list_kinds(options, kinds);
    int rc = tool_study_network(kind, n_hosts, options->grow_per_switch, options->trunk_speed,
                                &random, &study.network);
    rc = rc == PB_SUCCESS ? place(&study) : rc;
    for (int i = 0; i < n_kinds && rc == PB_SUCCESS; i++) {
        rc = study_kind(&study, kinds[i]);
    }
    pb_tables_clear(&study.tables);
    pb_view_free(study.view);
    pb_placement_free(study.placement);
    pb_network_free(study.network);
    return rc;
}

tool_exit_t tool_grow(const tool_options_t *options)
{
    int rc = PB_SUCCESS;
    puts("network,mbits,hosts,bytes,algorithm,segment,microseconds,ratio,least,least_of_segments");
    for (int kind = 0; kind < TOOL_STUDY_NETWORKS; kind++) {
        for (int size = 0; size < options->grow_sizes.n && rc == PB_SUCCESS; size++) {
            rc = study_network(options, (tool_study_network_t) kind,
                               (int) options->grow_sizes.values[size]);
        }
    }
    return rc == PB_SUCCESS ? TOOL_OK : tool_complain_error(rc);
}
