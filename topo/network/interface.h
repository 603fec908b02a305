/*
 * A host's network interface as the kernel describes it: the files of /sys/class/net/NAME.
 */
#ifndef PB_INTERFACE_H
#define PB_INTERFACE_H

#include <stdbool.h>
#include <stdint.h>

/** Where the kernel has them. */
#define PB_INTERFACE_DIRECTORY "/sys/class/net"

typedef struct pb_interface {
    uint64_t bits_per_second; /**< that one TCP flow has of it; 0: not known, as of virtual ones */
    uint32_t mtu;             /**< bytes; 0: not known */
    int type;                 /**< the kernel's ARPHRD_*; -1: not known */
} pb_interface_t;

/**
 * Reads the interface `name` below `directory`. A bond, or an interface above others (a team, a
 * VLAN on a bond), reports the sum of its members. A flow uses one of them. Its speed is the speed
 * of its slowest member with a known one. A bond in mode active-backup, and a bridge, report the
 * right one themselves. What cannot be read is not known; it is no error. O(members).
 */
void pb_interface_read(const char *directory, const char *name, pb_interface_t *interface);

/** Tells whether it is Ethernet, or the loopback, on which ranks of one host stand for several. */
bool pb_interface_is_ethernet(const pb_interface_t *interface);

#endif
