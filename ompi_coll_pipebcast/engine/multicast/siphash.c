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

static void enter(pb_siphash_t *hash, uint64_t word)
{
    hash->v[3] ^= word;
    mix(hash->v, ROUNDS);
    hash->v[0] ^= word;
}

void pb_siphash_start(pb_siphash_t *hash, const uint64_t key[2])
{
    *hash = (pb_siphash_t){
        .v = {UINT64_C(0x736f6d6570736575) ^ key[0], UINT64_C(0x646f72616e646f6d) ^ key[1],
              UINT64_C(0x6c7967656e657261) ^ key[0], UINT64_C(0x7465646279746573) ^ key[1]}};
}

/** Reads a word as a whole: byte by byte takes twice the time. */
static uint64_t word_at(const uint8_t *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof(word));
    return le64toh(word);
}

/** One byte more. */
static void add_byte(pb_siphash_t *hash, uint8_t byte)
{
    hash->word |= (uint64_t) byte << (8 * (hash->bytes % WORD));
    if (++hash->bytes % WORD == 0) {
        enter(hash, hash->word);
        hash->word = 0;
    }
}

void pb_siphash_add(pb_siphash_t *hash, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;
    while (n > 0 && hash->bytes % WORD != 0) {
        add_byte(hash, *from++);
        n--;
    }
    for (; n >= WORD; n -= WORD, from += WORD) {
        enter(hash, word_at(from));
        hash->bytes += WORD;
    }
    while (n > 0) {
        add_byte(hash, *from++);
        n--;
    }
}

uint64_t pb_siphash_end(pb_siphash_t *hash)
{
    enter(hash, hash->word | hash->bytes << 56);
    hash->v[2] ^= 0xff;
    mix(hash->v, LAST_ROUNDS);
    return hash->v[0] ^ hash->v[1] ^ hash->v[2] ^ hash->v[3];
}
