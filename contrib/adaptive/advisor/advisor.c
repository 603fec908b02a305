#include "advisor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/search/anneal.h"
#include "contrib/adaptive/search/tree_cost.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/common/sleep.h"
#include "contrib/tools/common/topology.h"
#include "jobs.h"
#include "knowledge.h"
#include "measured.h"
#include "ompi_coll_pipebcast/base/clock.h"
#include "shelf.h"
#include "status.h"

#define SECOND INT64_C(1000000000)

/** Interval between two looks for a new broadcast, while a program runs. */
#define LOOK_NS (SECOND / 50)

/** While a program runs, a tree has this time at least; and this, if no gap can be predicted. */
#define LEAST_BUDGET (SECOND / 100)
#define UNKNOWN_BUDGET (SECOND / 5)

/** Sizes of the idle mode: 2^10 to 2^21 bytes. */
enum { FIRST_POWER = 10, LAST_POWER = 21 };

/** A program counts as running until it has not broadcast for so long, in seconds, or for so long
 * after a broadcast was expected. */
enum { RUNNING_S = 120 };

/** Most sets of hosts whose trees are remembered; older ones are read from the directory again. */
enum { MOST_SHELVES = 32 };

struct advisor {
    const struct advisor_options *options;
    const volatile sig_atomic_t *stop;
    struct advise_knowledge knowledge;
    struct advisor_status status;
    struct advise_jobs jobs;
    pb_advice_t *shelves[MOST_SHELVES];
    int next_shelf;
    pb_host_set_t *idle_hosts; /**< NULL: not known */
    bool is_too_large;         /**< there are too many hosts for the idle mode; it was reported */
    bool has_news;             /**< of links or hosts that the idle mode has not seen */
    int n_due;                 /**< programs for which better trees are searched now */
    bool is_lost;              /**< the directory cannot be read; it was reported */
    int next_power;            /**< of the idle mode */
    int64_t cycle_begun;       /**< ns since the epoch: when the idle mode began its cycle */
    int64_t removed;           /**< ns since the epoch: when old files were removed last */
    int n_written;             /**< trees */
    char root[ADVISE_MAX_TEXT];
};

/* ---- time ---- */

/** The annealer's clock: a signal ends the search. */
static int64_t annealing_now(void *context)
{
    const struct advisor *advisor = context;
    return *advisor->stop ? PB_ANNEAL_OVER : coll_pipebcast_now();
}

/* ---- one tree ---- */

/** A tree that is wanted. */
struct task {
    const pb_host_set_t *hosts;
    int root;
    uint64_t bytes;
    int64_t budget; /**< ns; 0: the paper's numbers of runs */
    int64_t gap;    /**< ns, predicted; -1: none */
    const struct advise_rates *rates;
};

/** Puts into a network what programs have measured; static trees, and those who said so, take no
 * notice. */
static int apply_rates(struct advisor *advisor, const struct task *task,
                       struct advise_network *network)
{
    struct advisor_status *status = &advisor->status;
    struct advise_findings findings;
    const int64_t since = pb_advice_now() - (int64_t) advisor->options->max_age * SECOND;
    status->n_loaded = 0;
    if (task->rates == NULL || advisor->options->ignore_rates ||
        advisor->options->method == ADVISE_MULTILEVEL) {
        return PB_SUCCESS;
    }
    int error = advise_apply_rates(network->matrix, network->share, task->rates, since, &findings);
    if (error != PB_SUCCESS) {
        return error;
    }
    status->n_rates = findings.n_used;
    status->n_loaded = findings.n_loaded;
    if (findings.n_loaded > 0) {
        snprintf(status->loaded, sizeof status->loaded, "%.28s -> %.28s",
                 network->matrix->cluster[findings.loaded_from],
                 network->matrix->cluster[findings.loaded_to]);
    }
    return advise_network_share(network);
}

/** Sizes for which a tree is written: from 3/4 to 3/2 of the size it was found for. */
static void set_range(pb_advice_tree_t *tree, uint64_t bytes)
{
    tree->least = bytes / 4 * 3 + bytes % 4 * 3 / 4;
    tree->least = tree->least > 0 ? tree->least : 1;
    tree->most = bytes + bytes / 2;
    tree->most = tree->most > tree->least ? tree->most - 1 : tree->least;
}

static int publish(const struct advisor *advisor, pb_advice_t **shelf_p, const struct task *task,
                   const struct advise_found *found)
{
    pb_advice_tree_t tree = {.root = task->root,
                             .segment = found->segment,
                             .found = pb_advice_now(),
                             .n_streams = found->n_streams};
    pb_diag_t diag;
    memcpy(tree.streams, found->streams, sizeof tree.streams);
    set_range(&tree, task->bytes);
    int error = advise_shelf_put(shelf_p, &tree);
    if (error != PB_SUCCESS) {
        return error;
    }
    pb_diag_init(&diag);
    error = pb_advice_publish(advisor->options->dir, *shelf_p, &diag);
    common_report_errors(&diag);
    pb_diag_clear(&diag);
    return error;
}

static void note_found(struct advisor *advisor, const struct task *task,
                       const struct advise_found *found, bool measured)
{
    struct advisor_status *status = &advisor->status;
    snprintf(advisor->root, sizeof advisor->root, "%s", task->hosts->name[task->root]);
    status->root = advisor->root;
    status->n_hosts = task->hosts->n;
    status->bytes = task->bytes;
    status->gap = task->gap;
    status->cost = found->cost;
    status->multilevel = found->multilevel;
    status->segment = found->segment;
    status->n_streams = found->n_streams;
    status->kept = found->kept;
    status->measured = measured;
    status->n_trees++;
    advisor->n_written++;
    (void) advisor_status_write(advisor->options, status);
    if (!advisor->options->quiet) {
        printf("%s: %" PRIu64
               " bytes from %s to %d hosts: predicted %.3f ms, multilevel %.3f ms%s; "
               "%d ways loaded%s%s\n",
               status->mode, status->bytes, status->root, status->n_hosts,
               (double) status->cost * 1e-6, (double) status->multilevel * 1e-6,
               status->kept ? ", kept" : "", status->n_loaded, status->n_loaded > 0 ? ", as " : "",
               status->n_loaded > 0 ? status->loaded : "");
        fflush(stdout);
    }
}

/** The trees of a set of hosts, which stay the advisor's. */
static int take_shelf(struct advisor *advisor, const pb_host_set_t *hosts, pb_advice_t ***shelf_p)
{
    for (int i = 0; i < MOST_SHELVES; i++) {
        const pb_advice_t *shelf = advisor->shelves[i];
        if (shelf != NULL && pb_host_set_equal(shelf->hosts, hosts)) {
            *shelf_p = &advisor->shelves[i];
            return PB_SUCCESS;
        }
    }
    *shelf_p = &advisor->shelves[advisor->next_shelf];
    advisor->next_shelf = (advisor->next_shelf + 1) % MOST_SHELVES;
    pb_advice_free(**shelf_p);
    return advise_shelf_open(advisor->options->dir, hosts, advisor->options->max_age, *shelf_p);
}

static int find_and_publish(struct advisor *advisor, const struct task *task,
                            const struct advise_network *network)
{
    const struct advisor_options *options = advisor->options;
    pb_advice_t **shelf;
    struct advise_found found = {.n_streams = 0};
    int error = take_shelf(advisor, task->hosts, &shelf);
    if (error == PB_SUCCESS) {
        const struct advise_wish wish = {
            .method = options->method,
            .root = task->root,
            .bytes = task->bytes,
            .segment = options->segment,
            .seed = options->seed,
            .budget = task->budget,
            .transformations = options->transformations,
            .in_use = advise_shelf_find(*shelf, task->root, task->bytes, pb_advice_now()),
            .now = annealing_now,
            .context = advisor};
        error = advise_find(network, &wish, &found);
    }
    if (error == PB_SUCCESS) {
        error = publish(advisor, shelf, task, &found);
    }
    if (error == PB_SUCCESS) {
        note_found(advisor, task, &found, network->measured);
    }
    advise_found_clear(&found);
    return error;
}

/** Finds a tree for a task and writes it. Errors are reported. */
static int advise(struct advisor *advisor, const struct task *task)
{
    struct advise_network network;
    int error = advise_network_make(&advisor->knowledge, task->hosts, &network);
    if (error == PB_SUCCESS) {
        error = apply_rates(advisor, task, &network);
    }
    if (error == PB_SUCCESS) {
        error = find_and_publish(advisor, task, &network);
    }
    if (error != PB_SUCCESS) {
        common_report("no advice for %" PRIu64 " bytes from %s: %s", task->bytes,
                      task->hosts->name[task->root], pb_error_text(error));
    }
    advise_network_clear(&network);
    return error;
}

/* ---- running mode ---- */

/** Until the next broadcast is expected. The clock of the job's host may be ahead. */
static int64_t time_until(const struct advise_job *job)
{
    const int64_t since = pb_advice_now() - job->last_end;
    return job->next.has_gap ? job->next.gap - (since > 0 ? since : 0) : UNKNOWN_BUDGET;
}

/** Spends 50 % of the time on the predicted size, 25 % each on half and twice this size. A tree
 * that takes no time is written first, as a prediction may be wrong. A budget of 0: only such
 * trees. */
static void advise_sizes(struct advisor *advisor, const struct advise_job *job,
                         const struct advise_rates *rates, int64_t budget)
{
    const struct advise_next *next = &job->next;
    const int64_t begin = coll_pipebcast_now();
    const struct {
        uint64_t bytes;
        int percent; /**< of the time, when it is over */
    } parts[] = {
        {next->bytes, 0}, {next->bytes, 50}, {next->bytes / 2, 75}, {next->bytes * 2, 100}};
    for (size_t i = budget > 0 ? 0 : 1; i < sizeof parts / sizeof parts[0] && !*advisor->stop;
         i++) {
        const int64_t left = begin + budget / 100 * parts[i].percent - coll_pipebcast_now();
        const struct task task = {.hosts = job->history->hosts,
                                  .root = job->root,
                                  .bytes = parts[i].bytes,
                                  .budget = left > LEAST_BUDGET ? left : LEAST_BUDGET,
                                  .gap = next->has_gap ? next->gap : -1,
                                  .rates = rates};
        if (task.bytes >= 1 && task.bytes <= PB_TREE_COST_MAX_BYTES &&
            advise(advisor, &task) != PB_SUCCESS) {
            return;
        }
    }
}

/** The time for the search. Each program for which there is one has a part of it. */
static int64_t budget_of(const struct advisor *advisor, int64_t left)
{
    const double limit = advisor->options->budget_s;
    left = limit > 0 && (double) left > limit * SECOND ? (int64_t) (limit * SECOND) : left;
    return left / (advisor->n_due > 0 ? advisor->n_due : 1);
}

/** Tells whether what a search finds now is fresh at the next broadcast, for half of its age. */
static bool is_due(const struct advisor *advisor, const struct advise_job *job)
{
    const int64_t half_age = (int64_t) advisor->options->max_age * SECOND / 2;
    return advisor->options->once || time_until(job) <= half_age;
}

static bool wants_search(const struct advisor *advisor, const struct advise_job *job)
{
    return is_due(advisor, job) && (job->handled != job->last_begun || !job->is_searched);
}

/** Finds trees that take no time once a broadcast is over, and searches when that is due. */
static void advise_job(struct advisor *advisor, struct advise_job *job)
{
    struct advise_rates rates = {.root = job->root};
    pb_history_record_t *records = NULL;
    const bool searches = wants_search(advisor, job);
    if (!searches && job->handled == job->last_begun) {
        return;
    }
    advisor->status.mode = "running";
    if (advise_rates_read(advisor->options->dir, job, &records, &rates.n,
                          &advisor->status.n_unreadable) == PB_SUCCESS) {
        rates.records = records;
        advise_sizes(advisor, job, &rates, searches ? budget_of(advisor, time_until(job)) : 0);
    }
    free(records);
    job->handled = job->last_begun;
    job->is_searched = searches;
}

/** Serves every program that has broadcast since it was served last. Yields how many run; -1: the
 * directory cannot be read. */
static int look_at_jobs(struct advisor *advisor)
{
    struct advise_jobs *jobs = &advisor->jobs;
    const int64_t since = pb_advice_now() - RUNNING_S * SECOND;
    if (advisor->options->idle) {
        return 0;
    }
    const int error = advise_jobs_read(advisor->options->dir, since, !advisor->is_lost, jobs);
    const int n = error == PB_SUCCESS ? jobs->n : 0;
    advisor->is_lost = error == PB_ERR_IO;
    advisor->status.n_jobs = n;
    advisor->status.n_unreadable = jobs->n_unreadable;
    advisor->n_due = 0;
    for (int i = 0; i < n; i++) {
        advisor->n_due += wants_search(advisor, &jobs->all[i]);
    }
    for (int i = 0; i < n && !*advisor->stop; i++) {
        advise_job(advisor, &jobs->all[i]);
    }
    return advisor->is_lost ? -1 : n;
}

/* ---- idle mode ---- */

static char **copy_network(const pb_network_t *network, int *n_p)
{
    const int size = network != NULL ? pb_network_size(network) : 0;
    char **names = common_alloc((size_t) size + 1, sizeof *names);
    for (int i = 0; i < size; i++) {
        if (pb_network_node(network, i)->kind == PB_NODE_HOST) {
            names[(*n_p)++] = common_copy(pb_network_node(network, i)->name);
        }
    }
    return names;
}

/** A copy of a host's name as the topology has it, which programs use. */
static char *called(const pb_network_t *network, const char *name)
{
    const int node = network != NULL ? pb_network_find_host(network, name) : -1;
    return common_copy(node >= 0 ? pb_network_node(network, node)->name : name);
}

static char **copy_links(const pb_link_matrix_t *m, const pb_network_t *network, int *n_p)
{
    char **names = common_alloc((size_t) m->n_nodes, sizeof *names);
    for (int i = 0; i < m->n_nodes; i++) {
        names[i] = called(network, m->node[i]);
    }
    *n_p = m->n_nodes;
    return names;
}

/** NULL after a message. */
static char **list_hosts(const struct advisor *advisor, int *n_p)
{
    char why[256];
    const pb_network_t *network = advisor->knowledge.network;
    const pb_link_matrix_t *links = advisor->knowledge.links.matrix;
    *n_p = 0;
    if (advisor->options->hosts[0] == '\0') {
        return links != NULL ? copy_links(links, network, n_p) : copy_network(network, n_p);
    }
    char **names = common_hostlist(advisor->options->hosts, n_p, why, sizeof why);
    if (names == NULL) {
        common_report("--hosts: %s", why);
    }
    for (int i = 0; names != NULL && i < *n_p; i++) {
        char *given = names[i];
        names[i] = called(network, given);
        free(given);
    }
    return names;
}

/** The hosts to go through sizes for. PB_ERR_INPUT or, where they are not named by an option,
 * PB_ERR_UNKNOWN after a message; that without one if none are known. */
static int find_idle_hosts(struct advisor *advisor)
{
    int n, error = PB_ERR_UNKNOWN;
    char **names = list_hosts(advisor, &n);
    pb_host_set_free(advisor->idle_hosts);
    advisor->idle_hosts = NULL;
    if (names == NULL) {
        return PB_ERR_INPUT;
    }
    if (n > 0) {
        error = pb_host_set_new((const char *const *) names, n, &advisor->idle_hosts);
        advisor->is_too_large = error == PB_ERR_INPUT;
    }
    if (error == PB_ERR_INPUT) {
        common_report("more than %d hosts, or odd names of hosts; name those to find trees for "
                      "while no program runs by --hosts",
                      PB_HOST_SET_MAX);
        error = advisor->options->hosts[0] != '\0' ? error : PB_ERR_UNKNOWN;
    }
    if (error == PB_SUCCESS && advisor->options->root[0] == '\0') {
        snprintf(advisor->root, sizeof advisor->root, "%s", names[0]);
    }
    common_hosts_free(names, n);
    return error;
}

static int idle_root(const struct advisor *advisor, const char *first)
{
    const char *root = advisor->options->root[0] != '\0' ? advisor->options->root : first;
    char *name = called(advisor->knowledge.network, root);
    const int node = pb_host_set_find(advisor->idle_hosts, name);
    free(name);
    if (node < 0) {
        common_report("--root: '%s' is not among the hosts", root);
    }
    return node;
}

/** The next size. Errors as above. */
static int advise_idle(struct advisor *advisor)
{
    const int error = find_idle_hosts(advisor);
    if (error != PB_SUCCESS) {
        return error;
    }
    const int root = idle_root(advisor, advisor->root);
    if (root < 0) {
        return PB_ERR_INPUT;
    }
    advisor->status.mode = "idle";
    const struct task task = {.hosts = advisor->idle_hosts,
                              .root = root,
                              .bytes = UINT64_C(1) << advisor->next_power,
                              .budget = (int64_t) (advisor->options->budget_s * SECOND),
                              .gap = -1};
    advisor->next_power++;
    return advise(advisor, &task);
}

/** A whole cycle. */
static int advise_all_sizes(struct advisor *advisor)
{
    int error = PB_SUCCESS;
    advisor->next_power = FIRST_POWER;
    while (error == PB_SUCCESS && advisor->next_power <= LAST_POWER && !*advisor->stop) {
        error = advise_idle(advisor);
    }
    return error;
}

/** Goes through the sizes, and rests after each cycle until half of its advice's age is over, or
 * links were measured anew. */
static int idle_step(struct advisor *advisor)
{
    const bool news = advisor->has_news;
    const int64_t now = pb_advice_now();
    const int64_t rest = (int64_t) advisor->options->max_age * SECOND / 2;
    if (news || (advisor->next_power > LAST_POWER && now - advisor->cycle_begun > rest)) {
        advisor->next_power = FIRST_POWER;
    }
    advisor->has_news = false;
    if (advisor->is_too_large && !news) {
        return PB_ERR_UNKNOWN;
    }
    if (advisor->next_power > LAST_POWER) {
        advisor->status.mode = "idle, resting";
        return PB_SUCCESS;
    }
    if (advisor->next_power == FIRST_POWER) {
        advisor->cycle_begun = now;
    }
    return advise_idle(advisor);
}

/* ---- the service ---- */

/** Removes files that are too old for any advice, once in the age of advice. */
static void remove_old(struct advisor *advisor)
{
    const int64_t now = pb_advice_now();
    pb_diag_t diag;
    if (now - advisor->removed >= (int64_t) advisor->options->max_age * SECOND) {
        advisor->removed = now;
        pb_diag_init(&diag);
        (void) pb_history_remove_old(advisor->options->dir, PB_ADVICE_MAX_AGE, &diag);
        pb_diag_clear(&diag); /* who reads the directory next reports that it cannot be read */
    }
}

static int serve_once(struct advisor *advisor)
{
    remove_old(advisor);
    (void) advise_knowledge_refresh(&advisor->knowledge);
    if (look_at_jobs(advisor) == 0) {
        const int error = advise_all_sizes(advisor);
        if (error == PB_ERR_UNKNOWN && !advisor->is_too_large) {
            common_report(
                "there is no program's history in %s, and no hosts are known; give --links, "
                "--topology or --hosts",
                advisor->options->dir);
        }
    }
    return advisor->n_written > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int serve(struct advisor *advisor)
{
    int error = PB_SUCCESS;
    while (!*advisor->stop && error != PB_ERR_INPUT && error != PB_ERR_NO_MEMORY) {
        remove_old(advisor);
        advisor->has_news |= advise_knowledge_refresh(&advisor->knowledge);
        const int before = advisor->n_written;
        const char *const mode = advisor->status.mode;
        const int n_jobs = look_at_jobs(advisor);
        error = n_jobs == 0 && !*advisor->stop ? idle_step(advisor) : PB_SUCCESS;
        if (error == PB_ERR_UNKNOWN) {
            advisor->status.mode = advisor->is_too_large
                                       ? "waiting for a program, as there are too many hosts"
                                       : "waiting for a program, as no hosts are known";
        }
        if (advisor->n_written == before && advisor->status.mode != mode) {
            (void) advisor_status_write(advisor->options, &advisor->status);
        }
        if (advisor->n_written == before && !*advisor->stop) {
            common_sleep(n_jobs > 0 ? LOOK_NS : SECOND / 2);
        }
    }
    return error == PB_ERR_INPUT || error == PB_ERR_NO_MEMORY ? EXIT_FAILURE : EXIT_SUCCESS;
}

int advisor_serve(const struct advisor_options *options, const volatile sig_atomic_t *stop)
{
    int lock, code = EXIT_FAILURE;
    struct advisor *advisor = calloc(1, sizeof *advisor);
    if (advisor == NULL) {
        common_report("out of memory");
        return EXIT_FAILURE;
    }
    *advisor = (struct advisor){.options = options,
                                .stop = stop,
                                .next_power = FIRST_POWER,
                                .status = {.started = pb_advice_now(), .mode = "starting"}};
    if (advisor_status_lock(options->dir, &lock)) {
        if (advise_knowledge_open(
                &advisor->knowledge, options->topology[0] != '\0' ? options->topology : NULL,
                options->topology_name, options->links[0] != '\0' ? options->links : NULL,
                options->links_age) &&
            advisor_status_write(options, &advisor->status)) {
            code = options->once ? serve_once(advisor) : serve(advisor);
        }
        advise_knowledge_close(&advisor->knowledge);
        advisor_status_close(options->dir, lock);
    }
    for (int i = 0; i < MOST_SHELVES; i++) {
        pb_advice_free(advisor->shelves[i]);
    }
    advise_jobs_clear(&advisor->jobs);
    pb_host_set_free(advisor->idle_hosts);
    free(advisor);
    return code;
}
