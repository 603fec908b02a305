/*
 * What may be waiting at each rank of a communicator; see engine/arrival/credit.h.
 */
#include "engine/arrival/credit.h"

#include <stdlib.h>

void pb_arrival_credit_init(pb_arrival_credit_t *credit, uint64_t bound)
{
    *credit = (pb_arrival_credit_t){.bound = bound};
}

bool pb_arrival_credit_reserve(pb_arrival_credit_t *credit, int n_ranks)
{
    if (credit->of == NULL) {
        credit->of = calloc((size_t) n_ranks, sizeof(*credit->of));
    }
    return credit->of != NULL;
}

void pb_arrival_credit_fini(pb_arrival_credit_t *credit)
{
    free(credit->of);
    credit->of = NULL;
}

void pb_arrival_credit_other(pb_arrival_credit_t *credit, uint64_t total)
{
    credit->others += total;
}

bool pb_arrival_credit_take(pb_arrival_credit_t *credit, int rank, uint64_t total)
{
    pb_arrival_debt_t *debt = &credit->of[rank];
    if (debt->own + (credit->others - debt->others_seen) + total > credit->bound) {
        return false;
    }
    debt->own += total;
    return true;
}

void pb_arrival_credit_return(pb_arrival_credit_t *credit, int rank, uint64_t others_then,
                              uint64_t unasked)
{
    pb_arrival_debt_t *debt = &credit->of[rank];
    debt->own -= unasked;
    if (others_then > debt->others_seen) {
        debt->others_seen = others_then;
    }
}
