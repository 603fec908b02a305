#include "findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *doctor_verdict_name(doctor_verdict_t verdict)
{
    static const char *const names[] = {"good", "doubtful", "bad"};
    return names[verdict];
}

void doctor_findings_init(doctor_findings_t *findings)
{
    *findings = (doctor_findings_t){.n = 0};
    pthread_mutex_init(&findings->lock, NULL);
}

void doctor_findings_free(doctor_findings_t *findings)
{
    for (int i = 0; i < findings->n; i++) {
        free(findings->list[i].text);
        free(findings->list[i].advice);
    }
    free(findings->list);
    pthread_mutex_destroy(&findings->lock);
    *findings = (doctor_findings_t){.n = 0};
}

/** A text that the caller frees; NULL if out of memory. */
static char *print(const char *format, va_list args)
{
    char *text = NULL;
    return vasprintf(&text, format, args) < 0 ? NULL : text;
}

void doctor_find(doctor_findings_t *findings, doctor_verdict_t verdict, const char *topic,
                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = print(format, args);
    va_end(args);
    pthread_mutex_lock(&findings->lock);
    doctor_finding_t *list =
        realloc(findings->list, ((size_t) findings->n + 1) * sizeof *findings->list);
    if (list != NULL) {
        findings->list = list;
    }
    if (list != NULL && text != NULL) {
        list[findings->n++] = (doctor_finding_t){.verdict = verdict, .topic = topic, .text = text};
    } else {
        findings->failed = true;
        free(text);
    }
    pthread_mutex_unlock(&findings->lock);
}

void doctor_advise(doctor_findings_t *findings, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *advice = print(format, args);
    va_end(args);
    pthread_mutex_lock(&findings->lock);
    if (findings->n > 0 && !findings->failed) {
        free(findings->list[findings->n - 1].advice);
        findings->list[findings->n - 1].advice = advice;
        advice = NULL;
    }
    pthread_mutex_unlock(&findings->lock);
    free(advice);
}

int doctor_findings_count(const doctor_findings_t *findings, doctor_verdict_t verdict)
{
    int n = 0;
    for (int i = 0; i < findings->n; i++) {
        n += findings->list[i].verdict == verdict;
    }
    return n;
}
