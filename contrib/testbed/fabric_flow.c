#include "contrib/testbed/fabric_flow.h"

#include <stdbool.h>

#include "contrib/testbed/fabric_frame.h"

/* The hash of Fowler, Noll and Vo, 32 bits. */
static uint32_t hash_bytes(uint32_t hash, const unsigned char *data, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        hash = (hash ^ data[i]) * 16777619u;
    }
    return hash;
}

uint32_t fabric_flow_of(const unsigned char *data, uint32_t length)
{
    const uint32_t seed = 2166136261u;
    const unsigned char *ip = data + FABRIC_HEADER;
    if (length < FABRIC_HEADER + 20 || data[12] != 0x08 || data[13] != 0x00 || ip[0] >> 4 != 4) {
        return hash_bytes(seed, data, length < FABRIC_HEADER ? length : FABRIC_HEADER);
    }
    uint32_t hash = hash_bytes(seed, ip + 12, 8);
    hash = hash_bytes(hash, ip + 9, 1);
    uint32_t ports = FABRIC_HEADER + (ip[0] & 15u) * 4;
    bool fragment = (ip[6] & 0x3f) != 0 || ip[7] != 0;
    bool has_ports = ip[9] == 6 || ip[9] == 17;
    return has_ports && !fragment && length >= ports + 4 ? hash_bytes(hash, data + ports, 4) : hash;
}
