/*
 * The counters as performance variables of MPI_T; see component/counters.h.
 */
#include "component/counters.h"

#include <stdio.h>

#include "component/component.h"

/* MPI_T reads a counter as an unsigned long long where it stands. */
_Static_assert(sizeof(coll_pipebcast_counter_t) == sizeof(unsigned long long),
               "a counter is as large as what MPI_T reads");

static const struct {
    const char *name;
    const char *help;
} reasons[COLL_PIPEBCAST_N_REASONS] = {
    [COLL_PIPEBCAST_TOO_SMALL] = {"too_small", "as they were smaller than coll_pipebcast_min_size"},
    [COLL_PIPEBCAST_PREDICTED] = {"faster", "as it was predicted to be faster"},
    [COLL_PIPEBCAST_DIFFERENT] = {"ranks_differ",
                                  "as ranks of the communicator had different topologies, "
                                  "parameters or versions of pipebcast; a warning says which"},
    [COLL_PIPEBCAST_ONE_HOST] = {"one_host",
                                 "as all ranks of the communicator were on one host"},
    [COLL_PIPEBCAST_UNFIT] = {"unfit", "as coll_pipebcast_algorithm did not fit the network"},
    [COLL_PIPEBCAST_UNABLE] = {"failed",
                               "as a rank of the communicator could not find its place in the "
                               "network; a warning of that rank says why"},
};

static coll_pipebcast_counters_t *counters(void)
{
    return &mca_coll_pipebcast_component.counters;
}

/** The place of an algorithm in the arrays. */
static int place_of(int algorithm)
{
    return algorithm < PB_KIND_COUNT ? algorithm
                                     : PB_KIND_COUNT + algorithm - COLL_PIPEBCAST_FIRST_BEYOND;
}

void coll_pipebcast_count_broadcast(int algorithm, size_t bytes)
{
    coll_pipebcast_count(&counters()->broadcasts[place_of(algorithm)], 1);
    coll_pipebcast_count(&counters()->bytes[place_of(algorithm)], (int64_t) bytes);
}

void coll_pipebcast_count_fallback(coll_pipebcast_reason_t reason, size_t bytes)
{
    coll_pipebcast_count(&counters()->fallback[reason], 1);
    coll_pipebcast_count(&counters()->fallback_bytes, (int64_t) bytes);
}

static int add(const char *name, const char *help, coll_pipebcast_counter_t *counter)
{
    const int rc = mca_base_component_pvar_register(
        &mca_coll_pipebcast_component.super.collm_version, name, help, OPAL_INFO_LVL_4,
        MCA_BASE_PVAR_CLASS_COUNTER, MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,
        MCA_BASE_VAR_BIND_NO_OBJECT, MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS,
        NULL, NULL, NULL, (void *) counter);
    return rc < 0 ? rc : OMPI_SUCCESS;
}

/** The counters of one algorithm. */
static int add_algorithm(int algorithm)
{
    const int place = place_of(algorithm);
    const char *algorithm_name = coll_pipebcast_algorithm_name(algorithm);
    const char *what = algorithm == COLL_PIPEBCAST_ARRIVAL_B
                           ? ", or by parameter coll_pipebcast_arrival with any algorithm"
                           : "";
    char name[64], help[256];
    snprintf(name, sizeof(name), "broadcasts_%s", algorithm_name);
    snprintf(help, sizeof(help), "Broadcasts by algorithm %s%s.", algorithm_name, what);
    const int rc = add(name, help, &counters()->broadcasts[place]);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    snprintf(name, sizeof(name), "bytes_%s", algorithm_name);
    snprintf(help, sizeof(help), "Bytes of the broadcasts by algorithm %s%s.", algorithm_name,
             what);
    return add(name, help, &counters()->bytes[place]);
}

static int add_reason(int reason)
{
    char name[64], help[256];
    snprintf(name, sizeof(name), "fallback_%s", reasons[reason].name);
    snprintf(help, sizeof(help), "Broadcasts that went to the fallback component, %s.",
             reasons[reason].help);
    return add(name, help, &counters()->fallback[reason]);
}

static int add_algorithms(void)
{
    int rc = OMPI_SUCCESS;
    for (int kind = 0; rc == OMPI_SUCCESS && kind < PB_KIND_COUNT; kind++) {
        rc = add_algorithm(kind);
    }
    for (int i = 0; rc == OMPI_SUCCESS && i < COLL_PIPEBCAST_N_BEYOND; i++) {
        rc = add_algorithm(COLL_PIPEBCAST_FIRST_BEYOND + i);
    }
    return rc;
}

static int add_others(void)
{
    const struct {
        const char *name;
        const char *help;
        coll_pipebcast_counter_t *counter;
    } others[] = {
        {"bytes_fallback", "Bytes of the broadcasts that went to the fallback component.",
         &counters()->fallback_bytes},
        {"failed", "Broadcasts of pipebcast's own that returned an error.", &counters()->failed},
        {"nonblocking", "Nonblocking broadcasts (MPI_Ibcast) of pipebcast's own.",
         &counters()->nonblocking},
        {"persistent", "Starts of persistent broadcasts (MPI_Bcast_init) of pipebcast's own.",
         &counters()->persistent},
        {"groups_served",
         "Groups of ranks that this rank served, as root of arrival-aware broadcasts.",
         &counters()->groups_served},
        {"waited_as_root",
         "Nanoseconds from this rank's arrival, as root of arrival-aware broadcasts, to the last "
         "arrival that it heard of before the broadcast ended.",
         &counters()->waited_as_root},
        {"waited_as_receiver",
         "Nanoseconds from this rank's arrival at arrival-aware broadcasts to the start of its "
         "group.",
         &counters()->waited_as_receiver},
        {"roles_cached", "Places of this rank in trees that were found in the cache.",
         &counters()->roles_cached},
        {"roles_computed",
         "Places of this rank in trees that were computed; if they go on growing with the roots "
         "in turn, coll_pipebcast_cache_size is too small.",
         &counters()->roles_computed},
    };
    int rc = OMPI_SUCCESS;
    for (size_t i = 0; rc == OMPI_SUCCESS && i < sizeof(others) / sizeof(others[0]); i++) {
        rc = add(others[i].name, others[i].help, others[i].counter);
    }
    return rc;
}

int coll_pipebcast_counters_register(void)
{
    int rc = add_algorithms();
    for (int reason = 0; rc == OMPI_SUCCESS && reason < COLL_PIPEBCAST_N_REASONS; reason++) {
        rc = add_reason(reason);
    }
    return rc == OMPI_SUCCESS ? add_others() : rc;
}
