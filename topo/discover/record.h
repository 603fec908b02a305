/*
 * The record of trials: what was measured so far, so that a search that was ended goes on.
 *
 *   pipebcast-trials 1
 *   hosts 32 11400714819323198485    # how many, and a hash of their names
 *   trial 2                          # of two flows
 *   rate 3 17 1180000                # from host 3 to host 17: bytes per second
 *   rate 9 4 590000
 *
 * A search asks for the same trials if it is given the same answers, so those of the record are
 * given first, and no more need be kept. A last trial that is not complete is ignored, as the
 * program may have ended at any time.
 */
#ifndef PB_RECORD_H
#define PB_RECORD_H

#include <stdint.h>
#include <stdio.h>

#include "topo/discover/trial.h"
#include "topo/util/diag.h"

/** Bytes of a file, trials, and flows of all of them. */
#define PB_RECORD_MAX_BYTES ((size_t) 64 << 20)
#define PB_RECORD_MAX_HOSTS 65536

typedef struct pb_record {
    int n_hosts;
    uint64_t hash;    /**< of the hosts' names, in order */
    pb_flow_t *flows; /**< of all trials, one after the other */
    double *rates;    /**< of these flows */
    int n_flows;
    int *first; /**< by trial: its first flow; and the end of the last one */
    int n_trials;
    int last_line; /**< of the last complete trial, or of `hosts` */
    int next;      /**< the trial that is given next */
} pb_record_t;

/** The hash of a file's hosts. */
uint64_t pb_record_hash(char *const *names, int n_hosts);

/**
 * Reads a record. What is behind the last newline is ignored. PB_ERR_INPUT with every fault in
 * `diag`, PB_ERR_NO_MEMORY. Clear with pb_record_clear() in any case. O(length).
 */
int pb_record_parse(const char *text, size_t length, const char *name, pb_record_t *record,
                    pb_diag_t *diag);
void pb_record_clear(pb_record_t *record);

/** The bytes of the text that hold complete trials. O(length). */
size_t pb_record_complete(const pb_record_t *record, const char *text, size_t length);

/**
 * Gives the next recorded trial: 1 and its rates, 0 if there are no more, PB_ERR_INPUT if it has
 * other flows than these: it is the record of another search. O(flows).
 */
int pb_record_give(pb_record_t *record, const pb_flow_t *flows, int n, double *rates);

/** Writes the first lines, or a trial with its rates in whole bytes per second. */
void pb_record_begin(FILE *out, char *const *names, int n_hosts);
void pb_record_add(FILE *out, const pb_flow_t *flows, int n, const double *rates);

/** A rate as a record keeps it. */
double pb_record_rate(double rate);

#endif
