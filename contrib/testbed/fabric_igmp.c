#include "contrib/testbed/fabric_igmp.h"

#include <string.h>

enum {
    IP_MIN_HEADER = 20,
    PROTOCOL_IGMP = 2,
    MIN_MESSAGE = 8, /* of any version */
    QUERY = 0x11,
    REPORT_1 = 0x12,
    REPORT_2 = 0x16,
    LEAVE_2 = 0x17,
    REPORT_3 = 0x22,
    RECORD = 8, /* bytes of a record of version 3, without its sources */
};

/* Types of records of version 3 (RFC 3376, section 4.2.12). */
enum {
    MODE_IS_INCLUDE = 1,
    MODE_IS_EXCLUDE = 2,
    CHANGE_TO_INCLUDE = 3,
    CHANGE_TO_EXCLUDE = 4,
    ALLOW_NEW_SOURCES = 5,
};

static uint32_t read_16(const unsigned char *bytes)
{
    return (uint32_t) bytes[0] << 8 | bytes[1];
}

static uint32_t read_32(const unsigned char *bytes)
{
    return read_16(bytes) << 16 | read_16(bytes + 2);
}

static void write_16(unsigned char *bytes, uint32_t value)
{
    bytes[0] = (unsigned char) (value >> 8);
    bytes[1] = (unsigned char) value;
}

/** Whether switches may know the members of a group: it is one, and not of 224.0.0.0/24. */
static bool is_snooped(uint32_t group)
{
    return group >> 28 == 0xe && group >> 8 != 0xe00000;
}

/** The length of a frame's IPv4 header; 0 if it has none that is whole. */
static uint32_t ip_header(const unsigned char *data, uint32_t length)
{
    const unsigned char *ip = data + FABRIC_HEADER;
    if (length < FABRIC_HEADER + IP_MIN_HEADER || read_16(data + 12) != 0x0800 || ip[0] >> 4 != 4) {
        return 0;
    }
    const uint32_t bytes = (ip[0] & 15u) * 4;
    return bytes >= IP_MIN_HEADER && length >= FABRIC_HEADER + bytes ? bytes : 0;
}

/** A frame's IGMP message, and how many bytes it has; NULL if there is none that is whole. */
static const unsigned char *igmp_message(const unsigned char *data, uint32_t length, uint32_t *n_p)
{
    const uint32_t header = ip_header(data, length);
    const unsigned char *ip = data + FABRIC_HEADER;
    const bool fragment = header > 0 && (read_16(ip + 6) & 0x3fff) != 0;
    if (header == 0 || ip[9] != PROTOCOL_IGMP || fragment) {
        return NULL;
    }
    /* A short frame is padded: what counts is the length that the IP header has. */
    const uint32_t total = read_16(ip + 2), room = length - FABRIC_HEADER;
    const uint32_t end = total < room ? total : room;
    if (end < header + MIN_MESSAGE) {
        return NULL;
    }
    *n_p = end - header;
    return ip + header;
}

static bool is_report(unsigned char type)
{
    return type == REPORT_1 || type == REPORT_2 || type == LEAVE_2 || type == REPORT_3;
}

fabric_cast_t fabric_igmp_cast(const unsigned char *data, uint32_t length, uint32_t *group_p)
{
    static const unsigned char all[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint32_t n;
    *group_p = 0;
    if (memcmp(data, all, sizeof(all)) == 0) {
        return FABRIC_CAST_BROADCAST;
    }
    const unsigned char *message = igmp_message(data, length, &n);
    if (message != NULL) {
        return is_report(message[0]) ? FABRIC_CAST_REPORT : FABRIC_CAST_MULTICAST;
    }
    const uint32_t group = ip_header(data, length) > 0 ? read_32(data + FABRIC_HEADER + 16) : 0;
    if (!is_snooped(group)) {
        return FABRIC_CAST_MULTICAST;
    }
    *group_p = group;
    return FABRIC_CAST_GROUP;
}

/* A record of version 3 means that a host is in its group, is not, or nothing for us. */
typedef enum { IS_MEMBER, IS_NONE, UNCHANGED } meaning_t;

static meaning_t meaning_of(unsigned char type, uint32_t n_sources)
{
    switch (type) {
    case MODE_IS_EXCLUDE:
    case CHANGE_TO_EXCLUDE:
        return IS_MEMBER;
    case MODE_IS_INCLUDE:
    case CHANGE_TO_INCLUDE:
        return n_sources > 0 ? IS_MEMBER : IS_NONE;
    case ALLOW_NEW_SOURCES:
        return IS_MEMBER;
    default:
        return UNCHANGED;
    }
}

static void read_records(const unsigned char *message, uint32_t n, fabric_igmp_found_t *found,
                         void *context)
{
    uint32_t at = MIN_MESSAGE;
    for (uint32_t left = read_16(message + 6); left > 0 && at + RECORD <= n; left--) {
        const unsigned char *record = message + at;
        const uint32_t n_sources = read_16(record + 2), group = read_32(record + 4);
        at += RECORD + 4 * n_sources + 4 * record[1];
        const meaning_t meaning = meaning_of(record[0], n_sources);
        if (at <= n && meaning != UNCHANGED && is_snooped(group)) {
            found(context, group, meaning == IS_MEMBER);
        }
    }
}

void fabric_igmp_read(const unsigned char *data, uint32_t length, fabric_igmp_found_t *found,
                      void *context)
{
    uint32_t n;
    const unsigned char *message = igmp_message(data, length, &n);
    if (message == NULL || !is_report(message[0])) {
        return;
    }
    if (message[0] == REPORT_3) {
        read_records(message, n, found, context);
        return;
    }
    const uint32_t group = read_32(message + 4);
    if (is_snooped(group)) {
        found(context, group, message[0] != LEAVE_2);
    }
}

/** A time in units, as version 3 has it in a byte: above 127 with four bits of mantissa. */
static unsigned char code_of(int64_t units)
{
    enum { MOST = 31 << 10 };
    int64_t value = units < MOST ? units : MOST;
    if (value < 128) {
        return (unsigned char) value;
    }
    unsigned exponent = 0;
    while (value >> (exponent + 3) > 31) {
        exponent++;
    }
    return (unsigned char) (0x80 | exponent << 4 | (unsigned) (value >> (exponent + 3) & 15));
}

/** The checksum of IP and IGMP over an even number of bytes. */
static uint32_t checksum(const unsigned char *bytes, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i += 2) {
        sum += read_16(bytes + i);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
}

void fabric_igmp_query(int node, int64_t interval, int64_t response,
                       unsigned char frame[FABRIC_IGMP_QUERY])
{
    enum { HEADER = 24, MESSAGE = 12, ROBUSTNESS = 2 };
    static const unsigned char start[] = {0x01,       0x00,
                                          0x5e,       0x00,
                                          0x00,       0x01,
                                          0x02,       0x70,
                                          0x73,       0,
                                          0,          0,
                                          0x08,       0x00, /* Ethernet */
                                          0x46,       0xc0,
                                          0,          HEADER + MESSAGE,
                                          0,          0,
                                          0x40,       0,
                                          1,          PROTOCOL_IGMP,
                                          0,          0, /* TTL 1 */
                                          0,          0,
                                          0,          0,
                                          224,        0,
                                          0,          1,
                                          0x94,       0x04,
                                          0,          0, /* addresses, router alert */
                                          QUERY,      0,
                                          0,          0,
                                          0,          0,
                                          0,          0,
                                          ROBUSTNESS, 0,
                                          0,          0};
    memset(frame, 0, FABRIC_IGMP_QUERY);
    memcpy(frame, start, sizeof(start));
    unsigned char *ip = frame + FABRIC_HEADER, *message = ip + HEADER;
    frame[9] = (unsigned char) (node >> 16);
    write_16(frame + 10, (uint32_t) node & 0xffff);
    write_16(ip + 10, checksum(ip, HEADER));
    message[1] = code_of(response / 100000000);
    message[9] = code_of(interval / 1000000000);
    write_16(message + 2, checksum(message, MESSAGE));
}
