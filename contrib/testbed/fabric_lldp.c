#include "contrib/testbed/fabric_lldp.h"

#include <stdio.h>
#include <string.h>

#include "contrib/testbed/fabric_frame.h"

/* Types of LLDP's elements, and what ours have in them. */
enum {
    TLV_END = 0,
    TLV_CHASSIS = 1,
    TLV_PORT = 2,
    TLV_LIFETIME = 3,
    TLV_SYSTEM_NAME = 5,
    TLV_CAPABILITIES = 7,
    TLV_ORGANISATION = 127,
    CHASSIS_BY_ADDRESS = 4,
    PORT_BY_NAME = 5,
    BRIDGE = 1 << 2,
    MAX_TEXT = 255,
};

/* A frame that is being written. */
typedef struct frame {
    unsigned char *bytes;
    uint32_t length;
} frame_t;

static void put(frame_t *frame, const void *bytes, size_t n)
{
    memcpy(frame->bytes + frame->length, bytes, n);
    frame->length += (uint32_t) n;
}

static void put_number(frame_t *frame, uint32_t number, int n_bytes)
{
    for (int shift = 8 * (n_bytes - 1); shift >= 0; shift -= 8) {
        frame->bytes[frame->length++] = (unsigned char) (number >> shift);
    }
}

/** The head of an element whose content has `n` bytes. */
static void put_head(frame_t *frame, unsigned type, size_t n)
{
    put_number(frame, type << 9 | (uint32_t) n, 2);
}

/** The fabric's own address for a node. */
static void put_address(frame_t *frame, int node)
{
    put_number(frame, 0x027073, 3);
    put_number(frame, (uint32_t) node, 3);
}

/** Operational type of a transceiver of this speed (IANA-MAU-MIB); 0: there is none. */
static uint32_t transceiver_of(uint64_t rate)
{
    static const struct {
        uint64_t rate;
        uint32_t type;
    } known[] = {{10000000, 11}, {100000000, 16}, {1000000000, 30}, {10000000000, 54}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].rate == rate) {
            return known[i].type;
        }
    }
    return 0;
}

/** IEEE 802.3's element for the speed: negotiation is supported and on, for other than listed. */
static void put_speed(frame_t *frame, uint64_t rate)
{
    const uint32_t type = transceiver_of(rate);
    if (type == 0) {
        return;
    }
    put_head(frame, TLV_ORGANISATION, 9);
    put_number(frame, 0x00120f, 3);
    put_number(frame, 1, 1);
    put_number(frame, 3, 1);
    put_number(frame, 0x8000, 2);
    put_number(frame, type, 2);
}

static uint32_t seconds_of(int64_t ns)
{
    const int64_t seconds = (ns + 999999999) / 1000000000;
    return seconds < UINT16_MAX ? (uint32_t) seconds : UINT16_MAX;
}

uint32_t fabric_lldp_frame(const fabric_announced_t *announced,
                           unsigned char frame[FABRIC_LLDP_MAX])
{
    static const unsigned char nearest_switch[] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};
    frame_t f = {.bytes = frame};
    char port[32];
    const size_t n_port = (size_t) snprintf(port, sizeof(port), "port%d", announced->port);
    const size_t n_name = strnlen(announced->name, MAX_TEXT);
    put(&f, nearest_switch, sizeof(nearest_switch));
    put_address(&f, announced->node);
    put_number(&f, 0x88cc, 2);
    put_head(&f, TLV_CHASSIS, 7);
    put_number(&f, CHASSIS_BY_ADDRESS, 1);
    put_address(&f, announced->node);
    put_head(&f, TLV_PORT, 1 + n_port);
    put_number(&f, PORT_BY_NAME, 1);
    put(&f, port, n_port);
    put_head(&f, TLV_LIFETIME, 2);
    put_number(&f, seconds_of(announced->lifetime), 2);
    put_head(&f, TLV_SYSTEM_NAME, n_name);
    put(&f, announced->name, n_name);
    put_head(&f, TLV_CAPABILITIES, 4);
    put_number(&f, BRIDGE, 2); /* that it has */
    put_number(&f, BRIDGE, 2); /* that are on */
    put_speed(&f, announced->rate);
    put_head(&f, TLV_END, 0);
    while (f.length < FABRIC_MIN_FRAME) {
        put_number(&f, 0, 1);
    }
    return f.length;
}

bool fabric_lldp_is_local(const unsigned char *address)
{
    static const unsigned char reserved[] = {0x01, 0x80, 0xc2, 0x00, 0x00};
    return memcmp(address, reserved, sizeof(reserved)) == 0 && address[5] <= 0x0f;
}
