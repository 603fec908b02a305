/* The record of trials: written, read and given again; every fault of a file; ends anywhere. */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "topo/discover/record.h"
#include "topo/util/error.h"

static const char text[] = "pipebcast-trials 1\n"
                           "hosts 4 77\n"
                           "trial 2\n"
                           "rate 0 1 1000\n"
                           "rate 2 3 500\n"
                           "trial 1\n"
                           "rate 3 0 999\n";

static int parse(const char *input, size_t length, pb_record_t *record, char *fault, size_t size)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int code = pb_record_parse(input, length, "trials", record, &diag);
    snprintf(fault, size, "%s", diag.n_faults > 0 ? pb_diag_first(&diag) : "");
    pb_diag_clear(&diag);
    return code;
}

static void test_give(void)
{
    pb_record_t record;
    char fault[300];
    double rates[2];
    const pb_flow_t first[] = {{0, 1}, {2, 3}}, second = {3, 0}, other = {3, 1};
    ok(parse(text, strlen(text), &record, fault, sizeof fault) == PB_SUCCESS &&
           record.n_trials == 2 && record.n_hosts == 4 && record.hash == 77,
       "a record is read%s", fault);
    ok(pb_record_give(&record, first, 2, rates) == 1 && rates[0] == 1000 && rates[1] == 500,
       "its first trial is given");
    ok(pb_record_give(&record, &other, 1, rates) == PB_ERR_INPUT, "not to other flows");
    ok(pb_record_give(&record, &second, 1, rates) == 1 && rates[0] == 999, "the second");
    ok(pb_record_give(&record, &second, 1, rates) == 0, "and no third");
    pb_record_clear(&record);
}

/* A program may end at any byte: what is complete counts. */
static void test_cut_off(void)
{
    const size_t all = strlen(text), hosts = strlen("pipebcast-trials 1\nhosts 4 77\n"),
                 first = (size_t) (strstr(text, "trial 1") - text);
    int n_wrong = 0;
    for (size_t length = hosts; length <= all; length++) {
        pb_record_t record;
        char fault[300];
        const int code = parse(text, length, &record, fault, sizeof fault);
        const size_t kept = pb_record_complete(&record, text, length);
        n_wrong += code != PB_SUCCESS || kept != (length == all     ? all
                                                  : length >= first ? first
                                                                    : hosts);
        pb_record_clear(&record);
    }
    ok(n_wrong == 0, "a record that ends anywhere is read up to its last complete trial");
}

static void test_written(void)
{
    char *written = NULL, fault[300];
    size_t length = 0;
    char *names[] = {"a", "b", "c"};
    const pb_flow_t flows[] = {{0, 1}, {1, 2}};
    const double rates[] = {0.2, 1e20};
    pb_record_t record;
    FILE *out = open_memstream(&written, &length);
    if (out == NULL) {
        abort();
    }
    pb_record_begin(out, names, 3);
    pb_record_add(out, flows, 2, rates);
    fclose(out);
    ok(parse(written, length, &record, fault, sizeof fault) == PB_SUCCESS && record.n_trials == 1 &&
           record.hash == pb_record_hash(names, 3),
       "what is written is read");
    ok(record.rates[0] == pb_record_rate(rates[0]) && record.rates[1] == pb_record_rate(rates[1]),
       "with the rates that a search was given");
    pb_record_clear(&record);
    free(written);
}

/* Every fault, by a file that differs in one line. */
static void test_faults(void)
{
    static const struct {
        const char *text, *fault;
    } cases[] = {
        {"", "the file is empty; the first line must be: pipebcast-trials 1"},
        {"pipebcast-trials 2\n", "this program reads version 1; remove it and begin anew"},
        {"pipebcast-trials 1\n", "has no line of hosts; remove it and begin anew"},
        {"pipebcast-trials 1\nhosts 1 7\n", "trials:2: hosts is '1', but must be"},
        {"pipebcast-trials 1\nhosts 4 x\n", "trials:2: the hash is 'x', but must be"},
        {"pipebcast-trials 1\nhosts 4 7\nhosts 4 7\n", "trials:3: there is a second line of hosts"},
        {"pipebcast-trials 1\ntrial 1\n", "trials:2: a trial before the line of hosts"},
        {"pipebcast-trials 1\nhosts 4 7\ntrial 0\n", "trials:3: trial is '0', but must be"},
        {"pipebcast-trials 1\nhosts 4 7\ntrial 5\n", "trials:3: trial is '5', but must be"},
        {"pipebcast-trials 1\nhosts 4 7\ntrial 2\nrate 0 1 5\ntrial 1\n",
         "trials:5: the trial before this line lacks 1 rates"},
        {"pipebcast-trials 1\nhosts 4 7\nrate 0 1 5\n",
         "trials:3: a rate that belongs to no trial"},
        {"pipebcast-trials 1\nhosts 4 7\ntrial 1\nrate 4 1 5\n", "trials:4: the sender is '4'"},
        {"pipebcast-trials 1\nhosts 4 7\ntrial 1\nrate 0 4 5\n", "trials:4: the receiver is '4'"},
        {"pipebcast-trials 1\nhosts 4 7\ntrial 1\nrate 0 1 0\n", "trials:4: the rate is '0'"},
        {"pipebcast-trials 1\nhosts 4 7\nother\n", "trials:3: unknown item 'other'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pb_record_t record;
        char fault[300];
        const int code = parse(cases[i].text, strlen(cases[i].text), &record, fault, sizeof fault);
        if (!ok(code == PB_ERR_INPUT && strstr(fault, cases[i].fault) != NULL, "fault: %s",
                cases[i].fault)) {
            printf("# %s\n", fault);
        }
        pb_record_clear(&record);
    }
}

int main(void)
{
    test_give();
    test_cut_off();
    test_written();
    test_faults();
    return tap_done();
}
