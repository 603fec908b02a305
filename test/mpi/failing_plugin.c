#include "preloaded.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Allocations until one fails; -1: none does (any more). */
static atomic_long countdown = -1;
/* Tells whether out of memory from then on, and whether it is now. */
static atomic_bool lasts, is_out;

void failing_plugin_after(long n, int until_next)
{
    plugin_code_find();
    countdown = -1;
    is_out = false;
    lasts = until_next != 0;
    countdown = n;
}

int failing_plugin_has_failed(void)
{
    return countdown == -1;
}

/*
 * The functions below are called before anything has begun, the address sanitizer, too. The
 * allocations are those of the next library: the C library's, or the sanitizer's. One frame of the
 * stack is between that and who allocates; contrib/analyze counts on it.
 */
#define AT_ANY_TIME __attribute__((no_sanitize_address))

/** Tells whether an allocation for the code at `caller` is to fail. */
AT_ANY_TIME static bool fails(const void *caller)
{
    const bool is_ours = plugin_code_has(caller);
    const bool is_turn = is_ours && countdown >= 0 && atomic_fetch_sub(&countdown, 1) == 0;
    const bool is_meant = is_turn || (is_ours && is_out);
    is_out = is_out || (is_turn && lasts);
    errno = is_meant ? ENOMEM : errno;
    return is_meant;
}

typedef void *malloc_t(size_t size);

AT_ANY_TIME static malloc_t *next_malloc(void)
{
    static malloc_t *next;
    if (next == NULL) {
        *(void **) &next = dlsym(RTLD_NEXT, "malloc");
    }
    return next;
}

AT_ANY_TIME void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : next_malloc()(size);
}

AT_ANY_TIME void *calloc(size_t n, size_t size)
{
    static void *(*next)(size_t, size_t);
    if (next == NULL) {
        *(void **) &next = dlsym(RTLD_NEXT, "calloc");
    }
    return fails(__builtin_return_address(0)) ? NULL : next(n, size);
}

AT_ANY_TIME void *realloc(void *memory, size_t size)
{
    static void *(*next)(void *, size_t);
    if (next == NULL) {
        *(void **) &next = dlsym(RTLD_NEXT, "realloc");
    }
    return fails(__builtin_return_address(0)) ? NULL : next(memory, size);
}

AT_ANY_TIME char *strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = fails(__builtin_return_address(0)) ? NULL : next_malloc()(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

AT_ANY_TIME int asprintf(char **text_p, const char *format, ...)
{
    va_list args;
    if (fails(__builtin_return_address(0))) {
        return -1;
    }
    va_start(args, format);
    const int length = vasprintf(text_p, format, args);
    va_end(args);
    return length;
}
