/* What is printed: the page for people, or JSON. */
#ifndef DOCTOR_PAGE_H
#define DOCTOR_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "broadcasts.h"
#include "findings.h"
#include "options.h"

/** One host's way to the next one, as it was measured. */
struct doctor_rate {
    const char *from, *to; /**< hosts; borrowed */
    const char *interface; /**< of the first one; borrowed; "": not known */
    double claimed;        /**< bits per second, of the slower end; 0: not known */
    double measured;       /**< 0: there was no time */
};

/** All that a run has found, at rank 0. */
typedef struct doctor_report {
    const struct doctor_options *options; /**< borrowed */
    doctor_findings_t findings;
    int n_ranks;
    int n_hosts;               /**< 0: not known */
    struct doctor_rate *rates; /**< owned, by host; NULL: none */
    int n_rates;
    struct doctor_broadcast broadcasts[DOCTOR_MAX_SIZES];
    int n_broadcasts;
} doctor_report_t;

/** The worst verdict of all findings. */
doctor_verdict_t doctor_report_verdict(const doctor_report_t *report);

/** Prints in the form that the options ask for. False with a message if out of memory. */
bool doctor_report_print(const doctor_report_t *report, FILE *stream);

#endif
