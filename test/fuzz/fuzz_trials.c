/* Records of trials. What is complete of one must be read alike by itself. */
#include "test/fuzz/fuzz.h"
#include "topo/discover/record.h"
#include "topo/util/error.h"

const char fuzz_name[] = "trials";

static int read_record(const char *text, size_t length, pb_record_t *record)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = pb_record_parse(text, length, "input", record, &diag);
    fuzz_must(error == PB_SUCCESS || error == PB_ERR_INPUT);
    fuzz_must((error == PB_SUCCESS) == (diag.n_faults == 0));
    pb_diag_clear(&diag);
    return error;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const char *text = (const char *) bytes;
    pb_record_t record, again;
    if (read_record(text, length, &record) == PB_SUCCESS) {
        const size_t complete = pb_record_complete(&record, text, length);
        fuzz_must(complete <= length);
        fuzz_must(read_record(text, complete, &again) == PB_SUCCESS);
        fuzz_must(again.n_trials == record.n_trials && again.hash == record.hash);
        fuzz_must(record.n_trials == 0 || record.first[record.n_trials] <= record.n_flows);
        pb_record_clear(&again);
    }
    pb_record_clear(&record);
    return 0;
}
