/* A message of bytes, and the pattern by which --check knows every byte of every broadcast. */
#ifndef BENCH_PAYLOAD_H
#define BENCH_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>

struct bench_payload {
    size_t bytes;
    unsigned char *memory; /**< owned */
};

/** The first byte that differs from the pattern, and how many do. */
struct bench_mismatch {
    size_t offset, n_wrong;
    unsigned expected, found;
};

/** Allocates and touches the message; ends the job if out of memory. */
void bench_payload_make(struct bench_payload *payload, long long bytes);
void bench_payload_free(struct bench_payload *payload);

/**
 * Readies the message for one broadcast: at the root that broadcast's pattern, elsewhere its
 * complement. So a byte which is not written is always seen.
 */
void bench_payload_prepare(struct bench_payload *payload, long long broadcast, bool is_root);

/** Compares with the pattern of a broadcast. True if every byte is right. */
bool bench_payload_verify(const struct bench_payload *payload, long long broadcast,
                          struct bench_mismatch *mismatch_p);

#endif
