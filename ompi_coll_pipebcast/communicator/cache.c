#include "communicator/cache.h"

#include "base/parameters.h"
#include "communicator/process.h"

/** Communicators that may keep all of cache_size. */
#define FULL_CACHES 16

/** Bytes that choices, profiles and a role for one root need, with some classes of sizes. */
#define LEAST_CACHE ((size_t) 128 << 10)

/** What the last of so many communicators may keep. */
static size_t share_of(size_t n)
{
    const size_t full = coll_pipebcast_params.cache_size;
    const size_t share = n > FULL_CACHES ? full / n * FULL_CACHES : full;
    const size_t least = full < LEAST_CACHE ? full : LEAST_CACHE;
    return share > least ? share : least;
}

size_t coll_pipebcast_cache_take(coll_pipebcast_module_t *module)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    if (!module->has_cache) {
        opal_mutex_lock(&process->lock);
        module->cache = share_of(++process->n_caches);
        opal_mutex_unlock(&process->lock);
        module->has_cache = true;
    }
    return module->cache;
}

void coll_pipebcast_cache_give_back(coll_pipebcast_module_t *module)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    if (module->has_cache) {
        opal_mutex_lock(&process->lock);
        process->n_caches--;
        opal_mutex_unlock(&process->lock);
        module->has_cache = false;
    }
}
