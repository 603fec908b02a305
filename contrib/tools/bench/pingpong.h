/* T(M): the time in which a message of M bytes goes from one rank to another. */
#ifndef BENCH_PINGPONG_H
#define BENCH_PINGPONG_H

#include "measuring.h"

/**
 * Measures half the round trip of the message between the two ranks of the options, the other ranks
 * asleep; warms up first. With a time limit spends about 25 % of it, and at least one round. Sets
 * result_p->pingpong. Collective.
 */
void bench_pingpong(struct bench_measuring *measuring, struct bench_result *result_p);

#endif
