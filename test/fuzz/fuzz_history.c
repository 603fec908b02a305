/*
 * History files. An input is read as it is, and once more with a right magic, number of slots and
 * hashes, which no fuzzer would find. Whatever is read must be in range.
 */
#include "contrib/adaptive/advice/history.h"
#include "test/fuzz/fuzz.h"
#include "topo/util/bytes.h"
#include "topo/util/hash.h"

const char fuzz_name[] = "history";

/* As in contrib/adaptive/advice/history.c. */
enum { HEAD = 40, HASHED_HEAD = 32, SLOT = 56, HASHED_SLOT = 48 };

static void check_record(const pb_history_t *history, const pb_history_record_t *record)
{
    must(0 <= record->from && record->from < history->hosts->n);
    must(0 <= record->to && record->to < history->hosts->n);
    must(record->bytes > 0 && record->begun >= 0);
    must(0 < record->taken && record->taken <= PB_HISTORY_MAX_TAKEN);
}

static void try(const uint8_t *bytes, size_t length)
{
    pb_diag_t diag;
    pb_history_t *history;
    pb_diag_init(&diag);
    const int error = pb_history_parse(bytes, length, "input", &history, &diag);
    for (int i = 0; history != NULL && i < history->n_records; i++) {
        check_record(history, &history->records[i]);
    }
    fuzz_parsed(error, history != NULL, &diag);
    pb_history_free(history);
}

/* Without a terminating zero. */
static const char magic[8] = "pbhist 1";

/** Makes right what an input cannot be expected to have right; every fourth slot stays wrong. */
static void fix(uint8_t *bytes, size_t length)
{
    const size_t n_names = (size_t) pb_bytes_get(bytes + 16, 4) % 64;
    const size_t slots = HEAD + (n_names + 7) / 8 * 8;
    if (length < slots + SLOT) {
        return;
    }
    memcpy(bytes, magic, sizeof magic);
    pb_bytes_put(bytes + 16, n_names, 4);
    pb_bytes_put(bytes + 20, (length - slots) / SLOT, 4);
    const uint64_t state = pb_hash_bytes(PB_HASH_START, bytes, HASHED_HEAD);
    pb_bytes_put(bytes + HASHED_HEAD, pb_hash_end(pb_hash_bytes(state, bytes + HEAD, n_names)), 8);
    for (size_t i = 0; i < (length - slots) / SLOT; i++) {
        uint8_t *slot = bytes + slots + i * SLOT;
        if (i % 4 != 3) {
            pb_bytes_put(slot, i + 1, 8);
            pb_bytes_put(slot + HASHED_SLOT,
                         pb_hash_end(pb_hash_bytes(PB_HASH_START, slot, HASHED_SLOT)), 8);
        }
    }
    try(bytes, slots + (length - slots) / SLOT * SLOT);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    uint8_t *copy = fuzz_copy(bytes, length);
    try(bytes, length);
    if (length >= HEAD) {
        fix(copy, length);
    }
    free(copy);
    return 0;
}
