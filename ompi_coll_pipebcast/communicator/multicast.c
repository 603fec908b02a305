/*
 * Multicast on a communicator; see communicator/multicast.h.
 */
#include "communicator/multicast.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "base/log.h"
#include "base/parameters.h"
#include "base/tags.h"
#include "communicator/gate.h"
#include "communicator/lost.h"
#include "communicator/module.h"
#include "communicator/placement.h"

/** Hosts of the smallest communicator with multicast. On fewer, no tree loads a link twice either.
 */
#define FEWEST_HOSTS 3

/* At blocking broadcasts. */

/** Broadcasts go by trees from now on; rank 0 reports why. */
static void drop_group(coll_pipebcast_module_t *module, const char *why)
{
    const pb_health_t *health = &module->multicast.health;
    char again[64] = "";
    coll_pipebcast_count(&coll_pipebcast_counters.multicast_failures, 1);
    if (health->state != PB_HEALTH_GIVEN_UP) {
        snprintf(again, sizeof(again), "; it is tried again after %llu broadcasts",
                 (unsigned long long) (health->due - health->n_broadcasts));
    }
    if (ompi_comm_rank(module->comm) == 0) {
        coll_pipebcast_log(1, "communicator %s: broadcasts go by trees, not by multicast: %s%s",
                           module->comm->c_name, why, again);
    }
    coll_pipebcast_multicast_close(&module->multicast);
    pb_planner_allow_multicast(module->planner, 0);
}

static void report_success(const coll_pipebcast_module_t *module)
{
    const coll_pipebcast_multicast_t *multicast = &module->multicast;
    const struct in_addr address = {.s_addr = htonl(multicast->address)};
    char text[INET_ADDRSTRLEN] = "";
    coll_pipebcast_count(&coll_pipebcast_counters.multicast_groups, 1);
    if (ompi_comm_rank(module->comm) == 0) {
        (void) inet_ntop(AF_INET, &address, text, sizeof(text));
        coll_pipebcast_log(1,
                           "communicator %s: multicast works (group %s port %u): frames of %u "
                           "bytes, a window of %u frames",
                           module->comm->c_name, text, multicast->port,
                           multicast->group.config.payload, multicast->group.config.window);
    }
}

/** Waits for the outcome of a probe, which is due; the lock is given up meanwhile. */
static void take_outcome(coll_pipebcast_module_t *module)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    while (multicast->is_task && !coll_pipebcast_is_lost(module)) {
        coll_pipebcast_unlock(&module->lock);
        opal_progress();
        coll_pipebcast_lock(&module->lock);
    }
    const bool works = multicast->is_concluded && multicast->why_not == NULL && !module->is_lost;
    pb_health_probed(&multicast->health, works);
    if (module->is_lost) { /* others may have come to another outcome: no probe begins any more */
        multicast->health.state = PB_HEALTH_GIVEN_UP;
    }
    if (works) {
        report_success(module);
        multicast->n_swept = 0;
        multicast->swept_to = multicast->group.marks.end;
        (void) pb_multicast_take_lost(&multicast->group, &multicast->at_sweep);
        pb_planner_allow_multicast(module->planner, multicast->group.config.payload);
        return;
    }
    drop_group(module, multicast->why_not != NULL ? multicast->why_not : "a rank is lost");
}

void coll_pipebcast_multicast_begin_sweep(coll_pipebcast_module_t *module)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    multicast->n_swept = 0;
    if (multicast->health.state == PB_HEALTH_WORKING) {
        const uint64_t end = multicast->group.marks.end;
        multicast->n_swept = end - multicast->swept_to;
        multicast->swept_to = end;
    }
}

uint32_t coll_pipebcast_multicast_take_lost(coll_pipebcast_module_t *module)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    return multicast->n_swept == 0
               ? 0
               : pb_multicast_take_lost(&multicast->group, &multicast->at_sweep);
}

void coll_pipebcast_multicast_judge(coll_pipebcast_module_t *module, uint32_t missed)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    if (pb_health_judge(&multicast->health, multicast->n_swept, missed)) {
        drop_group(module, "a rank does not hear half of the frames any more");
    }
}

void coll_pipebcast_multicast_settle(coll_pipebcast_module_t *module)
{
    pb_health_t *health = &module->multicast.health;
    pb_health_count(health);
    if (pb_health_is_due(health)) {
        take_outcome(module);
    }
    if (pb_health_begins_probe(health)) {
        coll_pipebcast_multicast_begin_probe(
            module, coll_pipebcast_reserve_tags(module->comm, COLL_PIPEBCAST_PROBE_TAGS));
    }
}

/* Life. */

/**
 * Returns whether communicators like this one may broadcast at the same time, as the rows or
 * columns of a grid of ranks do. Frames of several roots overflow a switch's queue: they are lost,
 * and repaired. A switch without snooping brings all frames to all hosts, so even communicators
 * that share no link collide. By default such communicators use trees, which share links as TCP
 * does.
 */
static bool may_collide(const coll_pipebcast_module_t *module)
{
    return module->settings.algorithm != PB_KIND_MULTICAST &&
           coll_pipebcast_is_small_part_of_job(module->comm);
}

/** Returns whether the parameters allow multicast; alike on all ranks. */
static bool is_wanted(const coll_pipebcast_module_t *module, uint64_t bits_per_second)
{
    const coll_pipebcast_settings_t *settings = &module->settings;
    const int parameter = coll_pipebcast_params.multicast;
    const int allowed = parameter != COLL_PIPEBCAST_MULTICAST_BY_TOPOLOGY
                            ? parameter
                            : module->placed->topology->multicast;
    if (coll_pipebcast_follows_advice() || settings->arrival >= COLL_PIPEBCAST_ARRIVAL_B ||
        (settings->algorithm != COLL_PIPEBCAST_AUTO && settings->algorithm != PB_KIND_MULTICAST)) {
        return false;
    }
    return allowed == COLL_PIPEBCAST_MULTICAST_ON ||
           (allowed == COLL_PIPEBCAST_MULTICAST_AUTO &&
            bits_per_second <= PB_CHOOSE_MULTICAST_SPEED &&
            !coll_pipebcast_is_set(coll_pipebcast_params.hosts) && !may_collide(module));
}

void coll_pipebcast_multicast_begin_serving(coll_pipebcast_module_t *module,
                                            uint64_t bits_per_second)
{
    module->multicast.bits_per_second = bits_per_second;
    module->multicast.may_be_used = module->placed->n_hosts >= FEWEST_HOSTS &&
                                    module->comm->c_coll->coll_iallreduce != NULL &&
                                    is_wanted(module, bits_per_second);
}

void coll_pipebcast_multicast_construct(coll_pipebcast_multicast_t *multicast,
                                        coll_pipebcast_module_t *module)
{
    *multicast = (coll_pipebcast_multicast_t){.module = module};
    OBJ_CONSTRUCT(&multicast->task.super, opal_list_item_t);
    pb_health_init(&multicast->health);
}

void coll_pipebcast_multicast_destruct(coll_pipebcast_multicast_t *multicast)
{
    coll_pipebcast_multicast_count(multicast);
    coll_pipebcast_multicast_close(multicast);
    OBJ_DESTRUCT(&multicast->task.super);
}
