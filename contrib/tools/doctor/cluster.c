#include "cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/hosts.h"
#include "contrib/tools/common/report.h"

/** Hosts that are named; the rest is counted. */
enum { MOST_NAMED = 4 };

/** Different values among which the commonest is looked for. */
enum { MOST_VALUES = 16 };

/* ---- hosts ---- */

bool doctor_cluster_find(doctor_cluster_t *cluster, const doctor_roll_t *roll, char *why,
                         size_t why_size)
{
    const char *list = doctor_record_find(roll->records[0], "coll_pipebcast_hosts");
    *cluster = (doctor_cluster_t){.roll = roll};
    cluster->hosts = common_alloc((size_t) roll->n_ranks, sizeof *cluster->hosts);
    for (int rank = 0; rank < roll->n_ranks; rank++) {
        const char *name = doctor_record_find(roll->records[rank], "host");
        cluster->hosts[rank] = common_copy(name != NULL ? name : "?");
    }
    if (list != NULL && list[0] != '\0' &&
        !common_hosts_replace(cluster->hosts, roll->n_ranks, list, why, why_size)) {
        return false;
    }
    cluster->leaders = common_hosts_leaders(cluster->hosts, roll->n_ranks, &cluster->n_hosts);
    return true;
}

void doctor_cluster_free(doctor_cluster_t *cluster)
{
    if (cluster->hosts != NULL) {
        common_hosts_free(cluster->hosts, cluster->roll->n_ranks);
    }
    free(cluster->leaders);
    *cluster = (doctor_cluster_t){.n_hosts = 0};
}

const char *doctor_cluster_value(const doctor_cluster_t *cluster, int rank, const char *name)
{
    return doctor_record_find(cluster->roll->records[rank], name);
}

/* ---- names ---- */

void doctor_names_add(doctor_names_t *names, const char *host, const char *with)
{
    const size_t used = strlen(names->text);
    if (names->last != NULL && strcmp(names->last, host) == 0) {
        return;
    }
    names->last = host;
    if (names->n++ < MOST_NAMED) {
        snprintf(names->text + used, sizeof names->text - used, "%s%.64s%s%.40s%s",
                 used > 0 ? ", " : "", host, with != NULL ? " (" : "", with != NULL ? with : "",
                 with != NULL ? ")" : "");
    }
}

const char *doctor_names_text(doctor_names_t *names)
{
    const size_t used = strlen(names->text);
    if (names->n > MOST_NAMED) {
        snprintf(names->text + used, sizeof names->text - used, " and %d more",
                 names->n - MOST_NAMED);
        names->n = MOST_NAMED; /* so that it is added once */
    }
    return names->text;
}

/* ---- values ---- */

/** The value that most ranks have, of the first MOST_VALUES. */
static const char *commonest(const doctor_cluster_t *cluster, const char *name)
{
    const char *values[MOST_VALUES];
    int counts[MOST_VALUES] = {0}, n = 0, best = 0;
    for (int rank = 0; rank < cluster->roll->n_ranks; rank++) {
        const char *value = doctor_cluster_value(cluster, rank, name);
        int at = 0;
        while (value != NULL && at < n && strcmp(values[at], value) != 0) {
            at++;
        }
        if (value == NULL || at == MOST_VALUES) {
            continue;
        }
        values[at] = value;
        counts[at]++;
        n = at == n ? n + 1 : n;
    }
    for (int i = 1; i < n; i++) {
        best = counts[i] > counts[best] ? i : best;
    }
    return n > 0 ? values[best] : NULL;
}

bool doctor_cluster_alike(const doctor_cluster_t *cluster, const char *name,
                          doctor_alike_t *alike_p)
{
    *alike_p = (doctor_alike_t){.value = commonest(cluster, name)};
    for (int rank = 0; rank < cluster->roll->n_ranks; rank++) {
        const char *value = doctor_cluster_value(cluster, rank, name);
        if (value != NULL && strcmp(value, alike_p->value) != 0) {
            doctor_names_add(&alike_p->others, cluster->hosts[rank],
                             value[0] == '\0' ? "none" : value);
        }
    }
    return alike_p->others.n == 0;
}
