/*
 * Messages to people: warnings, once each, and verbose lines.
 */
#include "component/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "component/component.h"

/** Different warnings that are remembered; what comes beyond is printed each time. */
#define MAX_SAID 64

typedef struct said {
    opal_list_item_t super;
    char *text;
} said_t;

static void said_construct(said_t *said)
{
    said->text = NULL;
}
static void said_destruct(said_t *said)
{
    free(said->text);
}
static OBJ_CLASS_INSTANCE(said_t, opal_list_item_t, said_construct, said_destruct);

/** Whether the text is new; remembers it. */
static bool is_new(const char *text)
{
    coll_pipebcast_component_t *component = &mca_coll_pipebcast_component;
    said_t *said;
    bool found = false;
    opal_mutex_lock(&component->lock);
    OPAL_LIST_FOREACH(said, &component->said, said_t)
    {
        found = found || strcmp(said->text, text) == 0;
    }
    if (!found && opal_list_get_size(&component->said) < MAX_SAID) {
        said = OBJ_NEW(said_t);
        if (said != NULL) {
            said->text = strdup(text);
        }
        if (said != NULL && said->text != NULL) {
            opal_list_append(&component->said, &said->super);
        } else if (said != NULL) {
            OBJ_RELEASE(said);
        }
    }
    opal_mutex_unlock(&component->lock);
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

void coll_pipebcast_tell(int level, const char *format, ...)
{
    char text[2048];
    va_list args;
    if (mca_coll_pipebcast_component.params.verbose < level) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    opal_output(mca_coll_pipebcast_component.output, "pipebcast: %s", text);
}
