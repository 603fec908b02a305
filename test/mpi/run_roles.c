/*
 * The cache of roles from inside, in one process that passes for one of many ranks:
 * thousands of plans, of which the bound lets few stay.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "component/component.h"

enum { N_RANKS = 500, CACHE = 32768 };

/** What OPAL's table and the allocator may need beside what is counted. */
#define SLACK 150000

static const pb_kind_t kinds[] = {PB_KIND_CHAIN, PB_KIND_BINARY, PB_KIND_TWOTREE};

coll_pipebcast_component_t mca_coll_pipebcast_component = {
    .params = {.cache_size = CACHE, .fanout = 3}};

static long in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (long) (info.uordblks + info.hblkhd);
}

static pb_placement_t *place(pb_network_t **network_p)
{
    static char names[N_RANKS][8];
    const char *list[N_RANKS];
    for (int i = 0; i < N_RANKS; i++) {
        snprintf(names[i], sizeof(names[i]), "n%d", i);
        list[i] = names[i];
    }
    *network_p = pb_network_one_switch(list, N_RANKS);
    pb_placement_t *placement = *network_p != NULL ? pb_placement_new(*network_p, N_RANKS) : NULL;
    if (placement == NULL) {
        abort();
    }
    for (int i = 0; i < N_RANKS; i++) {
        placement->host[i] = pb_network_find(*network_p, names[i]);
    }
    return placement;
}

/** Asks for the roles of all roots and kinds; whether the bound held all the time. */
static bool ask_for_all(coll_pipebcast_module_t *module)
{
    bool held = true;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (int root = 0; root < N_RANKS; root++) {
            int error;
            const pb_role_t *role = coll_pipebcast_role(module, kinds[k], root, &error);
            check(role != NULL && error == OMPI_SUCCESS, "a role for root %d", root);
            check(role == NULL || (role->n_sources == 0) == (root == 0), "is that for root %d",
                  root);
            held = held && module->roles_memory <= CACHE;
        }
    }
    return held;
}

int main(int argc, char **argv)
{
    coll_pipebcast_module_t module;
    pb_network_t *network;
    MPI_Init(&argc, &argv);
    memset(&module, 0, sizeof(module));
    module.comm = MPI_COMM_WORLD;
    module.placement = place(&network);
    coll_pipebcast_roles_construct(&module);
    check(coll_pipebcast_roles_init(&module) == OMPI_SUCCESS, "the cache of roles is made");
    (void) ask_for_all(&module);
    const long before = in_use();
    for (int i = 0; i < 3; i++) {
        check(ask_for_all(&module), "the bound holds");
    }
    const long grown = in_use() - before;
    check(grown <= SLACK, "%ld bytes more in use after 4,500 further plans", grown);
    check(opal_list_get_size(&module.roles_by_use) > 10, "some stay");
    coll_pipebcast_roles_destruct(&module);
    pb_placement_free(module.placement);
    pb_network_free(network);
    return check_done("run_roles");
}
