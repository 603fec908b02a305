/*
 * Messages to people. The process's state of them is here: the messages that were shown, under a
 * lock of their own, and the stream of the verbose lines.
 */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compat.h"
#include "base/parameters.h"

/** Bytes of a message, its end included; a longer one is cut. */
#define TEXT_SIZE 4096

static struct {
    pthread_mutex_t lock;
    const char *shown[PB_HELP_TOPICS];
    int n_shown;
    int output; /**< of the verbose lines; -1: not open */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .output = -1};

/** Connections of this process that Open MPI has given up: all communicators look at it. */
static int n_unconnected;

int coll_pipebcast_n_unconnected(void)
{
    return __atomic_load_n(&n_unconnected, __ATOMIC_RELAXED);
}

#ifdef COLL_PIPEBCAST_HOLDS_UNCONNECTED
/** In place of opal_show_help(): notes a connection that cannot be made. */
static int show_and_note(const char *file, const char *topic, int has_header, ...)
{
    va_list args;
    va_start(args, has_header);
    char *text = opal_show_help_vstring(file, topic, has_header != 0, args);
    va_end(args);
    const int rc = text != NULL ? orte_show_help_norender(file, topic, has_header, text)
                                : OPAL_ERR_OUT_OF_RESOURCE;
    free(text);
    if (strcmp(topic, "client connect fail") == 0) {
        __atomic_add_fetch(&n_unconnected, 1, __ATOMIC_RELAXED);
    }
    return rc;
}

/** Replaces one function by the other, if it is the one that Open MPI calls. */
static void replace_show_help(opal_show_help_fn_t old, opal_show_help_fn_t new)
{
    opal_show_help = opal_show_help == old ? new : opal_show_help;
}
#endif

void coll_pipebcast_log_open(void)
{
#ifdef COLL_PIPEBCAST_HOLDS_UNCONNECTED
    replace_show_help(orte_show_help, show_and_note);
#endif
    state.n_shown = 0;
    state.output = opal_output_open(NULL);
}

void coll_pipebcast_log_close(void)
{
#ifdef COLL_PIPEBCAST_HOLDS_UNCONNECTED
    replace_show_help(show_and_note, orte_show_help);
#endif
    opal_output_close(state.output);
    state.output = -1;
}

/** Notes that a message is shown; returns whether it is the first time. */
static bool note_shown(const char *message)
{
    bool found = false;
    pthread_mutex_lock(&state.lock);
    for (int i = 0; i < state.n_shown; i++) {
        found = found || strcmp(state.shown[i], message) == 0;
    }
    if (!found) {
        state.shown[state.n_shown++] = message;
    }
    pthread_mutex_unlock(&state.lock);
    return !found;
}

/** Shows a message, its topic, a line, first, if the process has not shown it before. */
static void show(bool by_mpirun, const char *message, va_list args)
{
    char topic[TEXT_SIZE];
    if (!note_shown(message)) {
        return;
    }
    vsnprintf(topic, TEXT_SIZE, message, args);
    char *end = strchr(topic, '\n');
    *end = '\0';
    if (by_mpirun) {
        coll_pipebcast_show_once("help-mpi-coll-pipebcast.txt", topic, end + 1);
    } else {
        fputs(end + 1, stderr);
    }
}

void coll_pipebcast_help(const char *message, ...)
{
    va_list args;
    va_start(args, message);
    show(false, message, args);
    va_end(args);
}

void coll_pipebcast_help_each(const char *message, ...)
{
    va_list args;
    va_start(args, message);
    show(true, message, args);
    va_end(args);
}

void coll_pipebcast_log(int level, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;
    if (coll_pipebcast_params.verbose < level) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    opal_output(state.output, "pipebcast: %s", text);
}
