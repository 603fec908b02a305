/*
 * A set of hosts: what advice and measurements are about. Sorted by bytes. So all processes that
 * list the same hosts, in any order, have the same set, numbers and hash.
 */
#ifndef PB_HOST_SET_H
#define PB_HOST_SET_H

#include <stddef.h>
#include <stdint.h>

#include "topo/util/error.h"

/** Hosts of one set. */
#define PB_HOST_SET_MAX 1024

/** Bytes of a name. */
#define PB_HOST_SET_MAX_NAME 255

typedef struct pb_host_set {
    int n;
    char **name;   /**< ascending, no two alike */
    uint64_t hash; /**< of all names; in file names it stands for the set */
} pb_host_set_t;

/**
 * The set of the `n` names, which may repeat and are copied; free with pb_host_set_free(), which
 * takes NULL too. PB_ERR_NO_MEMORY, or PB_ERR_INPUT if there is no host or there are more than
 * PB_HOST_SET_MAX. So it is if a name is not 1 to PB_HOST_SET_MAX_NAME printable ASCII characters
 * without space and '#'. O(n log n).
 */
int pb_host_set_new(const char *const *names, int n, pb_host_set_t **set_p);
void pb_host_set_free(pb_host_set_t *set);

/** The number of the host of exactly this name, or PB_ERR_UNKNOWN. O(log n). */
int pb_host_set_find(const pb_host_set_t *set, const char *name);

/** Tells whether both hold the same names; not by the hash alone. O(n). */
int pb_host_set_equal(const pb_host_set_t *a, const pb_host_set_t *b);

#endif
