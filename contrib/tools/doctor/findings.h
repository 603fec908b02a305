/* What was found, each with a verdict and with what to do. For several threads. */
#ifndef DOCTOR_FINDINGS_H
#define DOCTOR_FINDINGS_H

#include <pthread.h>
#include <stdbool.h>

typedef enum { DOCTOR_GOOD, DOCTOR_DOUBTFUL, DOCTOR_BAD } doctor_verdict_t;

/** "good", "doubtful", "bad". */
const char *doctor_verdict_name(doctor_verdict_t verdict);

typedef struct doctor_finding {
    doctor_verdict_t verdict;
    const char *topic; /**< borrowed: a word */
    char *text;        /**< owned */
    char *advice;      /**< owned: what to do; NULL: nothing */
} doctor_finding_t;

/** Zeros but for the lock: none. */
typedef struct doctor_findings {
    pthread_mutex_t lock; /**< protects the rest */
    doctor_finding_t *list;
    int n;
    bool failed; /**< out of memory: one is missing */
} doctor_findings_t;

void doctor_findings_init(doctor_findings_t *findings);
void doctor_findings_free(doctor_findings_t *findings);

/** Adds one, without advice. */
void doctor_find(doctor_findings_t *findings, doctor_verdict_t verdict, const char *topic,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Adds what to do to the one that was added last. */
void doctor_advise(doctor_findings_t *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** How many have a verdict. */
int doctor_findings_count(const doctor_findings_t *findings, doctor_verdict_t verdict);

#endif
