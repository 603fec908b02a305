#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "transport.h"
#include "variables.h"

/** Parameters of the plugin that change nothing but what is printed. */
static const char *const harmless[] = {"coll_pipebcast_verbose", NULL};

/** One rank that is silent, and that hides `n_hidden` others. */
static void report_silent(doctor_report_t *report, int rank, int n_hidden)
{
    char *host = doctor_transport_host(MPI_COMM_WORLD, rank);
    char hidden[64] = "";
    if (n_hidden > 0) {
        snprintf(hidden, sizeof hidden, ", and hides %d that answer through it", n_hidden);
    }
    doctor_find(&report->findings, DOCTOR_BAD, "ranks",
                "rank %d on the host %s does not answer within %g s%s", rank,
                host != NULL ? host : "?", report->options->patience_s, hidden);
    doctor_advise(&report->findings,
                  "see whether messages reach that host (btl_tcp_if_include, a firewall), and "
                  "whether the program runs there");
    free(host);
}

bool doctor_judge_roll(doctor_report_t *report, const doctor_roll_t *roll)
{
    int rank = doctor_roll_silent(roll, 0);
    const bool good = rank < 0;
    for (; rank >= 0; rank = doctor_roll_silent(roll, rank + 1)) {
        report_silent(report, rank, doctor_roll_hidden(roll, rank));
    }
    return good;
}

/* ---- versions ---- */

bool doctor_has_plugin(const doctor_cluster_t *cluster)
{
    for (int rank = 0; rank < cluster->roll->n_ranks; rank++) {
        if (doctor_cluster_value(cluster, rank, "plugin") == NULL) {
            return false;
        }
    }
    return true;
}

/** Adds a finding if ranks differ in a version; whether they are alike. */
static bool judge_version(doctor_report_t *report, const doctor_cluster_t *cluster,
                          const char *name, const char *what)
{
    doctor_alike_t alike;
    if (doctor_cluster_alike(cluster, name, &alike)) {
        return true;
    }
    doctor_find(&report->findings, DOCTOR_BAD, "versions",
                "%s differs between hosts: %s, but on %s", what,
                alike.value != NULL ? alike.value : "none", doctor_names_text(&alike.others));
    doctor_advise(&report->findings, "install the same version on all hosts");
    return false;
}

/** Hosts whose Open MPI has not found the plugin; false if there are any. */
static bool judge_presence(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    doctor_names_t without = {.n = 0};
    int n_without = 0;
    for (int rank = 0; rank < cluster->roll->n_ranks; rank++) {
        if (doctor_cluster_value(cluster, rank, "plugin") == NULL) {
            doctor_names_add(&without, cluster->hosts[rank], NULL);
            n_without++;
        }
    }
    if (n_without == 0) {
        return true;
    }
    const bool all = n_without == cluster->roll->n_ranks;
    doctor_find(&report->findings, DOCTOR_BAD, "plugin", "Open MPI has not found pipebcast on %s",
                all ? "any host" : doctor_names_text(&without));
    doctor_advise(&report->findings,
                  "look at `ompi_info --param coll pipebcast --level 9` there: the plugin is in no "
                  "directory of mca_base_component_path, was built for another Open MPI, or the "
                  "parameter coll leaves it out");
    return false;
}

static void judge_versions(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    const char *plugin = doctor_cluster_value(cluster, 0, "plugin");
    const bool present = judge_presence(report, cluster);
    const bool mpi = judge_version(report, cluster, "mpi", "Open MPI's version");
    const bool doctor = judge_version(report, cluster, "doctor", "pipebcast-doctor's version");
    const bool alike = judge_version(report, cluster, "plugin", "pipebcast's version");
    if (!mpi || !doctor || !alike) {
        return;
    }
    doctor_find(&report->findings, DOCTOR_GOOD, "versions", "%s%s%s, alike on all hosts",
                doctor_cluster_value(cluster, 0, "mpi"), plugin != NULL ? ", pipebcast " : "",
                plugin != NULL ? plugin : "");
    if (present && strcmp(plugin, PACKAGE_VERSION) != 0) {
        doctor_find(&report->findings, DOCTOR_DOUBTFUL, "versions",
                    "the plugin is pipebcast %s, but this is pipebcast-doctor %s", plugin,
                    PACKAGE_VERSION);
        doctor_advise(&report->findings, "use the tools of the plugin's version");
    }
}

/* ---- parameters ---- */

static bool is_harmless(const char *name)
{
    for (int i = 0; harmless[i] != NULL; i++) {
        if (strcmp(name, harmless[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void report_difference(doctor_report_t *report, const char *name, doctor_alike_t *alike)
{
    const bool is_bad = doctor_variables_is_plugins(name) && !is_harmless(name);
    doctor_find(&report->findings, is_bad ? DOCTOR_BAD : DOCTOR_DOUBTFUL, "parameters",
                "%s differs between hosts: %s, but on %s", name,
                alike->value != NULL && alike->value[0] != '\0' ? alike->value : "none",
                doctor_names_text(&alike->others));
    doctor_advise(&report->findings,
                  is_bad ? "set it alike on all hosts: the environment, $HOME/.openmpi/"
                           "mca-params.conf and openmpi-mca-params.conf of each"
                         : "set it alike on all hosts, unless they need it otherwise");
}

static const char *shown(const doctor_cluster_t *cluster, const char *name)
{
    const char *value = doctor_cluster_value(cluster, 0, name);
    return value != NULL && value[0] != '\0' ? value : "any";
}

static void judge_priority(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    const double priority =
        doctor_record_number(&cluster->roll->records[0], "coll_pipebcast_priority", 0);
    if (priority < 0) {
        doctor_find(&report->findings, DOCTOR_BAD, "parameters",
                    "coll_pipebcast_priority is %g, so that pipebcast is never used", priority);
        doctor_advise(&report->findings, "leave the parameter out, or set it above 30");
    }
}

static void judge_trial(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    const char *hosts = doctor_cluster_value(cluster, 0, "coll_pipebcast_hosts");
    if (hosts != NULL && hosts[0] != '\0') {
        doctor_find(&report->findings, DOCTOR_DOUBTFUL, "parameters",
                    "coll_pipebcast_hosts is set: the ranks are taken to be on %s", hosts);
        doctor_advise(&report->findings, "leave it out but for trials on one host");
    }
}

static void judge_parameters(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    const doctor_record_t *own = &cluster->roll->records[0];
    int n = 0, n_different = 0;
    for (const char *name = doctor_record_next(own, NULL); name != NULL;
         name = doctor_record_next(own, name)) {
        doctor_alike_t alike;
        if (!doctor_variables_is_parameter(name)) {
            continue;
        }
        n++;
        if (!doctor_cluster_alike(cluster, name, &alike)) {
            report_difference(report, name, &alike);
            n_different++;
        }
    }
    if (n_different == 0) {
        doctor_find(&report->findings, DOCTOR_GOOD, "parameters",
                    "%d are alike on all hosts; coll %s, pml %s, btl %s, btl_tcp_if_include %s", n,
                    shown(cluster, "coll"), shown(cluster, "pml"), shown(cluster, "btl"),
                    shown(cluster, "btl_tcp_if_include"));
    }
    judge_priority(report, cluster);
    judge_trial(report, cluster);
}

void doctor_judge_software(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    judge_versions(report, cluster);
    judge_parameters(report, cluster);
    if (cluster->n_hosts < 2) {
        doctor_find(&report->findings, DOCTOR_DOUBTFUL, "hosts",
                    "all ranks are on the host %s, so that nothing between hosts can be seen",
                    cluster->hosts[0]);
        doctor_advise(&report->findings,
                      "run it with a rank on each host (mpirun --hostfile all-hosts --map-by "
                      "ppr:1:node pipebcast-doctor)");
    }
}
