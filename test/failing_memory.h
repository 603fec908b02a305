/*
 * Allocations that fail when a test says so, and a count of those that are alive.
 * Each thread has its own. The allocators are replaced by the linker: a program with this file
 * needs -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=free.
 */
#ifndef PB_TEST_FAILING_MEMORY_H
#define PB_TEST_FAILING_MEMORY_H

/** The allocation after `n` more returns NULL, once; -1: none does. */
void failing_memory_after(long n);

/** All allocations after `n` more return NULL, until failing_memory_after(-1). */
void failing_memory_from(long n);

/** Allocations made by these and not freed since the program began. */
long failing_memory_alive(void);

/** Bytes of these, as the allocator rounds them up. */
long failing_memory_bytes(void);

/** The most bytes at a time since the last call of failing_memory_begin_peak(), or since the
 * program began. */
long failing_memory_peak(void);
void failing_memory_begin_peak(void);

/** Result of a scenario. */
typedef struct failing_memory {
    int with_memory; /**< what it returned with all its memory */
    int n_failed;    /**< allocations that were failed in turn */
    int n_reported;  /**< so often it returned PB_ERR_NO_MEMORY */
    int n_wrong;     /**< so often neither that nor what it returned with memory */
} failing_memory_t;

/**
 * Runs a scenario once with all its memory, and then again with one allocation after the other
 * failing. Each run must end with PB_ERR_NO_MEMORY. Where only a message's text was lost, it ends
 * as it does with memory. Leaks are for a sanitizer to find: what the C library allocates itself,
 * as for streams in memory, is not counted.
 */
failing_memory_t failing_memory_run(int (*scenario)(const void *context), const void *context);

#endif
