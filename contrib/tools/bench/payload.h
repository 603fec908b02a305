/*
 * A message as a rank sees it: memory, MPI datatype and count, and the pattern by which --check
 * knows every byte of every broadcast.
 */
#ifndef BENCH_PAYLOAD_H
#define BENCH_PAYLOAD_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "options.h"

enum { BENCH_MAX_BLOCKS = 4 };

/** Where the packed bytes of one element lie in memory, in order. */
struct bench_layout {
    size_t extent; /**< bytes from one element to the next */
    int n_blocks;
    struct {
        size_t offset, length;
    } blocks[BENCH_MAX_BLOCKS];
};

struct bench_payload {
    MPI_Datatype type;
    bool owns_type;
    int count;         /**< elements of type */
    size_t bytes;      /**< packed */
    size_t n_elements; /**< of the layout: contiguous messages are one element of all their bytes */
    struct bench_layout layout;
    unsigned char *memory; /**< n_elements * extent bytes, owned */
};

/** A byte that is not what the broadcast should have left there. */
struct bench_fault {
    bool in_gap;    /**< offset is into memory, at a byte that no element covers */
    size_t offset;  /**< otherwise into the packed message; the first wrong byte */
    size_t n_wrong; /**< wrong bytes in all */
    unsigned expected;
    unsigned found;
};

/** A message must be a multiple of so many packed bytes. */
long long bench_payload_unit(enum bench_datatype datatype);

/** The longest message that an int count can name, in packed bytes. */
long long bench_payload_most(enum bench_datatype datatype);

/**
 * Makes the message of a rank: all ranks' messages have one type signature; with BENCH_MIXED their
 * counts and datatypes differ. Memory is touched. False if there is no memory; then nothing is to
 * be freed.
 */
bool bench_payload_make(struct bench_payload *payload, enum bench_datatype datatype,
                        long long bytes, int rank);

void bench_payload_free(struct bench_payload *payload);

/**
 * Readies the message for one broadcast: at the root the pattern of that broadcast, elsewhere its
 * complement, so that a byte which is not written is always seen. Gaps get a fixed value.
 */
void bench_payload_prepare(struct bench_payload *payload, long long broadcast, bool is_root);

/** Compares with the pattern of a broadcast. True if every byte is right. */
bool bench_payload_verify(const struct bench_payload *payload, long long broadcast,
                          struct bench_fault *fault_p);

/** Flips the lowest bit of the packed byte at offset; does nothing beyond the message's end. */
void bench_payload_corrupt(struct bench_payload *payload, size_t offset);

#endif
