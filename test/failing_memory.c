#include "test/failing_memory.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

#include "topo/util/error.h"

/* Of each thread, so that threads may test at the same time. */
static _Thread_local long countdown = -1; /* allocations until one fails; -1: none does */
static _Thread_local bool all_fail;       /* once one has failed, the later ones, too */
static _Thread_local long alive;
static _Thread_local long bytes_alive, peak;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);

void failing_memory_after(long n)
{
    countdown = n;
    all_fail = false;
}

void failing_memory_from(long n)
{
    countdown = n;
    all_fail = true;
}

long failing_memory_alive(void)
{
    return alive;
}

long failing_memory_bytes(void)
{
    return bytes_alive;
}

long failing_memory_peak(void)
{
    return peak;
}

void failing_memory_begin_peak(void)
{
    peak = bytes_alive;
}

static bool fails(void)
{
    if (countdown == 0 && all_fail) {
        return true;
    }
    return countdown >= 0 && countdown-- == 0;
}

/** Bytes that one call of an allocator has got, in place of `old_bytes`. */
static void *counted(void *memory, size_t old_bytes)
{
    alive += memory != NULL && old_bytes == 0;
    bytes_alive += memory != NULL ? (long) malloc_usable_size(memory) - (long) old_bytes : 0;
    peak = bytes_alive > peak ? bytes_alive : peak;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : counted(__real_malloc(size), 0);
}
void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(n, size), 0);
}
void *__wrap_realloc(void *memory, size_t size)
{
    if (fails()) {
        return NULL;
    }
    const size_t old_bytes = malloc_usable_size(memory); /* of NULL: 0 */
    return counted(__real_realloc(memory, size), old_bytes);
}
char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : counted(__real_strdup(text), 0);
}
void __wrap_free(void *memory)
{
    alive -= memory != NULL;
    bytes_alive -= (long) malloc_usable_size(memory);
    __real_free(memory);
}

failing_memory_t failing_memory_run(int (*scenario)(const void *context), const void *context)
{
    failing_memory_t result = {.n_failed = 0};
    countdown = -1;
    result.with_memory = scenario(context);
    for (;; result.n_failed++) {
        countdown = result.n_failed;
        const int error = scenario(context);
        if (countdown >= 0) {
            break;
        }
        result.n_reported += error == PB_ERR_NO_MEMORY;
        result.n_wrong += error != PB_ERR_NO_MEMORY && error != result.with_memory;
    }
    countdown = -1;
    return result;
}
