/* The descriptors of this process: files and connections that may be open at a time. */
#ifndef PB_DESCRIPTORS_H
#define PB_DESCRIPTORS_H

#include <stdint.h>

/** How many may be open (ulimit -n, the soft limit); UINT64_MAX: no limit, or not known. */
uint64_t pb_descriptors_limit(void);

/**
 * How many are open, as far as the system reports them; 0 if it does not, and the limit if none is
 * left to look by. O(open ones).
 */
uint64_t pb_descriptors_open(void);

#endif
