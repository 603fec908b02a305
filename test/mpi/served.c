#include "served.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

void served_open(struct bench_counters *counters)
{
    if (!bench_counters_open(counters) || counters->n == 0) {
        check(false, "pipebcast's counters are not there");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

unsigned long long served_so_far(const struct bench_counters *counters)
{
    static const char by_algorithm[] = "coll_pipebcast_broadcasts_";
    unsigned long long *values = must_malloc((size_t) counters->n * sizeof(*values));
    unsigned long long sum = 0;
    check(bench_counters_read(counters, values), "the counters cannot be read");
    for (int i = 0; i < counters->n; i++) {
        if (strncmp(counters->list[i].name, by_algorithm, strlen(by_algorithm)) == 0) {
            sum += values[i];
        }
    }
    free(values);
    return sum;
}

unsigned long long counter_value(const struct bench_counters *counters, const char *name)
{
    unsigned long long *values = must_malloc((size_t) counters->n * sizeof(*values));
    unsigned long long value = 0;
    bool found = false;
    check(bench_counters_read(counters, values), "the counters cannot be read");
    for (int i = 0; i < counters->n; i++) {
        if (strcmp(counters->list[i].name, name) == 0) {
            value = values[i];
            found = true;
        }
    }
    free(values);
    check(found, "there is no counter %s", name);
    return value;
}
