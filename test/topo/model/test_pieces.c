/* Pieces inside hosts: their sizes, alike on all ranks, and what is predicted of them. */
#include <stdlib.h>

#include "test/must.h"
#include "test/tap.h"
#include "test/topo/model/planning.h"
#include "test/topo/trees/tree_case.h"
#include "topo/model/piece.h"
#include "topo/trees/leaders.h"

static const uint64_t messages[] = {1, 100, 700, 5000, 20000, 65536, 300000, 1 << 20, 1 << 26};
#define N_MESSAGES (sizeof(messages) / sizeof(messages[0]))

static void test_sizes(void)
{
    pb_model_t model;
    bool within = true;
    pb_model_assume(UINT64_C(1000000000), 1500, &model);
    for (int height = 1; height <= 6; height++) {
        for (size_t i = 0; i < N_MESSAGES; i++) {
            const uint64_t piece = pb_piece_size(&model, height, messages[i]);
            within = within && piece <= messages[i] && piece <= PB_PIECE_LONGEST &&
                     (piece == messages[i] || piece >= PB_PIECE_SHORTEST);
        }
    }
    ok(within, "pieces have 8 to 64 KB, or are the message");
    ok(pb_piece_size(&model, 6, 1 << 20) < pb_piece_size(&model, 1, 1 << 20),
       "in higher trees they are shorter: the last one has a longer way");
}

static pb_planned_t planned_at(const tree_case_t *c, const pb_model_t *model, int rank, int kind,
                               bool leaders, uint64_t bytes)
{
    const pb_planner_options_t options = {
        .rank = rank,
        .choose = {.kind = kind, .plan = {.fanout = 3, .leaders = leaders}},
        .memory = 1 << 20};
    pb_planner_t *planner = planning_new(c->placement, model, &options, false);
    pb_planned_t planned = {.is_known = false};
    (void) pb_planner_plan(planner, c->root, bytes, false, &planned);
    (void) pb_planner_plan(planner, c->root, bytes, false, &planned); /* out of the table, too */
    planned.role = NULL;
    pb_planner_free(planner);
    return planned;
}

static int64_t best_time(const tree_case_t *c, const pb_model_t *model, bool leaders,
                         uint64_t bytes)
{
    const pb_choose_options_t options = {.kind = PB_CHOOSE_OWN,
                                         .plan = {.fanout = 3, .leaders = leaders}};
    pb_chooser_t *chooser = pb_chooser_new(c->placement, model, &options);
    pb_candidate_t choice = {.time = -1};
    must(chooser != NULL && pb_choose(chooser, c->root, bytes, &choice) == PB_SUCCESS);
    pb_chooser_free(chooser);
    return choice.time;
}

/** All ranks plan the same pieces where leaders apply and are wanted, else none. context: cases
 * with pieces. */
static bool pieces_are_right(tree_case_t *c, pb_random_t *random, void *context)
{
    static const int kinds[] = {PB_CHOOSE_ALL, PB_KIND_TWOTREE, PB_KIND_FLAT, PB_KIND_RANK_CHAIN};
    const int kind = kinds[pb_random_below(random, 4)];
    const uint64_t bytes = messages[1 + pb_random_below(random, N_MESSAGES - 1)];
    pb_model_t model;
    pb_model_assume(pb_random_below(random, 2) ? 2000000 : 1000000000, 1500, &model);
    model.measured = true; /* so that the fastest wins */
    (void) tree_case_locate(c, random);
    const pb_planned_t first = planned_at(c, &model, 0, kind, true, bytes);
    const bool apply = first.is_known && !first.fallback && pb_leaders_apply(c->view, first.kind);
    bool good = (first.piece_size > 0) == apply &&
                planned_at(c, &model, 0, kind, false, bytes).piece_size == 0;
    good = good && (first.piece_size == 0 || first.piece_size >= PB_PIECE_SHORTEST ||
                    first.piece_size == bytes);
    for (int rank = 1; rank < c->placement->n_ranks && good; rank++) {
        const pb_planned_t planned = planned_at(c, &model, rank, kind, true, bytes);
        good = planned.piece_size == first.piece_size && planning_is_same(&planned, &first);
    }
    *(int *) context += apply;
    return good;
}

static void test_cost(void)
{
    int n_slower = 0;
    for (int i = 0; i < tap_trials(300, 60); i++) {
        pb_random_t random = pb_random_seed(500 + (uint64_t) i);
        const uint64_t bytes = messages[3 + pb_random_below(&random, N_MESSAGES - 3)];
        tree_case_t c;
        pb_model_t model;
        pb_model_assume(i % 2 ? UINT64_C(2000000) : UINT64_C(1000000000), 1500, &model);
        model.measured = true; /* so that the fastest wins */
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT),
                       (tree_case_size_t){4, 10, 6, 0, false});
        (void) tree_case_locate(&c, &random);
        if (pb_leaders_apply(c.view, PB_KIND_CHAIN)) {
            const int64_t with = best_time(&c, &model, true, bytes);
            const int64_t without = best_time(&c, &model, false, bytes);
            n_slower += with > without + without / 16;
        }
        tree_case_clear(&c);
    }
    ok(n_slower == 0, "no slower than segments by more than 6 %%, as predicted (%d are)", n_slower);
}

int main(void)
{
    int n_with = 0;
    const int n = tap_trials(50, 10);
    test_sizes();
    test_cost();
    tree_case_hold("pieces are planned alike", 50, n, (tree_case_size_t){4, 10, 6, 0, false},
                   pieces_are_right, &n_with);
    ok(n_with > PB_SHAPE_COUNT * n / 5, "%d plans have pieces", n_with);
    return tap_done();
}
