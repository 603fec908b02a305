/*
 * Counts the mutexes that the plugin locks; not those of Open MPI and the program. A library put
 * before the C library (LD_PRELOAD). A program finds its functions by dlsym().
 */
#ifndef PB_TEST_LOCKING_PLUGIN_H
#define PB_TEST_LOCKING_PLUGIN_H

/** What was locked since the last call of locking_plugin_begin(). */
typedef struct locking_plugin {
    long n_locks;  /**< times that a mutex was locked, or was tried to be */
    int n_mutexes; /**< different ones, of the first few */
} locking_plugin_t;

typedef void locking_plugin_begin_t(void);
typedef locking_plugin_t locking_plugin_end_t(void);

locking_plugin_begin_t locking_plugin_begin;
locking_plugin_end_t locking_plugin_end;

#endif
