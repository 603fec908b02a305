/*
 * Functions that differ between Open MPI's series; see base/compat.h.
 */
#include "base/compat.h"

#include <stdio.h>
#include <string.h>

/* Published texts. */

int coll_pipebcast_publish(const char *key, const char *text)
{
    int rc;
    OPAL_MODEX_SEND_VALUE(rc, COLL_PIPEBCAST_SCOPE_JOB, (char *) key, (char *) text,
                          COLL_PIPEBCAST_TYPE_TEXT);
    return rc == OPAL_SUCCESS ? OMPI_SUCCESS : OMPI_ERROR;
}

char *coll_pipebcast_published(const opal_process_name_t *process, const char *key, int *error_p)
{
    opal_process_name_t *whose = (opal_process_name_t *) process;
    char *what = (char *) key;
    char *text = NULL;
    int rc;
#if defined(MCA_COLL_BASE_VERSION_2_0_0)
    rc = coll_pipebcast_look_up(process, key, OPAL_PMIX_IMMEDIATE, (void **) &text,
                                COLL_PIPEBCAST_TYPE_TEXT);
#else
    OPAL_MODEX_RECV_VALUE_IMMEDIATE(rc, what, whose, &text, COLL_PIPEBCAST_TYPE_TEXT);
#endif
    if (rc != OPAL_SUCCESS) {
        OPAL_MODEX_RECV_VALUE(rc, what, whose, &text, COLL_PIPEBCAST_TYPE_TEXT);
    }
    *error_p = rc == OPAL_SUCCESS && text != NULL                     ? OMPI_SUCCESS
               : rc == OPAL_SUCCESS || rc == OPAL_ERR_OUT_OF_RESOURCE ? OMPI_ERR_OUT_OF_RESOURCE
                                                                      : OMPI_ERR_NOT_FOUND;
    return *error_p == OMPI_SUCCESS ? text : NULL;
}

/* Messages, assertions and the end. */

void coll_pipebcast_show_once(const char *file, const char *topic, const char *text)
{
#if defined(MCA_COLL_BASE_VERSION_2_0_0)
    (void) orte_show_help_norender(file, topic, true, text);
#else
    pmix_info_t what, how[3];
    const bool is_aggregated = true;
    PMIX_INFO_LOAD(&what, PMIX_LOG_STDERR, text, PMIX_STRING);
    PMIX_INFO_LOAD(&how[0], PMIX_LOG_AGG, &is_aggregated, PMIX_BOOL);
    PMIX_INFO_LOAD(&how[1], PMIX_LOG_KEY, file, PMIX_STRING);
    PMIX_INFO_LOAD(&how[2], PMIX_LOG_VAL, topic, PMIX_STRING);
    const pmix_status_t rc = PMIx_Log(&what, 1, how, 3);
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fputs(text, stderr);
    }
    PMIX_INFO_DESTRUCT(&what);
    for (int i = 0; i < 3; i++) {
        PMIX_INFO_DESTRUCT(&how[i]);
    }
#endif
}

#if defined(MCA_COLL_BASE_VERSION_2_0_0)
/** Assertions that a user can make of a communicator's messages. */
static const struct {
    char key[32];
    uint32_t bit;
} coll_pipebcast_assertions[] = {
    {"mpi_assert_no_any_tag", OMPI_COMM_ASSERT_NO_ANY_TAG},
    {"mpi_assert_no_any_source", OMPI_COMM_ASSERT_NO_ANY_SOURCE},
    {"mpi_assert_exact_length", OMPI_COMM_ASSERT_EXACT_LENGTH},
    {"mpi_assert_allow_overtaking", OMPI_COMM_ASSERT_ALLOW_OVERTAKE},
};

void coll_pipebcast_define_assertions(struct ompi_communicator_t *comm)
{
    const size_t n = sizeof(coll_pipebcast_assertions) / sizeof(coll_pipebcast_assertions[0]);
    for (size_t i = 0; i < n; i++) {
        const uint32_t bit = coll_pipebcast_assertions[i].bit;
        bool is_asserted = false;
        int is_there = 0;
        if (comm->super.s_info != NULL) {
            (void) opal_info_get_bool(comm->super.s_info, (char *) coll_pipebcast_assertions[i].key,
                                      &is_asserted, &is_there);
        }
        comm->c_assertions =
            is_there != 0 && is_asserted ? comm->c_assertions | bit : comm->c_assertions & ~bit;
    }
}
#else
void coll_pipebcast_define_assertions(struct ompi_communicator_t *comm)
{
    (void) comm;
}
#endif

void coll_pipebcast_call_at_end(coll_pipebcast_end_t *function)
{
#if defined(MCA_COLL_BASE_VERSION_2_0_0)
    (void) function;
#else
    opal_finalize_append_cleanup(function, "pipebcast", NULL);
#endif
}

/* Functions of a communicator. */

#if defined(MCA_COLL_BASE_VERSION_2_0_0)
/** Begins as mca_coll_base_avail_coll_t, in the order of priority, the least first. */
typedef struct coll_pipebcast_enabled {
    opal_list_item_t super;
    int priority;
    mca_coll_base_module_t *module;
    const char *name;
} coll_pipebcast_enabled_t;

void coll_pipebcast_pass_over_han(const struct ompi_communicator_t *comm,
                                  coll_pipebcast_functions_t *functions)
{
    const coll_pipebcast_enabled_t *enabled;
    OPAL_LIST_FOREACH(enabled, comm->c_coll->module_list, coll_pipebcast_enabled_t)
    {
        if (enabled->module->coll_bcast != NULL && strcmp(enabled->name, "han") != 0) {
            functions->bcast = enabled->module->coll_bcast;
            functions->bcast_module = enabled->module;
        }
    }
}
#else
void coll_pipebcast_pass_over_han(const struct ompi_communicator_t *comm,
                                  coll_pipebcast_functions_t *functions)
{
    (void) comm;
    (void) functions;
}
#endif

void coll_pipebcast_install(struct ompi_communicator_t *comm,
                            const coll_pipebcast_functions_t *functions,
                            const mca_coll_base_module_t *of)
{
#if COLL_PIPEBCAST_INSTALLS
    if (of == NULL || comm->c_coll->coll_bcast_module == of) {
        MCA_COLL_INSTALL_API(comm, bcast, functions->bcast, functions->bcast_module, "pipebcast");
    }
    if (of == NULL || comm->c_coll->coll_ibcast_module == of) {
        MCA_COLL_INSTALL_API(comm, ibcast, functions->ibcast, functions->ibcast_module,
                             "pipebcast");
    }
    if (of == NULL || comm->c_coll->coll_bcast_init_module == of) {
        MCA_COLL_INSTALL_API(comm, bcast_init, functions->bcast_init, functions->bcast_init_module,
                             "pipebcast");
    }
#else
    (void) comm;
    (void) functions;
    (void) of;
#endif
}
