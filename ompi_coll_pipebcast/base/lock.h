/*
 * The lock of a communicator: the only one on the way of a broadcast.
 *
 * It protects everything in the communicator's module that changes after it was enabled, and all of
 * its operations. It is held for moments: not while something is waited for, and not while another
 * component's collective is called. Unless the program has asked for MPI_THREAD_MULTIPLE, no mutex
 * is touched. It also keeps a thread from itself: a send of ours makes progress inside Open MPI in
 * the middle of an operation. Open MPI may then report the end of a receive or call the progress
 * function. A thread that comes that way only tries to get the lock.
 */
#ifndef COLL_PIPEBCAST_LOCK_H
#define COLL_PIPEBCAST_LOCK_H

#include <stdbool.h>

#include "base/compat.h"

typedef struct coll_pipebcast_lock {
    opal_mutex_t mutex; /**< used where the process has several threads inside MPI */
    bool is_held;       /**< used where it has one */
} coll_pipebcast_lock_t;

static inline void coll_pipebcast_lock_init(coll_pipebcast_lock_t *lock)
{
    OBJ_CONSTRUCT(&lock->mutex, opal_mutex_t);
    lock->is_held = false;
}

static inline void coll_pipebcast_lock_fini(coll_pipebcast_lock_t *lock)
{
    OBJ_DESTRUCT(&lock->mutex);
}

/** Takes the lock; the thread must not hold it. */
static inline void coll_pipebcast_lock(coll_pipebcast_lock_t *lock)
{
    if (OPAL_UNLIKELY(opal_using_threads())) {
        opal_mutex_lock(&lock->mutex);
    } else {
        lock->is_held = true;
    }
}

/** Takes the lock; false if this thread or another one holds it. */
static inline bool coll_pipebcast_try_lock(coll_pipebcast_lock_t *lock)
{
    if (OPAL_UNLIKELY(opal_using_threads())) {
        return opal_mutex_trylock(&lock->mutex) == 0;
    }
    const bool is_free = !lock->is_held;
    lock->is_held = true;
    return is_free;
}

static inline void coll_pipebcast_unlock(coll_pipebcast_lock_t *lock)
{
    if (OPAL_UNLIKELY(opal_using_threads())) {
        opal_mutex_unlock(&lock->mutex);
    } else {
        lock->is_held = false;
    }
}

#endif
