/*
 * Counters and status as performance variables of MPI_T; see base/counters.h.
 */
#include "base/counters.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

coll_pipebcast_counters_t coll_pipebcast_counters;

/* MPI_T reads a counter as an unsigned long long where it stands. */
_Static_assert(sizeof(coll_pipebcast_counter_t) == sizeof(unsigned long long),
               "a counter is as large as what MPI_T reads");

void coll_pipebcast_count_fallback(coll_pipebcast_reason_t reason, size_t bytes)
{
    coll_pipebcast_count(&coll_pipebcast_counters.fallback[reason], 1);
    coll_pipebcast_count(&coll_pipebcast_counters.fallback_bytes, (int64_t) bytes);
}

typedef struct variable {
    const char *name;
    const char *help;
    coll_pipebcast_counter_t *counter;
} variable_t;

/** Counters besides those of the ways to broadcast. */
static const variable_t others[] = {
    {"fallback_too_small",
     "Broadcasts that went to the fallback component, as they were too small; see "
     "coll_pipebcast_min_size.",
     &coll_pipebcast_counters.fallback[COLL_PIPEBCAST_TOO_SMALL]},
    {"fallback_faster",
     "Broadcasts that went to the fallback component, as it was predicted or measured to be "
     "faster.",
     &coll_pipebcast_counters.fallback[COLL_PIPEBCAST_PREDICTED]},
    {"fallback_ranks_differ",
     "Broadcasts that went to the fallback component, as ranks of the communicator have different "
     "topologies, parameters or versions of pipebcast, or are of several jobs; a message says "
     "which.",
     &coll_pipebcast_counters.fallback[COLL_PIPEBCAST_DIFFERENT]},
    {"fallback_one_host",
     "Broadcasts that went to the fallback component, as all ranks of the communicator were on one "
     "host.",
     &coll_pipebcast_counters.fallback[COLL_PIPEBCAST_ONE_HOST]},
    {"fallback_transport",
     "Broadcasts that went to the fallback component, as messages between hosts do not go over TCP "
     "over Ethernet, and coll_pipebcast_transport is auto.",
     &coll_pipebcast_counters.fallback[COLL_PIPEBCAST_TRANSPORT]},
    {"fallback_intercommunicator",
     "Broadcasts that went to the fallback component, as they were a part of one on an "
     "intercommunicator.",
     &coll_pipebcast_counters.fallback[COLL_PIPEBCAST_INTER]},
    {"fallback_failed",
     "Broadcasts that went to the fallback component, as a rank of the communicator could use "
     "nothing of the topology file, or had no memory or host name; its warning says why.",
     &coll_pipebcast_counters.fallback[COLL_PIPEBCAST_UNABLE]},
    {"fallback_tags",
     "Persistent broadcasts that went to the fallback component, as MPI_Bcast_init has used up the "
     "communicator's tags.",
     &coll_pipebcast_counters.fallback[COLL_PIPEBCAST_NO_TAGS]},
    {"bytes_fallback", "Bytes of the broadcasts that went to the fallback component.",
     &coll_pipebcast_counters.fallback_bytes},
    {"failed", "Broadcasts of pipebcast's own that returned an error.",
     &coll_pipebcast_counters.failed},
    {"nonblocking", "Nonblocking broadcasts (MPI_Ibcast) of pipebcast's own.",
     &coll_pipebcast_counters.nonblocking},
    {"persistent", "Starts of persistent broadcasts (MPI_Bcast_init) of pipebcast's own.",
     &coll_pipebcast_counters.persistent},
    {"advised",
     "Broadcasts down a tree that was advised (coll_pipebcast_advice_dir), and not by the "
     "static plan.",
     &coll_pipebcast_counters.advised},
    {"groups_served", "Groups of ranks that this rank served, as root of arrival-aware broadcasts.",
     &coll_pipebcast_counters.groups_served},
    {"waited_as_root",
     "Nanoseconds from this rank's arrival, as root of arrival-aware broadcasts, to the last "
     "arrival that it heard of before the broadcast ended.",
     &coll_pipebcast_counters.waited_as_root},
    {"waited_as_receiver",
     "Nanoseconds from this rank's arrival at arrival-aware broadcasts to the start of its "
     "group.",
     &coll_pipebcast_counters.waited_as_receiver},
    {"learned",
     "Times that another tree, segment size or the fallback component turned out to be faster "
     "for messages of a size, or that trying began anew (coll_pipebcast_learn).",
     &coll_pipebcast_counters.learned},
    {"tried",
     "Broadcasts in which it was tried whether another tree, segment size or the fallback "
     "component is faster (coll_pipebcast_learn).",
     &coll_pipebcast_counters.tried},
    {"multicast_groups",
     "Groups of multicast that this process has joined and that were found to work "
     "(coll_pipebcast_multicast).",
     &coll_pipebcast_counters.multicast_groups},
    {"multicast_failures",
     "Groups of multicast that were found not to work, or to work no more; lines at verbose 1 "
     "say why.",
     &coll_pipebcast_counters.multicast_failures},
    {"multicast_frames", "Frames that have come to this rank by multicast.",
     &coll_pipebcast_counters.multicast_frames},
    {"multicast_asked",
     "Frames that did not come to this rank by multicast, so that it asked for them.",
     &coll_pipebcast_counters.multicast_asked},
    {"multicast_foreign",
     "Datagrams that have come to this rank and were dropped, as they are of no broadcast of "
     "its group.",
     &coll_pipebcast_counters.multicast_foreign},
    {"roles_computed",
     "Roles of this rank in trees that were computed; if they go on growing with the roots "
     "in turn, coll_pipebcast_cache_size is too small.",
     &coll_pipebcast_counters.roles_computed},
};
enum { N_OTHERS = sizeof(others) / sizeof(others[0]) };

static const variable_t levels[] = {
    {"status_switches",
     "Switches of the network on which the communicator is placed that began last to serve "
     "broadcasts; 0: none has.",
     &coll_pipebcast_counters.status_switches},
    {"status_connections",
     "Connections of a process that broadcasts of that communicator may need "
     "(coll_pipebcast_connections); 0: not bounded.",
     &coll_pipebcast_counters.status_connections},
};
enum { N_LEVELS = sizeof(levels) / sizeof(levels[0]) };

/** Ways to broadcast besides the kinds of trees. */
static const struct {
    const char *name;
    const char *help;
} beyond[COLL_PIPEBCAST_N_COUNTED - PB_KIND_COUNT] = {
    {"arrival_b", "to groups of ranks as they arrived (coll_pipebcast_arrival b)"},
    {"arrival_nb", "to groups of ranks, data also waiting at those that had not arrived "
                   "(coll_pipebcast_arrival nb or auto)"},
    {"flat_nb", "to one rank after another (coll_pipebcast_algorithm flat with "
                "coll_pipebcast_arrival nb)"},
    {"adaptive", "where advice is followed (coll_pipebcast_advice_dir)"},
};

static int add(const mca_base_component_t *component, const char *name, const char *help,
               coll_pipebcast_counter_t *counter, int variable_class)
{
    const int rc = mca_base_component_pvar_register(
        component, name, help, OPAL_INFO_LVL_4, variable_class,
        MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, NULL, NULL, NULL,
        (void *) counter);
    return rc < 0 ? rc : OMPI_SUCCESS;
}

/** The counters of one way to broadcast. */
static int add_way(const mca_base_component_t *component, int how)
{
    const bool is_kind = how < PB_KIND_COUNT;
    const char *way = is_kind ? pb_kind_name((pb_kind_t) how) : beyond[how - PB_KIND_COUNT].name;
    char name[64], help[256], done[192];
    snprintf(done, sizeof(done), is_kind ? "by algorithm %s" : "%s",
             is_kind ? way : beyond[how - PB_KIND_COUNT].help);
    snprintf(name, sizeof(name), "broadcasts_%s", way);
    snprintf(help, sizeof(help), "Broadcasts %s.", done);
    const int rc = add(component, name, help, &coll_pipebcast_counters.broadcasts[how],
                       MCA_BASE_PVAR_CLASS_COUNTER);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    snprintf(name, sizeof(name), "bytes_%s", way);
    snprintf(help, sizeof(help), "Bytes of the broadcasts %s.", done);
    return add(component, name, help, &coll_pipebcast_counters.bytes[how],
               MCA_BASE_PVAR_CLASS_COUNTER);
}

/* The status: MPI_T knows a text as an array of characters of fixed length. */

static struct {
    pthread_mutex_t lock; /**< protects the texts */
    char texts[COLL_PIPEBCAST_STATUS_TEXTS][COLL_PIPEBCAST_STATUS_SIZE];
} status = {.lock = PTHREAD_MUTEX_INITIALIZER};

void coll_pipebcast_status_set(coll_pipebcast_status_t which, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pthread_mutex_lock(&status.lock);
    vsnprintf(status.texts[which], COLL_PIPEBCAST_STATUS_SIZE, format, args);
    pthread_mutex_unlock(&status.lock);
    va_end(args);
}

static int read_text(const mca_base_pvar_t *variable, void *value, void *object)
{
    (void) object;
    pthread_mutex_lock(&status.lock);
    memcpy(value, variable->ctx, COLL_PIPEBCAST_STATUS_SIZE);
    pthread_mutex_unlock(&status.lock);
    return OMPI_SUCCESS;
}

/** A handle of a text has as many elements as the text has bytes. */
static int give_length(mca_base_pvar_t *variable, mca_base_pvar_event_t event, void *object,
                       int *count)
{
    (void) variable;
    (void) object;
    if (event == MCA_BASE_PVAR_HANDLE_BIND) {
        *count = COLL_PIPEBCAST_STATUS_SIZE;
    }
    return OMPI_SUCCESS;
}

static int add_text(const mca_base_component_t *component, const char *name, const char *help,
                    coll_pipebcast_status_t which)
{
    const int rc = mca_base_component_pvar_register(
        component, name, help, OPAL_INFO_LVL_4, MCA_BASE_PVAR_CLASS_GENERIC,
        MCA_BASE_VAR_TYPE_STRING, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, read_text, NULL, give_length,
        status.texts[which]);
    return rc < 0 ? rc : OMPI_SUCCESS;
}

static const struct {
    const char *name;
    const char *help;
} texts[COLL_PIPEBCAST_STATUS_TEXTS] = {
    [COLL_PIPEBCAST_STATUS_TOPOLOGY] =
        {"status_topology", "The network on which the communicator whose ranks agreed last is "
                            "placed, and where it came from."},
    [COLL_PIPEBCAST_STATUS_COSTS] = {"status_costs",
                                     "Where the message costs came from by which broadcasts of the "
                                     "communicator whose ranks agreed last are planned."},
    [COLL_PIPEBCAST_STATUS_WHY] =
        {"status_why", "What kept this process from serving the communicator whose ranks agreed "
                       "last; empty: nothing did."},
};

int coll_pipebcast_counters_register(const mca_base_component_t *component)
{
    int rc = OMPI_SUCCESS;
    for (int how = 0; rc == OMPI_SUCCESS && how < COLL_PIPEBCAST_N_COUNTED; how++) {
        rc = add_way(component, how);
    }
    for (int i = 0; rc == OMPI_SUCCESS && i < N_OTHERS; i++) {
        rc = add(component, others[i].name, others[i].help, others[i].counter,
                 MCA_BASE_PVAR_CLASS_COUNTER);
    }
    for (int i = 0; rc == OMPI_SUCCESS && i < N_LEVELS; i++) {
        rc = add(component, levels[i].name, levels[i].help, levels[i].counter,
                 MCA_BASE_PVAR_CLASS_LEVEL);
    }
    for (int i = 0; rc == OMPI_SUCCESS && i < COLL_PIPEBCAST_STATUS_TEXTS; i++) {
        rc = add_text(component, texts[i].name, texts[i].help, (coll_pipebcast_status_t) i);
    }
    return rc;
}
