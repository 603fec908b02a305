/*
 * pipebcast-doctor: is this cluster set up well for pipebcast? See --help.
 */
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broadcasts.h"
#include "cluster.h"
#include "contrib/tools/common/all_good.h"
#include "contrib/tools/common/exits.h"
#include "contrib/tools/common/json.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/common/terminal.h"
#include "edges.h"
#include "facts.h"
#include "judge.h"
#include "options.h"
#include "rates.h"
#include "report.h"
#include "roll.h"
#include "topo/trees/kinds.h"
#include "variables.h"
#include "watchdog.h"

enum { TAG_FACTS = 1, TAG_MEASURED = 2, TAG_EDGES = 3 };

/** The broadcast by which pipebcast's ranks agree, and the most that is allocated for it. */
enum { USUAL_BYTES = 64 << 10, MOST_BYTES = 256 << 20 };

/** Shares of the time: the hosts' rates; the broadcasts have the rest. */
#define RATES_SHARE 0.4

/** The other ranks wait so much longer than rank 0, which reports. */
#define GRACE_S 10

/** Longest time of a step that is not shown. */
#define PATIENT_S 2

static const char priority[] = "coll_pipebcast_priority";
static const char algorithm[] = "coll_pipebcast_algorithm";

/** The broadcast by which multicast is tried. */
enum { MULTICAST_BYTES = 1 << 20 };

/** All that a run knows. The roll, the cluster and the report are rank 0's. */
struct run {
    struct doctor_options options;
    int rank, n_ranks;
    struct doctor_sides sides;
    MPI_Comm multicast; /**< of pipebcast, by multicast alone; MPI_COMM_NULL: not tried */
    json_t *record;     /**< owned; this rank's */
    doctor_roll_t roll;
    doctor_cluster_t cluster;
    doctor_report_t report;
    int *leaders; /**< owned; of n_hosts hosts */
    int n_hosts;
    bool is_over;              /**< the page is out, and the report given back */
    char how[DOCTOR_HOW_SIZE]; /**< what became of the first broadcast */
};

/* ---- steps ---- */

static void late(void *context, const char *step, double seconds)
{
    struct run *run = context;
    if (run->rank != 0 || run->is_over) {
        common_report("rank %d: %s did not end within %g s", run->rank, step, seconds);
        return;
    }
    doctor_find(&run->report, DOCTOR_ERROR, "hangs",
                "mpirun --mca btl_tcp_if_include NETWORK ...   # one that all hosts share; and "
                "ulimit -n 65536, or a longer --patience",
                "%s did not end within %g s", step, seconds);
    doctor_report_print(&run->report, stdout);
}

/** Shows on a terminal what goes on; the page takes its place. */
static void show_step(const struct run *run, const char *step, double seconds)
{
    if (run->rank == 0 && seconds > PATIENT_S && common_on_terminal(STDERR_FILENO)) {
        fprintf(stderr, "\r%s: %s, %.0f s at most \033[K", program_invocation_short_name, step,
                seconds);
        fflush(stderr);
    }
}

static void hide_step(void)
{
    if (common_on_terminal(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
}

static void begin_step(const struct run *run, const char *step, double seconds)
{
    show_step(run, step, seconds);
    doctor_watchdog_step(step, run->options.patience_s + seconds + (run->rank != 0 ? GRACE_S : 0));
}

/** The broadcast that goes on; the text of the step stays. */
static struct {
    const struct run *run;
    char step[96];
} broadcasting;

static void begin_broadcast(int64_t bytes, bool by_pipebcast)
{
    snprintf(broadcasting.step, sizeof broadcasting.step, "a broadcast of %" PRId64 " bytes by %s",
             bytes, by_pipebcast ? "pipebcast" : "the fallback component");
    begin_step(broadcasting.run, broadcasting.step, broadcasting.run->options.time_limit_s);
}

/* ---- what is asked and measured ---- */

/** A communicator of pipebcast on which all broadcasts go by multicast, where it works. */
static void make_multicast(struct run *run)
{
    int own = 0, unused;
    const int kind = pb_kind_find("multicast");
    if (common_all_good(kind >= 0 && doctor_variables_set(algorithm, kind, &own), MPI_COMM_WORLD)) {
        MPI_Comm_dup(MPI_COMM_WORLD, &run->multicast);
        doctor_variables_set(algorithm, own, &unused);
    }
}

/**
 * A communicator without pipebcast, and one with it. Where the plugin cannot be kept out of one
 * communicator, as an earlier version cannot, there is no fallback component to compare with.
 */
static void make_sides(struct run *run)
{
    int own_priority = 0, unused;
    const bool present = doctor_record_find(run->record, priority) != NULL;
    const bool kept_out = present && doctor_variables_set(priority, -1, &own_priority);
    run->sides = (struct doctor_sides){MPI_COMM_NULL, MPI_COMM_NULL};
    if (common_all_good(!present || kept_out, MPI_COMM_WORLD)) {
        MPI_Comm_dup(MPI_COMM_WORLD, &run->sides.fallback);
    }
    if (kept_out) {
        doctor_variables_set(priority, own_priority, &unused);
    }
    if (common_all_good(present, MPI_COMM_WORLD)) {
        MPI_Comm_dup(MPI_COMM_WORLD, &run->sides.pipebcast);
        MPI_Comm_set_name(run->sides.pipebcast, "of pipebcast-doctor");
    }
    if (run->options.multicast && run->sides.pipebcast != MPI_COMM_NULL) {
        make_multicast(run);
    }
}

static MPI_Comm any_side(const struct run *run)
{
    return run->sides.fallback != MPI_COMM_NULL ? run->sides.fallback : run->sides.pipebcast;
}

/** Tells all ranks the leader of each host. */
static void share_leaders(struct run *run)
{
    run->n_hosts = run->cluster.n_hosts;
    MPI_Bcast(&run->n_hosts, 1, MPI_INT, 0, any_side(run));
    run->leaders = common_alloc((size_t) run->n_hosts, sizeof *run->leaders);
    if (run->rank == 0) {
        memcpy(run->leaders, run->cluster.leaders, (size_t) run->n_hosts * sizeof *run->leaders);
    }
    MPI_Bcast(run->leaders, run->n_hosts, MPI_INT, 0, any_side(run));
}

/** Bytes that pipebcast is to serve, if it serves any. */
static int64_t serving_bytes(const struct run *run)
{
    const double least = doctor_record_number(run->record, "coll_pipebcast_min_size", 0);
    return least > MOST_BYTES ? MOST_BYTES : least > USUAL_BYTES ? (int64_t) least : USUAL_BYTES;
}

static int64_t most_bytes(const struct run *run)
{
    int64_t most = serving_bytes(run);
    most = run->options.multicast && most < MULTICAST_BYTES ? MULTICAST_BYTES : most;
    for (int i = 0; !run->options.quick && i < run->options.sizes.n; i++) {
        most = run->options.sizes.values[i] > most ? run->options.sizes.values[i] : most;
    }
    return most;
}

static void measure_broadcasts(struct run *run, char *memory)
{
    const int n = run->options.sizes.n;
    const double share_s = run->options.time_limit_s * (1 - RATES_SHARE) / n;
    for (int i = 0; i < n; i++) {
        doctor_broadcast_measure(&run->sides, memory, run->options.sizes.values[i], share_s,
                                 begin_broadcast, &run->report.broadcasts[i]);
        run->report.n_broadcasts = i + 1;
    }
}

/** Multicast next to trees; whether it works is known after some broadcasts. */
static void measure_multicast(struct run *run, char *memory)
{
    const struct doctor_sides sides = {.pipebcast = run->multicast,
                                       .fallback = run->sides.pipebcast};
    struct doctor_broadcast *result = &run->report.multicast;
    doctor_broadcast_measure(&sides, memory, MULTICAST_BYTES, run->options.time_limit_s / 4,
                             begin_broadcast, result);
    doctor_broadcast_try(&sides, memory, MULTICAST_BYTES, result->how);
}

/** Rank 0 prints the page of a run that cannot go on, and ends the job. */
static void give_up(struct run *run)
{
    doctor_report_print(&run->report, stdout);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/** Tries the edges of the plans; rank 0 ends the job if one is broken, as broadcasts would wait. */
static void try_edges(struct run *run)
{
    const double patience_s = run->options.patience_s;
    begin_step(run, "trying the edges of the plans", patience_s + GRACE_S);
    doctor_edges_try(MPI_COMM_WORLD, &run->cluster, patience_s, run->record);
    doctor_roll_call(&run->roll, MPI_COMM_WORLD, TAG_EDGES, run->record, patience_s + GRACE_S);
    if (run->rank == 0) {
        const doctor_facts_t facts = {.cluster = &run->cluster, .report = &run->report};
        if (!doctor_judge_roll(&run->report, &run->roll) ||
            !doctor_judge_edges(&run->report, &facts)) {
            give_up(run);
        }
    }
}

/** Asks pipebcast, and measures. */
static void measure(struct run *run)
{
    int64_t bytes[2] = {most_bytes(run), serving_bytes(run)};
    MPI_Bcast(bytes, 2, MPI_INT64_T, 0, any_side(run)); /* parameters may differ */
    char *memory = common_alloc((size_t) bytes[0], 1);
    broadcasting.run = run;
    if (run->sides.pipebcast != MPI_COMM_NULL) {
        begin_broadcast(bytes[1], true);
        doctor_broadcast_try(&run->sides, memory, bytes[1], run->how);
    }
    if (!run->options.quick && run->n_hosts > 1) {
        const double rates_s = run->options.time_limit_s * RATES_SHARE;
        begin_step(run, "measuring rates between hosts", rates_s);
        doctor_rates_measure(any_side(run), run->leaders, run->n_hosts, rates_s, run->record);
        measure_broadcasts(run, memory);
    }
    if (run->multicast != MPI_COMM_NULL) {
        measure_multicast(run, memory);
    }
    free(memory);
}

/* ---- what is reported ---- */

/** Rank 0's: the rates, by the records. */
static void collect_rates(struct run *run)
{
    const doctor_cluster_t *cluster = &run->cluster;
    const int n = cluster->n_hosts;
    run->report.rates = common_alloc((size_t) n, sizeof(struct doctor_rate));
    for (int i = 0; !run->options.quick && n > 1 && i < n; i++) {
        const int from = cluster->leaders[i], to = cluster->leaders[(i + 1) % n];
        const double one = doctor_record_number(run->roll.records[from], "rate", 0);
        const double other = doctor_record_number(run->roll.records[to], "rate", 0);
        run->report.rates[run->report.n_rates++] = (struct doctor_rate){
            .from = cluster->hosts[from],
            .to = cluster->hosts[to],
            .interface = doctor_cluster_value(cluster, from, "interface"),
            .reported = one > 0 && (other <= 0 || one < other) ? one : other,
            .measured = doctor_record_number(run->roll.records[from], "measured", 0),
        };
    }
}

static void judge(struct run *run)
{
    const doctor_facts_t facts = {.cluster = &run->cluster,
                                  .report = &run->report,
                                  .how = run->how,
                                  .is_used = run->sides.pipebcast != MPI_COMM_NULL};
    collect_rates(run);
    doctor_judge(&run->report, &facts);
}

/** The first roll call; where a rank is silent, rank 0 ends the job. */
static void call_roll(struct run *run)
{
    char why[256];
    begin_step(run, "asking all ranks", run->options.patience_s + GRACE_S);
    doctor_roll_init(&run->roll, MPI_COMM_WORLD);
    doctor_roll_call(&run->roll, MPI_COMM_WORLD, TAG_FACTS, run->record, run->options.patience_s);
    if (run->rank != 0) {
        return; /* a rank that was not heard is ended by rank 0 */
    }
    if (!doctor_judge_roll(&run->report, &run->roll)) {
        give_up(run);
    }
    if (!doctor_cluster_find(&run->cluster, &run->roll, why, sizeof why)) {
        doctor_find(&run->report, DOCTOR_ERROR, "parameters", NULL, "coll_pipebcast_hosts: %s",
                    why);
        give_up(run);
    }
    run->report.n_hosts = run->cluster.n_hosts;
}

static int examine(struct run *run)
{
    int code = EXIT_SUCCESS;
    run->record = common_json_new();
    doctor_facts_add(run->record);
    call_roll(run);
    try_edges(run); /* by messages of two ranks: all that follows is collective, and may hang */
    begin_step(run, "making communicators", 0);
    make_sides(run);
    share_leaders(run);
    measure(run);
    begin_step(run, "asking all ranks again", run->options.patience_s + GRACE_S);
    doctor_variables_add_status(run->record);
    doctor_roll_call(&run->roll, MPI_COMM_WORLD, TAG_MEASURED, run->record,
                     run->options.patience_s);
    if (run->rank == 0) {
        if (!doctor_judge_roll(&run->report, &run->roll)) {
            give_up(run);
        }
        judge(run);
        hide_step();
        doctor_report_print(&run->report, stdout);
        code = doctor_report_verdict(&run->report) == DOCTOR_ERROR ? EXIT_FAILURE : EXIT_SUCCESS;
    }
    return code;
}

static void release(struct run *run)
{
    if (run->sides.fallback != MPI_COMM_NULL) {
        MPI_Comm_free(&run->sides.fallback);
    }
    if (run->sides.pipebcast != MPI_COMM_NULL) {
        MPI_Comm_free(&run->sides.pipebcast);
    }
    if (run->multicast != MPI_COMM_NULL) {
        MPI_Comm_free(&run->multicast);
    }
    free(run->report.rates);
    free(run->leaders);
    doctor_cluster_free(&run->cluster);
    doctor_roll_free(&run->roll);
    json_decref(run->record);
}

/** Begins MPI, which waits for all ranks, too. */
static void begin_mpi(struct run *run, int *argc_p, char ***argv_p)
{
    run->rank = common_is_first_rank() ? 0 : 1; /* until MPI knows it */
    begin_step(run, "MPI_Init", 2 * run->options.patience_s);
    common_init(argc_p, argv_p);
    MPI_Comm_rank(MPI_COMM_WORLD, &run->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run->n_ranks);
    run->report.n_ranks = run->n_ranks;
}

static void finish_mpi(struct run *run)
{
    run->is_over = true;
    begin_step(run, "MPI_Finalize", run->options.patience_s);
    release(run);
    MPI_Finalize();
    doctor_watchdog_stop();
}

int main(int argc, char **argv)
{
    static struct run run = {.sides = {MPI_COMM_NULL, MPI_COMM_NULL}, .multicast = MPI_COMM_NULL};
    int code = EXIT_SUCCESS;
    doctor_options_read(argc, argv, &run.options);
    run.report.options = &run.options;
    common_require_job("doctor");
    if (run.options.multicast) {
        setenv("OMPI_MCA_coll_pipebcast_multicast", "on", 1);
    }
    if (!doctor_watchdog_start(late, &run)) {
        common_end(COMMON_EXIT_FAILED, "no timer for the time limit: %s", strerror(errno));
    }
    begin_mpi(&run, &argc, &argv);
    if (!doctor_variables_open()) {
        common_end(COMMON_EXIT_FAILED, "rank %d: MPI_T could not be initialized", run.rank);
    }
    code = examine(&run);
    doctor_variables_close();
    finish_mpi(&run);
    return code;
}
