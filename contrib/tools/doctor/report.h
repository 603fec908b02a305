/* All that a run of the doctor has found, and the page or JSON document that shows it. */
#ifndef DOCTOR_REPORT_H
#define DOCTOR_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "broadcasts.h"
#include "options.h"

/** DOCTOR_NOTHING: there is nothing to say. */
typedef enum { DOCTOR_NOTHING, DOCTOR_OK, DOCTOR_WARNING, DOCTOR_ERROR } doctor_verdict_t;

enum { DOCTOR_MAX_FINDINGS = 64, DOCTOR_TEXT_SIZE = 512 };

typedef struct doctor_finding {
    doctor_verdict_t verdict;
    const char *topic; /**< a word; borrowed */
    char text[DOCTOR_TEXT_SIZE];
    const char *advice; /**< borrowed; NULL: none */
} doctor_finding_t;

/** One host's messages to the next one, as they were measured. */
struct doctor_rate {
    const char *from, *to; /**< hosts; borrowed */
    const char *interface; /**< of the first one; borrowed; "": not known */
    double reported; /**< by the interfaces, bits per second, of the slower end; 0: not known */
    double measured; /**< 0: there was no time */
};

/** Rank 0's. */
typedef struct doctor_report {
    const struct doctor_options *options; /**< borrowed */
    doctor_finding_t findings[DOCTOR_MAX_FINDINGS];
    int n_findings;
    int n_ranks;
    int n_hosts;               /**< 0: not known */
    struct doctor_rate *rates; /**< owned, by host; NULL: none */
    int n_rates;
    struct doctor_broadcast broadcasts[DOCTOR_MAX_SIZES];
    int n_broadcasts;
    struct doctor_broadcast multicast; /**< bytes 0: not tried; fallback_s is the trees' time */
} doctor_report_t;

/** Adds a finding. Beyond DOCTOR_MAX_FINDINGS the last one is replaced. */
void doctor_find(doctor_report_t *report, doctor_verdict_t verdict, const char *topic,
                 const char *advice, const char *format, ...) __attribute__((format(printf, 5, 6)));

/** The worst verdict of all findings. */
doctor_verdict_t doctor_report_verdict(const doctor_report_t *report);

/** Prints the page, or JSON with --json. */
void doctor_report_print(const doctor_report_t *report, FILE *stream);

#endif
