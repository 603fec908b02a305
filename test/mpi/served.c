#include "served.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "test/must.h"

void served_open(struct bench_counters *counters)
{
    must(bench_counters_open(counters) && counters->n > 0);
}

/** The sum of the counters whose names begin so, and how many there are. */
static unsigned long long sum_of(const struct bench_counters *counters, const char *name,
                                 size_t length, int *n_p)
{
    unsigned long long *values = must_malloc((size_t) counters->n * sizeof(*values)), sum = 0;
    check(bench_counters_read(counters, values), "the counters cannot be read");
    *n_p = 0;
    for (int i = 0; i < counters->n; i++) {
        if (strncmp(counters->list[i].name, name, length) == 0) {
            sum += values[i];
            ++*n_p;
        }
    }
    free(values);
    return sum;
}

unsigned long long served_so_far(const struct bench_counters *counters)
{
    static const char by_algorithm[] = "coll_pipebcast_broadcasts_";
    int n;
    return sum_of(counters, by_algorithm, strlen(by_algorithm), &n);
}

unsigned long long counter_value(const struct bench_counters *counters, const char *name)
{
    int n;
    const unsigned long long value = sum_of(counters, name, strlen(name) + 1, &n);
    check(n == 1, "there is no counter %s", name);
    return value;
}
