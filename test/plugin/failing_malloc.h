/*
 * The engine's malloc, calloc and free, linked with --wrap: each allocation in
 * turn can be made to fail, and those that are alive are counted.
 */
#ifndef PB_TEST_FAILING_MALLOC_H
#define PB_TEST_FAILING_MALLOC_H

/** The allocation after so many more returns NULL, once; -1: none does. */
void failing_malloc_after(int n);

/** Allocations made and not freed since the program began. */
long failing_malloc_alive(void);

#endif
