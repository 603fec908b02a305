#include "failing_malloc.h"

#include <stdbool.h>
#include <stddef.h>

static int countdown = -1;
static long alive;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void __wrap_free(void *memory);

void failing_malloc_after(int n)
{
    countdown = n;
}

long failing_malloc_alive(void)
{
    return alive;
}

static bool fails_now(void)
{
    return countdown >= 0 && countdown-- == 0;
}

void *__wrap_malloc(size_t size)
{
    void *memory = fails_now() ? NULL : __real_malloc(size);
    alive += memory != NULL;
    return memory;
}

void *__wrap_calloc(size_t n, size_t size)
{
    void *memory = fails_now() ? NULL : __real_calloc(n, size);
    alive += memory != NULL;
    return memory;
}

void __wrap_free(void *memory)
{
    alive -= memory != NULL;
    __real_free(memory);
}
