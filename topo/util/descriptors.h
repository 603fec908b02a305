/* The descriptors of this process: files and connections that may be open at a time. */
#ifndef PB_DESCRIPTORS_H
#define PB_DESCRIPTORS_H

#include <stdint.h>

/** Most descriptors that may be open (ulimit -n, the soft limit); UINT64_MAX: no limit, or not
 * known. */
uint64_t pb_descriptors_limit(void);

/** Number of open descriptors; 0 if the system does not report it, the limit if none is left to
 * read the report. O(open ones). */
uint64_t pb_descriptors_open(void);

#endif
