/* The statistics that decide how often something is measured. */
#include "contrib/tools/tune/settling.h"

#include <math.h>

#include "test/tap.h"

static int near(double found, double wanted)
{
    return fabs(found - wanted) <= 0.002 * fabs(wanted);
}

static struct tune_settling make(int n, const double *samples)
{
    struct tune_settling settling = {.n = 0};
    for (int i = 0; i < n; i++) {
        tune_settling_add(&settling, samples[i]);
    }
    return settling;
}

int main(void)
{
    const double even[] = {100, 100, 100, 100};
    const double odd[] = {98, 100, 102};
    struct tune_settling settling = make(0, NULL);
    ok(tune_settling_mean(&settling) == 0 && isinf(tune_settling_error(&settling)),
       "nothing is known without samples");
    settling = make(2, even);
    ok(tune_settling_mean(&settling) == 100 && isinf(tune_settling_error(&settling)),
       "two equal samples are not enough");
    settling = make(3, even);
    ok(tune_settling_error(&settling) == 0, "three equal ones are");
    settling = make(3, odd);
    ok(tune_settling_mean(&settling) == 100, "the mean");
    ok(near(tune_settling_error(&settling), 9.925 * 2 / sqrt(3) / 100),
       "the interval of three samples: Student's 9.925 times s / sqrt(n)");
    settling = make(0, NULL);
    for (int i = 0; i < 32; i++) {
        tune_settling_add(&settling, 100 + (i % 2 == 0 ? 1 : -1));
    }
    ok(near(tune_settling_error(&settling), 2.744 * sqrt(32.0 / 31) / sqrt(32) / 100),
       "the interval of 32 samples: Student's 2.744");
    for (int i = 0; i < 2 * TUNE_MAX_SAMPLES; i++) {
        tune_settling_add(&settling, 1);
    }
    ok(settling.n == TUNE_MAX_SAMPLES, "a full list stays as it is");
    return tap_done();
}
