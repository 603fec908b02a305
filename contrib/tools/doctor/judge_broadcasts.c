#include <stdio.h>
#include <string.h>

#include "judge.h"

/** How many times as long as the fallback component a broadcast may take. */
#define GOOD_RATIO 1.15
#define DOUBTFUL_RATIO 1.5

/** "8 KB", for people. */
static const char *size_text(int64_t bytes, char text[32])
{
    if (bytes % (1 << 20) == 0) {
        snprintf(text, 32, "%lld MB", (long long) bytes >> 20);
    } else if (bytes % 1024 == 0) {
        snprintf(text, 32, "%lld KB", (long long) bytes >> 10);
    } else {
        snprintf(text, 32, "%lld bytes", (long long) bytes);
    }
    return text;
}

static const char *time_text(double seconds, char text[32])
{
    if (seconds < 1e-3) {
        snprintf(text, 32, "%.3g us", seconds * 1e6);
    } else if (seconds < 1) {
        snprintf(text, 32, "%.3g ms", seconds * 1e3);
    } else {
        snprintf(text, 32, "%.3g s", seconds);
    }
    return text;
}

/** One side alone was measured. */
static void report_alone(doctor_report_t *report, const struct doctor_broadcast *broadcast)
{
    char size[32], time[32];
    const bool ours = broadcast->pipebcast_s > 0;
    doctor_find(&report->findings, DOCTOR_DOUBTFUL, "broadcasts",
                "%s: only %s was measured, which takes %s", size_text(broadcast->bytes, size),
                ours ? "pipebcast" : "the fallback component",
                time_text(ours ? broadcast->pipebcast_s : broadcast->fallback_s, time));
}

static void judge_one(doctor_report_t *report, const struct doctor_broadcast *broadcast)
{
    char size[32], ours[32], other[32];
    const double ratio = broadcast->pipebcast_s / broadcast->fallback_s;
    const bool passed = strncmp(broadcast->how, "fallback_", strlen("fallback_")) == 0;
    if (passed) {
        doctor_find(&report->findings, DOCTOR_GOOD, "broadcasts",
                    "%s: pipebcast leaves it to the fallback component, which takes %s",
                    size_text(broadcast->bytes, size), time_text(broadcast->fallback_s, other));
        return;
    }
    doctor_find(&report->findings,
                ratio > DOUBTFUL_RATIO ? DOCTOR_BAD
                : ratio > GOOD_RATIO   ? DOCTOR_DOUBTFUL
                                       : DOCTOR_GOOD,
                "broadcasts", "%s: pipebcast takes %s (%s), the fallback component %s: %.2f times",
                size_text(broadcast->bytes, size), time_text(broadcast->pipebcast_s, ours),
                broadcast->how[0] != '\0' ? broadcast->how : "?",
                time_text(broadcast->fallback_s, other), ratio);
    if (ratio > GOOD_RATIO) {
        doctor_advise(&report->findings,
                      "if it stays so when nothing else uses the hosts, measure a model "
                      "(pipebcast-tune --install) and see the topology");
    }
}

void doctor_judge_broadcasts(doctor_report_t *report)
{
    for (int i = 0; i < report->n_broadcasts; i++) {
        const struct doctor_broadcast *broadcast = &report->broadcasts[i];
        if (broadcast->pipebcast_s > 0 && broadcast->fallback_s > 0) {
            judge_one(report, broadcast);
        } else {
            report_alone(report, broadcast);
        }
    }
}
