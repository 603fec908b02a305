#include "page.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/json.h"
#include "contrib/tools/common/terminal.h"

/** Columns of the page, and those before a finding's text. */
enum { WIDTH = 100, INDENT = 24 };

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

static bool has_colours(const doctor_report_t *report, FILE *stream)
{
    switch (report->options->colour) {
    case DOCTOR_COLOUR_ALWAYS:
        return true;
    case DOCTOR_COLOUR_NEVER:
        return false;
    default:
        return common_on_terminal(fileno(stream)) && getenv("NO_COLOR") == NULL;
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
static void add_text(common_json_t to, const char *name, const char *text)
{
    common_json_text(to, name, text != NULL && text[0] != '\0' ? text : NULL);
}

/** A number above 0, or null. */
static void add_number(common_json_t to, const char *name, double number, int decimals)
{
    common_json_real(to, name, number > 0 ? number : (double) NAN, decimals);
}

static void add_finding(common_json_t to, const doctor_finding_t *finding)
{
    const common_json_t object = common_json_object(to, NULL);
    add_text(object, "verdict", doctor_verdict_name(finding->verdict));
    add_text(object, "topic", finding->topic);
    add_text(object, "text", finding->text);
    add_text(object, "advice", finding->advice);
}

static void add_rate(common_json_t to, const struct doctor_rate *rate)
{
    const common_json_t object = common_json_object(to, NULL);
    add_text(object, "from", rate->from);
    add_text(object, "to", rate->to);
    add_text(object, "interface", rate->interface);
    add_number(object, "claimed_bits_per_second", rate->claimed, 0);
    add_number(object, "measured_bits_per_second", rate->measured, 0);
}

static void add_broadcast(common_json_t to, const struct doctor_broadcast *broadcast)
{
    const common_json_t object = common_json_object(to, NULL);
    common_json_integer(object, "bytes", broadcast->bytes);
    add_number(object, "pipebcast_s", broadcast->pipebcast_s, 9);
    add_number(object, "fallback_s", broadcast->fallback_s, 9);
    add_text(object, "how", broadcast->how);
}

static bool print_json(const doctor_report_t *report, FILE *stream)
{
    const doctor_findings_t *findings = &report->findings;
    const common_json_t whole = common_json_begin("pipebcast doctor");
    common_json_integer(whole, "ranks", report->n_ranks);
    if (report->n_hosts > 0) {
        common_json_integer(whole, "hosts", report->n_hosts);
    } else {
        common_json_null(whole, "hosts");
    }
    add_text(whole, "verdict", doctor_verdict_name(doctor_report_verdict(report)));
    const common_json_t list = common_json_array(whole, "findings");
    for (int i = 0; i < findings->n; i++) {
        add_finding(list, &findings->list[i]);
    }
    const common_json_t rates = common_json_array(whole, "rates");
    for (int i = 0; i < report->n_rates; i++) {
        add_rate(rates, &report->rates[i]);
    }
    const common_json_t broadcasts = common_json_array(whole, "broadcasts");
    for (int i = 0; i < report->n_broadcasts; i++) {
        add_broadcast(broadcasts, &report->broadcasts[i]);
    }
    return common_json_end(whole, stream);
}

bool doctor_report_print(const doctor_report_t *report, FILE *stream)
{
    bool good = true;
    if (report->options->json) {
        good = print_json(report, stream);
    } else {
        print_page(report, stream);
    }
    fflush(stream);
    return good;
}
