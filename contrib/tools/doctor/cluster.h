/* The hosts of the job, and in what they are alike; rank 0's. */
#ifndef DOCTOR_CLUSTER_H
#define DOCTOR_CLUSTER_H

#include "roll.h"

/** Zeros: none is known. */
typedef struct doctor_cluster {
    const doctor_roll_t *roll; /**< borrowed */
    char **hosts;              /**< owned, by rank: the names */
    int *leaders;              /**< owned: the first rank of each host, ascending */
    int n_hosts;
} doctor_cluster_t;

/**
 * Finds them from the records' value `host`, or from the list of the parameter coll_pipebcast_hosts
 * where rank 0 has it. False, with a reason, if that list is invalid. O(ranks log ranks).
 */
bool doctor_cluster_find(doctor_cluster_t *cluster, const doctor_roll_t *roll, char *why,
                         size_t why_size);
void doctor_cluster_free(doctor_cluster_t *cluster);

/** The value of a name at a rank, borrowed; NULL: it has none. */
const char *doctor_cluster_value(const doctor_cluster_t *cluster, int rank, const char *name);

/** Hosts for people: "n0, n1 and 7 more". */
typedef struct doctor_names {
    char text[512];
    int n;            /**< all of them */
    const char *last; /**< borrowed: the one that was added last; NULL: none */
} doctor_names_t;

/** Adds a host, unless it was the one before; `with`, in brackets behind it, may be NULL. */
void doctor_names_add(doctor_names_t *names, const char *host, const char *with);

/** The text; `names` is then complete. */
const char *doctor_names_text(doctor_names_t *names);

/** The most frequent value of a name, and the hosts with another one. */
typedef struct doctor_alike {
    const char *value;     /**< borrowed; NULL: none has one */
    doctor_names_t others; /**< each with its value */
} doctor_alike_t;

/** Tells whether all ranks that have a value have the same one. O(ranks * values). */
bool doctor_cluster_alike(const doctor_cluster_t *cluster, const char *name,
                          doctor_alike_t *alike_p);

#endif
