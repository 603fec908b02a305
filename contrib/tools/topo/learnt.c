#include "learnt.h"

#include "message.h"
#include "topo/model/kept_store.h"
#include "topo/trees/leaders.h"

static bool is_of(const pb_kept_key_t *key, const pb_kept_key_t *asked, bool by_model)
{
    return key->network == asked->network && key->n_ranks == asked->n_ranks &&
           key->hosts == asked->hosts && key->kind == asked->kind &&
           key->segment == asked->segment && key->fanout == asked->fanout &&
           (!by_model || key->model == asked->model);
}

/* The entry of these ranks that was written last. */
static tool_exit_t find(const tool_options_t *options, const tool_cluster_t *cluster,
                        const pb_model_t *model, tool_learnt_t *learnt)
{
    const int n_hosts = pb_placement_n_hosts(cluster->placement);
    const bool by_leaders =
        options->plan.leaders && pb_leaders_matter(n_hosts, cluster->placement->n_ranks);
    const pb_kept_key_t asked = {.network = pb_network_hash(cluster->network),
                                 .n_ranks = cluster->placement->n_ranks,
                                 .hosts = pb_kept_hosts(cluster->placement, by_leaders),
                                 .model = model != NULL ? pb_model_hash(model) : 0,
                                 .kind = options->n_kinds == 1 ? (int) options->kinds[0]
                                                               : PB_CHOOSE_ALL,
                                 .segment = options->segment,
                                 .fanout = options->plan.fanout};
    for (int i = 0; i < learnt->kept.n && learnt->entry == NULL; i++) {
        const pb_kept_entry_t *entry = learnt->kept.entries[i];
        learnt->entry = is_of(&entry->key, &asked, model != NULL) ? entry : NULL;
    }
    if (learnt->entry == NULL) {
        return tool_complain(TOOL_FAULTY,
                             "%s: nothing was learnt on %d %s of this topology with these options; "
                             "the file has %d %s (is it the same topology, and are --hosts, "
                             "--ppn and --model those of the job?)",
                             options->learnt_file, cluster->placement->n_ranks,
                             cluster->placement->n_ranks == 1 ? "rank" : "ranks", learnt->kept.n,
                             learnt->kept.n == 1 ? "entry" : "entries");
    }
    return TOOL_OK;
}

tool_exit_t tool_learnt_open(const tool_options_t *options, const tool_cluster_t *cluster,
                             const pb_model_t *model, tool_learnt_t *learnt)
{
    uint64_t digest;
    pb_diag_t diag;
    if (options->learnt_file == NULL) {
        return TOOL_OK;
    }
    pb_diag_init(&diag);
    const int rc = pb_kept_store_read(options->learnt_file, &learnt->kept, &digest, &diag);
    tool_print_faults(stderr, &diag);
    pb_diag_clear(&diag);
    if (rc == PB_SUCCESS && digest == 0) {
        return tool_complain(TOOL_SYSTEM, "%s: there is no such file", options->learnt_file);
    }
    return rc == PB_SUCCESS     ? find(options, cluster, model, learnt)
           : rc == PB_ERR_INPUT ? TOOL_FAULTY
                                : TOOL_SYSTEM;
}

void tool_learnt_clear(tool_learnt_t *learnt)
{
    pb_learning_free(learnt->learning);
    pb_kept_clear(&learnt->kept);
    *learnt = (tool_learnt_t){.entry = NULL};
}

tool_exit_t tool_learnt_begin(tool_learnt_t *learnt, const tool_cluster_t *cluster,
                              const pb_model_t *model, const pb_choose_options_t *choose)
{
    if (learnt->entry == NULL) {
        return TOOL_OK;
    }
    learnt->learning = pb_learning_new();
    if (learnt->learning == NULL) {
        return tool_complain_error(PB_ERR_NO_MEMORY);
    }
    pb_learning_begin(learnt->learning, cluster->placement, model, choose);
    pb_learning_begin_with(learnt->learning, &learnt->entry->learner);
    return TOOL_OK;
}

const pb_learner_class_t *tool_learnt_class(const tool_learnt_t *learnt, uint64_t bytes)
{
    for (int i = 0; learnt->entry != NULL && i < PB_LEARNER_CLASSES; i++) {
        const pb_learner_class_t *class = &learnt->entry->learner.classes[i];
        if (class->size_class == pb_size_class(bytes)) {
            return class;
        }
    }
    return NULL;
}

int64_t tool_learnt_time(const pb_learner_class_t *class, const pb_candidate_t *candidate)
{
    for (int i = 0; class != NULL && i < class->n_entries; i++) {
        const pb_learner_entry_t *entry = &class->entries[i];
        if (entry->kind == candidate->kind && entry->segment == candidate->segment) {
            return pb_learner_time(entry);
        }
    }
    return -1;
}
