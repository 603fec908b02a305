/*
 * For what a test needs before it can judge anything: a set-up that fails ends the program.
 */
#ifndef PB_TEST_MUST_H
#define PB_TEST_MUST_H

#include <stdio.h>
#include <stdlib.h>

/** Ends the program, and says where, unless the condition holds. */
#define must(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/** The memory, if it is there. */
static inline void *must_have(void *memory)
{
    must(memory != NULL);
    return memory;
}

/** Zeroed memory for `n` elements, one at least. */
static inline void *must_zeroed(size_t n, size_t size)
{
    return must_have(calloc(n > 0 ? n : 1, size));
}

#endif
