/*
 * Loads the components that a list such as "pipebcast,tuned" leaves out.
 *
 * Open MPI takes a list without '^' to exclude everything else, and then aborts MPI_Init because no
 * one serves alltoallw and others. Users mean "these before the rest", so the rest is loaded here,
 * while the framework opens its components. Each is registered, opened and put into the framework's
 * list before our own entry. The loop that is opening us has already passed that position.
 */
#include <assert.h>
#include <string.h>

#include "base/compat.h"
#include "base/log.h"
#include "component/component.h"

/** Components for the slots that tuned and others leave empty. */
static const char *const basics[] = {
    "basic",   "libnbc", "self", "inter",
#if OPAL_ENABLE_FT_MPI
    "ftagree",
#endif
};
#define N_BASICS (sizeof(basics) / sizeof(basics[0]))

static mca_base_component_list_item_t *find_in_list(const char *name)
{
    mca_base_component_list_item_t *item;
    OPAL_LIST_FOREACH(item, &ompi_coll_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        if (strcmp(item->cli_component->mca_component_name, name) == 0) {
            return item;
        }
    }
    return NULL;
}

/** Registers and opens what find has just appended; it ends up before `before`, or is closed. */
static void open_found(mca_base_component_list_item_t *found,
                       mca_base_component_list_item_t *before)
{
    assert(found != NULL);
    const mca_base_component_t *component = found->cli_component;
    opal_list_t *list = &ompi_coll_base_framework.framework_components;
    opal_list_remove_item(list, &found->super);
    int rc = OPAL_SUCCESS;
    if (component->mca_register_component_params != NULL) {
        rc = component->mca_register_component_params();
    }
    if (rc == OPAL_SUCCESS && component->mca_open_component != NULL) {
        rc = component->mca_open_component();
    }
    if (rc == OPAL_SUCCESS) {
        opal_list_insert_pos(list, &before->super, &found->super);
        return;
    }
    coll_pipebcast_help_each(PB_HELP_COMPONENT_NOT_LOADED,
                             ompi_coll_base_framework.framework_selection,
                             component->mca_component_name, rc);
    mca_base_component_close(component, ompi_coll_base_framework.framework_output);
    OBJ_RELEASE(found);
}

/** The list of basics that are missing, separated by commas; NULL if none. */
static char *list_missing(void)
{
    char **names = NULL;
    for (size_t i = 0; i < N_BASICS; i++) {
        if (find_in_list(basics[i]) == NULL) {
            opal_argv_append_nosize(&names, basics[i]);
        }
    }
    char *list = names != NULL ? opal_argv_join(names, ',') : NULL;
    opal_argv_free(names);
    return list;
}

void coll_pipebcast_autoload(void)
{
    mca_base_framework_t *framework = &ompi_coll_base_framework;
    char *selection = framework->framework_selection;
    mca_base_component_list_item_t *own = find_in_list("pipebcast");
    if (own == NULL || selection == NULL || selection[0] == '\0' || selection[0] == '^') {
        return;
    }
    char *missing = list_missing();
    if (missing == NULL) {
        return;
    }
    opal_list_item_t *last = opal_list_get_last(&framework->framework_components);
    framework->framework_selection = missing;
    int rc = mca_base_component_find(NULL, framework, false, true);
    framework->framework_selection = selection;
    if (rc != OPAL_SUCCESS) {
        coll_pipebcast_help_each(PB_HELP_COMPONENT_NOT_FOUND, selection, missing, rc);
    }
    /* New components stand behind `last`. */
    opal_list_item_t *end = opal_list_get_end(&framework->framework_components);
    while (opal_list_get_next(last) != end) {
        open_found((mca_base_component_list_item_t *) opal_list_get_next(last), own);
    }
    if (OPAL_PROC_MY_NAME.vpid == 0) {
        coll_pipebcast_log(1, "the list coll='%s' leaves out %s: loaded", selection, missing);
    }
    free(missing);
}
