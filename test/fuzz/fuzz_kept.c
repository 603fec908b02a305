/*
 * Files of what is kept for later jobs. What can be read is written as it can be read again, and is
 * fit for a learner to begin with.
 */
#include <string.h>

#include "test/fuzz/fuzz.h"
#include "topo/model/kept.h"
#include "topo/util/error.h"

const char fuzz_name[] = "kept";

static int read_kept(const char *text, size_t length, pb_kept_t *kept)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int rc = pb_kept_parse(text, length, "input", kept, &diag);
    fuzz_must(rc == PB_SUCCESS || rc == PB_ERR_INPUT);
    fuzz_must((rc == PB_SUCCESS) == (diag.n_faults == 0));
    fuzz_must(rc == PB_SUCCESS || kept->n == 0);
    pb_diag_clear(&diag);
    return rc;
}

static char *print(const pb_kept_t *kept, size_t *length_p)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length_p);
    fuzz_must(stream != NULL);
    fuzz_must(pb_kept_write(kept, stream) == PB_SUCCESS);
    fclose(stream);
    return text;
}

static void write_again(const pb_kept_t *kept)
{
    pb_kept_t again;
    size_t length, length_again;
    char *text = print(kept, &length);
    fuzz_must(read_kept(text, length, &again) == PB_SUCCESS);
    char *text_again = print(&again, &length_again);
    fuzz_must(length == length_again && memcmp(text, text_again, length) == 0);
    pb_kept_clear(&again);
    free(text);
    free(text_again);
}

static void begin_with(const pb_kept_entry_t *entry)
{
    static pb_learner_t learner;
    pb_learner_init(&learner, UINT64_C(1000000000));
    pb_learner_begin_with(&learner, &entry->learner);
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        const pb_learner_class_t *class = &learner.classes[i];
        pb_candidate_t candidates[2] = {{.kind = PB_KIND_CHAIN, .time = 1000, .weight = 1000}};
        bool is_trial;
        if (class->size_class != 0) {
            const uint64_t bytes = class->size_class;
            fuzz_must(pb_learner_in_force(&learner, bytes, &candidates[1]));
            fuzz_must(candidates[1].time > 0);
            (void) pb_learner_is_eager(&learner, bytes);
            (void) pb_learner_pick(&learner, bytes, candidates, 2, true, &is_trial);
            pb_learner_count(&learner, bytes);
            const pb_learner_trial_t trial = {.bytes = bytes, .candidate = candidates[1]};
            (void) pb_learner_note(&learner, &trial, 1000, 0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pb_kept_t kept;
    if (read_kept((const char *) bytes, length, &kept) == PB_SUCCESS) {
        write_again(&kept);
        for (int i = 0; i < kept.n; i++) {
            begin_with(kept.entries[i]);
        }
        pb_kept_clear(&kept);
    }
    return 0;
}
