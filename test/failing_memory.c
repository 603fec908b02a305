#include "test/failing_memory.h"

#include <stdbool.h>
#include <stdlib.h>

#include "topo/util/error.h"

/* Of each thread, so that threads may test at the same time. */
static _Thread_local long countdown = -1; /* allocations until one fails; -1: none does */
static _Thread_local bool all_fail;       /* once one has failed, the later ones, too */
static _Thread_local long alive;

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

static bool fails(void)
{
    if (countdown == 0 && all_fail) {
        return true;
    }
    return countdown >= 0 && countdown-- == 0;
}

static void *counted(void *memory)
{
    alive += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : counted(__real_malloc(size));
}
void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(n, size));
}
void *__wrap_realloc(void *memory, size_t size)
{
    if (fails()) {
        return NULL;
    }
    return memory == NULL ? counted(__real_malloc(size)) : __real_realloc(memory, size);
}
char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : counted(__real_strdup(text));
}
void __wrap_free(void *memory)
{
    alive -= memory != NULL;
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
