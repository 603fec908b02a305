#include "topo/util/range_max.h"

#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

int pb_range_max_init(pb_range_max_t *tree, int n)
{
    tree->values = malloc(2 * (size_t) n * sizeof(*tree->values));
    if (tree->values == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    pb_range_max_reset(tree, n);
    return PB_SUCCESS;
}

void pb_range_max_clear(pb_range_max_t *tree)
{
    free(tree->values);
    tree->values = NULL;
}

void pb_range_max_reset(pb_range_max_t *tree, int n)
{
    tree->n = n;
    memset(tree->values, 0xff, 2 * (size_t) n * sizeof(*tree->values));
}

void pb_range_max_raise(pb_range_max_t *tree, int position, int value)
{
    for (int i = position + tree->n; i >= 1 && tree->values[i] < value; i /= 2) {
        tree->values[i] = value;
    }
}

int pb_range_max_query(const pb_range_max_t *tree, int first, int last)
{
    int max = -1;
    int low = first + tree->n, high = last + tree->n + 1;
    for (; low < high; low /= 2, high /= 2) {
        if (low % 2 == 1) {
            max = tree->values[low] > max ? tree->values[low] : max;
            low++;
        }
        if (high % 2 == 1) {
            high--;
            max = tree->values[high] > max ? tree->values[high] : max;
        }
    }
    return max;
}
