#include "topo/trees/kinds.h"

#include <string.h>

#include "topo/trees/leaders.h"
#include "topo/util/error.h"

#define PB_KIND_ROW(enumerator, construction, ...)                                                 \
    [PB_KIND_##enumerator] = {.make = (construction), __VA_ARGS__},
static const pb_kind_row_t rows[PB_KIND_COUNT] = {PB_KINDS(PB_KIND_ROW)};
#undef PB_KIND_ROW

static const pb_plan_options_t default_options = {.fanout = PB_DEFAULT_FANOUT};

const pb_kind_row_t *pb_kind_row(pb_kind_t kind)
{
    return (unsigned) kind < PB_KIND_COUNT ? &rows[kind] : NULL;
}

const char *pb_kind_name(pb_kind_t kind)
{
    return (unsigned) kind < PB_KIND_COUNT ? rows[kind].name : NULL;
}

int pb_kind_find(const char *name)
{
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        if (strcmp(name, rows[kind].name) == 0) {
            return kind;
        }
    }
    return PB_ERR_UNKNOWN;
}

int pb_kinds_by_turn(uint32_t excluded, pb_kind_t kinds[PB_KIND_COUNT])
{
    int n = 0;
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        int at = n;
        if (rows[kind].auto_turn == 0 || (excluded >> kind & 1) != 0) {
            continue;
        }
        for (; at > 0 && rows[kinds[at - 1]].auto_turn > rows[kind].auto_turn; at--) {
            kinds[at] = kinds[at - 1];
        }
        kinds[at] = (pb_kind_t) kind;
        n++;
    }
    return n;
}

int pb_kind_neighbours(pb_kind_t kind, int n_ranks)
{
    int n = n_ranks - 1;
    if (rows[kind].repeats == PB_REPEATS_WALK) {
        n = 2;
    } else if (rows[kind].repeats == PB_REPEATS_POWERS) {
        n = 0;
        for (int64_t distance = 1; distance < n_ranks; distance *= 2) {
            n += 2;
        }
    }
    return n < n_ranks - 1 ? n : n_ranks - 1;
}

bool pb_kind_has_leaders(pb_kind_t kind)
{
    return rows[kind].promises || rows[kind].copies;
}

int pb_plan_compute(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                    pb_plan_t **plan_p)
{
    *plan_p = NULL;
    if ((unsigned) kind >= PB_KIND_COUNT) {
        return PB_ERR_UNFIT;
    }
    options = options != NULL ? options : &default_options;
    return options->leaders && pb_leaders_apply(view, kind)
               ? pb_plan_by_leaders(view, kind, options, plan_p)
               : rows[kind].make(view, options, plan_p);
}
