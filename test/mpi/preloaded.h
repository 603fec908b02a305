/*
 * Libraries put before the C library (LD_PRELOAD), which look from where they are called: what the
 * plugin does, and not Open MPI and the program. A program finds their functions by preloaded().
 */
#ifndef PB_TEST_PRELOADED_H
#define PB_TEST_PRELOADED_H

#include <stdbool.h>

/* failing_plugin.so: allocations of the plugin that fail when a test says so. */

/**
 * After `n` more allocations of the plugin the next one returns NULL, once; or, if it `lasts`, all
 * until the next call. -1: none does.
 */
typedef void failing_plugin_after_t(long n, int lasts);

/** Tells whether that has happened. */
typedef int failing_plugin_has_failed_t(void);

failing_plugin_after_t failing_plugin_after;
failing_plugin_has_failed_t failing_plugin_has_failed;

/* locking_plugin.so: counts the mutexes that the plugin locks. */

/** Locks that were taken since the last call of locking_plugin_begin(). */
typedef struct locking_plugin {
    long n_locks;  /**< times that a mutex was locked, or was tried to be */
    int n_mutexes; /**< different ones, of the first few */
} locking_plugin_t;

typedef void locking_plugin_begin_t(void);
typedef locking_plugin_t locking_plugin_end_t(void);

locking_plugin_begin_t locking_plugin_begin;
locking_plugin_end_t locking_plugin_end;

/* In both: where the plugin's code lies in this process. */

/** Looks for the plugin, which is loaded by now. */
void plugin_code_find(void);

/** Tells whether the code at `caller` is the plugin's; false before it was found. */
bool plugin_code_has(const void *caller);

#endif
