#include "topo/util/hash.h"

#include <string.h>

uint64_t pb_hash_bytes(uint64_t state, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        state = (state ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return state;
}

uint64_t pb_hash_number(uint64_t state, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char) (number >> (8 * i));
    }
    return pb_hash_bytes(state, bytes, sizeof(bytes));
}

uint64_t pb_hash_string(uint64_t state, const char *text)
{
    size_t length = strlen(text);
    return pb_hash_bytes(pb_hash_number(state, length), text, length);
}

/* The finaliser of MurmurHash3: a bijection in which each input bit reaches
 * each output bit. */
uint64_t pb_hash_end(uint64_t state)
{
    state ^= state >> 33;
    state *= UINT64_C(0xff51afd7ed558ccd);
    state ^= state >> 33;
    state *= UINT64_C(0xc4ceb9fe1a85ec53);
    state ^= state >> 33;
    return state;
}
