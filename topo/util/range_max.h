/*
 * A range-maximum tree over positions 0 .. n-1. Values only grow; a position
 * that was never set counts as -1.
 */
#ifndef PB_RANGE_MAX_H
#define PB_RANGE_MAX_H

typedef struct pb_range_max {
    int n;
    int *values; /**< 2 n entries; the leaves are n .. 2n-1 */
} pb_range_max_t;

/** Room for n >= 1 positions. PB_ERR_NO_MEMORY. Free with pb_range_max_clear(). */
int pb_range_max_init(pb_range_max_t *tree, int n);
void pb_range_max_clear(pb_range_max_t *tree);

/** Forgets all values of the first n positions and uses only these. O(n). */
void pb_range_max_reset(pb_range_max_t *tree, int n);

/** Raises the value of a position. O(log n). */
void pb_range_max_raise(pb_range_max_t *tree, int position, int value);

/** The maximum over [first, last]; -1 if the range is empty or unset. O(log n). */
int pb_range_max_query(const pb_range_max_t *tree, int first, int last);

#endif
