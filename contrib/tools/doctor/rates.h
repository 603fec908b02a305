/* Rates of messages from each host to the next one, one pair at a time. */
#ifndef DOCTOR_RATES_H
#define DOCTOR_RATES_H

#include <mpi.h>

#include "record.h"

/**
 * Measures rates: each of n leaders, one rank of each host, sends to the next one in turn, the last
 * one to the first. It ends after `time_limit_s` seconds. Called by all ranks; those that wait
 * sleep. Adds `measured` to the record of a sender, in bits per second of messages' bytes.
 */
void doctor_rates_measure(MPI_Comm comm, const int *leaders, int n, double time_limit_s,
                          json_t *record);

#endif
