#include "topo/discover/cut.h"

#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"
#include "topo/util/kit.h"

void pb_cuts_init(pb_cuts_t *cuts, int n_hosts)
{
    *cuts = (pb_cuts_t){.n_hosts = n_hosts};
}

void pb_cuts_clear(pb_cuts_t *cuts)
{
    for (int i = 0; i < cuts->n; i++) {
        free(cuts->cuts[i].inside);
    }
    free(cuts->cuts);
    pb_cuts_init(cuts, cuts->n_hosts);
}

int pb_cuts_add(pb_cuts_t *cuts, const pb_cut_t *cut)
{
    bool *inside = malloc((size_t) cuts->n_hosts * sizeof *inside);
    pb_cut_t *more = pb_grow(cuts->cuts, cuts->n, &cuts->capacity, sizeof *more);
    cuts->cuts = more != NULL ? more : cuts->cuts;
    if (inside == NULL || more == NULL) {
        free(inside);
        return PB_ERR_NO_MEMORY;
    }
    pb_cut_t *added = &cuts->cuts[cuts->n++];
    *added = *cut;
    added->inside = inside;
    added->n_inside = 0;
    for (int host = 0; host < cuts->n_hosts; host++) {
        inside[host] = cut->inside[host] != cut->inside[0];
        added->n_inside += inside[host];
    }
    return PB_SUCCESS;
}

void pb_cuts_remove(pb_cuts_t *cuts, int i)
{
    free(cuts->cuts[i].inside);
    memmove(&cuts->cuts[i], &cuts->cuts[i + 1], (size_t) (cuts->n - i - 1) * sizeof cuts->cuts[0]);
    cuts->n--;
}

/** Finds the intersections of two cuts' sides, of four, that have hosts. */
static void intersect(int n_hosts, const pb_cut_t *a, const pb_cut_t *b, bool found[2][2])
{
    memset(found, 0, 4 * sizeof(bool));
    for (int host = 0; host < n_hosts; host++) {
        found[a->inside[host]][b->inside[host]] = true;
    }
}

int pb_cuts_find(const pb_cuts_t *cuts, const pb_cut_t *cut)
{
    for (int i = 0; i < cuts->n; i++) {
        bool found[2][2];
        intersect(cuts->n_hosts, &cuts->cuts[i], cut, found);
        if ((!found[0][1] && !found[1][0]) || (!found[0][0] && !found[1][1])) {
            return i;
        }
    }
    return -1;
}

bool pb_cuts_compatible(const pb_cuts_t *cuts, const pb_cut_t *a, const pb_cut_t *b)
{
    bool found[2][2];
    intersect(cuts->n_hosts, a, b, found);
    return !(found[0][0] && found[0][1] && found[1][0] && found[1][1]);
}

/** Sum of the rates without the cut of the flows over it in one direction. */
static double offered(const pb_cut_t *cut, int way, const pb_flow_t *flows, int n,
                      const double *rates)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += pb_cut_passed(cut, flows[i]) == way ? rates[i] : 0;
    }
    return sum;
}

void pb_cuts_share(const pb_cuts_t *cuts, const pb_flow_t *flows, int n, double *rates)
{
    for (int c = 0; c < cuts->n; c++) {
        const pb_cut_t *cut = &cuts->cuts[c];
        for (int way = -1; way <= 1; way += 2) {
            const double sum = offered(cut, way, flows, n, rates);
            for (int i = 0; sum > cut->capacity && i < n; i++) {
                if (pb_cut_passed(cut, flows[i]) == way) {
                    rates[i] *= cut->capacity / sum;
                }
            }
        }
    }
}
