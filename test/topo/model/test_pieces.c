/* Pieces inside hosts: their sizes, alike on all ranks, and what is predicted of them. */
#include <stdlib.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "topo/model/piece.h"
#include "topo/model/planner.h"
#include "topo/trees/leaders.h"

static const uint64_t messages[] = {1, 5000, 20000, 65536, 300000, 1 << 20, 1 << 26};
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
    pb_planner_t *planner = pb_planner_new();
    pb_planned_t planned = {.is_known = false};
    if (planner == NULL) {
        abort();
    }
    pb_planner_begin(planner, c->placement, model, &options);
    (void) pb_planner_plan(planner, c->root, bytes, &planned);
    planned.role = NULL;
    pb_planner_free(planner);
    return planned;
}

/** All ranks plan pieces, and the same ones, where leaders apply and are wanted; else none does. */
static bool pieces_are_right(const tree_case_t *c, const pb_model_t *model, int kind,
                             uint64_t bytes, bool *has_pieces_p)
{
    bool good = true;
    const pb_planned_t first = planned_at(c, model, 0, kind, true, bytes);
    const bool apply = first.is_known && !first.fallback && pb_leaders_apply(c->view, first.kind);
    for (int rank = 0; rank < c->placement->n_ranks && good; rank++) {
        const pb_planned_t planned = planned_at(c, model, rank, kind, true, bytes);
        good = planned.piece_size == first.piece_size && planned.kind == first.kind &&
               planned.segment_size == first.segment_size;
    }
    *has_pieces_p = first.piece_size > 0;
    return good && *has_pieces_p == apply &&
           planned_at(c, model, 0, kind, false, bytes).piece_size == 0;
}

/** The least predicted time over all kinds. */
static int64_t best_time(const tree_case_t *c, const pb_model_t *model, bool leaders,
                         uint64_t bytes)
{
    const pb_choose_options_t options = {.kind = PB_CHOOSE_OWN,
                                         .plan = {.fanout = 3, .leaders = leaders}};
    pb_chooser_t *chooser = pb_chooser_new(c->placement, model, &options);
    pb_choice_t choice = {.best.time = -1};
    if (chooser == NULL || pb_choose(chooser, c->root, bytes, &choice) != PB_SUCCESS) {
        abort();
    }
    pb_chooser_free(chooser);
    return choice.best.time;
}

int main(void)
{
    static const int kinds[] = {PB_CHOOSE_ALL, PB_KIND_TWOTREE, PB_KIND_FLAT, PB_KIND_RANK_CHAIN};
    int n = 0, n_right = 0, n_with = 0, n_slower = 0;
    int64_t worst = 0;
    pb_model_t model;
    test_sizes();
    for (int i = 0; i < tap_trials(300, 60); i++) {
        pb_random_t random = pb_random_seed(500 + (uint64_t) i);
        const uint64_t bytes = messages[1 + pb_random_below(&random, N_MESSAGES - 1)];
        tree_case_t c;
        bool has_pieces = false;
        pb_model_assume(i % 2 ? UINT64_C(2000000) : UINT64_C(1000000000), 1500, &model);
        model.measured = true; /* so that the fastest wins */
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT),
                       (tree_case_size_t){4, 10, 6, 0, false});
        (void) tree_case_locate(&c, &random);
        n_right += pieces_are_right(&c, &model, kinds[i % 4], bytes, &has_pieces);
        n_with += has_pieces;
        n++;
        if (pb_leaders_apply(c.view, PB_KIND_CHAIN)) {
            const int64_t with = best_time(&c, &model, true, bytes);
            const int64_t without = best_time(&c, &model, false, bytes);
            const int64_t percent = 100 * with / without;
            worst = percent > worst ? percent : worst;
            n_slower += with > without + without / 16;
        }
        tree_case_clear(&c);
    }
    ok(n_right == n && n_with > n / 5,
       "planned alike on all ranks in %d of %d cases, %d with pieces", n_right, n, n_with);
    ok(n_slower == 0,
       "no slower than segments by a sixteenth, as predicted (%d are; %d %% at most)", n_slower,
       (int) worst);
    return tap_done();
}
