#include "payload.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** What lies between the blocks of an element: no broadcast may change it. */
enum { GAP_BYTE = 0xA5 };

/** The vector: 4 blocks of 2 ints, each 3 ints after the one before. */
enum { VECTOR_BLOCKS = 4, VECTOR_BLOCK_INTS = 2, VECTOR_STRIDE_INTS = 3 };

/** The struct's fields leave padding after tag and after name. */
struct record {
    int tag;
    double value;
    char name[4];
};

static const int vector_bytes = VECTOR_BLOCKS * VECTOR_BLOCK_INTS * (int) sizeof(int);
static const int record_bytes = (int) (sizeof(int) + sizeof(double) + 4);

long long bench_payload_unit(enum bench_datatype datatype)
{
    switch (datatype) {
    case BENCH_INT:
        return sizeof(int);
    case BENCH_DOUBLE:
        return sizeof(double);
    case BENCH_STRUCT:
        return record_bytes;
    case BENCH_VECTOR:
    case BENCH_MIXED:
        return vector_bytes;
    default:
        return 1;
    }
}

long long bench_payload_most(enum bench_datatype datatype)
{
    long long element =
        datatype == BENCH_MIXED ? (long long) sizeof(int) : bench_payload_unit(datatype);
    return element * INT_MAX;
}

static void set_contiguous(struct bench_payload *payload, MPI_Datatype type, int type_bytes)
{
    payload->type = type;
    payload->count = (int) (payload->bytes / (size_t) type_bytes);
    payload->n_elements = 1;
    payload->layout = (struct bench_layout){.extent = payload->bytes, 1, {{0, payload->bytes}}};
}

/** Elements of several ints each. */
static void set_contiguous_ints(struct bench_payload *payload, int n_ints)
{
    MPI_Datatype type;
    MPI_Type_contiguous(n_ints, MPI_INT, &type);
    set_contiguous(payload, type, n_ints * (int) sizeof(int));
    payload->owns_type = true;
}

static void set_vector(struct bench_payload *payload)
{
    MPI_Type_vector(VECTOR_BLOCKS, VECTOR_BLOCK_INTS, VECTOR_STRIDE_INTS, MPI_INT, &payload->type);
    payload->owns_type = true;
    payload->n_elements = payload->bytes / (size_t) vector_bytes;
    payload->count = (int) payload->n_elements;
    payload->layout.n_blocks = VECTOR_BLOCKS;
    for (int i = 0; i < VECTOR_BLOCKS; i++) {
        payload->layout.blocks[i].offset = (size_t) i * VECTOR_STRIDE_INTS * sizeof(int);
        payload->layout.blocks[i].length = VECTOR_BLOCK_INTS * sizeof(int);
    }
    /* An MPI vector ends with its last block, not with the last stride. */
    payload->layout.extent = payload->layout.blocks[VECTOR_BLOCKS - 1].offset +
                             payload->layout.blocks[VECTOR_BLOCKS - 1].length;
}

static void set_struct(struct bench_payload *payload)
{
    int lengths[] = {1, 1, 4};
    MPI_Aint offsets[] = {offsetof(struct record, tag), offsetof(struct record, value),
                          offsetof(struct record, name)};
    MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
    MPI_Datatype fields;
    MPI_Type_create_struct(3, lengths, offsets, types, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(struct record), &payload->type);
    MPI_Type_free(&fields);
    payload->owns_type = true;
    payload->n_elements = payload->bytes / (size_t) record_bytes;
    payload->count = (int) payload->n_elements;
    payload->layout = (struct bench_layout){.extent = sizeof(struct record),
                                            3,
                                            {{offsetof(struct record, tag), sizeof(int)},
                                             {offsetof(struct record, value), sizeof(double)},
                                             {offsetof(struct record, name), 4}}};
}

/** One signature, so many ints; five ways of writing it, one for each rank in turn. */
static void set_mixed(struct bench_payload *payload, int rank)
{
    switch (rank % 5) {
    case 0:
        set_contiguous(payload, MPI_INT, sizeof(int));
        break;
    case 1:
        set_contiguous_ints(payload, 2);
        break;
    case 2:
        set_vector(payload);
        break;
    case 3:
        set_contiguous_ints(payload, VECTOR_BLOCKS * VECTOR_BLOCK_INTS);
        break;
    default:
        set_contiguous_ints(payload, (int) (payload->bytes / sizeof(int)));
        break;
    }
}

static void set_type(struct bench_payload *payload, enum bench_datatype datatype, int rank)
{
    switch (datatype) {
    case BENCH_INT:
        set_contiguous(payload, MPI_INT, sizeof(int));
        break;
    case BENCH_DOUBLE:
        set_contiguous(payload, MPI_DOUBLE, sizeof(double));
        break;
    case BENCH_VECTOR:
        set_vector(payload);
        break;
    case BENCH_STRUCT:
        set_struct(payload);
        break;
    case BENCH_MIXED:
        set_mixed(payload, rank);
        break;
    default:
        set_contiguous(payload, MPI_BYTE, 1);
        break;
    }
}

static size_t memory_bytes(const struct bench_payload *payload)
{
    return payload->n_elements * payload->layout.extent;
}

bool bench_payload_make(struct bench_payload *payload, enum bench_datatype datatype,
                        long long bytes, int rank)
{
    memset(payload, 0, sizeof *payload);
    payload->bytes = (size_t) bytes;
    set_type(payload, datatype, rank);
    payload->memory = malloc(memory_bytes(payload));
    if (payload->owns_type) {
        MPI_Type_commit(&payload->type);
    }
    if (!payload->memory) {
        bench_payload_free(payload);
        return false;
    }
    memset(payload->memory, GAP_BYTE, memory_bytes(payload));
    return true;
}

void bench_payload_free(struct bench_payload *payload)
{
    if (payload->owns_type) {
        MPI_Type_free(&payload->type);
    }
    free(payload->memory);
    memset(payload, 0, sizeof *payload);
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

/** Writes the pattern, or with flip 0xFF its complement, of packed bytes from offset on. */
static void write_run(unsigned char *memory, size_t offset, size_t length, long long broadcast,
                      unsigned flip)
{
    uint64_t word = pattern_word(broadcast, offset / 8);
    for (size_t i = 0; i < length; i++, offset++) {
        if (offset % 8 == 0) {
            word = pattern_word(broadcast, offset / 8);
        }
        memory[i] = (unsigned char) ((word >> (8 * (offset % 8))) ^ flip);
    }
}

static void note_fault(struct bench_fault *fault, bool in_gap, size_t offset, unsigned expected,
                       unsigned found)
{
    if (fault->n_wrong++ == 0) {
        fault->in_gap = in_gap;
        fault->offset = offset;
        fault->expected = expected;
        fault->found = found;
    }
}

static void verify_run(const unsigned char *memory, size_t offset, size_t length,
                       long long broadcast, struct bench_fault *fault)
{
    uint64_t word = pattern_word(broadcast, offset / 8);
    for (size_t i = 0; i < length; i++, offset++) {
        if (offset % 8 == 0) {
            word = pattern_word(broadcast, offset / 8);
        }
        unsigned expected = (unsigned) (word >> (8 * (offset % 8))) & 0xFF;
        if (memory[i] != expected) {
            note_fault(fault, false, offset, expected, memory[i]);
        }
    }
}

static void verify_gap(const unsigned char *memory, size_t begin, size_t end,
                       struct bench_fault *fault)
{
    for (size_t at = begin; at < end; at++) {
        if (memory[at] != GAP_BYTE) {
            note_fault(fault, true, at, GAP_BYTE, memory[at]);
        }
    }
}

void bench_payload_prepare(struct bench_payload *payload, long long broadcast, bool is_root)
{
    const struct bench_layout *layout = &payload->layout;
    size_t packed = 0;
    if (layout->n_blocks > 1) {
        memset(payload->memory, GAP_BYTE, memory_bytes(payload));
    }
    for (size_t e = 0; e < payload->n_elements; e++) {
        for (int b = 0; b < layout->n_blocks; b++) {
            write_run(payload->memory + e * layout->extent + layout->blocks[b].offset, packed,
                      layout->blocks[b].length, broadcast, is_root ? 0 : 0xFF);
            packed += layout->blocks[b].length;
        }
    }
}

bool bench_payload_verify(const struct bench_payload *payload, long long broadcast,
                          struct bench_fault *fault_p)
{
    const struct bench_layout *layout = &payload->layout;
    size_t packed = 0, covered = 0; /* memory before covered is verified */
    memset(fault_p, 0, sizeof *fault_p);
    for (size_t e = 0; e < payload->n_elements; e++) {
        for (int b = 0; b < layout->n_blocks; b++) {
            size_t begin = e * layout->extent + layout->blocks[b].offset;
            verify_gap(payload->memory, covered, begin, fault_p);
            verify_run(payload->memory + begin, packed, layout->blocks[b].length, broadcast,
                       fault_p);
            packed += layout->blocks[b].length;
            covered = begin + layout->blocks[b].length;
        }
    }
    verify_gap(payload->memory, covered, memory_bytes(payload), fault_p);
    return fault_p->n_wrong == 0;
}

void bench_payload_corrupt(struct bench_payload *payload, size_t offset)
{
    const struct bench_layout *layout = &payload->layout;
    size_t element_bytes = payload->bytes / payload->n_elements;
    if (offset >= payload->bytes) {
        return;
    }
    size_t within = offset % element_bytes;
    int b = 0;
    while (within >= layout->blocks[b].length) {
        within -= layout->blocks[b++].length;
    }
    payload->memory[offset / element_bytes * layout->extent + layout->blocks[b].offset + within] ^=
        1;
}
