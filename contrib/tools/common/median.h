/* The middle of what was measured several times. */
#ifndef COMMON_MEDIAN_H
#define COMMON_MEDIAN_H

/**
 * The median, of an even number the mean of the two in the middle; 0 of none. Sorts the values.
 * O(n log n).
 */
double common_median(double *values, int n);

#endif
