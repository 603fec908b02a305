#include "pml/selected.h"

static int closed(void);

/** Open MPI ignores a PML component that has no function to initialize it. */
static mca_pml_base_component_t component = {
    .pmlm_version =
        {
            OMPI_MCA_BASE_VERSION_2_1_0("pml", 2, 0, 0),
            .mca_component_name = "pipebcast_selected",
            .mca_close_component = closed,
        },
};

static void (*to_call)(void);

static int closed(void)
{
    void (*const then)(void) = to_call;
    to_call = NULL;
    if (then != NULL) {
        then();
    }
    return OMPI_SUCCESS;
}

int coll_pipebcast_when_pml_is_selected(void (*then)(void))
{
    mca_base_component_list_item_t *item = OBJ_NEW(mca_base_component_list_item_t);
    if (item == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    to_call = then;
    item->cli_component = &component.pmlm_version;
    opal_list_append(&ompi_pml_base_framework.framework_components, &item->super);
    return OMPI_SUCCESS;
}

void coll_pipebcast_forget_pml_selection(void)
{
    opal_list_t *components = &ompi_pml_base_framework.framework_components;
    mca_base_component_list_item_t *item, *next;
    if (to_call == NULL) {
        return; /* it has been closed */
    }
    to_call = NULL;
    OPAL_LIST_FOREACH_SAFE(item, next, components, mca_base_component_list_item_t)
    {
        if (item->cli_component == &component.pmlm_version) {
            opal_list_remove_item(components, &item->super);
            OBJ_RELEASE(item);
        }
    }
}
