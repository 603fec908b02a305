/*
 * What each physical link of a fabric carries of a plan, where a hash chooses the ways of flows.
 *
 * A flow is an ordered pair of hosts. It takes a shortest path; where a switch has several next
 * ones for it (ECMP), a hash of the flow, the switch and the seed chooses, and where the link to
 * that is a bundle (LAG), another hash chooses the member. Walks the cables themselves and shares
 * no code with networks, views or plans' constructions.
 */
#ifndef PB_HASHED_FLOWS_H
#define PB_HASHED_FLOWS_H

#include "test/topo/check/cabling.h"
#include "topo/trees/plan.h"

typedef struct pb_hashed_load {
    int most_edges;   /**< edges of all streams over one physical link in one direction, at most */
    int n_contending; /**< such links whose senders bring more than they carry; see below */
    int n_choices;    /**< hops at which there was more than one link to choose from */
} pb_hashed_load_t;

/**
 * The rule is that of pb_check_load(), for each
 * physical link in each direction: one sender alone, or the message once, or, c times as fast as a
 * host's, c times what a host sends.
 *
 * Walks every edge of the plan; `host` has a host's number for each rank. `seed` chooses the hash.
 * PB_ERR_NO_MEMORY. O(hosts * cables + edges * path * cables).
 */
int pb_hashed_load(const pb_cabling_t *cabling, const int *host, const pb_plan_t *plan,
                   uint64_t seed, pb_hashed_load_t *load);

#endif
