/*
 * Requests on which no one waits: sends of control messages, and requests that are given up after
 * an error.
 *
 * The rule: what the PML may still touch is kept. A request that has not ended is never freed: ob1
 * aborts the job when a freed request ends with an error. The memory that it reads or writes stays
 * until it has ended, or to the end of the job. The user's own buffer is the exception: there the
 * broadcast waits a second for its requests before it returns (operation/operation.c).
 *
 * So everything below operation/ uses memory of three kinds: the user's, packed copies of that, and
 * copies of small messages that pml/control.c makes. coll_pipebcast_message_fini() leaves a packed
 * copy alone that a request may use.
 */
#include "pml/transport.h"

#include <stdlib.h>

#include "base/lock.h"

typedef struct given_up {
    struct given_up *next;
    ompi_request_t *request;
    void *memory;
} given_up_t;

static coll_pipebcast_lock_t lock = {.mutex = OPAL_MUTEX_STATIC_INIT};
static given_up_t *first;

/** Unlinks those that have ended. With the lock held. */
static given_up_t *take_ended(void)
{
    given_up_t **at = &first, *ended = NULL;
    while (*at != NULL) {
        given_up_t *item = *at;
        if (!REQUEST_COMPLETE(item->request)) {
            at = &item->next;
            continue;
        }
        *at = item->next;
        item->next = ended;
        ended = item;
    }
    return ended;
}

/** Frees what was unlinked. Without the lock, as a request may be the last to hold its
 * communicator, and what frees that may come here. */
static void free_all(given_up_t *ended)
{
    while (ended != NULL) {
        given_up_t *item = ended;
        ended = item->next;
        ompi_request_free(&item->request);
        free(item->memory);
        free(item);
    }
}

void coll_pipebcast_give_up(ompi_request_t *request, void *memory)
{
    if (REQUEST_COMPLETE(request) && __atomic_load_n(&first, __ATOMIC_RELAXED) == NULL) {
        ompi_request_free(&request);
        free(memory);
        return;
    }
    given_up_t *item = malloc(sizeof(*item));
    coll_pipebcast_lock(&lock);
    if (item != NULL) { /* else the request and its memory stay to the end of the job */
        *item = (given_up_t){.next = first, .request = request, .memory = memory};
        first = item;
    }
    given_up_t *ended = take_ended();
    coll_pipebcast_unlock(&lock);
    free_all(ended);
}

void coll_pipebcast_free_given_up(void)
{
    coll_pipebcast_lock(&lock);
    given_up_t *ended = take_ended();
    coll_pipebcast_unlock(&lock);
    free_all(ended);
}

void coll_pipebcast_forget_given_up(void)
{
    for (given_up_t *item; (item = first) != NULL; free(item)) {
        first = item->next;
    }
}
