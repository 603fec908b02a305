/*
 * SipHash-2-4; see engine/multicast/siphash.h.
 */
#include "engine/multicast/siphash.h"

#include <endian.h>
#include <string.h>

enum { WORD = 8, ROUNDS = 2, LAST_ROUNDS = 4 };

static uint64_t rotated(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4], int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotated(v[1], 13) ^ v[0];
        v[3] = rotated(v[3], 16) ^ v[2];
        v[0] = rotated(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotated(v[1], 17) ^ v[2];
        v[3] = rotated(v[3], 21) ^ v[0];
        v[2] = rotated(v[2], 32);
    }
}

static void enter(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, ROUNDS);
    v[0] ^= word;
}

/** Enters the whole words of n bytes, each read as a whole: byte by byte takes twice the time. */
static void enter_words(uint64_t v[4], const uint8_t *from, size_t n)
{
    for (size_t i = 0; i + WORD <= n; i += WORD) {
        uint64_t word;
        memcpy(&word, from + i, sizeof(word));
        enter(v, le64toh(word));
    }
}

uint64_t pb_siphash(const uint64_t key[2], const void *head, size_t head_bytes, const void *bytes,
                    size_t n)
{
    uint64_t v[4] = {UINT64_C(0x736f6d6570736575) ^ key[0], UINT64_C(0x646f72616e646f6d) ^ key[1],
                     UINT64_C(0x6c7967656e657261) ^ key[0], UINT64_C(0x7465646279746573) ^ key[1]};
    const uint8_t *rest = (const uint8_t *) bytes + n - n % WORD;
    uint64_t last = (uint64_t) (head_bytes + n) << 56;
    enter_words(v, head, head_bytes);
    enter_words(v, bytes, n);
    for (size_t i = 0; i < n % WORD; i++) {
        last |= (uint64_t) rest[i] << (8 * i);
    }
    enter(v, last);
    v[2] ^= 0xff;
    mix(v, LAST_ROUNDS);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
