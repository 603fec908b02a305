#include "page.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contrib/tools/common/text.h"

/** Columns of the page, and those before a finding's text. */
enum { WIDTH = 100, INDENT = 24 };

/** The form of --json; it changes when an old reader would not understand a new one. */
enum { JSON_FORMAT = 1 };

doctor_verdict_t doctor_report_verdict(const doctor_report_t *report)
{
    doctor_verdict_t worst = report->findings.failed ? DOCTOR_BAD : DOCTOR_GOOD;
    for (int i = 0; i < report->findings.n; i++) {
        const doctor_verdict_t verdict = report->findings.list[i].verdict;
        worst = verdict > worst ? verdict : worst;
    }
    return worst;
}

/* ---- colours ---- */

/** Whether the file that a process writes its output to is a terminal. */
static bool writes_to_terminal(pid_t process)
{
    char path[64], target[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/1", (long) process);
    const ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0) {
        return false;
    }
    target[n] = '\0';
    return strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0;
}

/**
 * A launcher may give its ranks a terminal of its own making, whose output it copies to a file: so
 * the launcher's own output must be one, too.
 */
static bool is_on_terminal(FILE *stream)
{
    return isatty(fileno(stream)) && writes_to_terminal(getppid()) && getenv("NO_COLOR") == NULL;
}

static bool has_colours(const doctor_report_t *report, FILE *stream)
{
    switch (report->options->colour) {
    case DOCTOR_COLOUR_ALWAYS:
        return true;
    case DOCTOR_COLOUR_NEVER:
        return false;
    default:
        return is_on_terminal(stream);
    }
}

static const char *colour_of(doctor_verdict_t verdict)
{
    static const char *const colours[] = {"\033[32m", "\033[33m", "\033[31;1m"};
    return colours[verdict];
}

/* ---- the page ---- */

/** Prints a text in lines of WIDTH columns; further ones are indented. */
static void print_filled(const char *text, int column, FILE *stream)
{
    while (*text != '\0') {
        const int length = (int) strcspn(text, " ");
        if (column > INDENT && column + 1 + length > WIDTH) {
            fprintf(stream, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            fputc(' ', stream);
            column++;
        }
        fprintf(stream, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

static void print_finding(const doctor_finding_t *finding, bool coloured, FILE *stream)
{
    fprintf(stream, "%s%-9s%s %-12s  ", coloured ? colour_of(finding->verdict) : "",
            doctor_verdict_name(finding->verdict), coloured ? "\033[0m" : "", finding->topic);
    print_filled(finding->text, INDENT, stream);
    if (finding->advice != NULL) {
        fprintf(stream, "%*s->", INDENT - 3, "");
        fputc(' ', stream);
        print_filled(finding->advice, INDENT, stream);
    }
}

static void print_page(const doctor_report_t *report, FILE *stream)
{
    const bool coloured = has_colours(report, stream);
    const doctor_findings_t *findings = &report->findings;
    fprintf(stream, "pipebcast-doctor %s", PACKAGE_VERSION);
    if (report->n_ranks > 0) {
        fprintf(stream, ": %d rank%s", report->n_ranks, report->n_ranks == 1 ? "" : "s");
    }
    if (report->n_hosts > 0) {
        fprintf(stream, " on %d host%s", report->n_hosts, report->n_hosts == 1 ? "" : "s");
    }
    fputs("\n\n", stream);
    for (int i = 0; i < findings->n; i++) {
        print_finding(&findings->list[i], coloured, stream);
    }
    fprintf(stream, "\n%d good, %d doubtful, %d bad%s\n",
            doctor_findings_count(findings, DOCTOR_GOOD),
            doctor_findings_count(findings, DOCTOR_DOUBTFUL),
            doctor_findings_count(findings, DOCTOR_BAD),
            findings->failed ? "; out of memory, so that something is missing" : "");
}

/* ---- JSON ---- */

/** A text, or null. */
static void print_text(const char *name, const char *text, FILE *stream)
{
    fprintf(stream, "\"%s\": ", name);
    if (text == NULL || text[0] == '\0') {
        fputs("null", stream);
    } else {
        common_json_string(stream, text);
    }
}

/** A number above 0, or null. */
static void print_number(const char *name, double number, FILE *stream)
{
    fprintf(stream, ", \"%s\": ", name);
    if (number > 0) {
        fprintf(stream, "%.10g", number);
    } else {
        fputs("null", stream);
    }
}

static void print_findings(const doctor_findings_t *findings, FILE *stream)
{
    for (int i = 0; i < findings->n; i++) {
        const doctor_finding_t *finding = &findings->list[i];
        fprintf(stream, "%s\n    {", i > 0 ? "," : "");
        print_text("verdict", doctor_verdict_name(finding->verdict), stream);
        fputs(", ", stream);
        print_text("topic", finding->topic, stream);
        fputs(", ", stream);
        print_text("text", finding->text, stream);
        fputs(", ", stream);
        print_text("advice", finding->advice, stream);
        fputc('}', stream);
    }
}

static void print_rates(const doctor_report_t *report, FILE *stream)
{
    for (int i = 0; i < report->n_rates; i++) {
        const struct doctor_rate *rate = &report->rates[i];
        fprintf(stream, "%s\n    {", i > 0 ? "," : "");
        print_text("from", rate->from, stream);
        fputs(", ", stream);
        print_text("to", rate->to, stream);
        fputs(", ", stream);
        print_text("interface", rate->interface, stream);
        print_number("claimed_bits_per_second", rate->claimed, stream);
        print_number("measured_bits_per_second", rate->measured, stream);
        fputc('}', stream);
    }
}

static void print_broadcasts(const doctor_report_t *report, FILE *stream)
{
    for (int i = 0; i < report->n_broadcasts; i++) {
        const struct doctor_broadcast *broadcast = &report->broadcasts[i];
        fprintf(stream, "%s\n    {\"bytes\": %lld", i > 0 ? "," : "", (long long) broadcast->bytes);
        print_number("pipebcast_s", broadcast->pipebcast_s, stream);
        print_number("fallback_s", broadcast->fallback_s, stream);
        fputs(", ", stream);
        print_text("how", broadcast->how, stream);
        fputc('}', stream);
    }
}

static void print_json(const doctor_report_t *report, FILE *stream)
{
    fprintf(stream, "{\n  \"format\": %d,\n  ", JSON_FORMAT);
    print_text("version", PACKAGE_VERSION, stream);
    fprintf(stream, ",\n  \"ranks\": %d", report->n_ranks);
    print_number("hosts", report->n_hosts, stream);
    fputs(",\n  ", stream);
    print_text("verdict", doctor_verdict_name(doctor_report_verdict(report)), stream);
    fputs(",\n  \"findings\": [", stream);
    print_findings(&report->findings, stream);
    fputs("\n  ],\n  \"rates\": [", stream);
    print_rates(report, stream);
    fputs("\n  ],\n  \"broadcasts\": [", stream);
    print_broadcasts(report, stream);
    fputs("\n  ]\n}\n", stream);
}

void doctor_report_print(const doctor_report_t *report, FILE *stream)
{
    if (report->options->json) {
        print_json(report, stream);
    } else {
        print_page(report, stream);
    }
    fflush(stream);
}
