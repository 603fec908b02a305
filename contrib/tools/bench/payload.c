#include "payload.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/report.h"

void bench_payload_make(struct bench_payload *payload, long long bytes)
{
    *payload =
        (struct bench_payload){.bytes = (size_t) bytes, .memory = common_alloc((size_t) bytes, 1)};
    memset(payload->memory, 1, payload->bytes);
}

void bench_payload_free(struct bench_payload *payload)
{
    free(payload->memory);
    payload->memory = NULL;
}

/**
 * Eight bytes of a broadcast's pattern: splitmix64's mixing of a counter, in which no broadcast
 * shares a stretch with another.
 */
static uint64_t pattern_word(long long broadcast, size_t word)
{
    uint64_t x = ((uint64_t) broadcast << 40) + word + 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

void bench_payload_prepare(struct bench_payload *payload, long long broadcast, bool is_root)
{
    const uint64_t flip = is_root ? 0 : UINT64_MAX;
    for (size_t at = 0; at < payload->bytes; at += 8) {
        const uint64_t word = pattern_word(broadcast, at / 8) ^ flip;
        memcpy(payload->memory + at, &word, payload->bytes - at < 8 ? payload->bytes - at : 8);
    }
}

bool bench_payload_verify(const struct bench_payload *payload, long long broadcast,
                          struct bench_mismatch *mismatch_p)
{
    *mismatch_p = (struct bench_mismatch){.n_wrong = 0};
    for (size_t at = 0; at < payload->bytes; at++) {
        const uint64_t word = pattern_word(broadcast, at / 8);
        const unsigned char *expected = (const unsigned char *) &word + at % 8;
        if (payload->memory[at] != *expected && mismatch_p->n_wrong++ == 0) {
            mismatch_p->offset = at;
            mismatch_p->expected = *expected;
            mismatch_p->found = payload->memory[at];
        }
    }
    return mismatch_p->n_wrong == 0;
}
