#include "communicator/kept.h"

#include "base/counters.h"
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/connections.h"
#include "communicator/module.h"
#include "communicator/process.h"
#include "topo/model/kept_store.h"
#include "topo/trees/leaders.h"
#include "topo/util/error.h"
#include "topo/util/hash.h"

/** Whether that is so from the start on. */
static bool keeps(void)
{
    const coll_pipebcast_settings_t *first = &coll_pipebcast_first_settings;
    return coll_pipebcast_learns(first) && first->learn == COLL_PIPEBCAST_LEARN_KEEP;
}

void coll_pipebcast_kept_open(coll_pipebcast_kept_t *kept)
{
    *kept = (coll_pipebcast_kept_t){.is_read = false};
}

/* ---- reading ---- */

/** One process of the job reports why nothing is read, as all mostly read the same file. */
static void report_fault(int rc, const char *fault)
{
    if (OPAL_PROC_MY_NAME.vpid != 0) {
        return;
    }
    if (rc == PB_ERR_INPUT) {
        coll_pipebcast_warn("what earlier jobs have learnt is left out, as its file is faulty: %s. "
                            "The next job that learns something replaces it.",
                            fault);
    } else {
        coll_pipebcast_log(1, "what earlier jobs have learnt is left out: %s",
                           rc == PB_ERR_NO_MEMORY ? "out of memory" : fault);
    }
}

/** With the process's lock held. */
static void read_once(coll_pipebcast_kept_t *kept)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    kept->is_read = true;
    int rc = pb_kept_store_path(kept->path, sizeof(kept->path), &diag);
    if (rc != PB_SUCCESS) {
        kept->path[0] = '\0';
    } else {
        rc = pb_kept_store_read(kept->path, &kept->kept, &kept->digest, &diag);
    }
    if (rc != PB_SUCCESS) {
        report_fault(rc, pb_diag_first(&diag));
    }
    pb_diag_clear(&diag);
}

/** The process's, read. What was read does not change any more. */
static coll_pipebcast_kept_t *get_kept(void)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    opal_mutex_lock(&process->lock);
    if (!process->kept.is_read) {
        read_once(&process->kept);
    }
    opal_mutex_unlock(&process->lock);
    return &process->kept;
}

uint64_t coll_pipebcast_kept_digest(const pb_medium_t *medium)
{
    const uint64_t file = keeps() ? get_kept()->digest : 0;
    if (file == 0) {
        return 0;
    }
    uint64_t state = pb_hash_number(PB_HASH_START, file);
    state = pb_hash_string(state, medium->pml);
    state = pb_hash_string(state, medium->btls);
    return pb_hash_end(pb_hash_string(state, medium->interfaces));
}

/* ---- a communicator begins ---- */

/** The kind and segment size that the user has chosen, if so. (Where advice is followed, nothing is
 * kept.) */
static void set_choice(pb_kept_key_t *key, const coll_pipebcast_settings_t *settings)
{
    key->kind = coll_pipebcast_kind_to_choose(settings);
    key->segment = settings->segment_size;
}

static bool by_leaders(const coll_pipebcast_module_t *module, int n_hosts)
{
    return coll_pipebcast_params.leaders == COLL_PIPEBCAST_LEADERS_AUTO &&
           pb_leaders_matter(n_hosts, ompi_comm_size(module->comm)) &&
           coll_pipebcast_may_reach_all(module);
}

static pb_kept_key_t key_of(const coll_pipebcast_module_t *module,
                            const coll_pipebcast_kept_terms_t *terms)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    pb_kept_key_t key = {.network = pb_network_hash(module->topology->network),
                         .n_hosts = terms->n_hosts,
                         .n_ranks = ompi_comm_size(module->comm),
                         .hosts =
                             pb_kept_hosts(module->placement, by_leaders(module, terms->n_hosts)),
                         .medium = pb_kept_medium(terms->medium, terms->bits_per_second),
                         .model = module->model->hash,
                         .fanout = params->fanout,
                         .is_bound = !coll_pipebcast_may_reach_all(module)};
    set_choice(&key, &module->settings);
    return key;
}

static void report_difference(const coll_pipebcast_module_t *module,
                              const coll_pipebcast_kept_t *kept)
{
    if (ompi_comm_rank(module->comm) == 0) {
        coll_pipebcast_log(1,
                           "communicator %s: what earlier jobs have learnt is left out, as %s is "
                           "not the same on all hosts, or their interfaces have other names; it "
                           "has to be in a directory that they share",
                           module->comm->c_name, kept->path[0] != '\0' ? kept->path : "its file");
    }
}

static void report_beginning(const coll_pipebcast_module_t *module,
                             const coll_pipebcast_kept_t *kept, const pb_learner_t *learner)
{
    int n_classes = 0;
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        n_classes += learner->classes[i].size_class != 0;
    }
    if (ompi_comm_rank(module->comm) == 0) {
        coll_pipebcast_log(10,
                           "communicator %s: begins with what earlier jobs have learnt of %d %s "
                           "(%s); links give %llu kbit/s, as far as that is learnt",
                           module->comm->c_name, n_classes, n_classes == 1 ? "size" : "sizes",
                           kept->path, (unsigned long long) (learner->speed / 1000));
    }
}

void coll_pipebcast_kept_begin(coll_pipebcast_module_t *module,
                               const coll_pipebcast_kept_terms_t *terms)
{
    if (!keeps() || !pb_planner_learns(module->planner)) {
        return;
    }
    const coll_pipebcast_kept_t *kept = get_kept();
    const pb_kept_key_t key = key_of(module, terms);
    const int at = terms->is_alike ? pb_kept_find(&kept->kept, &key) : -1;
    module->keeps = ompi_comm_rank(module->comm) == 0;
    module->kept_key = key;
    if (!terms->is_alike) {
        report_difference(module, kept);
    }
    if (at >= 0) {
        const pb_learner_t *learner = &kept->kept.entries[at]->learner;
        pb_planner_begin_with(module->planner, learner);
        coll_pipebcast_count(&coll_pipebcast_counters.kept, 1);
        report_beginning(module, kept, learner);
    }
}

/* ---- and ends ---- */

/** With the process's lock held. Without memory there is nothing to write. */
static void remember(pb_kept_t *learnt, const pb_kept_key_t *key, const pb_learner_t *learner)
{
    if (learnt->n > 0 && learnt->entries[0]->key.n_ranks > key->n_ranks) {
        return;
    }
    if (pb_kept_find(learnt, key) < 0) {
        pb_kept_clear(learnt);
    }
    (void) pb_kept_put(learnt, key, learner);
}

void coll_pipebcast_kept_leave(coll_pipebcast_module_t *module)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    if (!module->keeps || module->is_lost || module->agreed != OMPI_SUCCESS) {
        return;
    }
    const pb_learner_t *learner = pb_planner_learner(module->planner);
    if (pb_kept_is_worth(&process->kept.kept, &module->kept_key, learner)) {
        opal_mutex_lock(&process->lock);
        remember(&process->kept.learnt, &module->kept_key, learner);
        opal_mutex_unlock(&process->lock);
    }
}

static void write_learnt(const coll_pipebcast_kept_t *kept)
{
    const pb_kept_entry_t *entry = kept->learnt.entries[0];
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int rc = pb_kept_store_add(kept->path, &entry->key, &entry->learner, &diag);
    if (rc == PB_SUCCESS) {
        coll_pipebcast_log(10, "what was learnt on %d ranks is kept in %s", entry->key.n_ranks,
                           kept->path);
    } else {
        coll_pipebcast_log(1, "what was learnt is not kept: %s",
                           rc == PB_ERR_NO_MEMORY ? "out of memory" : pb_diag_first(&diag));
    }
    pb_diag_clear(&diag);
}

void coll_pipebcast_kept_close(coll_pipebcast_kept_t *kept)
{
    if (kept->learnt.n > 0 && kept->path[0] != '\0') {
        write_learnt(kept);
    }
    pb_kept_clear(&kept->learnt);
    pb_kept_clear(&kept->kept);
}
