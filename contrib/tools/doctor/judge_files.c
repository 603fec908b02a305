#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "judge.h"
#include "topo/network/network.h"
#include "topo/util/error.h"

/** Days after which a file deserves a look. */
enum { OLD_DAYS = 180, DAY_S = 24 * 60 * 60 };

static const char *set_value(const doctor_cluster_t *cluster, const char *name)
{
    const char *value = doctor_cluster_value(cluster, 0, name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static double age_days(const doctor_cluster_t *cluster, const char *name)
{
    return doctor_record_number(&cluster->roll->records[0], name, 0) / DAY_S;
}

/** A file that ranks cannot read, or that differs between them; false if so. */
static bool judge_file(doctor_report_t *report, const doctor_cluster_t *cluster, const char *topic,
                       const char *advice)
{
    char hash[32], fault[32];
    doctor_alike_t alike;
    snprintf(hash, sizeof hash, "%s.hash", topic);
    snprintf(fault, sizeof fault, "%s.fault", topic);
    for (int rank = 0; rank < cluster->roll->n_ranks; rank++) {
        const char *why = doctor_cluster_value(cluster, rank, fault);
        if (why != NULL) {
            doctor_find(&report->findings, DOCTOR_BAD, topic, "the file cannot be used on %s: %s",
                        cluster->hosts[rank], why);
            doctor_advise(&report->findings, "%s", advice);
            return false;
        }
    }
    if (!doctor_cluster_alike(cluster, hash, &alike)) {
        doctor_find(&report->findings, DOCTOR_BAD, topic, "the file differs between hosts: %s",
                    doctor_names_text(&alike.others));
        doctor_advise(&report->findings, "copy the same file to all hosts");
        return false;
    }
    return true;
}

/** A file that may no longer be true. */
static void judge_age(doctor_report_t *report, const char *topic, double days, const char *advice)
{
    if (days > OLD_DAYS) {
        doctor_find(&report->findings, DOCTOR_DOUBTFUL, topic, "the file is %.0f days old", days);
        doctor_advise(&report->findings, "%s", advice);
    }
}

/* ---- topology ---- */

/** Hosts of the job that the file does not have; false if there are any. */
static bool judge_members(doctor_report_t *report, const doctor_cluster_t *cluster,
                          const char *path)
{
    pb_topology_t topology;
    doctor_names_t missing = {.n = 0};
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int code = doctor_topology_open(&cluster->roll->records[0], &topology, &diag);
    for (int i = 0; code == PB_SUCCESS && pb_network_n_hosts(topology.network) > 0 &&
                    pb_network_others(topology.network) < 0 && i < cluster->n_hosts;
         i++) {
        const char *host = cluster->hosts[cluster->leaders[i]];
        if (pb_network_find_host(topology.network, host) < 0) {
            doctor_names_add(&missing, host, NULL);
        }
    }
    pb_topology_clear(&topology);
    pb_diag_clear(&diag);
    if (missing.n == 0) {
        return true;
    }
    doctor_find(&report->findings, DOCTOR_DOUBTFUL, "topology",
                "hosts that %s lacks, which are taken to be at the top: %s", path,
                doctor_names_text(&missing));
    doctor_advise(&report->findings, "add them, by the names that hostname prints on them");
    return false;
}

/** Where the plugin took the topology from, if it serves. */
static void judge_used(doctor_report_t *report, const doctor_cluster_t *cluster, bool is_named)
{
    const char *used = set_value(cluster, "status_topology");
    const double switches = doctor_record_number(&cluster->roll->records[0], "status_switches", 0);
    if (used == NULL) {
        doctor_find(&report->findings, is_named ? DOCTOR_GOOD : DOCTOR_DOUBTFUL, "topology",
                    is_named ? "the one that a parameter names is read on all hosts"
                             : "no parameter names one, and pipebcast does not serve");
        return;
    }
    if (!is_named && switches < 2) {
        doctor_find(&report->findings, DOCTOR_DOUBTFUL, "topology",
                    "no more than one switch is known: %s", used);
        doctor_advise(&report->findings,
                      "if these hosts are on several switches, name a topology file by "
                      "coll_pipebcast_topology_file");
        return;
    }
    doctor_find(&report->findings, DOCTOR_GOOD, "topology", "%s", used);
    if (switches > 1) {
        doctor_advise(&report->findings,
                      "whether flows that it calls disjoint are disjoint, pipebcast-tune --verify "
                      "measures");
    }
}

/** Plans that delivered far less than the links of the topology should. */
static void judge_shortfall(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    const double n = doctor_record_number(&cluster->roll->records[0], "fell_short", 0);
    if (n > 0) {
        doctor_find(&report->findings, DOCTOR_DOUBTFUL, "topology",
                    "in %.0f broadcasts a rank received far more slowly than its links should let "
                    "it",
                    n);
        doctor_advise(&report->findings,
                      "if nothing else uses the network, hosts are at other switches than the "
                      "topology has them: pipebcast-tune --verify names them");
    }
}

/** What the reader of the file takes for a mistake, as a topology.yaml beside it. */
static void judge_warning(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    const char *warning = set_value(cluster, "topology.warning");
    if (warning != NULL) {
        doctor_find(&report->findings, DOCTOR_DOUBTFUL, "topology", "%s", warning);
    }
}

static void judge_topology(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    const char *path = set_value(cluster, "coll_pipebcast_topology_file");
    const bool is_inline = set_value(cluster, "coll_pipebcast_topology") != NULL;
    if (path != NULL && (!judge_file(report, cluster, "topology",
                                     "fix it: pipebcast-topo check names every fault") ||
                         !judge_members(report, cluster, path))) {
        return;
    }
    judge_used(report, cluster, path != NULL || is_inline);
    judge_shortfall(report, cluster);
    if (path != NULL) {
        judge_warning(report, cluster);
        judge_age(report, "topology", age_days(cluster, "topology.age"),
                  "see whether the network is still so: pipebcast-topo show draws it");
    }
}

/* ---- model ---- */

static void judge_model(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    static const char measure[] = "measure one over all hosts: pipebcast-tune --install";
    const char *path = set_value(cluster, "coll_pipebcast_model_file");
    const char *costs = set_value(cluster, "status_costs");
    const char *transport = set_value(cluster, "model.transport");
    if (path == NULL) {
        doctor_find(&report->findings, DOCTOR_DOUBTFUL, "model", "none is measured%s%s",
                    costs != NULL ? ": costs are " : "", costs != NULL ? costs : "");
        doctor_advise(&report->findings, "%s", measure);
        return;
    }
    if (!judge_file(report, cluster, "model", measure)) {
        return;
    }
    if (costs != NULL && strcmp(costs, path) != 0) {
        doctor_find(&report->findings, DOCTOR_BAD, "model",
                    "%s, measured over %s, is not used here: costs are %s", path,
                    transport != NULL ? transport : "an unknown transport", costs);
        doctor_advise(&report->findings, "%s; the message of rank 0 tells what does not fit",
                      measure);
        return;
    }
    doctor_find(&report->findings, transport != NULL ? DOCTOR_GOOD : DOCTOR_DOUBTFUL, "model",
                "%s, %.0f days old, measured over %s", path, age_days(cluster, "model.age"),
                transport != NULL ? transport : "an unknown transport");
    if (transport == NULL) {
        doctor_advise(&report->findings, "%s", measure);
    }
    judge_age(report, "model", age_days(cluster, "model.age"), measure);
}

void doctor_judge_files(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    if (doctor_has_plugin(cluster)) {
        judge_topology(report, cluster);
        judge_model(report, cluster);
    }
}
