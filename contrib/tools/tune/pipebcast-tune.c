/*
 * pipebcast-tune: measures what messages cost, for the model that pipebcast chooses by. See --help.
 */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "contrib/tools/common/all_good.h"
#include "contrib/tools/common/clock.h"
#include "contrib/tools/common/exits.h"
#include "contrib/tools/common/file.h"
#include "contrib/tools/common/quiet.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/common/terminal.h"
#include "discovery.h"
#include "install.h"
#include "options.h"
#include "sweep.h"
#include "table.h"
#include "traffic.h"
#include "verification.h"

/** Share of a pair of the time of its place. */
#define PAIR_SHARE 0.6

/** All that a run knows. What was measured is rank 0's. */
struct run {
    struct tune_options options;
    MPI_Comm comm;
    int rank, n_ranks;
    int64_t begin_ns;
    common_file_t file; /**< rank 0's */
    struct tune_cluster cluster;
    uint32_t payload, overhead; /**< as in pb_model_t */
    struct tune_swept swept[PB_PLACE_COUNT];
};

/** The time that is left, by rank 0's clock; equal on all ranks. Collective. */
static double time_left(const struct run *run)
{
    double left =
        run->options.time_limit_s - (double) (coll_pipebcast_now() - run->begin_ns) * 1e-9;
    MPI_Bcast(&left, 1, MPI_DOUBLE, 0, run->comm);
    return left > 0 ? left : 0;
}

/* ---- sizes ---- */

/** The paper's eight sizes, powers of two up to 1 MB, and what fills whole TCP segments. */
static void choose_sizes(struct tune_options *options, uint32_t payload, uint32_t overhead)
{
    const uint64_t first = 256, last = UINT64_C(1) << 20;
    for (uint64_t bytes = first; bytes <= last; bytes *= 2) {
        options->n_sizes = pb_model_add_size(options->sizes, options->n_sizes, bytes);
    }
    for (int i = 0; i < PB_WHOLE_ROWS; i++) {
        const uint64_t stream = (uint64_t) pb_whole_segments[i] * payload;
        if (stream >= first + overhead && stream <= last) {
            options->n_sizes =
                pb_model_add_size(options->sizes, options->n_sizes, stream - overhead);
        }
    }
}

/* ---- phases ---- */

/** A communicator of some ranks, in their order; MPI_COMM_NULL elsewhere. Collective. */
static MPI_Comm comm_of(const struct run *run, const int *ranks, int n)
{
    MPI_Comm comm;
    int key = -1;
    for (int i = 0; i < n; i++) {
        key = ranks[i] == run->rank ? i : key;
    }
    MPI_Comm_split(run->comm, key >= 0 ? 0 : MPI_UNDEFINED, key >= 0 ? key : 0, &comm);
    return comm;
}

/** A leader's work for its team; it changes `swept`. */
typedef void lead_function(const struct tune_sweep *sweep, struct tune_swept *swept);

/** Lets the first of some ranks lead the others, while all further ones sleep. All ranks have
 * `swept`. */
static void run_team(struct run *run, const int *ranks, int n, double share, lead_function *lead,
                     struct tune_swept *swept)
{
    const double left = time_left(run);
    const uint64_t most = run->options.sizes[run->options.n_sizes - 1];
    struct tune_team team = {.memory = NULL};
    MPI_Comm comm = comm_of(run, ranks, n);
    if (comm != MPI_COMM_NULL) {
        tune_team_make(&team, comm, most);
    }
    if (run->rank == ranks[0]) {
        const struct tune_sweep sweep = {
            .options = &run->options, .team = &team, .budget_s = left * share};
        lead(&sweep, swept);
        tune_lead_done(&team);
    } else if (comm != MPI_COMM_NULL) {
        tune_follow(&team);
    }
    common_quiet_barrier(run->comm);
    MPI_Bcast(swept, sizeof *swept, MPI_BYTE, ranks[0], run->comm);
    tune_team_free(&team);
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_free(&comm);
    }
}

/** Finds what goes over between two hosts, by the medium's MTU, and the sizes that follow from
 * that. */
static void find_frames(struct run *run)
{
    pb_model_t assumed;
    const pb_medium_t *medium = &run->cluster.medium;
    pb_model_assume(medium->bits_per_second, medium->mtu, &assumed);
    run->payload = assumed.payload;
    run->overhead = assumed.overhead;
    if (run->options.n_sizes == 0) {
        choose_sizes(&run->options, run->payload, run->overhead);
    }
}

static void measure_place(struct run *run, pb_place_t where, double share)
{
    const struct tune_place *place = &run->cluster.places[where];
    struct tune_swept *swept = &run->swept[where];
    run_team(run, place->pair, 2, share * PAIR_SHARE, tune_sweep_pair, swept);
    swept->costs.n_links = place->n_links;
    swept->costs.n_ring = where == PB_PLACE_HOST ? 0 : place->n_ring;
    /* 1 - share * PAIR_SHARE of the time is left, and the ring has its share of it. */
    run_team(run, place->ring, place->n_ring, share * (1 - PAIR_SHARE) / (1 - share * PAIR_SHARE),
             tune_sweep_ring, swept);
}

static void measure(struct run *run)
{
    int n_left = 0;
    find_frames(run);
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        n_left += run->cluster.places[place].pair[0] >= 0;
    }
    for (int place = PB_PLACE_COUNT - 1; place >= 0; place--) {
        if (run->cluster.places[place].pair[0] >= 0) {
            measure_place(run, (pb_place_t) place, 1.0 / n_left--);
        }
    }
}

/* ---- the model ---- */

static void fill_model(const struct run *run, pb_model_t *model)
{
    *model = (pb_model_t){.measured = true,
                          .topology = run->cluster.topology,
                          .has_medium = true,
                          .medium = run->cluster.medium,
                          .payload = run->payload,
                          .overhead = run->overhead};
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        model->costs[place] = run->swept[place].costs;
    }
    /* The file has no other word for the nearest pair. */
    model->costs[PB_PLACE_SWITCH].n_links = 2;
}

/** Comments of the model: what the numbers do not show. */
static void write_comments(const struct run *run, FILE *stream)
{
    char date[64], library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    fprintf(stream, "# Made by pipebcast-tune %s, %s, on %d ranks on %d hosts, %s.\n",
            PACKAGE_VERSION, common_date(date), run->n_ranks, run->cluster.n_hosts, library);
    if (run->cluster.medium.mtu == 0) {
        fprintf(stream, "# The MTU is not known: 1500 bytes are assumed.\n");
    }
    if (run->cluster.switch_links > 2) {
        fprintf(stream,
                "# None of the slowest hosts shared its switch with another: a pair with %d links "
                "between them stands for that.\n",
                run->cluster.switch_links);
    }
}

/** Writes the model, and reads it back, as the plugin would. */
static bool write_model(struct run *run)
{
    pb_model_t model;
    pb_diag_t diag;
    fill_model(run, &model);
    write_comments(run, run->file.stream);
    pb_model_write(&model, run->file.stream);
    if (!common_file_finish(&run->file)) {
        return false;
    }
    pb_diag_init(&diag);
    const int code = pb_model_read(run->file.temp, &model, &diag);
    common_report_errors(&diag);
    if (code != PB_SUCCESS) {
        common_report(
            "the measurements make no model: %s; was the network in use? Measure again, with "
            "a longer --time-limit",
            pb_error_text(code));
    }
    pb_diag_clear(&diag);
    return code == PB_SUCCESS && common_file_rename(&run->file);
}

/** Limits values that the model's reader would reject: they are noise. */
static void limit_all(struct run *run)
{
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        if (tune_swept_limit(&run->swept[place]) > 0) {
            common_report("warning: %s: some messages took more than twice as long as larger ones; "
                          "the model has twice the time of the larger one for them; measure again, "
                          "while nothing else uses the network",
                          pb_place_name((pb_place_t) place));
        }
    }
}

static void print_measured(const struct run *run)
{
    char medium[PB_MEDIUM_TEXT_SIZE];
    printf("messages between hosts go over %s\n", pb_medium_describe(&run->cluster.medium, medium));
    printf("TCP segments of %" PRIu32 " bytes; %" PRIu32 " bytes before each message\n",
           run->payload, run->overhead);
    tune_table_print(run->swept, run->options.precision, stdout);
    fflush(stdout);
}

/** Rank 0's last part. */
static bool report(struct run *run)
{
    const struct tune_options *options = &run->options;
    if (!options->quiet) {
        print_measured(run);
    }
    if (!tune_table_settled(run->swept, options->precision)) {
        common_report("no model was written: hosts or network were in use; measure while nothing "
                      "else uses them, or give a longer --time-limit");
        return false;
    }
    limit_all(run);
    if (run->cluster.switch_links > 2) {
        common_report("warning: none of the slowest hosts shares its switch with another; the "
                      "nearest pair, with %d links between them, stands for that; run on more "
                      "hosts",
                      run->cluster.switch_links);
    }
    if (!write_model(run)) {
        return false;
    }
    if (!options->quiet) {
        char host[MPI_MAX_PROCESSOR_NAME];
        int length;
        MPI_Get_processor_name(host, &length);
        printf("\nthe model: %s, on host '%s'\n", options->output, host);
    }
    if (options->install &&
        !tune_install(options->output, options->topology, options->topology_name, options->quiet)) {
        return false;
    }
    if (!options->quiet && !options->install) {
        printf("to use it on all hosts, where the file must be, too, add to "
               "$HOME/.openmpi/mca-params.conf:\n\n");
        tune_install_print(options->output, options->topology, options->topology_name, stdout);
    }
    return true;
}

/* ---- the run ---- */

/** Checks that can fail before anything is measured. */
static bool prepare(struct run *run)
{
    return (!run->options.install || tune_install_prepare()) &&
           common_file_open(&run->file, run->options.output, "--output");
}

static void tune(const struct tune_options *options, int rank, int n_ranks)
{
    static struct run run; /* too large for a stack */
    run.options = *options;
    run.rank = rank;
    run.n_ranks = n_ranks;
    run.begin_ns = coll_pipebcast_now();
    MPI_Comm_dup(MPI_COMM_WORLD, &run.comm);
    tune_cluster_find(&run.options, run.comm, &run.cluster);
    common_require(rank != 0 || prepare(&run), run.comm);
    measure(&run);
    common_progress_end(options->progress);
    const bool good = rank != 0 || report(&run);
    common_file_abandon(&run.file);
    common_require(good, run.comm);
    tune_cluster_free(&run.cluster);
    MPI_Comm_free(&run.comm);
}

int main(int argc, char **argv)
{
    struct tune_options options;
    common_progress_t progress;
    int rank, n_ranks;
    tune_options_read(argc, argv, &options);
    common_require_job("tune");
    common_progress_begin(&progress, !options.quiet && common_is_first_rank());
    options.progress = &progress;
    /* Measurements go on without pipebcast. */
    setenv("OMPI_MCA_coll_pipebcast_priority", "-1", 1);
    common_init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (options.discover[0] != '\0') {
        tune_discover(&options, MPI_COMM_WORLD);
    } else if (options.verify) {
        tune_verify(&options, MPI_COMM_WORLD);
    } else {
        tune(&options, rank, n_ranks);
    }
    MPI_Finalize();
    return COMMON_EXIT_DONE;
}
