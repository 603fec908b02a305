/*
 * Hostlist expressions, as Slurm writes sets of names:
 * "r[1-2]n[001-016,020],login" is r1n001 .. r1n016, r1n020, r2n001 .. and login. Commas and blanks
 * separate items, also several of them.
 */
#ifndef PB_HOSTLIST_H
#define PB_HOSTLIST_H

#include <stddef.h>

/** Bytes of one name: what a fully qualified host name has at most. */
#define PB_HOSTLIST_MAX_NAME 255

/**
 * Expands `text` and calls `found` for each name in order; a non-zero return of `found` stops and
 * is returned. Zero padding of a range's first number is kept. PB_ERR_INPUT for a malformed
 * expression, more than `max_names` names, or one of more than PB_HOSTLIST_MAX_NAME bytes. Then
 * `why` (at most `why_size` bytes) quotes the place. Nothing is called before the whole text was
 * found well-formed and within both bounds. PB_ERR_NO_MEMORY. O(text + names), in memory that does
 * not depend on the text.
 */
int pb_hostlist_expand(const char *text, size_t max_names,
                       int (*found)(void *context, const char *name), void *context, char *why,
                       size_t why_size);

/** The first item of a list from `at` on, and its end: the same where there is none. */
const char *pb_hostlist_item(const char *at, const char **end_p);

#endif
