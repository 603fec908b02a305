#include "judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/report.h"
#include "facts.h"
#include "topo/model/choose.h"
#include "topo/network/topology.h"
#include "topo/util/decimal.h"
#include "topo/util/error.h"
#include "topo/util/median.h"
#include "transport.h"
#include "variables.h"

/** Shares of the reported rate: what one flow should reach, and what it cannot exceed. */
#define GOOD_SHARE 0.8
#define POOR_SHARE 0.5
#define MOST_SHARE 1.2
#define IMPOSSIBLE_SHARE 2

/** From here on one TCP flow needs large buffers, and may not fill a link at all. */
#define FAST_BITS_PER_SECOND 9e9
#define FASTEST_FLOW 24e9
#define FAST_BUFFER (4 << 20)

/** Time of a broadcast over the fallback component's from which it gets a warning, and an error. */
#define GOOD_RATIO 1.15
#define POOR_RATIO 1.5
/* Multicast brings something if it takes at most this share of the trees' time. */
#define WORTHWHILE 0.9

/** The least usual MTU, and descriptors to spare. */
enum { USUAL_MTU = 1500, SPARE_DESCRIPTORS = 16 };

/* ---- the facts ---- */

static doctor_verdict_t say(doctor_verdict_t verdict, char *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static doctor_verdict_t say(doctor_verdict_t verdict, char *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, DOCTOR_TEXT_SIZE, format, args);
    va_end(args);
    return verdict;
}

/** A value of rank 0; NULL: none, or empty. */
static const char *value(const doctor_facts_t *f, const char *name)
{
    const char *text = doctor_cluster_value(f->cluster, 0, name);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static const char *value_or(const doctor_facts_t *f, const char *name, const char *missing)
{
    const char *text = value(f, name);
    return text != NULL ? text : missing;
}

static double number_at(const doctor_facts_t *f, int rank, const char *name)
{
    return doctor_record_number(f->cluster->roll->records[rank], name, 0);
}

static double number(const doctor_facts_t *f, const char *name)
{
    return number_at(f, 0, name);
}

static int leader(const doctor_facts_t *f, int host)
{
    return f->cluster->leaders[host];
}

static bool has_hosts(const doctor_facts_t *f)
{
    return f->cluster->n_hosts > 1;
}

static bool has_plugin(const doctor_facts_t *f)
{
    for (int rank = 0; rank < f->cluster->roll->n_ranks; rank++) {
        if (doctor_cluster_value(f->cluster, rank, "plugin") == NULL) {
            return false;
        }
    }
    return true;
}

/** Tells whether a value differs between hosts' leaders, and finds those that differ from the
 * first, with another value that people are shown. */
static bool differs(const doctor_facts_t *f, const char *name, const char *shown,
                    doctor_names_t *others)
{
    const char *first = doctor_cluster_value(f->cluster, leader(f, 0), name);
    *others = (doctor_names_t){.n = 0};
    for (int host = 1; host < f->cluster->n_hosts; host++) {
        const char *own = doctor_cluster_value(f->cluster, leader(f, host), name);
        if (first != NULL && own != NULL && strcmp(first, own) != 0) {
            doctor_names_add(others, f->cluster->hosts[leader(f, host)],
                             doctor_cluster_value(f->cluster, leader(f, host), shown));
        }
    }
    return others->n > 0;
}

/** The leader of the first host whose messages go over several interfaces; -1: there is none. */
static int find_several(const doctor_facts_t *f)
{
    for (int host = 0; host < f->cluster->n_hosts; host++) {
        const char *own = doctor_cluster_value(f->cluster, leader(f, host), "interface");
        if (own != NULL && strchr(own, '+') != NULL) {
            return leader(f, host);
        }
    }
    return -1;
}

/* ---- software ---- */

static doctor_verdict_t judge_plugin(const doctor_facts_t *f, char *text)
{
    doctor_names_t without = {.n = 0};
    int n = 0;
    for (int rank = 0; rank < f->cluster->roll->n_ranks; rank++) {
        if (doctor_cluster_value(f->cluster, rank, "plugin") == NULL) {
            doctor_names_add(&without, f->cluster->hosts[rank], NULL);
            n++;
        }
    }
    return n == 0 ? DOCTOR_NOTHING
                  : say(DOCTOR_ERROR, text, "Open MPI has not found pipebcast on %s",
                        n == f->cluster->roll->n_ranks ? "any host" : doctor_names_text(&without));
}

static doctor_verdict_t judge_versions(const doctor_facts_t *f, char *text)
{
    static const char *const names[][2] = {{"mpi", "Open MPI's version"},
                                           {"plugin", "pipebcast's version"},
                                           {"doctor", "the tools' version"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        doctor_alike_t alike;
        if (!doctor_cluster_alike(f->cluster, names[i][0], &alike)) {
            return say(DOCTOR_ERROR, text, "%s differs: %s, but on %s", names[i][1], alike.value,
                       doctor_names_text(&alike.others));
        }
    }
    const char *plugin = value(f, "plugin");
    if (plugin != NULL && strcmp(plugin, PACKAGE_VERSION) != 0) {
        return say(DOCTOR_WARNING, text, "the plugin is pipebcast %s, but these tools are %s",
                   plugin, PACKAGE_VERSION);
    }
    return say(DOCTOR_OK, text, "%s, pipebcast %s", value_or(f, "mpi", "?"),
               plugin != NULL ? plugin : "-");
}

/** The first parameter that differs; those of Open MPI may have to. */
static doctor_verdict_t judge_parameters(const doctor_facts_t *f, char *text)
{
    const char *name;
    json_t *own;
    json_object_foreach(f->cluster->roll->records[0], name, own)
    {
        doctor_alike_t alike;
        if (doctor_variables_is_parameter(name) && strcmp(name, "coll_pipebcast_verbose") != 0 &&
            !doctor_cluster_alike(f->cluster, name, &alike)) {
            return say(doctor_variables_is_plugins(name) ? DOCTOR_ERROR : DOCTOR_WARNING, text,
                       "%s differs: %s, but on %s", name,
                       alike.value != NULL && alike.value[0] != '\0' ? alike.value : "none",
                       doctor_names_text(&alike.others));
        }
    }
    return say(DOCTOR_OK, text,
               "alike on all hosts; coll %s, pml %s, btl %s, btl_tcp_if_include %s",
               value_or(f, "coll", "any"), value_or(f, "pml", "any"), value_or(f, "btl", "any"),
               value_or(f, "btl_tcp_if_include", "any"));
}

static doctor_verdict_t judge_priority(const doctor_facts_t *f, char *text)
{
    const double priority = number(f, "coll_pipebcast_priority");
    return priority < 0
               ? say(DOCTOR_ERROR, text,
                     "coll_pipebcast_priority is %g, so that pipebcast is never used", priority)
               : DOCTOR_NOTHING;
}

static doctor_verdict_t judge_trial(const doctor_facts_t *f, char *text)
{
    const char *hosts = value(f, "coll_pipebcast_hosts");
    return hosts != NULL ? say(DOCTOR_WARNING, text,
                               "coll_pipebcast_hosts is set: ranks are taken to be on %s", hosts)
                         : DOCTOR_NOTHING;
}

static doctor_verdict_t judge_hosts(const doctor_facts_t *f, char *text)
{
    return has_hosts(f) ? DOCTOR_NOTHING
                        : say(DOCTOR_WARNING, text,
                              "all ranks are on the host %s, so nothing between hosts is seen",
                              f->cluster->hosts[0]);
}

/* ---- serving ---- */

/** A counter fallback_*, and its meaning for a cluster. */
static const struct {
    const char *how;
    doctor_verdict_t verdict;
    const char *text;
} reasons[] = {
    {"fallback_too_small", DOCTOR_WARNING, "the message was smaller than coll_pipebcast_min_size"},
    {"fallback_faster", DOCTOR_WARNING,
     "the fallback component is predicted to be faster for such a message; if the broadcasts below "
     "show another thing, measure a model"},
    {"fallback_ranks_differ", DOCTOR_ERROR,
     "ranks have different parameters, topologies, transports or versions, so that the fallback "
     "component serves all broadcasts"},
    {"fallback_one_host", DOCTOR_WARNING,
     "all ranks are on one host, where the fallback component serves"},
    {"fallback_transport", DOCTOR_ERROR,
     "messages between hosts do not go over TCP over Ethernet, so that the fallback component "
     "serves all broadcasts; if that transport is right, measure a model on it or set "
     "coll_pipebcast_transport to any"},
};

static doctor_verdict_t judge_failed(const doctor_facts_t *f, char *text)
{
    for (int rank = 0; rank < f->cluster->roll->n_ranks; rank++) {
        const char *why = doctor_cluster_value(f->cluster, rank, "status_why");
        if (why != NULL && why[0] != '\0') {
            return say(DOCTOR_ERROR, text,
                       "the fallback component serves all broadcasts, as rank %d on %s cannot: %s",
                       rank, f->cluster->hosts[rank], why);
        }
    }
    return say(DOCTOR_ERROR, text,
               "the fallback component serves all broadcasts, as a rank cannot");
}

static doctor_verdict_t judge_serving(const doctor_facts_t *f, char *text)
{
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (strcmp(f->how, reasons[i].how) == 0) {
            return say(reasons[i].verdict, text, "%s", reasons[i].text);
        }
    }
    return !f->is_used || f->how[0] == '\0'         ? DOCTOR_NOTHING
           : strcmp(f->how, "fallback_failed") == 0 ? judge_failed(f, text)
           : doctor_was_passed(f->how)
               ? say(DOCTOR_WARNING, text, "the fallback component serves broadcasts (%s)", f->how)
               : say(DOCTOR_OK, text, "pipebcast serves broadcasts (%s)", f->how);
}

/** Finds that no counter has moved: the communicator is not pipebcast's. */
static doctor_verdict_t judge_unused(const doctor_facts_t *f, char *text)
{
    return f->is_used && f->how[0] == '\0' && f->cluster->roll->n_ranks > 1
               ? say(DOCTOR_ERROR, text, "pipebcast is loaded, but not used for broadcasts")
               : DOCTOR_NOTHING;
}

/* ---- the network ---- */

static doctor_verdict_t judge_transport(const doctor_facts_t *f, char *text)
{
    static const char *const names[] = {"pml", "btls", "ethernet"};
    const char *transport = doctor_cluster_value(f->cluster, leader(f, 0), "transport");
    const int several = find_several(f);
    doctor_names_t others;
    for (size_t i = 0; has_hosts(f) && i < sizeof names / sizeof names[0]; i++) {
        if (differs(f, names[i], "transport", &others)) {
            return say(DOCTOR_ERROR, text, "%s on %s, but on %s", transport,
                       f->cluster->hosts[leader(f, 0)], doctor_names_text(&others));
        }
    }
    if (!has_hosts(f)) {
        return DOCTOR_NOTHING;
    }
    if (several >= 0) {
        return say(DOCTOR_WARNING, text, "%s on %s: Open MPI sends over several interfaces in turn",
                   doctor_cluster_value(f->cluster, several, "transport"),
                   f->cluster->hosts[several]);
    }
    if (number_at(f, leader(f, 0), "ethernet") == 0) {
        return say(DOCTOR_WARNING, text,
                   "messages go over %s, which is not known to be TCP over Ethernet", transport);
    }
    return say(DOCTOR_OK, text, "%s", transport);
}

static doctor_verdict_t judge_mtu(const doctor_facts_t *f, char *text)
{
    doctor_names_t others;
    const double mtu = number_at(f, leader(f, 0), "mtu");
    if (!has_hosts(f) || mtu <= 0) {
        return DOCTOR_NOTHING;
    }
    if (differs(f, "mtu", "mtu", &others)) {
        return say(DOCTOR_ERROR, text, "%g bytes on %s, but on %s: large packets may be lost", mtu,
                   f->cluster->hosts[leader(f, 0)], doctor_names_text(&others));
    }
    return say(mtu < USUAL_MTU ? DOCTOR_WARNING : DOCTOR_OK, text, "%g bytes on all hosts", mtu);
}

/** Edges of the plans over which no message passed. */
static doctor_verdict_t judge_edges(const doctor_facts_t *f, char *text)
{
    doctor_names_t broken = {.n = 0};
    const double n = number(f, "edges");
    for (int rank = 0; rank < f->cluster->roll->n_ranks; rank++) {
        const int from = (int) number_at(f, rank, "edge_broken_from") - 1;
        if (from >= 0) {
            char with[64];
            snprintf(with, sizeof with, "to %.48s", f->cluster->hosts[rank]);
            broken.last = NULL;
            doctor_names_add(&broken, f->cluster->hosts[from], with);
        }
    }
    if (broken.n > 0) {
        return say(DOCTOR_ERROR, text, "no message passes from %s", doctor_names_text(&broken));
    }
    return n > 0 ? say(DOCTOR_OK, text,
                       "messages pass over all edges of the plans from rank 0 (%g)", n)
                 : DOCTOR_NOTHING;
}

/** The median of the measured rates; 0: nothing was measured. */
static double median_rate(const doctor_report_t *report)
{
    double *rates = common_alloc((size_t) report->n_rates, sizeof *rates);
    int n = 0;
    for (int i = 0; i < report->n_rates; i++) {
        rates[n] = report->rates[i].measured;
        n += report->rates[i].measured > 0;
    }
    const double median = pb_median(rates, n);
    free(rates);
    return median;
}

enum { FIGURE_SIZE = 32 };

/** "8 KB", for people. */
static const char *size_text(int64_t bytes, char text[FIGURE_SIZE])
{
    const bool mega = bytes % (1 << 20) == 0, kilo = bytes % 1024 == 0;
    snprintf(text, FIGURE_SIZE, "%lld%s",
             (long long) (mega   ? bytes >> 20
                          : kilo ? bytes >> 10
                                 : bytes),
             mega   ? " MB"
             : kilo ? " KB"
                    : " bytes");
    return text;
}

/** "3.12 ms", for people. */
static const char *time_text(double seconds, char text[FIGURE_SIZE])
{
    const double ms = 1e3 * seconds;
    snprintf(text, FIGURE_SIZE, ms < 999 ? "%.3g ms" : "%.0f ms", ms);
    return text;
}

/** Names the hosts whose measured rate has a share of the expected one between two bounds. */
static bool find_rates(const doctor_facts_t *f, double least, double most, doctor_names_t *found)
{
    const double median = median_rate(f->report);
    const bool needs_report = least > 1; /* the median of others is no bound */
    *found = (doctor_names_t){.n = 0};
    for (int i = 0; i < f->report->n_rates; i++) {
        const struct doctor_rate *rate = &f->report->rates[i];
        const double expected = rate->reported > 0 ? rate->reported : median;
        const double share = rate->measured / expected;
        char with[2 * FIGURE_SIZE + 4], measured[FIGURE_SIZE], of[FIGURE_SIZE];
        if (rate->measured > 0 && share >= least && share < most &&
            (rate->reported > 0 || !needs_report)) {
            snprintf(with, sizeof with, "%s of %s", pb_rate_text(rate->measured, measured),
                     pb_rate_text(expected, of));
            doctor_names_add(found, rate->from, with);
        }
    }
    return found->n > 0;
}

static bool is_any_faster(const doctor_facts_t *f, double bits_per_second)
{
    for (int i = 0; i < f->report->n_rates; i++) {
        if (f->report->rates[i].reported > bits_per_second) {
            return true;
        }
    }
    return false;
}

static doctor_verdict_t judge_slow(const doctor_facts_t *f, char *text)
{
    doctor_names_t found;
    const bool is_poor = find_rates(f, 0, POOR_SHARE, &found);
    if (!is_poor && !find_rates(f, 0, GOOD_SHARE, &found)) {
        return DOCTOR_NOTHING;
    }
    return say(is_poor && !is_any_faster(f, FASTEST_FLOW) ? DOCTOR_ERROR : DOCTOR_WARNING, text,
               "slower than they should be, in Mbit/s from these hosts to the next: %s",
               doctor_names_text(&found));
}

static doctor_verdict_t judge_reported(const doctor_facts_t *f, char *text)
{
    doctor_names_t found;
    const bool is_wrong = find_rates(f, IMPOSSIBLE_SHARE, 1e9, &found);
    return is_wrong || find_rates(f, MOST_SHARE, 1e9, &found)
               ? say(is_wrong ? DOCTOR_ERROR : DOCTOR_WARNING, text,
                     "interfaces report less than was measured, in Mbit/s: %s",
                     doctor_names_text(&found))
               : DOCTOR_NOTHING;
}

static doctor_verdict_t judge_rates(const doctor_facts_t *f, char *text)
{
    const doctor_report_t *report = f->report;
    double least = 0, most = 0, reported = 0;
    doctor_names_t slow;
    char texts[3][FIGURE_SIZE];
    int n = 0;
    for (int i = 0; i < report->n_rates; i++) {
        const double measured = report->rates[i].measured;
        if (measured > 0) {
            least = n == 0 || measured < least ? measured : least;
            most = measured > most ? measured : most;
            reported = report->rates[i].reported;
            n++;
        }
    }
    if (n == 0 || find_rates(f, 0, GOOD_SHARE, &slow)) {
        return DOCTOR_NOTHING;
    }
    return say(n < report->n_rates ? DOCTOR_WARNING : DOCTOR_OK, text,
               "%s to %s Mbit/s (reported: %s), from %d of %d hosts to the next",
               pb_rate_text(least, texts[0]), pb_rate_text(most, texts[1]),
               reported > 0 ? pb_rate_text(reported, texts[2]) : "none", n, report->n_rates);
}

/** Tells whether messages go over TCP, and finds the least size to which the kernel lets buffers
 * grow. */
static bool uses_tcp(const doctor_facts_t *f, double *buffer_p)
{
    const double rmem = number_at(f, leader(f, 0), "rmem"),
                 wmem = number_at(f, leader(f, 0), "wmem");
    const char *btls = doctor_cluster_value(f->cluster, leader(f, 0), "btls");
    *buffer_p = rmem < wmem ? rmem : wmem;
    return has_hosts(f) && btls != NULL && strstr(btls, "tcp") != NULL;
}

static bool is_fast(const doctor_facts_t *f)
{
    return number_at(f, leader(f, 0), "rate") >= FAST_BITS_PER_SECOND;
}

static doctor_verdict_t judge_fixed(const doctor_facts_t *f, char *text)
{
    const double sndbuf = number_at(f, leader(f, 0), "btl_tcp_sndbuf");
    const double rcvbuf = number_at(f, leader(f, 0), "btl_tcp_rcvbuf");
    const bool wanted = strcmp(value_or(f, "coll_pipebcast_arrival", ""), "nb") == 0;
    double buffer;
    return uses_tcp(f, &buffer) && (sndbuf > 0 || (rcvbuf > 0 && !wanted))
               ? say(is_fast(f) ? DOCTOR_ERROR : DOCTOR_WARNING, text,
                     "buffers are fixed: btl_tcp_sndbuf %.0f, btl_tcp_rcvbuf %.0f bytes", sndbuf,
                     rcvbuf)
               : DOCTOR_NOTHING;
}

static doctor_verdict_t judge_buffers(const doctor_facts_t *f, char *text)
{
    double buffer;
    return uses_tcp(f, &buffer) && buffer > 0 && buffer < FAST_BUFFER && is_fast(f)
               ? say(DOCTOR_WARNING, text, "TCP's buffers grow to %.0f bytes only", buffer)
               : DOCTOR_NOTHING;
}

static doctor_verdict_t judge_descriptors(const doctor_facts_t *f, char *text)
{
    const int n_others = f->cluster->roll->n_ranks - 1;
    int least = 0;
    for (int rank = 1; rank < f->cluster->roll->n_ranks; rank++) {
        least = number_at(f, rank, "limit") < number_at(f, least, "limit") ? rank : least;
    }
    const double limit = number_at(f, least, "limit"), n_open = number_at(f, least, "open");
    const double budget = number_at(f, least, "status_connections");
    const double n_free = limit - n_open;
    if (limit <= 0) {
        return DOCTOR_NOTHING;
    }
    return say(n_free < SPARE_DESCRIPTORS ? DOCTOR_ERROR
               : n_free < n_others + SPARE_DESCRIPTORS || (budget > 0 && budget < n_others)
                   ? DOCTOR_WARNING
                   : DOCTOR_OK,
               text, "each process may open %.0f (least: %s) and has %.0f open; other ranks: %d",
               limit, f->cluster->hosts[least], n_open, n_others);
}

/* ---- files ---- */

/** A file that a rank cannot read, or that differs between ranks. */
static doctor_verdict_t judge_file(const doctor_facts_t *f, const char *topic, char *text)
{
    char name[32];
    doctor_alike_t alike;
    snprintf(name, sizeof name, "%s.error", topic);
    for (int rank = 0; rank < f->cluster->roll->n_ranks; rank++) {
        const char *why = doctor_cluster_value(f->cluster, rank, name);
        if (why != NULL) {
            return say(DOCTOR_ERROR, text, "the file cannot be used on %s: %s",
                       f->cluster->hosts[rank], why);
        }
    }
    snprintf(name, sizeof name, "%s.hash", topic);
    return doctor_cluster_alike(f->cluster, name, &alike)
               ? DOCTOR_NOTHING
               : say(DOCTOR_ERROR, text, "the file differs on %s; copy the same one to all hosts",
                     doctor_names_text(&alike.others));
}

static doctor_verdict_t judge_topology_file(const doctor_facts_t *f, char *text)
{
    return judge_file(f, "topology", text);
}

/** Hosts of the job that the file does not have. */
static doctor_verdict_t judge_members(const doctor_facts_t *f, char *text)
{
    pb_topology_t topology;
    doctor_names_t missing = {.n = 0};
    pb_diag_t diag;
    if (value(f, "coll_pipebcast_topology_file") == NULL) {
        return DOCTOR_NOTHING;
    }
    pb_diag_init(&diag);
    const int code = doctor_topology_open(f->cluster->roll->records[0], &topology, &diag);
    const bool names_all = code == PB_SUCCESS && pb_network_n_hosts(topology.network) > 0 &&
                           pb_network_others(topology.network) < 0;
    for (int i = 0; names_all && i < f->cluster->n_hosts; i++) {
        const char *host = f->cluster->hosts[leader(f, i)];
        if (pb_network_find_host(topology.network, host) < 0) {
            doctor_names_add(&missing, host, NULL);
        }
    }
    pb_topology_clear(&topology);
    pb_diag_clear(&diag);
    return missing.n == 0
               ? DOCTOR_NOTHING
               : say(DOCTOR_WARNING, text,
                     "hosts that %s lacks, which are taken to be at the top: %s",
                     value(f, "coll_pipebcast_topology_file"), doctor_names_text(&missing));
}

/** The topology that is used; one switch without a file is what most clusters have. */
static doctor_verdict_t judge_topology(const doctor_facts_t *f, char *text)
{
    const char *used = value(f, "status_topology");
    const char *file = value_or(f, "coll_pipebcast_topology_file", "FILE");
    const char *name = value_or(f, "coll_pipebcast_topology_name", "");
    if (used == NULL) {
        return DOCTOR_NOTHING;
    }
    return number(f, "status_switches") > 1
               ? say(DOCTOR_OK, text,
                     "%s; is it true? pipebcast tune --hostfile HOSTS --verify --topology %s%s%s",
                     used, file, name[0] != '\0' ? " --topology-name " : "", name)
               : say(DOCTOR_OK, text,
                     "%s; if there are several switches, name a topology file by "
                     "coll_pipebcast_topology_file",
                     used);
}

static doctor_verdict_t judge_topology_warning(const doctor_facts_t *f, char *text)
{
    const char *warning = value(f, "topology.warning");
    return warning != NULL ? say(DOCTOR_WARNING, text, "%s", warning) : DOCTOR_NOTHING;
}

static doctor_verdict_t judge_model(const doctor_facts_t *f, char *text)
{
    const char *path = value(f, "coll_pipebcast_model_file");
    const char *costs = value(f, "status_costs"), *transport = value(f, "model.transport");
    const doctor_verdict_t of_file = judge_file(f, "model", text);
    if (of_file != DOCTOR_NOTHING || !has_plugin(f)) {
        return of_file;
    }
    if (path == NULL) {
        return say(DOCTOR_OK, text,
                   "none is measured: costs are assumed, and corrected while "
                   "broadcasts run");
    }
    if (costs != NULL && strcmp(costs, path) != 0) {
        return say(DOCTOR_ERROR, text, "%s, measured over %s, is not used here: costs are %s", path,
                   transport != NULL ? transport : "an unknown transport", costs);
    }
    return say(transport == NULL ? DOCTOR_WARNING : DOCTOR_OK, text, "%s, measured over %s", path,
               transport != NULL ? transport : "an unknown transport");
}

/* ---- multicast ---- */

/** The value of coll_pipebcast_multicast with which pipebcast would use it on these hosts. */
static const char *multicast_to_set(const doctor_facts_t *f)
{
    double slowest = 0;
    for (int host = 0; host < f->cluster->n_hosts; host++) {
        const double rate = number_at(f, leader(f, host), "rate");
        slowest = rate > 0 && (slowest <= 0 || rate < slowest) ? rate : slowest;
    }
    return slowest > (double) PB_CHOOSE_MULTICAST_SPEED ? "on" : "auto";
}

/** Multicast is the site's decision: it is tried where --multicast asks for it. */
static doctor_verdict_t judge_multicast(const doctor_facts_t *f, char *text)
{
    const struct doctor_broadcast *tried = &f->report->multicast;
    const char *set = value_or(f, "coll_pipebcast_multicast", "off");
    char size[FIGURE_SIZE], one[FIGURE_SIZE], other[FIGURE_SIZE];
    set = strcmp(set, "topology") == 0 ? value_or(f, "topology.multicast", "off") : set;
    if (!has_plugin(f) || !has_hosts(f)) {
        return DOCTOR_NOTHING;
    }
    if (tried->bytes == 0) {
        return say(DOCTOR_OK, text,
                   "%s; pipebcast doctor --multicast tries whether it works and "
                   "what it brings",
                   strcmp(set, "off") == 0 ? "off, as the site has not allowed it" : set);
    }
    if (f->cluster->n_hosts < PB_CHOOSE_MULTICAST_HOSTS) {
        return say(DOCTOR_OK, text, "is for %d hosts or more, and these are %d",
                   PB_CHOOSE_MULTICAST_HOSTS, f->cluster->n_hosts);
    }
    if (strcmp(tried->how, "multicast") != 0) {
        const int several = find_several(f);
        return several >= 0 ? say(DOCTOR_WARNING, text,
                                  "needs one interface: %s has %s; set btl_tcp_if_include",
                                  f->cluster->hosts[several],
                                  doctor_cluster_value(f->cluster, several, "interface"))
                            : say(DOCTOR_WARNING, text, "does not work here: %s served",
                                  tried->how[0] != '\0' ? tried->how : "the fallback component");
    }
    const bool brings = tried->pipebcast_s < WORTHWHILE * tried->fallback_s;
    return say(DOCTOR_OK, text, "works: %s take %s by multicast and %s by trees%s%s",
               size_text(tried->bytes, size), time_text(tried->pipebcast_s, one),
               time_text(tried->fallback_s, other),
               brings ? ". Switches without IGMP snooping send it to every port: allow it by "
                        "coll_pipebcast_multicast="
                      : ", so it brings nothing here",
               brings ? multicast_to_set(f) : "");
}

/* ---- the table ---- */

typedef doctor_verdict_t judge_fn_t(const doctor_facts_t *f, char *text);

/** Advice to measure a model, for the topology that is used. */
static const char *how_to_measure(const doctor_facts_t *f)
{
    return value(f, "coll_pipebcast_topology_file") == NULL
               ? "pipebcast tune --hostfile HOSTS --install"
           : value(f, "coll_pipebcast_topology_name") == NULL
               ? "pipebcast tune --hostfile HOSTS --topology FILE --install   # FILE as "
                 "coll_pipebcast_topology_file has it"
               : "pipebcast tune --hostfile HOSTS --topology FILE --topology-name NAME --install   "
                 "# FILE and NAME as coll_pipebcast_topology_file and coll_pipebcast_topology_name "
                 "have them";
}

static const char raise_descriptors[] =
    "ulimit -n 65536   # or LimitNOFILE of slurmd: a process without descriptors hangs";

/** Each judgement with its topic and its advice, in the order of the page. */
static const struct {
    const char *topic;
    judge_fn_t *judge;
    const char *advice;
} table[] = {
    {"plugin", judge_plugin,
     "ompi_info --param coll pipebcast --level 9   # on that host: the plugin is in no directory "
     "of "
     "mca_base_component_path, was built for another Open MPI, or is excluded by the parameter "
     "coll"},
    {"versions", judge_versions, "install the same version on all hosts"},
    {"parameters", judge_parameters,
     "set it alike on all hosts, in ~/.openmpi/mca-params.conf or in openmpi-mca-params.conf of "
     "the directory that ompi_info --path sysconfdir names"},
    {"parameters", judge_priority, "export OMPI_MCA_coll_pipebcast_priority=40"},
    {"parameters", judge_trial, "unset OMPI_MCA_coll_pipebcast_hosts, which is for trials"},
    {"hosts", judge_hosts, "pipebcast doctor --hostfile HOSTS   # starts a rank on each host"},
    {"serving", judge_serving,
     "mpirun --mca coll_pipebcast_verbose 1 ...   # rank 0 says why the fallback component serves"},
    {"serving", judge_unused,
     "unset OMPI_MCA_coll   # it must leave pipebcast, and one of tuned and libnbc; or another "
     "component has a higher priority"},
    {"transport", judge_transport,
     "mpirun --mca pml ob1 --mca btl ^openib,uct,ofi --mca btl_tcp_if_include NETWORK ...   # one "
     "that all hosts share"},
    {"MTU", judge_mtu, "ip link set dev eth0 mtu 1500   # or 9000, the same on hosts and switches"},
    {"edges", judge_edges, NULL}, /* those that work; doctor_judge_edges() has ended the others */
    {"rate", judge_slow,
     "ethtool eth0   # speed, duplex, errors; and other traffic. Of 25 Gbit/s and more one TCP "
     "flow may not fill a link"},
    {"rate", judge_reported,
     "mpirun --mca btl_tcp_bandwidth_eth0 MBITS ...   # trees and segments are chosen by it"},
    {"rate", judge_rates, "raise --time-limit to measure all"},
    {"sockets", judge_fixed,
     "mpirun --mca btl_tcp_sndbuf 0 --mca btl_tcp_rcvbuf 0 ...   # the kernel then sizes them"},
    {"sockets", judge_buffers,
     "sysctl -w net.ipv4.tcp_rmem='4096 131072 16777216' net.ipv4.tcp_wmem='4096 65536 16777216'"},
    {"descriptors", judge_descriptors, raise_descriptors},
    {"topology", judge_topology_file, "pipebcast check FILE"},
    {"topology", judge_members, "add them, by the names that hostname prints on them"},
    {"topology", judge_topology, NULL},
    {"topology", judge_topology_warning, "pipebcast check FILE"},
    {"model", judge_model, NULL}, /* how_to_measure() */
    {"multicast", judge_multicast, "see whether switches and firewalls pass UDP to 239.0.0.0/8"},
};

/** pipebcast compared with the fallback component, for one size. */
static void judge_broadcast(doctor_report_t *report, const struct doctor_broadcast *b,
                            const char *advice)
{
    const double ratio = b->pipebcast_s / b->fallback_s;
    char size[FIGURE_SIZE], one[FIGURE_SIZE], other[FIGURE_SIZE];
    size_text(b->bytes, size);
    time_text(b->pipebcast_s, one);
    time_text(b->fallback_s, other);
    if (b->pipebcast_s <= 0 || b->fallback_s <= 0) {
        doctor_find(report, DOCTOR_WARNING, "broadcasts", NULL,
                    "%s: only %s was measured, which takes %s", size,
                    b->pipebcast_s > 0 ? "pipebcast" : "the fallback component",
                    b->pipebcast_s > 0 ? one : other);
    } else if (doctor_was_passed(b->how)) {
        doctor_find(report, DOCTOR_OK, "broadcasts", NULL,
                    "%s: pipebcast leaves it to the fallback component, which takes %s", size,
                    other);
    } else {
        doctor_find(report,
                    ratio > POOR_RATIO   ? DOCTOR_ERROR
                    : ratio > GOOD_RATIO ? DOCTOR_WARNING
                                         : DOCTOR_OK,
                    "broadcasts", advice,
                    "%s: pipebcast takes %s (%s), the fallback component %s: %.2f times as fast",
                    size, one, b->how[0] != '\0' ? b->how : "?", other, 1 / ratio);
    }
}

static const char ask_for_firewall[] =
    "ping the second host from the first; does a firewall let ports above 1023 pass between them? "
    "mpirun --mca btl_tcp_if_include NETWORK ... names the network that all share";

bool doctor_judge_edges(doctor_report_t *report, const doctor_facts_t *facts)
{
    char text[DOCTOR_TEXT_SIZE];
    const bool good = judge_edges(facts, text) != DOCTOR_ERROR;
    if (!good) {
        doctor_find(report, DOCTOR_ERROR, "edges", ask_for_firewall, "%s", text);
    }
    return good;
}

void doctor_judge(doctor_report_t *report, const doctor_facts_t *facts)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char text[DOCTOR_TEXT_SIZE];
        const doctor_verdict_t verdict = table[i].judge(facts, text);
        if (verdict != DOCTOR_NOTHING) {
            doctor_find(report, verdict, table[i].topic,
                        table[i].judge == judge_model ? how_to_measure(facts) : table[i].advice,
                        "%s", text);
        }
    }
    for (int i = 0; i < report->n_broadcasts; i++) {
        judge_broadcast(report, &report->broadcasts[i], how_to_measure(facts));
    }
}

bool doctor_judge_roll(doctor_report_t *report, const doctor_roll_t *roll)
{
    const json_t *own = roll->records[0];
    const double n_free =
        doctor_record_number(own, "limit", HUGE_VAL) - doctor_record_number(own, "open", 0);
    doctor_names_t silent = {.n = 0};
    for (int rank = 0; rank < roll->n_ranks; rank++) {
        if (!roll->heard[rank]) {
            char with[32], *host = doctor_transport_host(MPI_COMM_WORLD, rank);
            snprintf(with, sizeof with, "rank %d", rank);
            doctor_names_add(&silent, host != NULL ? host : "?", with);
            silent.last = NULL; /* it is borrowed */
            free(host);
        }
    }
    if (silent.n > 0) {
        doctor_find(report, DOCTOR_ERROR, "ranks",
                    n_free < roll->n_ranks + SPARE_DESCRIPTORS
                        ? raise_descriptors
                        : "ping these hosts; is there a firewall, does the program run there? "
                          "mpirun --mca btl_tcp_if_include NETWORK ... names the network that all "
                          "share; or a longer --patience",
                    "%d of %d ranks do not answer within %g s: %s", silent.n, roll->n_ranks,
                    report->options->patience_s, doctor_names_text(&silent));
    }
    return silent.n == 0;
}
