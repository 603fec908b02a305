/*
 * The route of messages to a rank; see pml/route.h.
 *
 * The structure of a TCP module is in no installed header. But for each of its modules btl/tcp
 * registers a parameter btl_tcp_bandwidth_INTERFACE:NUMBER, whose storage is the module's own
 * btl_bandwidth. So a module's interface is the one whose parameter is stored there.
 * btl_tcp_if_include, if_exclude, IPv6 and other criteria of btl/tcp need not be known here.
 */
#include "pml/route.h"

#include <stdio.h>
#include <string.h>

#include "topo/network/interface.h"

/** Bytes of an interface's name; the kernel's have 16 at most, aliases some more. */
#define NAME_SIZE 64

/** Returns the storage of a parameter of btl/tcp; NULL if there is none of this name. */
static const unsigned int *tcp_parameter(const char *name, mca_base_var_source_t *source_p)
{
    const unsigned int *storage = NULL;
    const int index = mca_base_var_find("opal", "btl", "tcp", name);
    if (index < 0 || mca_base_var_get_value(index, &storage, source_p, NULL) != OPAL_SUCCESS) {
        return NULL;
    }
    return storage;
}

/** Returns whether a module is one of those that btl/tcp has made for this interface. */
static bool is_module_of(const mca_btl_base_module_t *module, const char *interface)
{
    mca_base_var_source_t source;
    for (int i = 0;; i++) {
        char name[NAME_SIZE + 32];
        snprintf(name, sizeof(name), "bandwidth_%s:%d", interface, i);
        const unsigned int *storage = tcp_parameter(name, &source);
        if (storage == NULL || storage == &module->btl_bandwidth) {
            return storage != NULL;
        }
    }
}

/** The interface of a TCP module; false if it is not found. */
static bool find_interface(const mca_btl_base_module_t *module, char interface[NAME_SIZE])
{
    for (int i = opal_ifbegin(); i >= 0; i = opal_ifnext(i)) {
        if (opal_ifindextoname(i, interface, NAME_SIZE) == OPAL_SUCCESS &&
            is_module_of(module, interface)) {
            return true;
        }
    }
    return false;
}

/** Returns whether a parameter sets the rate of all TCP modules, or of this interface's. */
static bool is_rate_set(const char *interface)
{
    mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_DEFAULT;
    char name[NAME_SIZE + 32];
    if (tcp_parameter("bandwidth", &source) != NULL && source != MCA_BASE_VAR_SOURCE_DEFAULT) {
        return true;
    }
    snprintf(name, sizeof(name), "bandwidth_%s", interface);
    return tcp_parameter(name, &source) != NULL && source != MCA_BASE_VAR_SOURCE_DEFAULT;
}

/** The rate that a BTL states of itself, in bits per second. */
static uint64_t stated_rate(const mca_btl_base_module_t *module)
{
    return (uint64_t) module->btl_bandwidth * 1000000;
}

static void add_tcp(pb_medium_t *medium, const mca_btl_base_module_t *module)
{
    char name[NAME_SIZE];
    pb_interface_t interface;
    if (!find_interface(module, name)) {
        medium->is_ethernet = false;
        return;
    }
    name[strcspn(name, ":")] = '\0'; /* an alias is of the same interface */
    pb_interface_read(PB_INTERFACE_DIRECTORY, name, &interface);
    pb_medium_add_name(medium->interfaces, name);
    pb_medium_limit_rate(medium,
                         is_rate_set(name) ? stated_rate(module) : interface.bits_per_second);
    if (interface.mtu > 0 && (medium->mtu == 0 || interface.mtu < medium->mtu)) {
        medium->mtu = interface.mtu;
    }
    medium->is_ethernet = medium->is_ethernet && pb_interface_is_ethernet(&interface);
}

static const char *btl_name(const mca_btl_base_module_t *module)
{
    return module->btl_component->btl_version.mca_component_name;
}

static void add_btl(pb_medium_t *medium, const mca_btl_base_module_t *module)
{
    pb_medium_add_name(medium->btls, btl_name(module));
    if (strcmp(btl_name(module), "tcp") == 0) {
        add_tcp(medium, module);
    } else {
        pb_medium_limit_rate(medium, stated_rate(module));
        medium->is_ethernet = false;
    }
}

bool coll_pipebcast_may_acknowledge(void)
{
    mca_base_var_source_t source;
    const unsigned int *links = tcp_parameter("links", &source);
    return links == NULL || *links <= 1;
}

bool coll_pipebcast_loses_acknowledgements(void)
{
#if COLL_PIPEBCAST_HAS_ACCELERATOR
    const mca_base_component_t *used = &opal_accelerator_base_selected_component.base_version;
    return strcmp(used->mca_component_name, "null") != 0;
#else
    return false;
#endif
}

const char *coll_pipebcast_pml_name(void)
{
    const opal_list_t *left = &ompi_pml_base_framework.framework_components;
    if (opal_list_is_empty((opal_list_t *) left)) {
        return mca_pml_base_selected_component.pmlm_version.mca_component_name;
    }
    /* Open MPI has closed all others. */
    return ((const mca_base_component_list_item_t *) opal_list_get_first((opal_list_t *) left))
        ->cli_component->mca_component_name;
}

/** Returns whether ob1's sends are bounded. At the bound it waits, inside the call, for one to come
 * back; ours come back outside of it. */
static bool sends_are_bounded(void)
{
    const int *most = NULL;
    const int index = mca_base_var_find("ompi", "pml", "ob1", "free_list_max");
    return index >= 0 && mca_base_var_get_value(index, &most, NULL, NULL) == OPAL_SUCCESS &&
           *most > 0;
}

/** Begins a medium with the PML; true if the PML has BTLs that can be looked at. */
static bool medium_init(pb_medium_t *medium)
{
    *medium = (pb_medium_t){.mtu = 0};
    pb_medium_add_name(medium->pml, coll_pipebcast_pml_name());
    if (sends_are_bounded()) {
        pb_medium_add_name(medium->pml, "free_list_max");
    }
    return strcmp(medium->pml, "ob1") == 0;
}

/** Returns whether a BTL carries messages to other processes, on this host or on others. */
static bool may_carry(const mca_btl_base_module_t *module, bool on_one_host)
{
    static const char *const inside_hosts[] = {"sm", "smcuda", "vader"};
    const uint32_t kinds = MCA_BTL_FLAGS_SEND | MCA_BTL_FLAGS_PUT | MCA_BTL_FLAGS_GET;
    const uint32_t flags = (uint32_t) module->btl_flags & kinds;
    bool is_inside = false;
    for (size_t i = 0; i < sizeof(inside_hosts) / sizeof(inside_hosts[0]); i++) {
        is_inside = is_inside || strcmp(btl_name(module), inside_hosts[i]) == 0;
    }
    /* As Open MPI's BML has it, a BTL without any of these flags sends, too. */
    return strcmp(btl_name(module), "self") != 0 && (on_one_host || !is_inside) &&
           (flags == 0 || (flags & MCA_BTL_FLAGS_SEND) != 0);
}

void coll_pipebcast_route_elsewhere(bool on_one_host, pb_medium_t *medium_p)
{
    const mca_btl_base_selected_module_t *selected;
    uint32_t most = 0;
    if (!medium_init(medium_p)) {
        return;
    }
    OPAL_LIST_FOREACH(selected, &mca_btl_base_modules_initialized, mca_btl_base_selected_module_t)
    {
        const mca_btl_base_module_t *module = selected->btl_module;
        if (may_carry(module, on_one_host)) {
            medium_p->is_ethernet = true;
            most = module->btl_exclusivity > most ? module->btl_exclusivity : most;
        }
    }
    OPAL_LIST_FOREACH(selected, &mca_btl_base_modules_initialized, mca_btl_base_selected_module_t)
    {
        if (may_carry(selected->btl_module, on_one_host) &&
            selected->btl_module->btl_exclusivity == most) {
            add_btl(medium_p, selected->btl_module);
        }
    }
}
