#include "topo/discover/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"
#include "topo/util/hash.h"
#include "topo/util/item_file.h"

#define MAX_RATE 1e15

static const char file_name[] = "pipebcast-trials";

enum { FILE_VERSION = 1 };

typedef struct reader {
    pb_item_reader_t item;
    pb_record_t *record;
    int flows_capacity, trials_capacity;
    int left; /**< rates that the trial still lacks */
} reader_t;

static reader_t *reader_of(pb_item_reader_t *item)
{
    return (reader_t *) item->context;
}

/* ---- items ---- */

static void read_hosts(pb_item_reader_t *item)
{
    pb_record_t *record = reader_of(item)->record;
    uint64_t n_hosts = 0;
    if (record->n_hosts > 0) {
        pb_item_fault(item, "there is a second line of hosts");
        return;
    }
    if (pb_item_number(item, NULL, 1, 2, PB_RECORD_MAX_HOSTS, &n_hosts) &&
        pb_item_number(item, "the hash", 2, 0, UINT64_MAX, &record->hash)) {
        record->n_hosts = (int) n_hosts;
        record->last_line = item->line;
    }
}

/** Room for one more trial. The entry behind the last trial is its end. */
static bool reserve_trial(reader_t *r)
{
    pb_record_t *record = r->record;
    if (record->n_trials + 2 <= r->trials_capacity) {
        return true;
    }
    const int capacity = 2 * r->trials_capacity + 64;
    int *first = realloc(record->first, (size_t) capacity * sizeof *first);
    if (first != NULL) {
        record->first = first;
        r->trials_capacity = capacity;
    }
    return first != NULL;
}

static bool grow_flows(pb_record_t *record, int capacity)
{
    pb_flow_t *flows = realloc(record->flows, (size_t) capacity * sizeof *flows);
    if (flows != NULL) {
        record->flows = flows;
    }
    return flows != NULL;
}

static bool grow_rates(pb_record_t *record, int capacity)
{
    double *rates = realloc(record->rates, (size_t) capacity * sizeof *rates);
    if (rates != NULL) {
        record->rates = rates;
    }
    return rates != NULL;
}

static bool reserve_flow(reader_t *r)
{
    pb_record_t *record = r->record;
    if (record->n_flows < r->flows_capacity) {
        return true;
    }
    const int capacity = 2 * r->flows_capacity + 256;
    if (!grow_flows(record, capacity) || !grow_rates(record, capacity)) {
        return false;
    }
    r->flows_capacity = capacity;
    return true;
}

static void read_trial(pb_item_reader_t *item)
{
    reader_t *r = reader_of(item);
    uint64_t n = 0;
    if (r->record->n_hosts == 0) {
        pb_item_fault(item, "a trial before the line of hosts");
    } else if (r->left > 0) {
        pb_item_fault(item, "the trial before this line lacks %d rates", r->left);
        r->left = 0;
    } else if (pb_item_number(item, NULL, 1, 1, (uint64_t) r->record->n_hosts, &n)) {
        if (!reserve_trial(r)) {
            item->error = PB_ERR_NO_MEMORY;
            return;
        }
        r->record->first[r->record->n_trials] = r->record->n_flows;
        r->left = (int) n;
    }
}

static void read_rate(pb_item_reader_t *item)
{
    reader_t *r = reader_of(item);
    pb_record_t *record = r->record;
    const uint64_t last = (uint64_t) (record->n_hosts > 0 ? record->n_hosts - 1 : 0);
    uint64_t from = 0, to = 0, rate = 0;
    if (r->left == 0) {
        pb_item_fault(item, "a rate that belongs to no trial");
        return;
    }
    if (!pb_item_number(item, "the sender", 1, 0, last, &from) ||
        !pb_item_number(item, "the receiver", 2, 0, last, &to) ||
        !pb_item_number(item, "the rate", 3, 1, (uint64_t) MAX_RATE, &rate)) {
        return;
    }
    if (!reserve_flow(r)) {
        item->error = PB_ERR_NO_MEMORY;
        return;
    }
    record->flows[record->n_flows] = (pb_flow_t){(int) from, (int) to};
    record->rates[record->n_flows++] = (double) rate;
    if (--r->left == 0) {
        record->first[++record->n_trials] = record->n_flows;
        record->last_line = item->line;
    }
}

static const pb_item_t items[] = {
    {"hosts N HASH", read_hosts, NULL},
    {"trial FLOWS", read_trial, NULL},
    {"rate FROM TO BYTES", read_rate, NULL},
};

static const pb_item_file_t kind = {.name = file_name,
                                    .version = FILE_VERSION,
                                    .remedy = "remove it and begin anew",
                                    .items = items,
                                    .n_items = sizeof items / sizeof items[0]};

int pb_record_parse(const char *text, size_t length, const char *name, pb_record_t *record,
                    pb_diag_t *diag)
{
    reader_t r = {.record = record};
    *record = (pb_record_t){.n_hosts = 0};
    while (length > 0 && text[length - 1] != '\n') {
        length--;
    }
    const int code = pb_item_read(&r.item, &kind, text, length, name, diag, &r);
    if (code == PB_SUCCESS && record->n_hosts == 0) {
        pb_diag_fault(diag, name, 0, "has no line of hosts; remove it and begin anew");
        return PB_ERR_INPUT;
    }
    return code;
}

void pb_record_clear(pb_record_t *record)
{
    free(record->flows);
    free(record->rates);
    free(record->first);
    *record = (pb_record_t){.n_hosts = 0};
}

size_t pb_record_complete(const pb_record_t *record, const char *text, size_t length)
{
    size_t at = 0;
    for (int line = 0; line < record->last_line && at < length; line++) {
        const char *end = memchr(text + at, '\n', length - at);
        at = end != NULL ? (size_t) (end - text) + 1 : length;
    }
    return at;
}

/* ---- giving and keeping ---- */

int pb_record_give(pb_record_t *record, const pb_flow_t *flows, int n, double *rates)
{
    if (record->next >= record->n_trials) {
        return 0;
    }
    const int first = record->first[record->next], n_kept = record->first[record->next + 1] - first;
    bool same = n == n_kept;
    for (int i = 0; same && i < n; i++) {
        const pb_flow_t kept = record->flows[first + i];
        same = kept.from == flows[i].from && kept.to == flows[i].to;
    }
    if (!same) {
        return PB_ERR_INPUT;
    }
    memcpy(rates, record->rates + first, (size_t) n * sizeof *rates);
    record->next++;
    return 1;
}

uint64_t pb_record_hash(char *const *names, int n_hosts)
{
    uint64_t hash = PB_HASH_START;
    for (int host = 0; host < n_hosts; host++) {
        hash = pb_hash_string(hash, names[host]);
    }
    return pb_hash_end(hash);
}

double pb_record_rate(double rate)
{
    return fmax(1, fmin(round(rate), MAX_RATE));
}

void pb_record_begin(FILE *out, char *const *names, int n_hosts)
{
    fprintf(out, "%s %d\nhosts %d %" PRIu64 "\n", file_name, FILE_VERSION, n_hosts,
            pb_record_hash(names, n_hosts));
}

void pb_record_add(FILE *out, const pb_flow_t *flows, int n, const double *rates)
{
    fprintf(out, "trial %d\n", n);
    for (int i = 0; i < n; i++) {
        fprintf(out, "rate %d %d %.0f\n", flows[i].from, flows[i].to, pb_record_rate(rates[i]));
    }
}
