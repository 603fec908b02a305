#include <string.h>

#include "judge.h"

/** What a counter fallback_* means for a cluster. */
static const struct {
    const char *how;
    doctor_verdict_t verdict;
    const char *text;
    const char *advice;
} reasons[] = {
    {"fallback_too_small", DOCTOR_DOUBTFUL, "the message was smaller than coll_pipebcast_min_size",
     "set it lower; usual are 1024 bytes"},
    {"fallback_faster", DOCTOR_DOUBTFUL,
     "the fallback component is predicted to be faster for such a message",
     "if it is not (see the broadcasts below), measure a model: pipebcast-tune --install"},
    {"fallback_ranks_differ", DOCTOR_BAD,
     "ranks have different parameters, topologies, transports or versions, so that the fallback "
     "component serves all broadcasts",
     "make them alike; the message of rank 0 names the first difference"},
    {"fallback_one_host", DOCTOR_DOUBTFUL,
     "all ranks are on one host, where the fallback component serves",
     "run it with a rank on each host"},
    {"fallback_transport", DOCTOR_BAD,
     "messages between hosts do not go over TCP over Ethernet, so that the fallback component "
     "serves all broadcasts",
     "if that transport is right, measure a model on it (pipebcast-tune --install) or set "
     "coll_pipebcast_transport to any; else see pml and btl_tcp_if_include"},
    {"fallback_unfit", DOCTOR_BAD, "coll_pipebcast_algorithm does not fit this network",
     "leave coll_pipebcast_algorithm out"},
};

/** A rank that could not set itself up. */
static void judge_failed(doctor_report_t *report, const doctor_cluster_t *cluster)
{
    for (int rank = 0; rank < cluster->roll->n_ranks; rank++) {
        const char *why = doctor_cluster_value(cluster, rank, "status_why");
        if (why != NULL && why[0] != '\0') {
            doctor_find(&report->findings, DOCTOR_BAD, "serving",
                        "the fallback component serves all broadcasts, as rank %d on %s cannot: %s",
                        rank, cluster->hosts[rank], why);
            return;
        }
    }
    doctor_find(&report->findings, DOCTOR_BAD, "serving",
                "the fallback component serves all broadcasts, as a rank cannot");
    doctor_advise(&report->findings, "see that rank's message");
}

/** No counter has moved: the communicator is not pipebcast's. */
static void judge_unused(doctor_report_t *report)
{
    doctor_find(&report->findings, DOCTOR_BAD, "serving",
                "pipebcast is there, but not used for broadcasts");
    doctor_advise(
        &report->findings,
        "see whether another component has a higher priority than "
        "coll_pipebcast_priority, or whether the parameter coll leaves out the components "
        "to fall back on (tuned, libnbc)");
}

void doctor_judge_serving(doctor_report_t *report, const doctor_cluster_t *cluster, const char *how)
{
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (strcmp(how, reasons[i].how) == 0) {
            doctor_find(&report->findings, reasons[i].verdict, "serving", "%s", reasons[i].text);
            doctor_advise(&report->findings, "%s", reasons[i].advice);
            return;
        }
    }
    if (strcmp(how, "fallback_failed") == 0) {
        judge_failed(report, cluster);
    } else if (how[0] == '\0') {
        judge_unused(report);
    } else {
        doctor_find(&report->findings, DOCTOR_GOOD, "serving", "pipebcast serves broadcasts (%s)",
                    how);
    }
}
