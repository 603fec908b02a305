/*
 * A communicator's settings change; see communicator/changing.h.
 */
#include "communicator/changing.h"

#include <stdio.h>

#include "base/counters.h"
#include "base/error.h"
#include "base/log.h"
#include "communicator/kept.h"
#include "communicator/module.h"

/* What this rank wants. */

bool coll_pipebcast_prepare_settings(coll_pipebcast_module_t *module,
                                     const coll_pipebcast_settings_t *settings)
{
    const int n_ranks = ompi_comm_size(module->comm);
    if (coll_pipebcast_learns(settings) &&
        pb_planner_reserve_learning(module->planner) != PB_SUCCESS) {
        return false;
    }
    if (settings->arrival == COLL_PIPEBCAST_ARRIVAL_AUTO && module->orders.room == NULL &&
        !pb_arrival_orders_init(&module->orders, n_ranks)) {
        return false;
    }
    return settings->arrival != COLL_PIPEBCAST_ARRIVAL_NB ||
           pb_arrival_credit_reserve(&module->credit, n_ranks);
}

uint64_t coll_pipebcast_wanted(coll_pipebcast_module_t *module)
{
    const coll_pipebcast_settings_t settings = coll_pipebcast_settings_wanted(&module->settings);
    const uint64_t number = coll_pipebcast_settings_pack(&settings);
    const uint64_t in_force = module->arrivals.wanted.in_force;
    return number == in_force || coll_pipebcast_prepare_settings(module, &settings) ? number
                                                                                    : in_force;
}

/* All ranks change. */

/** Nonblocking broadcasts that were called before and wait for the agreement, which there is: they
 * are decided as soon as they are advanced, and depend on no other rank. */
static void wait_for_undecided(coll_pipebcast_module_t *module)
{
    while (module->n_undecided > 0) {
        coll_pipebcast_unlock(&module->lock);
        opal_progress();
        coll_pipebcast_lock(&module->lock);
    }
}

static bool plans_alike(const coll_pipebcast_settings_t *a, const coll_pipebcast_settings_t *b)
{
    return a->algorithm == b->algorithm && a->segment_size == b->segment_size &&
           coll_pipebcast_learns(a) == coll_pipebcast_learns(b);
}

/** What has been learnt belongs to the settings by which it was; it is kept for later jobs, too. */
static void change_planning(coll_pipebcast_module_t *module)
{
    const coll_pipebcast_settings_t *settings = &module->settings;
    coll_pipebcast_kept_leave(module);
    pb_planner_change(module->planner, coll_pipebcast_kind_to_choose(settings),
                      settings->segment_size, coll_pipebcast_learns(settings));
    coll_pipebcast_kept_change(module);
}

/** Nobody is known to be late. What waits at ranks that have not arrived is accounted for on. */
static void change_arrivals(coll_pipebcast_module_t *module)
{
    pb_arrival_mode_init(&module->arrival_mode);
    if (module->orders.room != NULL) {
        pb_arrival_orders_clear(&module->orders);
    }
    coll_pipebcast_arrivals_report_limits(module);
}

/** "algorithm chain, segment_size 8192, arrival off, learn on". */
static const char *describe(const coll_pipebcast_settings_t *settings, char *text, size_t size)
{
    const int algorithm = settings->algorithm;
    snprintf(text, size, "algorithm %s, segment_size %zu, arrival %s, learn %s",
             algorithm == COLL_PIPEBCAST_AUTO ? "auto" : pb_kind_name((pb_kind_t) algorithm),
             settings->segment_size, coll_pipebcast_arrival_name(settings->arrival),
             coll_pipebcast_learn_name(settings->learn));
    return text;
}

static void change(coll_pipebcast_module_t *module)
{
    const coll_pipebcast_settings_t old = module->settings;
    char text[128];
    wait_for_undecided(module);
    module->settings = coll_pipebcast_settings_unpack(module->arrivals.wanted.in_force);
    if (!plans_alike(&old, &module->settings)) {
        change_planning(module);
    }
    if (old.arrival != module->settings.arrival) {
        change_arrivals(module);
    }
    coll_pipebcast_multicast_change(module);
    coll_pipebcast_count(&coll_pipebcast_counters.changed, 1);
    if (ompi_comm_rank(module->comm) == 0) {
        coll_pipebcast_log(1, "communicator %s: from this broadcast on %s, as all ranks have set",
                           module->comm->c_name, describe(&module->settings, text, sizeof(text)));
    }
}

/** Two of the settings that ranks want, which differ. */
static void report_difference(const coll_pipebcast_module_t *module, const pb_fold_sums_t *sums)
{
    const coll_pipebcast_settings_t some = coll_pipebcast_settings_unpack(sums->least_wanted);
    const coll_pipebcast_settings_t others = coll_pipebcast_settings_unpack(sums->most_wanted);
    char one[128], another[128], now[128];
    coll_pipebcast_warn("communicator %s: parameters that were set while the program runs are not "
                        "the same on all ranks: some want %s, others %s. What is in force stays: "
                        "%s. Set them alike on all ranks.",
                        module->comm->c_name, describe(&some, one, sizeof(one)),
                        describe(&others, another, sizeof(another)),
                        describe(&module->settings, now, sizeof(now)));
}

void coll_pipebcast_take_wanted(coll_pipebcast_module_t *module, uint32_t number,
                                const pb_fold_t *fold)
{
    if (module->is_lost || fold->broken || fold->state != PB_FOLD_THROUGH) {
        return; /* this rank does not know what the others do, and broadcasts no more */
    }
    const pb_wanted_news_t news = pb_wanted_take(&module->arrivals.wanted, number, fold->wanted);
    if (news == PB_WANTED_CHANGES) {
        change(module);
    } else if (news == PB_WANTED_DIFFERS && fold->parent < 0) {
        report_difference(module, &fold->sums);
    }
}
