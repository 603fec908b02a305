/*
 * The medium: what carries the messages between hosts. Costs are measured on one, and are good for
 * no other. People read of it as the transport; in the plugin, a transport is the engine's
 * interface.
 */
#ifndef PB_MEDIUM_H
#define PB_MEDIUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of its names and of the text that describes one. */
#define PB_MEDIUM_NAME_SIZE 64
#define PB_MEDIUM_TEXT_SIZE 256

/** Names are printable and without blanks; several are separated by '+'. "": none is known. */
typedef struct pb_medium {
    char pml[PB_MEDIUM_NAME_SIZE];        /**< Open MPI's point-to-point layer: "ob1", "ucx" */
    char btls[PB_MEDIUM_NAME_SIZE];       /**< the transfer layers below ob1: "tcp" */
    char interfaces[PB_MEDIUM_NAME_SIZE]; /**< of this host: "eth0" */
    uint64_t bits_per_second;             /**< of one flow on the slowest of them; 0: not known */
    uint32_t mtu;                         /**< the least of the interfaces; 0: not known */
    bool is_ethernet;                     /**< TCP over Ethernet, and nothing else */
} pb_medium_t;

/** Adds a name to a list of them unless it is there, or there is no room for it. */
void pb_medium_add_name(char list[PB_MEDIUM_NAME_SIZE], const char *name);

/** Makes it no faster than this; 0 is not known. */
void pb_medium_limit_rate(pb_medium_t *medium, uint64_t bits_per_second);

/** Tells whether costs of one apply to the other by its kind: PML and BTLs are alike. */
bool pb_medium_is_alike(const pb_medium_t *a, const pb_medium_t *b);

/** Tells whether links are as fast as each other, in whole Mbit/s; 0 is not known, and counts as
 * alike. */
bool pb_medium_is_as_fast(uint64_t a_bits_per_second, uint64_t b_bits_per_second);

/** Hash for ranks to compare: of PML, BTLs, and whether it is TCP over Ethernet. Never 0. */
uint64_t pb_medium_hash(const pb_medium_t *medium);

/** "ob1 with btl tcp on eth0, 10000 Mbit/s"; `text` is returned. */
const char *pb_medium_describe(const pb_medium_t *medium, char text[PB_MEDIUM_TEXT_SIZE]);

#endif
