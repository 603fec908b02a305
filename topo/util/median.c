#include "topo/util/median.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

double pb_median(double *values, int n)
{
    if (n <= 0) {
        return 0;
    }
    qsort(values, (size_t) n, sizeof *values, compare);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}
