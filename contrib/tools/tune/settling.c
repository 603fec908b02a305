#include "settling.h"

#include <math.h>

void tune_settling_add(struct tune_settling *settling, double sample)
{
    if (settling->n < TUNE_MAX_SAMPLES) {
        settling->samples[settling->n++] = sample;
    }
}

double tune_settling_mean(const struct tune_settling *settling)
{
    double sum = 0;
    for (int i = 0; i < settling->n; i++) {
        sum += settling->samples[i];
    }
    return settling->n > 0 ? sum / settling->n : 0;
}

/** The 99.5 % point of Student's distribution with 2 degrees of freedom or more. */
static double student(int freedom)
{
    static const double points[] = {9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169};
    const int n_points = (int) (sizeof points / sizeof points[0]);
    if (freedom - 2 < n_points) {
        return points[freedom - 2];
    }
    /* Cornish and Fisher's expansion about the normal distribution, to 0.1 % from here on. */
    const double z = 2.5758;
    return z + (z * z * z + z) / (4.0 * freedom) +
           (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96.0 * freedom * freedom);
}

double tune_settling_error(const struct tune_settling *settling)
{
    const int n = settling->n;
    const double mean = tune_settling_mean(settling);
    double squares = 0;
    if (n < 3 || mean <= 0) {
        return INFINITY;
    }
    for (int i = 0; i < n; i++) {
        const double off = settling->samples[i] - mean;
        squares += off * off;
    }
    return student(n - 1) * sqrt(squares / (n - 1) / n) / mean;
}
