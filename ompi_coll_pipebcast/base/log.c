/*
 * Messages to people: warnings, once each, and verbose lines. The process's state of them is here:
 * the texts that were printed, under a lock of their own, and the stream of the verbose lines.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compat.h"
#include "base/parameters.h"

/** Different warnings that are remembered; what comes beyond is printed each time. */
#define MAX_PRINTED 64

typedef struct printed {
    opal_list_item_t super;
    char *text;
} printed_t;

static void printed_construct(printed_t *printed)
{
    printed->text = NULL;
}
static void printed_destruct(printed_t *printed)
{
    free(printed->text);
}
static OBJ_CLASS_INSTANCE(printed_t, opal_list_item_t, printed_construct, printed_destruct);

static struct {
    opal_mutex_t lock;
    opal_list_t printed; /**< of printed_t */
    int output;          /**< of the verbose lines; -1: not open */
} state = {.output = -1};

void coll_pipebcast_log_open(void)
{
    OBJ_CONSTRUCT(&state.lock, opal_mutex_t);
    OBJ_CONSTRUCT(&state.printed, opal_list_t);
    state.output = opal_output_open(NULL);
}

void coll_pipebcast_log_close(void)
{
    OPAL_LIST_DESTRUCT(&state.printed);
    OBJ_DESTRUCT(&state.lock);
    opal_output_close(state.output);
    state.output = -1;
}

/** Remembers a text, where memory and the bound allow. */
static void remember(const char *text)
{
    printed_t *printed =
        opal_list_get_size(&state.printed) < MAX_PRINTED ? OBJ_NEW(printed_t) : NULL;
    if (printed == NULL) {
        return;
    }
    printed->text = strdup(text);
    if (printed->text != NULL) {
        opal_list_append(&state.printed, &printed->super);
    } else {
        OBJ_RELEASE(printed);
    }
}

/** Whether the text is new; remembers it. */
static bool is_new(const char *text)
{
    printed_t *printed;
    bool found = false;
    opal_mutex_lock(&state.lock);
    OPAL_LIST_FOREACH(printed, &state.printed, printed_t)
    {
        found = found || strcmp(printed->text, text) == 0;
    }
    if (!found) {
        remember(text);
    }
    opal_mutex_unlock(&state.lock);
    return !found;
}

void coll_pipebcast_warn(const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (is_new(text)) {
        opal_output(0, "pipebcast: %s", text);
    }
}

void coll_pipebcast_log(int level, const char *format, ...)
{
    char text[2048];
    va_list args;
    if (coll_pipebcast_params.verbose < level) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    opal_output(state.output, "pipebcast: %s", text);
}
