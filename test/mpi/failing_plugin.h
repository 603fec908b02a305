/*
 * Allocations of the plugin that fail when a test says so; those of Open MPI and the
 * program never do. A library put before the C library (LD_PRELOAD): it looks from
 * where it is called. A program finds its functions by dlsym().
 */
#ifndef PB_TEST_FAILING_PLUGIN_H
#define PB_TEST_FAILING_PLUGIN_H

/**
 * After `n` more allocations of the plugin the next one returns NULL, once; or, if it `lasts`, it
 * and all that follow until the next call. -1: none does.
 */
typedef void failing_plugin_after_t(long n, int lasts);

/** Whether that has happened. */
typedef int failing_plugin_has_failed_t(void);

failing_plugin_after_t failing_plugin_after;
failing_plugin_has_failed_t failing_plugin_has_failed;

#endif
