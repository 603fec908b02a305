#include "contrib/testbed/fabric_frame.h"
#include "topo/util/hash.h"

uint32_t fabric_flow_of(const unsigned char *data, uint32_t length)
{
    const unsigned char *ip = data + FABRIC_HEADER;
    if (length < FABRIC_HEADER + 20 || data[12] != 0x08 || data[13] != 0x00 || ip[0] >> 4 != 4) {
        length = length < FABRIC_HEADER ? length : FABRIC_HEADER;
        return (uint32_t) pb_hash_end(pb_hash_bytes(PB_HASH_START, data, length));
    }
    uint64_t hash = pb_hash_bytes(PB_HASH_START, ip + 12, 8);
    hash = pb_hash_bytes(hash, ip + 9, 1);
    uint32_t ports = FABRIC_HEADER + (ip[0] & 15u) * 4;
    bool fragment = (ip[6] & 0x3f) != 0 || ip[7] != 0;
    bool has_ports = ip[9] == 6 || ip[9] == 17;
    if (has_ports && !fragment && length >= ports + 4) {
        hash = pb_hash_bytes(hash, data + ports, 4);
    }
    return (uint32_t) pb_hash_end(hash);
}
