/*
 * The process's status; see base/status.h. MPI_T knows a text as an array of characters of fixed
 * length, and reads it through a function of ours.
 */
#include "base/status.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct {
    pthread_mutex_t lock; /**< protects the texts */
    char texts[COLL_PIPEBCAST_STATUS_TEXTS][COLL_PIPEBCAST_STATUS_SIZE];
} status = {.lock = PTHREAD_MUTEX_INITIALIZER};

void coll_pipebcast_status_set(coll_pipebcast_status_t which, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pthread_mutex_lock(&status.lock);
    vsnprintf(status.texts[which], COLL_PIPEBCAST_STATUS_SIZE, format, args);
    pthread_mutex_unlock(&status.lock);
    va_end(args);
}

static int read_text(const mca_base_pvar_t *variable, void *value, void *object)
{
    (void) object;
    pthread_mutex_lock(&status.lock);
    memcpy(value, variable->ctx, COLL_PIPEBCAST_STATUS_SIZE);
    pthread_mutex_unlock(&status.lock);
    return OMPI_SUCCESS;
}

/** A handle of a text has as many elements as the text has bytes. */
static int give_length(mca_base_pvar_t *variable, mca_base_pvar_event_t event, void *object,
                       int *count)
{
    (void) variable;
    (void) object;
    if (event == MCA_BASE_PVAR_HANDLE_BIND) {
        *count = COLL_PIPEBCAST_STATUS_SIZE;
    }
    return OMPI_SUCCESS;
}

static int add_text(const mca_base_component_t *component, const char *name, const char *help,
                    coll_pipebcast_status_t which)
{
    const int rc = mca_base_component_pvar_register(
        component, name, help, OPAL_INFO_LVL_4, MCA_BASE_PVAR_CLASS_GENERIC,
        MCA_BASE_VAR_TYPE_STRING, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, read_text, NULL, give_length,
        status.texts[which]);
    return rc < 0 ? rc : OMPI_SUCCESS;
}

static const struct {
    const char *name;
    const char *help;
} texts[COLL_PIPEBCAST_STATUS_TEXTS] = {
    [COLL_PIPEBCAST_STATUS_TOPOLOGY] =
        {"status_topology", "The network on which the communicator whose ranks agreed last is "
                            "placed, and where it came from."},
    [COLL_PIPEBCAST_STATUS_COSTS] = {"status_costs",
                                     "Where the message costs came from by which broadcasts of the "
                                     "communicator whose ranks agreed last are planned."},
    [COLL_PIPEBCAST_STATUS_WHY] =
        {"status_why", "What kept this process from serving the communicator whose ranks agreed "
                       "last; empty: nothing did."},
};

int coll_pipebcast_status_register(const mca_base_component_t *component)
{
    int rc = OMPI_SUCCESS;
    for (int i = 0; rc == OMPI_SUCCESS && i < COLL_PIPEBCAST_STATUS_TEXTS; i++) {
        rc = add_text(component, texts[i].name, texts[i].help, (coll_pipebcast_status_t) i);
    }
    return rc;
}
