/* T(M): the time in which a message of M bytes goes from one rank to another. */
#ifndef BENCH_PINGPONG_H
#define BENCH_PINGPONG_H

#include "measure.h"

/**
 * Measures half the round trip of contiguous messages between the two ranks of the options, the
 * other ranks asleep; warms up first. With a time limit spends about budget_ns (0: no limit) and
 * at least one round. Sets result_p->pingpong. Collective.
 */
enum bench_status bench_pingpong(struct bench_run *run, long long bytes, int64_t budget_ns,
                                 struct bench_result *result_p);

#endif
