/* A quantity that is measured again and again until its mean is known well enough. */
#ifndef TUNE_SETTLING_H
#define TUNE_SETTLING_H

enum { TUNE_MAX_SAMPLES = 64 };

struct tune_settling {
    int n;
    double samples[TUNE_MAX_SAMPLES];
};

/** Appends; a full list stays as it is. */
void tune_settling_add(struct tune_settling *settling, double sample);

/** The mean; 0 without samples. */
double tune_settling_mean(const struct tune_settling *settling);

/**
 * Half the width of the mean's 99 % confidence interval (Student's t), as a share of the mean.
 * INFINITY for less than three samples, where there is no interval. O(samples).
 */
double tune_settling_error(const struct tune_settling *settling);

#endif
