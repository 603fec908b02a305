/*
 * Multicast on a communicator; see communicator/multicast.h.
 */
#include "communicator/multicast.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "base/log.h"
#include "base/parameters.h"
#include "communicator/gate.h"
#include "communicator/module.h"
#include "communicator/placement.h"
#include "engine/multicast/probe.h"
#include "topo/util/kit.h"

/** Hosts of the smallest communicator with multicast. On fewer, no tree loads a link twice either.
 */
#define FEWEST_HOSTS 3

/** A window is this part of the smallest buffer: see engine/multicast/marks.h. */
#define BUFFER_PART 2

/** Bytes before a frame in its packet, and bytes of a frame that carries little. */
#define IP_UDP_BYTES 28
#define LEAST_FRAME 256

/* Sweeps. */

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

void coll_pipebcast_multicast_begin_sweep(coll_pipebcast_module_t *module)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    pb_health_t *health = &multicast->health;
    multicast->n_swept = 0;
    if (health->state == PB_HEALTH_WORKING) {
        const uint64_t end = multicast->group.marks.end;
        multicast->n_swept = end - multicast->swept_to;
        multicast->swept_to = end;
    } else if (pb_health_is_due(health)) {
        health->state = PB_HEALTH_PROBING;
        multicast->n_swept = PB_PROBE_FRAMES;
        multicast->was_sent = multicast->was_heard = false;
        multicast->patience = 0;
        coll_pipebcast_multicast_join(multicast);
    }
}

void coll_pipebcast_multicast_report(coll_pipebcast_module_t *module, pb_sweep_times_t *times)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    const pb_datagrams_t *datagrams = multicast->datagrams;
    if (multicast->health.state == PB_HEALTH_WORKING && multicast->n_swept > 0) {
        times->missed = pb_multicast_take_lost(&multicast->group, &multicast->at_sweep);
    }
    times->room = datagrams == NULL    ? 0
                  : multicast->is_deaf ? UINT32_MAX
                                       : datagrams->capacity / BUFFER_PART;
}

void coll_pipebcast_multicast_judge(coll_pipebcast_module_t *module, const pb_sweep_t *sweep)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    const bool has_worked = multicast->health.state == PB_HEALTH_WORKING;
    const bool is_joined = has_worked || sweep->room > 0;
    if (!pb_health_judge(&multicast->health, multicast->n_swept,
                         is_joined ? sweep->missed : multicast->n_swept)) {
        return;
    }
    if (multicast->health.state != PB_HEALTH_WORKING) {
        drop_group(module, !is_joined   ? "a rank could not join"
                           : has_worked ? "a rank does not hear half of the frames any more"
                                        : "a rank heard less than half of a probe's frames");
        return;
    }
    coll_pipebcast_multicast_use(multicast, sweep);
    report_success(module);
    multicast->swept_to = multicast->group.marks.end;
    (void) pb_multicast_take_lost(&multicast->group, &multicast->at_sweep);
    pb_planner_allow_multicast(module->planner, multicast->group.config.payload);
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

/** Returns the bytes of a frame with its header; `mtu` may be unknown. */
static uint32_t frame_bytes(uint64_t mtu)
{
    const uint64_t known = mtu == PB_FACTS_UNKNOWN ? COLL_PIPEBCAST_DEFAULT_MTU : mtu;
    const uint64_t most = pb_minu64(known, PB_PROBE_MAX_PAYLOAD);
    return most > IP_UDP_BYTES ? (uint32_t) most - IP_UDP_BYTES : 0;
}

void coll_pipebcast_multicast_begin_serving(coll_pipebcast_module_t *module,
                                            const coll_pipebcast_common_t *common)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    multicast->bits_per_second = common->bits_per_second != PB_FACTS_UNKNOWN
                                     ? common->bits_per_second
                                     : COLL_PIPEBCAST_DEFAULT_SPEED;
    multicast->frame_bytes = frame_bytes(common->mtu);
    if (module->placed->n_hosts >= FEWEST_HOSTS && multicast->frame_bytes > LEAST_FRAME &&
        is_wanted(module, multicast->bits_per_second)) {
        pb_health_begin(&multicast->health);
    }
}

void coll_pipebcast_multicast_construct(coll_pipebcast_multicast_t *multicast,
                                        coll_pipebcast_module_t *module)
{
    *multicast = (coll_pipebcast_multicast_t){.module = module};
}

void coll_pipebcast_multicast_destruct(coll_pipebcast_multicast_t *multicast)
{
    coll_pipebcast_multicast_count(multicast);
    coll_pipebcast_multicast_close(multicast);
}
