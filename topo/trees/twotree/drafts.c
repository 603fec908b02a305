/*
 * Drafts: tables of one vertex in one tree that were made in the search for its roles.
 *
 * What the ranks and children of a vertex give in one tree is often the same in several trials, in
 * both trees (with the options turned) and in several roles of the vertex's own, and so is the
 * table then.
 */
#include <stdlib.h>

#include "topo/trees/twotree/internal.h"

/** Children up to which drafts are found again: their options fit one number. */
#define MAX_NUMBERED 23

/** Drafts that are kept; the oldest give way. */
#define MAX_DRAFTS 64

int pb_tt_drafts_init(pb_tt_drafts_t *drafts)
{
    drafts->drafts = calloc(MAX_DRAFTS, sizeof(*drafts->drafts));
    drafts->replies = malloc((size_t) MAX_DRAFTS * PB_TT_MAX_REPLIES * sizeof(*drafts->replies));
    drafts->n = drafts->next = 0;
    return drafts->drafts != NULL && drafts->replies != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

void pb_tt_drafts_clear(pb_tt_drafts_t *drafts)
{
    free(drafts->drafts);
    free(drafts->replies);
}

void pb_tt_drafts_reset(pb_tt_drafts_t *drafts)
{
    drafts->n = drafts->next = 0;
}

/** What a table of the vertex depends on. */
static pb_tt_draft_key_t key_of(const pb_tt_trial_t *trial, int tree)
{
    pb_tt_draft_key_t key = {.options = 1,
                             .twos = trial->locals[2 * PB_TT_TWO + tree],
                             .ones =
                                 trial->locals[2 * PB_TT_EACH] + trial->locals[2 * PB_TT_EACH + 1],
                             .exports = pb_tt_gives((pb_tt_option_t) (2 * trial->role), tree)};
    for (int i = 0; i < trial->n_children; i++) {
        key.options = PB_TT_OPTIONS * key.options + (uint64_t) (trial->options[i] ^ tree);
    }
    return key;
}

static bool is_key(const pb_tt_draft_key_t *a, const pb_tt_draft_key_t *b)
{
    return a->options == b->options && a->twos == b->twos && a->ones == b->ones &&
           a->exports == b->exports;
}

/** The draft of a key, or a new one without it. */
static pb_tt_draft_t *get(pb_tt_drafts_t *drafts, const pb_tt_draft_key_t *key, bool *is_new)
{
    *is_new = false;
    for (int i = 0; i < drafts->n && key->options != 0; i++) {
        if (is_key(&drafts->drafts[i].key, key)) {
            return &drafts->drafts[i];
        }
    }
    const int at = drafts->next;
    drafts->next = (at + 1) % MAX_DRAFTS;
    drafts->n = drafts->n > at ? drafts->n : at + 1;
    *is_new = true;
    drafts->drafts[at] = (pb_tt_draft_t){
        .key = *key, .table.replies = drafts->replies + (ptrdiff_t) at * PB_TT_MAX_REPLIES};
    return &drafts->drafts[at];
}

static void load(pb_tt_maker_t *maker, const pb_tt_trial_t *trial, int tree)
{
    pb_tt_load(maker, tree, trial->v, trial->role, trial->locals, trial->options);
}

int pb_tt_draft_begin(pb_tt_drafts_t *drafts, pb_tt_maker_t *maker, const pb_tt_trial_t *trial,
                      int tree, pb_tt_draft_t **draft_p)
{
    bool is_new;
    pb_tt_draft_key_t key = {.options = 0};
    if (trial->n_children <= MAX_NUMBERED) {
        key = key_of(trial, tree);
    }
    pb_tt_draft_t *draft = get(drafts, &key, &is_new);
    if (is_new) {
        load(maker, trial, tree);
        draft->rc = pb_tt_begin_table(maker, draft);
    }
    *draft_p = draft;
    return draft->rc;
}

bool pb_tt_draft_finish(pb_tt_maker_t *maker, const pb_tt_trial_t *trial, int tree, double limit,
                        pb_tt_draft_t *draft)
{
    if (!draft->is_finished) {
        load(maker, trial, tree);
        draft->is_finished = pb_tt_finish_table(maker, draft, limit);
    }
    return draft->is_finished;
}
