/*
 * The host of an arrival-aware broadcast in Open MPI; see engine/arrival/host.h.
 */
#ifndef COLL_PIPEBCAST_ARRIVAL_H
#define COLL_PIPEBCAST_ARRIVAL_H

#include "component/component.h"
#include "engine/arrival/host.h"
#include "pml/windows.h"

struct pb_arrival_host {
    coll_pipebcast_module_t *module; /**< borrowed */
    coll_pipebcast_data_t data;
    int root;
    coll_pipebcast_choice_t choice; /**< for all ranks */
    double ns_per_byte;             /**< as expected at the start */
    pb_role_t *role;                /**< in a group of some ranks; NULL: none was asked for */
    bool role_is_chosen;     /**< it is that of the group chosen last, still to be asked for */
    int *order;              /**< NULL: it was not asked for */
    pb_message_t message[2]; /**< of the asked group, of the unasked one */
    bool has_message[2];
};

/** Prepares; nothing to give back until it is used. */
void coll_pipebcast_arrival_init(pb_arrival_host_t *host, coll_pipebcast_module_t *module,
                                 const coll_pipebcast_data_t *data, int root,
                                 const coll_pipebcast_choice_t *choice);

/** Gives back what the last group needed. */
void coll_pipebcast_arrival_fini(pb_arrival_host_t *host);

/** What a byte of a message takes from one rank to another, as far as is known. */
double coll_pipebcast_arrival_ns_per_byte(const coll_pipebcast_module_t *module);

/** An error of the engine as one of MPI; others stay what they are. */
int coll_pipebcast_arrival_error(int error);

#endif
