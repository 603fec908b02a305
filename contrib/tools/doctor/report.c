#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/help.h"
#include "contrib/tools/common/json.h"
#include "contrib/tools/common/options.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/common/terminal.h"

/** Columns of the page, and those before a finding's text. */
enum { WIDTH = 100, INDENT = 22 };

static const char *const names[] = {"", "OK", "WARNING", "ERROR"};
static const char *const colors[] = {"", "\033[32m", "\033[33m", "\033[31;1m"};

void doctor_find(doctor_report_t *report, doctor_verdict_t verdict, const char *topic,
                 const char *advice, const char *format, ...)
{
    va_list args;
    if (report->n_findings == DOCTOR_MAX_FINDINGS) {
        report->n_findings--;
    }
    doctor_finding_t *finding = &report->findings[report->n_findings];
    *finding = (doctor_finding_t){.verdict = verdict, .topic = topic, .advice = advice};
    va_start(args, format);
    vsnprintf(finding->text, sizeof finding->text, format, args);
    va_end(args);
    report->n_findings++;
}

static int count(const doctor_report_t *report, doctor_verdict_t verdict)
{
    int n = 0;
    for (int i = 0; i < report->n_findings; i++) {
        n += report->findings[i].verdict == verdict;
    }
    return n;
}

doctor_verdict_t doctor_report_verdict(const doctor_report_t *report)
{
    return count(report, DOCTOR_ERROR) > 0     ? DOCTOR_ERROR
           : count(report, DOCTOR_WARNING) > 0 ? DOCTOR_WARNING
                                               : DOCTOR_OK;
}

/* ---- the page ---- */

/** Words of advice that name the hosts; those of the own command line take their place. */
static const char any_hosts[] = "--hostfile HOSTS";

static void print_filled(const char *text, FILE *stream)
{
    const char *hosts = getenv(COMMON_HOSTS), *at = strstr(text, any_hosts);
    char *filled = at != NULL && hosts != NULL ? common_format("%.*s%s%s", (int) (at - text), text,
                                                               hosts, at + strlen(any_hosts))
                                               : NULL;
    common_fill(stream, filled != NULL ? filled : text, INDENT, INDENT, WIDTH);
    fputc('\n', stream);
    free(filled);
}

/** Answers in one line whether pipebcast is used, and how fast it is. */
static void print_answer(const doctor_report_t *report, FILE *stream)
{
    double least = HUGE_VAL, most = 0;
    for (int i = 0; i < report->n_broadcasts; i++) {
        const struct doctor_broadcast *b = &report->broadcasts[i];
        if (b->pipebcast_s > 0 && b->fallback_s > 0 && !doctor_was_passed(b->how)) {
            least = fmin(least, b->fallback_s / b->pipebcast_s);
            most = fmax(most, b->fallback_s / b->pipebcast_s);
        }
    }
    if (most > 0) {
        fprintf(stream,
                "pipebcast is used, and broadcasts are %.2f to %.2f times as fast as "
                "without it.\n",
                least, most);
    }
}

static void print_page(const doctor_report_t *report, FILE *stream)
{
    const bool colored = common_on_terminal(fileno(stream)) && getenv("NO_COLOR") == NULL;
    fprintf(stream, "pipebcast doctor %s: %d %s", PACKAGE_VERSION, report->n_ranks,
            report->n_ranks == 1 ? "rank" : "ranks");
    if (report->n_hosts > 0) {
        fprintf(stream, " on %d %s", report->n_hosts, report->n_hosts == 1 ? "host" : "hosts");
    }
    fputs("\n\n", stream);
    for (int i = 0; i < report->n_findings; i++) {
        const doctor_finding_t *finding = &report->findings[i];
        fprintf(stream, "%s%-7s%s %-12s  ", colored ? colors[finding->verdict] : "",
                names[finding->verdict], colored ? "\033[0m" : "", finding->topic);
        print_filled(finding->text, stream);
        if (finding->advice != NULL && finding->verdict != DOCTOR_OK) {
            fprintf(stream, "%*s-> ", INDENT - 3, "");
            print_filled(finding->advice, stream);
        }
    }
    fprintf(stream, "\n%d OK, %d WARNING, %d ERROR\n", count(report, DOCTOR_OK),
            count(report, DOCTOR_WARNING), count(report, DOCTOR_ERROR));
    print_answer(report, stream);
    const char *hosts = getenv(COMMON_HOSTS);
    if (doctor_report_verdict(report) == DOCTOR_ERROR) {
        fputs("Next: do what stands behind -> of each ERROR, and start this command again.\n",
              stream);
    } else if (hosts != NULL) {
        fprintf(stream, "Next: pipebcast bench %s\n", hosts);
    } else {
        fputs("Next: the same command with bench in place of doctor.\n", stream);
    }
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

static void add_broadcast(common_json_t to, const struct doctor_broadcast *broadcast)
{
    common_json_integer(to, "bytes", broadcast->bytes);
    add_number(to, "pipebcast_s", broadcast->pipebcast_s, 9);
    add_number(to, "fallback_s", broadcast->fallback_s, 9);
    add_text(to, "how", broadcast->how);
}

static void print_json(const doctor_report_t *report, FILE *stream)
{
    const common_json_t whole = common_json_begin("pipebcast doctor");
    common_json_integer(whole, "ranks", report->n_ranks);
    common_json_integer(whole, "hosts", report->n_hosts);
    common_json_text(whole, "verdict", names[doctor_report_verdict(report)]);
    const common_json_t findings = common_json_array(whole, "findings");
    for (int i = 0; i < report->n_findings; i++) {
        const doctor_finding_t *finding = &report->findings[i];
        const common_json_t object = common_json_object(findings, NULL);
        common_json_text(object, "verdict", names[finding->verdict]);
        common_json_text(object, "topic", finding->topic);
        common_json_text(object, "text", finding->text);
        common_json_text(object, "advice", finding->verdict != DOCTOR_OK ? finding->advice : NULL);
    }
    const common_json_t rates = common_json_array(whole, "rates");
    for (int i = 0; i < report->n_rates; i++) {
        const struct doctor_rate *rate = &report->rates[i];
        const common_json_t object = common_json_object(rates, NULL);
        common_json_text(object, "from", rate->from);
        common_json_text(object, "to", rate->to);
        add_text(object, "interface", rate->interface);
        add_number(object, "reported_bits_per_second", rate->reported, 0);
        add_number(object, "measured_bits_per_second", rate->measured, 0);
    }
    const common_json_t broadcasts = common_json_array(whole, "broadcasts");
    for (int i = 0; i < report->n_broadcasts; i++) {
        add_broadcast(common_json_object(broadcasts, NULL), &report->broadcasts[i]);
    }
    if (report->multicast.bytes > 0) {
        add_broadcast(common_json_object(whole, "multicast"), &report->multicast);
    } else {
        common_json_null(whole, "multicast");
    }
    common_json_end(whole, stream);
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
