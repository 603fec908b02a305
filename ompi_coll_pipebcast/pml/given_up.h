/*
 * Requests that are given up after an error.
 *
 * The rule: what the PML may still touch is kept. A request that has not ended is never freed: ob1
 * aborts the job when a freed request ends with an error. The memory that it reads or writes stays
 * until it has ended, or to the end of the job. The user's own buffer is the exception: there the
 * broadcast waits a second for its requests before it returns (operation/operation.c).
 *
 * So everything below operation/ uses memory of three kinds: the user's; bounce buffers, which
 * coll_pipebcast_message_fini() leaves alone while a request has them; and that of small messages,
 * which pml/control.c copies.
 */
#ifndef COLL_PIPEBCAST_GIVEN_UP_H
#define COLL_PIPEBCAST_GIVEN_UP_H

#include "base/compat.h"

/**
 * Takes over a request that was asked to end or never will. When it has ended, it is freed, and
 * `memory` (NULL: none) by free(); a later call finds that. By any thread.
 */
void coll_pipebcast_give_up(ompi_request_t *request, void *memory);

#endif
