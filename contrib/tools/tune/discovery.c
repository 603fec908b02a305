#include "discovery.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contrib/tools/common/file.h"
#include "contrib/tools/common/progress.h"
#include "contrib/tools/common/report.h"
#include "flows.h"
#include "topo/discover/discover.h"
#include "topo/discover/found_file.h"
#include "topo/network/topology.h"

struct discovery {
    const struct tune_options *options;
    tune_flows_t *flows;
    common_file_t file;
    pb_discovery_t found;
};

/* ---- the file ---- */

static void write_date(FILE *stream)
{
    char date[64];
    fprintf(stream, "# Made by pipebcast-tune %s --discover, %s.\n", PACKAGE_VERSION,
            common_date(date));
}

/** Reads the file back, as the plugin would. */
static bool is_readable(const char *path)
{
    pb_diag_t diag;
    pb_network_t *network = NULL;
    pb_diag_init(&diag);
    const int code = pb_topology_read(path, &network, &diag);
    common_report_errors(&diag);
    pb_diag_clear(&diag);
    pb_network_free(network);
    return code == PB_SUCCESS;
}

static bool write_file(struct discovery *d)
{
    write_date(d->file.stream);
    if (pb_found_write(&d->found, d->flows->names, d->file.stream) != PB_SUCCESS) {
        common_report("out of memory for the topology of %d hosts", d->flows->n_hosts);
        return false;
    }
    return common_file_finish(&d->file) && is_readable(d->file.temp) &&
           common_file_rename(&d->file);
}

/* ---- the search ---- */

/** Reports errors; false if the search did not end. */
static bool report(const struct discovery *d, int code, bool in_time)
{
    if (code != PB_SUCCESS) {
        common_report("--discover: %s", pb_error_text(code));
        return false;
    }
    if (!in_time) {
        common_report("the time is over after %" PRId64 " trials; give a longer --time-limit",
                      d->found.n_trials);
        return false;
    }
    if (!d->found.complete) {
        common_report("warning: flows contended without a link that explains it; was the network "
                      "in use, or are there bundles of fast links? The file marks it");
    }
    return true;
}

static void print_found(const struct discovery *d)
{
    if (d->options->quiet) {
        return;
    }
    printf("%d hosts on %d switches that can be told apart, by %" PRId64 " trials; flows were sent "
           "for %.1f s\nthe topology: %s\n",
           d->flows->n_hosts, d->found.cuts.n + 1, d->found.n_trials,
           (double) d->flows->busy_ns * 1e-9, d->options->discover);
}

/** Reports trials, as pb_discover_progress_t; the context is a common_progress_t. */
static void report_trials(void *context, int64_t n_trials, int64_t n_left)
{
    common_progress_report(context, (double) n_trials / (double) (n_trials + n_left));
}

static bool prepare(void *context)
{
    struct discovery *d = context;
    return common_file_open(&d->file, d->options->discover, "--discover");
}

static bool lead(void *context)
{
    struct discovery *d = context;
    const pb_meter_t meter = tune_flows_meter(d->flows, d->options->flows);
    const pb_discover_options_t how = {
        .seed = 1, .progress = report_trials, .context = d->options->progress};
    int code = tune_flows_calibrate(d->flows);
    bool in_time = code != PB_ERR_UNFIT;
    if (code == PB_SUCCESS) {
        code = pb_discover(&meter, &how, &d->found);
        in_time = d->found.complete || coll_pipebcast_now() < d->flows->deadline_ns;
    }
    common_progress_end(d->options->progress);
    if (!report(d, in_time ? code : PB_SUCCESS, in_time) || !write_file(d)) {
        common_file_abandon(&d->file);
        return false;
    }
    print_found(d);
    return true;
}

void tune_discover(const struct tune_options *options, MPI_Comm comm)
{
    tune_flows_t flows;
    struct discovery d = {.options = options, .flows = &flows};
    tune_flows_run(&flows, comm, options, prepare, lead, &d);
    pb_discovery_clear(&d.found);
}
