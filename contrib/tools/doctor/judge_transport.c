#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/median.h"
#include "judge.h"

/** Shares of the claimed rate that one flow should reach, and that a host should, of the others. */
#define GOOD_SHARE 0.8
#define DOUBTFUL_SHARE 0.5
/** And what it cannot exceed if the claim is right. */
#define GOOD_EXCESS 1.2
#define DOUBTFUL_EXCESS 2

/** From here on one TCP flow needs large buffers, and may not fill a link at all. */
#define FAST_BITS_PER_SECOND 9e9
#define FASTEST_FLOW 24e9
#define FAST_BUFFER (4 << 20)

/** The least MTU that is usual. */
enum { USUAL_MTU = 1500 };

static double number(const doctor_cluster_t *cluster, int rank, const char *name)
{
    return doctor_record_number(&cluster->roll->records[rank], name, 0);
}

static double mbit(double bits_per_second)
{
    return bits_per_second / 1e6;
}

/* ---- transport and MTU ---- */

static void judge_route(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    static const char *const names[] = {"pml", "btls", "ethernet"};
    const char *transport = doctor_cluster_value(cluster, cluster->leaders[0], "transport");
    const char *interface = doctor_cluster_value(cluster, cluster->leaders[0], "interface");
    const bool is_ethernet = number(cluster, cluster->leaders[0], "ethernet") != 0;
    for (int i = 0; i < 3; i++) {
        doctor_names_t others = {.n = 0};
        const char *first = doctor_cluster_value(cluster, cluster->leaders[0], names[i]);
        for (int host = 1; host < cluster->n_hosts; host++) {
            const int rank = cluster->leaders[host];
            const char *value = doctor_cluster_value(cluster, rank, names[i]);
            if (first != NULL && value != NULL && strcmp(first, value) != 0) {
                doctor_names_add(&others, cluster->hosts[rank],
                                 doctor_cluster_value(cluster, rank, "transport"));
            }
        }
        if (others.n > 0) {
            doctor_find(&report->findings, DOCTOR_BAD, "transport", "%s on %s, but on %s",
                        transport, cluster->hosts[cluster->leaders[0]], doctor_names_text(&others));
            doctor_advise(&report->findings,
                          "use the same pml, btl and kind of network everywhere");
            return;
        }
    }
    if (interface != NULL && strchr(interface, '+') != NULL) {
        doctor_find(&report->findings, DOCTOR_DOUBTFUL, "transport",
                    "%s: Open MPI sends over several interfaces in turn", transport);
        doctor_advise(
            &report->findings,
            "name one network by btl_tcp_if_include, unless all lead to the same switches");
        return;
    }
    if (!is_ethernet) {
        doctor_find(&report->findings, DOCTOR_DOUBTFUL, "transport",
                    "messages go over %s, which is not known to be TCP over Ethernet", transport);
        doctor_advise(&report->findings,
                      "if that is not the network that you mean, see pml, btl and "
                      "btl_tcp_if_include; see doc/parameters.md, transports");
        return;
    }
    doctor_find(&report->findings, DOCTOR_GOOD, "transport", "%s", transport);
}

static void judge_mtu(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    const double first = number(cluster, cluster->leaders[0], "mtu");
    doctor_names_t others = {.n = 0};
    for (int host = 1; host < cluster->n_hosts; host++) {
        const int rank = cluster->leaders[host];
        if (number(cluster, rank, "mtu") != first) {
            doctor_names_add(&others, cluster->hosts[rank],
                             doctor_cluster_value(cluster, rank, "mtu"));
        }
    }
    if (others.n > 0) {
        doctor_find(&report->findings, DOCTOR_BAD, "MTU", "%g bytes on %s, but on %s", first,
                    cluster->hosts[cluster->leaders[0]], doctor_names_text(&others));
        doctor_advise(&report->findings,
                      "set the same MTU on all hosts and switches: large packets to a host with a "
                      "smaller one may be lost");
    } else if (first > 0) {
        doctor_find(&report->findings, first < USUAL_MTU ? DOCTOR_DOUBTFUL : DOCTOR_GOOD, "MTU",
                    "%g bytes on all hosts", first);
        if (first < USUAL_MTU) {
            doctor_advise(&report->findings, "raise it to %d, or 9000 where switches allow it",
                          USUAL_MTU);
        }
    }
}

/* ---- rates ---- */

/** The median of what was measured; 0: nothing was. */
static double median_rate(const doctor_report_t *report)
{
    double *rates = calloc((size_t) report->n_rates + 1, sizeof *rates);
    int n = 0;
    for (int i = 0; rates != NULL && i < report->n_rates; i++) {
        if (report->rates[i].measured > 0) {
            rates[n++] = report->rates[i].measured;
        }
    }
    const double median = common_median(rates, n);
    free(rates);
    return median;
}

/** What one measured rate means against what it should be. */
static doctor_verdict_t verdict_of(double measured, double expected, bool is_claimed)
{
    const double share = measured / expected;
    if (share < DOUBTFUL_SHARE) {
        return expected > FASTEST_FLOW ? DOCTOR_DOUBTFUL : DOCTOR_BAD;
    }
    if (is_claimed && share > DOUBTFUL_EXCESS) {
        return DOCTOR_BAD;
    }
    return share < GOOD_SHARE || (is_claimed && share > GOOD_EXCESS) ? DOCTOR_DOUBTFUL
                                                                     : DOCTOR_GOOD;
}

/** The findings of one kind: hosts that are too slow, or faster than their claim. */
static void report_rates(doctor_report_t *report, doctor_verdict_t verdict, bool slow,
                         double median)
{
    doctor_names_t names = {.n = 0};
    for (int i = 0; i < report->n_rates; i++) {
        const struct doctor_rate *rate = &report->rates[i];
        const double expected = rate->claimed > 0 ? rate->claimed : median;
        char text[128];
        if (rate->measured > 0 && (rate->measured < expected) == slow &&
            verdict_of(rate->measured, expected, rate->claimed > 0) == verdict) {
            snprintf(text, sizeof text, "%.4g of %.4g", mbit(rate->measured), mbit(expected));
            doctor_names_add(&names, rate->from, text);
        }
    }
    if (names.n == 0) {
        return;
    }
    if (slow) {
        doctor_find(&report->findings, verdict, "rate",
                    "slower than they should be, in Mbit/s from these hosts to the next: %s",
                    doctor_names_text(&names));
        doctor_advise(
            &report->findings,
            "see their ports (ethtool, errors, duplex), processors and other traffic; on "
            "links of 25 Gbit/s and more one TCP flow may be all that a processor can do");
    } else {
        doctor_find(&report->findings, verdict, "rate",
                    "interfaces claim less than was measured, in Mbit/s: %s",
                    doctor_names_text(&names));
        doctor_advise(&report->findings,
                      "set btl_tcp_bandwidth_INTERFACE to the true Mbit/s: trees and segment sizes "
                      "are chosen by it");
    }
}

static void report_good_rates(doctor_report_t *report, double median)
{
    double least = median, most = median, claimed = 0;
    int n = 0;
    for (int i = 0; i < report->n_rates; i++) {
        const struct doctor_rate *rate = &report->rates[i];
        if (rate->measured > 0) {
            least = rate->measured < least ? rate->measured : least;
            most = rate->measured > most ? rate->measured : most;
            claimed = rate->claimed;
            n++;
        }
    }
    char claim[64] = "; the interfaces claim none";
    if (claimed > 0) {
        snprintf(claim, sizeof claim, " of %.4g that are claimed", mbit(claimed));
    }
    doctor_find(&report->findings, n < report->n_rates ? DOCTOR_DOUBTFUL : DOCTOR_GOOD, "rate",
                "%.4g to %.4g Mbit/s%s, from %d of %d hosts to the next", mbit(least), mbit(most),
                claim, n, report->n_rates);
    if (n < report->n_rates) {
        doctor_advise(&report->findings, "raise --time-limit to measure all");
    }
}

static void judge_rates(doctor_report_t *report)
{
    const double median = median_rate(report);
    const int before = report->findings.n;
    if (median <= 0) {
        return;
    }
    for (int verdict = DOCTOR_BAD; verdict > DOCTOR_GOOD; verdict--) {
        report_rates(report, (doctor_verdict_t) verdict, true, median);
        report_rates(report, (doctor_verdict_t) verdict, false, median);
    }
    if (report->findings.n == before) {
        report_good_rates(report, median);
    }
}

/* ---- sockets and descriptors ---- */

/** Whether arrival = nb wants a receive buffer of a fixed size. */
static bool wants_fixed(const doctor_cluster_t *cluster)
{
    const char *arrival = doctor_cluster_value(cluster, 0, "coll_pipebcast_arrival");
    return arrival != NULL && strcmp(arrival, "nb") == 0;
}

static void judge_sockets(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    const int rank = cluster->leaders[0];
    const double sndbuf = number(cluster, rank, "btl_tcp_sndbuf");
    const double rcvbuf = number(cluster, rank, "btl_tcp_rcvbuf");
    const double rmem = number(cluster, rank, "rmem"), wmem = number(cluster, rank, "wmem");
    const double least = rmem < wmem ? rmem : wmem;
    const bool fast = number(cluster, rank, "rate") >= FAST_BITS_PER_SECOND;
    const char *btls = doctor_cluster_value(cluster, rank, "btls");
    if (btls != NULL && strstr(btls, "tcp") == NULL) {
        return;
    }
    if (sndbuf > 0 || (rcvbuf > 0 && !wants_fixed(cluster))) {
        doctor_find(&report->findings, fast ? DOCTOR_BAD : DOCTOR_DOUBTFUL, "sockets",
                    "buffers are fixed: btl_tcp_sndbuf %.0f, btl_tcp_rcvbuf %.0f bytes", sndbuf,
                    rcvbuf);
        doctor_advise(
            &report->findings,
            "set both to 0: the kernel then lets them grow, which is better on fast links");
    } else if (fast && least > 0 && least < FAST_BUFFER) {
        doctor_find(&report->findings, DOCTOR_DOUBTFUL, "sockets",
                    "the kernel lets TCP's buffers grow to %.0f bytes only", least);
        doctor_advise(&report->findings,
                      "raise the last number of net.ipv4.tcp_rmem and tcp_wmem to %d or more",
                      FAST_BUFFER);
    } else {
        doctor_find(&report->findings, DOCTOR_GOOD, "sockets",
                    "the kernel chooses the buffers, up to %.0f bytes", least);
    }
}

/** The rank with the least limit. */
static int least_limited(const doctor_cluster_t *cluster)
{
    int least = 0;
    for (int rank = 1; rank < cluster->roll->n_ranks; rank++) {
        const doctor_record_t *records = cluster->roll->records;
        if (doctor_record_number(&records[rank], "limit", 1e18) <
            doctor_record_number(&records[least], "limit", 1e18)) {
            least = rank;
        }
    }
    return least;
}

static void judge_descriptors(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    const int rank = least_limited(cluster);
    const double limit = number(cluster, rank, "limit"), n_open = number(cluster, rank, "open");
    const double budget = number(cluster, rank, "status_connections");
    const int n_others = cluster->roll->n_ranks - 1;
    char bound[96] = "";
    if (limit <= 0) {
        doctor_find(&report->findings, DOCTOR_GOOD, "descriptors", "not limited");
        return;
    }
    if (budget > 0) {
        snprintf(bound, sizeof bound, "; pipebcast uses %.0f connections at most", budget);
    }
    const double free_ones = limit - n_open;
    const doctor_verdict_t verdict =
        free_ones < 16                                                   ? DOCTOR_BAD
        : free_ones < n_others + 16 || (budget > 0 && budget < n_others) ? DOCTOR_DOUBTFUL
                                                                         : DOCTOR_GOOD;
    doctor_find(&report->findings, verdict, "descriptors",
                "%.0f of a process, the least on %s; %.0f are open, for %d other ranks%s", limit,
                cluster->hosts[rank], n_open, n_others, bound);
    if (verdict != DOCTOR_GOOD) {
        doctor_advise(
            &report->findings,
            "raise ulimit -n (LimitNOFILE of slurmd, limits.conf) on all hosts: a process "
            "without descriptors hangs");
    }
}

void doctor_judge_transport(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    if (cluster->n_hosts > 1) {
        judge_route(report, cluster);
        judge_mtu(report, cluster);
        judge_rates(report);
        judge_sockets(report, cluster);
    }
    judge_descriptors(report, cluster);
}
