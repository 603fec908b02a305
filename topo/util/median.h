/* The middle of what was measured several times. */
#ifndef PB_MEDIAN_H
#define PB_MEDIAN_H

/**
 * The median, of an even number the mean of the two in the middle; 0 of none. Sorts the values.
 * O(n log n).
 */
double pb_median(double *values, int n);

#endif
