#include "recorded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contrib/tools/common/report.h"
#include "topo/util/error.h"
#include "topo/util/text_file.h"

static const char ending[] = ".trials";

/** Reads what there is, and cuts off a trial that is not complete. */
static bool read_record(tune_recorded_t *r)
{
    char *text = NULL;
    size_t length = 0;
    pb_diag_t diag;
    pb_diag_init(&diag);
    int code =
        pb_text_file_read(r->path, "record of trials", PB_RECORD_MAX_BYTES, &text, &length, &diag);
    code = code == PB_SUCCESS ? pb_record_parse(text, length, r->path, &r->record, &diag) : code;
    common_report_faults(&diag);
    pb_diag_clear(&diag);
    bool good = code == PB_SUCCESS;
    if (good && (r->record.n_hosts != r->flows->n_hosts ||
                 r->record.hash != pb_record_hash(r->flows->names, r->flows->n_hosts))) {
        common_report("%s has the trials of other hosts, or in another order; remove it, or run on "
                      "those hosts again",
                      r->path);
        good = false;
    }
    if (good && truncate(r->path, (off_t) pb_record_complete(&r->record, text, length)) != 0) {
        common_report("%s: %s", r->path, strerror(errno));
        good = false;
    }
    free(text);
    return good;
}

bool tune_recorded_open(tune_recorded_t *r, tune_flows_t *flows, const char *output)
{
    *r = (tune_recorded_t){.flows = flows, .path = malloc(strlen(output) + sizeof ending)};
    if (r->path == NULL) {
        common_report("out of memory for the record of trials");
        return false;
    }
    strcat(strcpy(r->path, output), ending);
    const bool is_new = access(r->path, F_OK) != 0;
    if (!is_new && !read_record(r)) {
        return false;
    }
    r->stream = fopen(r->path, "a");
    if (r->stream == NULL) {
        common_report("%s: %s", r->path, strerror(errno));
        return false;
    }
    if (is_new) {
        pb_record_begin(r->stream, flows->names, flows->n_hosts);
    }
    return fflush(r->stream) == 0;
}

void tune_recorded_close(tune_recorded_t *r, bool done)
{
    if (r->stream != NULL) {
        fclose(r->stream);
        if (done) {
            unlink(r->path);
        }
    }
    free(r->path);
    pb_record_clear(&r->record);
    *r = (tune_recorded_t){.path = NULL};
}

int tune_recorded_measure(void *context, const pb_flow_t *list, int n, double *rates)
{
    tune_recorded_t *r = context;
    int code = pb_record_give(&r->record, list, n, rates);
    if (code == PB_ERR_INPUT) {
        common_report("%s is the record of another search, by another version or with other "
                      "options; remove it",
                      r->path);
    }
    if (code != 0) {
        return code > 0 ? PB_SUCCESS : code;
    }
    code = tune_flows_measure(r->flows, list, n, rates);
    for (int i = 0; code == PB_SUCCESS && i < n; i++) {
        rates[i] = pb_record_rate(rates[i]);
    }
    if (code == PB_SUCCESS) {
        pb_record_add(r->stream, list, n, rates);
        if (fflush(r->stream) != 0) {
            common_report("%s: %s", r->path, strerror(errno));
            return PB_ERR_IO;
        }
    }
    return code;
}

void tune_recorded_lengthen(void *context)
{
    tune_recorded_t *r = context;
    tune_flows_lengthen(r->flows);
}
