#include "preloaded.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { MOST_MUTEXES = 16 };

static atomic_bool counts;
static atomic_long n_locks;
static _Atomic(pthread_mutex_t *) mutexes[MOST_MUTEXES];

void locking_plugin_begin(void)
{
    plugin_code_find();
    n_locks = 0;
    for (int i = 0; i < MOST_MUTEXES; i++) {
        mutexes[i] = NULL;
    }
    counts = true;
}

locking_plugin_t locking_plugin_end(void)
{
    locking_plugin_t result = {.n_locks = n_locks};
    counts = false;
    while (result.n_mutexes < MOST_MUTEXES && mutexes[result.n_mutexes] != NULL) {
        result.n_mutexes++;
    }
    return result;
}

static void note(pthread_mutex_t *mutex, const void *caller)
{
    if (!counts || !plugin_code_has(caller)) {
        return;
    }
    n_locks++;
    for (int i = 0; i < MOST_MUTEXES; i++) {
        pthread_mutex_t *known = NULL;
        if (atomic_compare_exchange_strong(&mutexes[i], &known, mutex) || known == mutex) {
            return;
        }
    }
}

typedef int lock_t(pthread_mutex_t *mutex);

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static lock_t *next;
    if (next == NULL) {
        *(void **) &next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    }
    note(mutex, __builtin_return_address(0));
    return next(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    static lock_t *next;
    if (next == NULL) {
        *(void **) &next = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
    }
    note(mutex, __builtin_return_address(0));
    return next(mutex);
}
