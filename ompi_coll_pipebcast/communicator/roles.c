/*
 * The roles of a communicator that were computed already, by kind and root: a
 * hash table, and a list by use from which the oldest is dropped when the
 * parameter cache_size would be exceeded.
 */
#include <stdlib.h>

#include "component/component.h"
#include "engine/role.h"

typedef struct cached_role {
    opal_list_item_t super;
    uint64_t key;
    pb_role_t *role; /**< NULL: the kind does not fit this root */
} cached_role_t;

static void cached_role_construct(cached_role_t *cached)
{
    cached->role = NULL;
}
static void cached_role_destruct(cached_role_t *cached)
{
    free(cached->role);
}
static OBJ_CLASS_INSTANCE(cached_role_t, opal_list_item_t, cached_role_construct,
                          cached_role_destruct);

void coll_pipebcast_roles_construct(coll_pipebcast_module_t *module)
{
    OBJ_CONSTRUCT(&module->roles, opal_hash_table_t);
    OBJ_CONSTRUCT(&module->roles_by_use, opal_list_t);
    module->roles_memory = 0;
}

int coll_pipebcast_roles_init(coll_pipebcast_module_t *module)
{
    return opal_hash_table_init(&module->roles, 16) == OPAL_SUCCESS ? OMPI_SUCCESS
                                                                    : OMPI_ERR_OUT_OF_RESOURCE;
}

void coll_pipebcast_roles_destruct(coll_pipebcast_module_t *module)
{
    OPAL_LIST_DESTRUCT(&module->roles_by_use);
    OBJ_DESTRUCT(&module->roles);
}

int coll_pipebcast_role_compute(const coll_pipebcast_module_t *module, pb_kind_t kind, int root,
                                const int *subset, int n_subset, pb_role_t **role_p)
{
    const pb_plan_options_t options = {.fanout = mca_coll_pipebcast_component.params.fanout};
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    coll_pipebcast_count(&mca_coll_pipebcast_component.counters.roles_computed, 1);
    int rc = pb_view_new(module->placement, root, subset, n_subset, &view);
    if (rc == PB_SUCCESS) {
        rc = pb_plan_compute(view, kind, &options, &plan);
    }
    if (rc == PB_SUCCESS) {
        *role_p = pb_role_new(plan, ompi_comm_rank(module->comm));
        rc = *role_p == NULL ? PB_ERR_NO_MEMORY : PB_SUCCESS;
    }
    pb_plan_free(plan);
    pb_view_free(view);
    return rc == PB_SUCCESS         ? OMPI_SUCCESS
           : rc == PB_ERR_NO_MEMORY ? OMPI_ERR_OUT_OF_RESOURCE
                                    : OMPI_ERR_NOT_SUPPORTED;
}

/** The same in the plan of all ranks, which the choice of the kind may have computed just now. */
static int compute_among_all(coll_pipebcast_module_t *module, pb_kind_t kind, int root,
                             pb_role_t **role_p)
{
    pb_plan_t *plan =
        module->chooser != NULL ? pb_chooser_take_plan(module->chooser, root, kind) : NULL;
    if (plan == NULL) {
        return coll_pipebcast_role_compute(module, kind, root, NULL, 0, role_p);
    }
    coll_pipebcast_count(&mca_coll_pipebcast_component.counters.roles_computed, 1);
    *role_p = pb_role_new(plan, ompi_comm_rank(module->comm));
    pb_plan_free(plan);
    return *role_p != NULL ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

static size_t memory_of(const cached_role_t *cached)
{
    return sizeof(*cached) + (cached->role != NULL ? cached->role->memory : 0);
}

static void drop_oldest(coll_pipebcast_module_t *module)
{
    cached_role_t *cached = (cached_role_t *) opal_list_remove_last(&module->roles_by_use);
    opal_hash_table_remove_value_uint64(&module->roles, cached->key);
    module->roles_memory -= memory_of(cached);
    OBJ_RELEASE(cached);
}

static const pb_role_t *find_or_compute(coll_pipebcast_module_t *module, pb_kind_t kind, int root,
                                        int *error_p)
{
    const uint64_t key = (uint64_t) kind << 32 | (uint32_t) root;
    cached_role_t *cached = NULL;
    *error_p = OMPI_SUCCESS;
    if (opal_hash_table_get_value_uint64(&module->roles, key, (void **) &cached) == OPAL_SUCCESS) {
        opal_list_remove_item(&module->roles_by_use, &cached->super);
        opal_list_prepend(&module->roles_by_use, &cached->super);
        coll_pipebcast_count(&mca_coll_pipebcast_component.counters.roles_cached, 1);
        *error_p = cached->role == NULL ? OMPI_ERR_NOT_SUPPORTED : OMPI_SUCCESS;
        return cached->role;
    }

    cached = OBJ_NEW(cached_role_t);
    *error_p = cached == NULL ? OMPI_ERR_OUT_OF_RESOURCE
                              : compute_among_all(module, kind, root, &cached->role);
    const int computed = *error_p;
    if (computed == OMPI_SUCCESS || computed == OMPI_ERR_NOT_SUPPORTED) {
        *error_p = opal_hash_table_set_value_uint64(&module->roles, key, cached);
    }
    if (*error_p != OMPI_SUCCESS) {
        if (cached != NULL) {
            OBJ_RELEASE(cached);
        }
        return NULL;
    }
    *error_p = computed;
    cached->key = key;
    module->roles_memory += memory_of(cached);
    opal_list_prepend(&module->roles_by_use, &cached->super);
    while (module->roles_memory > mca_coll_pipebcast_component.params.cache_size &&
           opal_list_get_size(&module->roles_by_use) > 1) {
        drop_oldest(module);
    }
    return cached->role;
}

const pb_role_t *coll_pipebcast_role(coll_pipebcast_module_t *module, pb_kind_t kind, int root,
                                     int *error_p)
{
    const pb_role_t *role = find_or_compute(module, kind, root, error_p);
    return coll_pipebcast_reserve_helps(*error_p) ? find_or_compute(module, kind, root, error_p)
                                                  : role;
}
