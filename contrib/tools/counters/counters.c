#include "counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "coll_pipebcast_";

/** Tells whether variable `index` is one of the component's counters; finds its name and help. */
static bool is_ours(int index, struct bench_counter *counter)
{
    int name_size = sizeof(counter->name), help_size = sizeof(counter->help);
    int verbosity, var_class, bind, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum values;
    const int rc = MPI_T_pvar_get_info(index, counter->name, &name_size, &verbosity, &var_class,
                                       &type, &values, counter->help, &help_size, &bind, &readonly,
                                       &continuous, &atomic);
    return rc == MPI_SUCCESS && strncmp(counter->name, prefix, sizeof(prefix) - 1) == 0 &&
           var_class == MPI_T_PVAR_CLASS_COUNTER && type == MPI_UNSIGNED_LONG_LONG && continuous;
}

/** Finds the counters and takes a handle of each. */
static bool find_all(struct bench_counters *counters)
{
    int n_variables;
    if (MPI_T_pvar_get_num(&n_variables) != MPI_SUCCESS) {
        return false;
    }
    counters->list = calloc((size_t) n_variables + 1, sizeof(*counters->list));
    if (counters->list == NULL) {
        return false;
    }
    for (int index = 0; index < n_variables; index++) {
        struct bench_counter *next = &counters->list[counters->n];
        int n_values;
        if (!is_ours(index, next)) {
            continue;
        }
        if (MPI_T_pvar_handle_alloc(counters->session, index, NULL, &next->handle, &n_values) !=
            MPI_SUCCESS) {
            return false;
        }
        counters->n++;
        if (n_values != 1) {
            return false;
        }
    }
    return true;
}

bool bench_counters_open(struct bench_counters *counters)
{
    int provided;
    *counters = (struct bench_counters){.session = MPI_T_PVAR_SESSION_NULL};
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        return false;
    }
    if (MPI_T_pvar_session_create(&counters->session) == MPI_SUCCESS && find_all(counters)) {
        return true;
    }
    bench_counters_close(counters);
    return false;
}

bool bench_counters_read(const struct bench_counters *counters, unsigned long long *values)
{
    for (int i = 0; i < counters->n; i++) {
        if (MPI_T_pvar_read(counters->session, counters->list[i].handle, &values[i]) !=
            MPI_SUCCESS) {
            return false;
        }
    }
    return true;
}

void bench_counters_served(const struct bench_counters *counters, const unsigned long long *before,
                           const unsigned long long *after, char *how, size_t size)
{
    static const char *const kinds[] = {"coll_pipebcast_broadcasts_", "coll_pipebcast_fallback_"};
    unsigned long long most = 0;
    how[0] = '\0';
    for (int i = 0; i < counters->n; i++) {
        const char *name = counters->list[i].name;
        const bool is_own = strncmp(name, kinds[0], strlen(kinds[0])) == 0;
        const bool is_other = strncmp(name, kinds[1], strlen(kinds[1])) == 0;
        if ((is_own || is_other) && after[i] - before[i] > most) {
            most = after[i] - before[i];
            snprintf(how, size, "%s", name + strlen(is_own ? kinds[0] : "coll_pipebcast_"));
        }
    }
}

void bench_counters_close(struct bench_counters *counters)
{
    for (int i = 0; i < counters->n; i++) {
        MPI_T_pvar_handle_free(counters->session, &counters->list[i].handle);
    }
    if (counters->session != MPI_T_PVAR_SESSION_NULL) {
        MPI_T_pvar_session_free(&counters->session);
    }
    free(counters->list);
    *counters = (struct bench_counters){.session = MPI_T_PVAR_SESSION_NULL};
    MPI_T_finalize();
}
