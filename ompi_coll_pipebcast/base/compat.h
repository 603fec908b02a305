/*
 * Open MPI's headers, and what differs between its series. The rest of the
 * plugin is written against this header alone.
 */
#ifndef COLL_PIPEBCAST_COMPAT_H
#define COLL_PIPEBCAST_COMPAT_H

#include "ompi_config.h"

/* 5.0 and later do not install the headers of their threads by pthreads, which opal_config.h names
 * and other headers include. */
#if defined(MCA_threads_mutex_base_include_HEADER)
#if !__has_include(MCA_threads_mutex_base_include_HEADER)
#undef MCA_threads_base_include_HEADER
#undef MCA_threads_mutex_base_include_HEADER
#undef MCA_threads_tsd_base_include_HEADER
#define MCA_threads_base_include_HEADER "base/compat_threads.h"
#define MCA_threads_mutex_base_include_HEADER "base/compat_threads.h"
#define MCA_threads_tsd_base_include_HEADER "base/compat_threads.h"
#endif
#endif

#include "mpi.h"

#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/errhandler/errcode-internal.h"
#include "ompi/group/group.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_base_functions.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/pml/base/base.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/class/opal_list.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_pvar.h"
#include "opal/mca/btl/base/base.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/argv.h"
#include "opal/util/if.h"
#include "opal/util/output.h"
#include "opal/util/proc.h"

/*
 * COLL_PIPEBCAST_MCA_VERSION: the version of the framework, which differs by series.
 * COLL_PIPEBCAST_INSTALLS: a module puts its functions into the communicator itself when it is
 *     enabled, and takes them out when it is disabled; before 6.0 Open MPI copies them.
 * coll_pipebcast_count_t: the type of counts in the functions of a module.
 * coll_pipebcast_counter_t: what OPAL_THREAD_ADD_FETCH64 adds to.
 * COLL_PIPEBCAST_HAS_ACCELERATOR: Open MPI asks a framework about memory of devices; 4.1 has that
 *     for CUDA alone, in its convertors.
 * COLL_PIPEBCAST_HOLDS_UNCONNECTED: where TCP cannot connect two hosts, Open MPI shows a message
 * and keeps what was to be sent. From 5.0 on it ends the job.
 */
#if defined(MCA_COLL_BASE_VERSION_2_0_0)
/* Open MPI 4.1 */
#include "opal/mca/pmix/pmix.h"
#include "opal/threads/threads.h"
#include "opal/util/show_help.h"
#include "orte/util/proc_info.h"
#include "orte/util/show_help.h"
#define COLL_PIPEBCAST_MCA_VERSION MCA_COLL_BASE_VERSION_2_0_0
#define COLL_PIPEBCAST_INSTALLS 0
#define COLL_PIPEBCAST_KEY_HOST OPAL_PMIX_HOSTNAME
#define COLL_PIPEBCAST_TYPE_TEXT OPAL_STRING
#define COLL_PIPEBCAST_SCOPE_JOB OPAL_PMIX_GLOBAL
#define COLL_PIPEBCAST_HAS_ACCELERATOR 0
#define COLL_PIPEBCAST_HOLDS_UNCONNECTED
typedef int coll_pipebcast_count_t;
typedef volatile int64_t coll_pipebcast_counter_t;
#else
#include "opal/mca/accelerator/accelerator.h"
#include "opal/mca/accelerator/base/base.h"
#include "opal/mca/pmix/pmix-internal.h"
#include "opal/mca/threads/threads.h"
#define COLL_PIPEBCAST_KEY_HOST PMIX_HOSTNAME
#define COLL_PIPEBCAST_TYPE_TEXT PMIX_STRING
#define COLL_PIPEBCAST_SCOPE_JOB PMIX_GLOBAL
#define COLL_PIPEBCAST_HAS_ACCELERATOR 1
typedef opal_atomic_int64_t coll_pipebcast_counter_t;
#if defined(MCA_COLL_BASE_VERSION_2_4_0)
/* Open MPI 5.0 */
#define COLL_PIPEBCAST_MCA_VERSION MCA_COLL_BASE_VERSION_2_4_0
#define COLL_PIPEBCAST_INSTALLS 0
typedef int coll_pipebcast_count_t;
#elif defined(MCA_COLL_BASE_VERSION_3_0_0)
/* Open MPI 6.0 */
#define COLL_PIPEBCAST_MCA_VERSION MCA_COLL_BASE_VERSION_3_0_0
#define COLL_PIPEBCAST_INSTALLS 1
typedef size_t coll_pipebcast_count_t;
#else
#error "pipebcast knows Open MPI 4.1, 5.0 and 6.0; this is another series"
#endif
#endif

/* 6.0 finds the components inside its libraries by pointers. */
#if !defined(MCA_BASE_COMPONENT_INIT)
#define MCA_BASE_COMPONENT_INIT(project, framework, component)
#endif

/**
 * Base of our requests. Open MPI takes a collective's request for its class
 * ompi_coll_base_nbc_request_t, which keeps what it gives back at the end. That class differs by
 * series, and 4.1's header of it cannot be used here; there is room for all.
 */
typedef struct coll_pipebcast_base_request {
    ompi_request_t super;
    void *of_ompi[16];
} coll_pipebcast_base_request_t;
OMPI_DECLSPEC extern opal_class_t ompi_coll_base_nbc_request_t_class;

/** Item of a communicator's list of modules, Open MPI's mca_coll_base_avail_coll_t of all series.
 */
typedef struct coll_pipebcast_selected {
    opal_list_item_t super;
    int priority;
    mca_coll_base_module_t *module;
    const char *name; /**< of the component */
} coll_pipebcast_selected_t;
OMPI_DECLSPEC extern opal_class_t mca_coll_base_avail_coll_t_class;

#if defined(MCA_COLL_BASE_VERSION_2_0_0)
/** Looks up a value that a process has published under a key, in the way `how` (OPAL_PMIX_OPTIONAL,
 * ...). The macros of 4.1 for it allocate these objects, and crash if out of memory. */
static inline int coll_pipebcast_look_up(const opal_process_name_t *process, const char *key,
                                         const char *how, void **value_p, opal_data_type_t type)
{
    opal_list_t infos;
    opal_value_t info, *found = NULL;
    OBJ_CONSTRUCT(&infos, opal_list_t);
    OBJ_CONSTRUCT(&info, opal_value_t);
    info.key = (char *) how;
    info.type = OPAL_BOOL;
    info.data.flag = true;
    opal_list_append(&infos, &info.super);
    int rc = opal_pmix.get(process, key, &infos, &found);
    if (rc == OPAL_SUCCESS) {
        rc = found != NULL ? opal_value_unload(found, value_p, type) : OPAL_ERR_NOT_FOUND;
    }
    if (found != NULL) {
        OBJ_RELEASE(found);
    }
    opal_list_remove_item(&infos, &info.super);
    info.key = NULL; /* the destructor would free it */
    OBJ_DESTRUCT(&info);
    OBJ_DESTRUCT(&infos);
    return rc;
}
#endif

/**
 * Returns whether a request may be completed now, where all of ours are completed one at a time.
 * MPI_Waitany and MPI_Waitsome return after the first completion, and completing a second request
 * then touches memory of their stack. There the same thread may wait again: that wait ends before
 * anything is complete (all series). So where a thread is about to return, the request is complete
 * later.
 */
static inline bool coll_pipebcast_may_complete(const ompi_request_t *request)
{
    const ompi_wait_sync_t *waiting = (const ompi_wait_sync_t *) request->req_complete;
    return !opal_using_threads() || waiting == REQUEST_PENDING || waiting->count > 0;
}

/**
 * Publishes a text under a key that the other processes of the job can look for. To be called
 * before MPI_Init exchanges what processes publish of themselves, with which it goes: no
 * communication.
 */
int coll_pipebcast_publish(const char *key, const char *text);

/**
 * Returns the text that a process has published under a key, to be freed. NULL with *error_p
 * OMPI_ERR_NOT_FOUND if there is none, OMPI_ERR_OUT_OF_RESOURCE if it is not known. Every host has
 * the texts of all processes, unless the launcher does not distribute them at the start. Then, and
 * where there is no text, the process's host is asked.
 */
char *coll_pipebcast_published(const opal_process_name_t *process, const char *key, int *error_p);

/**
 * Shows a text as opal_show_help() does: once in a job for each file and topic. That function
 * itself reads files, and in 6.0 knows only those inside Open MPI's libraries. mpirun of 4.1 loses
 * one of many texts that come from its own host, as orte_rml_oob_send_buffer_nb() reads a buffer
 * that another thread may have freed.
 */
void coll_pipebcast_show_once(const char *file, const char *topic, const char *text);

/** Processes of this job. */
static inline int coll_pipebcast_job_size(void)
{
#if defined(MCA_COLL_BASE_VERSION_2_0_0)
    return (int) orte_process_info.num_procs;
#else
    return (int) opal_process_info.num_procs;
#endif
}

/** The host that a process runs on, to be freed; NULL if it is not known here. No communication. */
static inline char *coll_pipebcast_host_of(const opal_process_name_t *name)
{
    char *host = NULL;
    int rc;
#if defined(MCA_COLL_BASE_VERSION_2_0_0)
    rc = coll_pipebcast_look_up(name, COLL_PIPEBCAST_KEY_HOST, OPAL_PMIX_OPTIONAL, (void **) &host,
                                COLL_PIPEBCAST_TYPE_TEXT);
#else
    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, COLL_PIPEBCAST_KEY_HOST, (opal_process_name_t *) name, &host,
                                   COLL_PIPEBCAST_TYPE_TEXT);
#endif
    return rc == OPAL_SUCCESS ? host : NULL;
}

/**
 * Defines a new communicator's assertions by its info, alike on all ranks. In Open MPI 4.1 only ob1
 * does that; with another PML they are as the memory was, and ranks differ. Later series begin with
 * none. Their ob1 does not keep to mpi_assert_allow_overtaking: where it is set here, the rank
 * skips numbers that others still wait for.
 */
void coll_pipebcast_define_assertions(struct ompi_communicator_t *comm);

typedef void coll_pipebcast_end_t(void *unused);

/**
 * Has a function called when the last session ends, before connections are closed: to be asked for
 * while there is one. MPI_COMM_WORLD's end comes earlier, but there may be no such communicator. In
 * 4.1 there are no sessions. Some releases close components first: so the plugin is never unloaded.
 */
void coll_pipebcast_call_at_end(coll_pipebcast_end_t *function);

/**
 * Returns whether the user asserts what excludes our broadcasts, alike on all ranks. These need
 * the messages' order (mpi_assert_allow_overtaking) and receives from any source
 * (mpi_assert_no_any_source: then ob1 matches none, even if posted before).
 */
static inline bool coll_pipebcast_is_excluded(struct ompi_communicator_t *comm)
{
    return OMPI_COMM_CHECK_ASSERT_ALLOW_OVERTAKE(comm) ||
           OMPI_COMM_CHECK_ASSERT_NO_ANY_SOURCE(comm);
}

/**
 * Returns the error with which collectives of a communicator end by now (ULFM, from 5.0 on): a
 * process has failed or it is revoked. OMPI_SUCCESS: neither. Ranks learn of it at different times.
 */
static inline int coll_pipebcast_failure_of(struct ompi_communicator_t *comm)
{
    int error = OMPI_SUCCESS;
#if OPAL_ENABLE_FT_MPI
    (void) ompi_comm_iface_coll_check(comm, &error);
#else
    (void) comm;
#endif
    return error;
}

/**
 * Starts a send; an MPI or Open MPI error code, then there is no request. When a connection breaks,
 * ob1 of 5.0 takes it out of the list from which each send takes one, and declares the process
 * failed (ULFM). A later send finds an empty list and crashes: so nothing is sent to such a
 * process. Another thread that breaks the connection after the question is not seen.
 */
__attribute__((always_inline)) static inline int
coll_pipebcast_isend(const void *buffer, size_t bytes, int rank, int tag,
                     mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                     ompi_request_t **request_p)
{
#if OPAL_ENABLE_FT_MPI
    if (OPAL_UNLIKELY(ompi_ftmpi_enabled) && !ompi_comm_is_proc_active(comm, rank, false)) {
        return MPI_ERR_PROC_FAILED;
    }
#endif
    return MCA_PML_CALL(isend((void *) buffer, bytes, MPI_BYTE, rank, tag, mode, comm, request_p));
}

/** The broadcasts of a communicator, and the module of each. */
typedef struct coll_pipebcast_functions {
    mca_coll_base_module_bcast_fn_t bcast;
    mca_coll_base_module_t *bcast_module;
    mca_coll_base_module_ibcast_fn_t ibcast;
    mca_coll_base_module_t *ibcast_module;
    mca_coll_base_module_bcast_init_fn_t bcast_init;
    mca_coll_base_module_t *bcast_init_module;
} coll_pipebcast_functions_t;

/** Returns the broadcasts that a communicator has now. */
static inline coll_pipebcast_functions_t
coll_pipebcast_functions_of(const struct ompi_communicator_t *comm)
{
    return (coll_pipebcast_functions_t){
        .bcast = comm->c_coll->coll_bcast,
        .bcast_module = comm->c_coll->coll_bcast_module,
        .ibcast = comm->c_coll->coll_ibcast,
        .ibcast_module = comm->c_coll->coll_ibcast_module,
        .bcast_init = comm->c_coll->coll_bcast_init,
        .bcast_init_module = comm->c_coll->coll_bcast_init_module,
    };
}

/**
 * In Open MPI 4.1, where han does not serve a communicator, its broadcast calls the communicator's.
 * If that is ours, which calls han, the two never end. So the broadcast that there is without han
 * becomes the fallback component's.
 */
void coll_pipebcast_pass_over_han(const struct ompi_communicator_t *comm,
                                  coll_pipebcast_functions_t *functions);

/**
 * Puts functions into a communicator instead of the module `of`'s, or of any (NULL), where Open MPI
 * does not do it after enable.
 */
void coll_pipebcast_install(struct ompi_communicator_t *comm,
                            const coll_pipebcast_functions_t *functions,
                            const mca_coll_base_module_t *of);

#endif
