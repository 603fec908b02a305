/*
 * The small kit: logarithms at powers of two and beside them, an array that grows, the first error.
 */
#include "topo/util/kit.h"

#include <stdbool.h>

#include "test/tap.h"

static void test_logarithms(void)
{
    bool good = pb_log2_down(0) == 0 && pb_log2_up(0) == 0 && pb_log2_up(1) == 0;
    for (int k = 1; k < 63; k++) {
        const uint64_t n = (uint64_t) 1 << k;
        good = good && pb_log2_down(n) == k && pb_log2_up(n) == k && pb_log2_up(n + 1) == k + 1 &&
               pb_log2_down(2 * n - 1) == k && pb_log2_down(n - 1) == k - 1;
    }
    ok(good, "logarithms of powers of two and of their neighbors");
}

static void test_grow(void)
{
    int *numbers = NULL, capacity = 0, n_moves = 0;
    for (int i = 0; i < 1000; i++) {
        const int before = capacity;
        numbers = pb_grow(numbers, i, &capacity, sizeof(*numbers));
        n_moves += capacity != before;
        numbers[i] = i;
    }
    bool good = capacity >= 1000 && n_moves < 10;
    for (int i = 0; i < 1000; i++) {
        good = good && numbers[i] == i;
    }
    ok(good, "an array of 1,000 grows in few steps and keeps its elements");
    free(numbers);
}

static void test_first(void)
{
    int error = 0;
    pb_keep_first(&error, 0);
    pb_keep_first(&error, -3);
    pb_keep_first(&error, -5);
    pb_keep_first(&error, 0);
    ok(error == -3, "the first error is kept");
}

int main(void)
{
    ok(pb_min(-2, 3) == -2 && pb_max(-2, 3) == 3 && pb_min64(INT64_MIN, 0) == INT64_MIN &&
           pb_max64(INT64_MIN, 0) == 0 && pb_min_u64(UINT64_MAX, 1) == 1 &&
           pb_max_u64(UINT64_MAX, 1) == UINT64_MAX,
       "the smaller and the larger of two");
    test_logarithms();
    test_grow();
    test_first();
    return tap_done();
}
