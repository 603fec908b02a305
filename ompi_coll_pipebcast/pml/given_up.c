/*
 * Requests that are given up after an error; see pml/given_up.h.
 */
#include "pml/given_up.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct given_up {
    struct given_up *next;
    ompi_request_t *request;
    void *memory;
} given_up_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static given_up_t *first;

/** Frees what has ended. */
static void sweep(void)
{
    given_up_t **at = &first;
    while (*at != NULL) {
        given_up_t *item = *at;
        if (!REQUEST_COMPLETE(item->request)) {
            at = &item->next;
            continue;
        }
        *at = item->next;
        ompi_request_free(&item->request);
        free(item->memory);
        free(item);
    }
}

void coll_pipebcast_give_up(ompi_request_t *request, void *memory)
{
    given_up_t *item = malloc(sizeof(*item));
    pthread_mutex_lock(&lock);
    if (item != NULL) { /* else the request and its memory stay to the end of the job */
        *item = (given_up_t){.next = first, .request = request, .memory = memory};
        first = item;
    }
    sweep();
    pthread_mutex_unlock(&lock);
}
