/*
 * Messages to people. The process's state of them is here: the messages that were shown, under a
 * lock of their own, and the stream of the verbose lines.
 */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
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

void coll_pipebcast_log_open(void)
{
    state.n_shown = 0;
    state.output = opal_output_open(NULL);
}

void coll_pipebcast_log_close(void)
{
    opal_output_close(state.output);
    state.output = -1;
}

/** Returns whether the message is new, and remembers it. */
static bool is_new(const char *message)
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
    if (!is_new(message)) {
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
