#include "communicator/gate.h"

#include <stdio.h>

#include "base/log.h"
#include "base/parameters.h"
#include "base/settings.h"
#include "communicator/placement.h"
#include "communicator/process.h"

bool coll_pipebcast_gate_is_opened(void)
{
    const coll_pipebcast_settings_t *first = &coll_pipebcast_first_settings;
    return coll_pipebcast_params.transport == COLL_PIPEBCAST_TRANSPORT_ANY ||
           first->algorithm != COLL_PIPEBCAST_AUTO || first->arrival >= COLL_PIPEBCAST_ARRIVAL_B ||
           coll_pipebcast_follows_advice();
}

const char *coll_pipebcast_gate_reason(void)
{
    return coll_pipebcast_process.medium.is_ethernet ? "TCP over Ethernet"
           : coll_pipebcast_gate_is_opened()         ? "served as the parameters have it"
                                                     : "served by the model of it";
}

/* Models that were measured. */

/** Writes into `why` what makes the measured model unfit for this communicator; false: nothing. */
static bool is_unfit(const coll_pipebcast_module_t *module, uint64_t slowest, char *why,
                     size_t why_size)
{
    const coll_pipebcast_model_t *measured = module->model;
    const pb_model_t *model = &measured->model;
    const pb_medium_t *medium = &coll_pipebcast_process.medium;
    const uint64_t mbits = 1000000;
    char text[PB_MEDIUM_TEXT_SIZE], here[PB_MEDIUM_TEXT_SIZE];
    if (measured->why != NULL) {
        snprintf(why, why_size, "the model file is invalid: %s", measured->why);
    } else if (model->topology != 0 && module->placed != NULL &&
               model->topology != pb_network_hash_described(module->placed->topology->network)) {
        snprintf(why, why_size,
                 "the model file %s was measured on another topology than this one (%s)",
                 measured->source, module->placed->topology->source);
    } else if (model->has_medium && !pb_medium_is_alike(&model->medium, medium)) {
        snprintf(why, why_size,
                 "the model file %s was measured over %s, but messages between hosts go over %s",
                 measured->source, pb_medium_describe(&model->medium, text),
                 pb_medium_describe(medium, here));
    } else if (model->has_medium && !pb_medium_is_as_fast(model->medium.bits_per_second, slowest)) {
        snprintf(why, why_size,
                 "the model file %s was measured on links of %llu Mbit/s, but the slowest link "
                 "between these hosts has %llu Mbit/s",
                 measured->source, (unsigned long long) (model->medium.bits_per_second / mbits),
                 (unsigned long long) (slowest / mbits));
    }
    return why[0] != '\0';
}

/** Takes the measured model, if there is one; whether all ranks have it, and it fits them. If not,
 * `why` explains what is wrong with this rank's model. */
static bool take_measured(coll_pipebcast_module_t *module, const coll_pipebcast_common_t *common,
                          char *why, size_t why_size)
{
    const uint64_t slowest = common->bits_per_second;
    why[0] = '\0';
    module->model = coll_pipebcast_process.model;
    if (module->model == NULL) {
        return false;
    }
    OBJ_RETAIN(module->model);
    return !is_unfit(module, slowest != PB_FACTS_UNKNOWN ? slowest : 0, why, why_size) &&
           common->other_model < 0;
}

/** Reports why there is no measured model, if one was meant to be there. */
static void report_model(const coll_pipebcast_module_t *module,
                         const coll_pipebcast_common_t *common, const char *why,
                         const char *until_then)
{
    const bool is_rank_0 = ompi_comm_rank(module->comm) == 0;
    if (why[0] != '\0' && (is_rank_0 || common->other_model >= 0)) {
        coll_pipebcast_help(PB_HELP_MODEL_IGNORED, why, until_then);
    }
    if (common->other_model >= 0 && is_rank_0) {
        coll_pipebcast_report_different(module->comm, "the model file (coll_pipebcast_model_file)",
                                        common->other_model, until_then);
    }
}

/** Sets the assumed model, alike on all ranks; NULL if out of memory. */
static void assume_model(coll_pipebcast_module_t *module, const coll_pipebcast_common_t *common)
{
    const uint64_t mtu = common->mtu != PB_FACTS_UNKNOWN ? common->mtu : COLL_PIPEBCAST_DEFAULT_MTU;
    const uint64_t speed = common->bits_per_second != PB_FACTS_UNKNOWN
                               ? common->bits_per_second
                               : COLL_PIPEBCAST_DEFAULT_SPEED;
    coll_pipebcast_release(module->model);
    module->model = coll_pipebcast_model_assumed(speed, (uint32_t) mtu);
    if (module->model == NULL) { /* what was out of memory may have been one allocation */
        module->model = coll_pipebcast_model_assumed(speed, (uint32_t) mtu);
    }
}

/* The gate. */

static void report_declining(const coll_pipebcast_module_t *module, bool has_measured)
{
    char medium[PB_MEDIUM_TEXT_SIZE];
    if (ompi_comm_rank(module->comm) != 0) {
        return;
    }
    coll_pipebcast_log(
        1,
        "communicator %s: messages between hosts go over %s, which is not known to be "
        "TCP over Ethernet; no model was measured there and no algorithm is named, so "
        "the fallback component serves its broadcasts",
        module->comm->c_name, pb_medium_describe(&coll_pipebcast_process.medium, medium));
    if (has_measured) {
        coll_pipebcast_help(PB_HELP_MODEL_TRANSPORT, module->model->source);
    }
}

bool coll_pipebcast_gate_settle(coll_pipebcast_module_t *module,
                                const coll_pipebcast_common_t *common)
{
    char why[1024];
    const bool has_measured = take_measured(module, common, why, sizeof(why));
    const bool serves = coll_pipebcast_process.medium.is_ethernet ||
                        coll_pipebcast_gate_is_opened() ||
                        (has_measured && module->model->model.has_medium);
    if (!has_measured) {
        report_model(module, common, why,
                     serves ? "costs are assumed from the link's speed"
                            : "the fallback component serves this communicator's broadcasts");
    }
    if (!serves) {
        report_declining(module, has_measured);
    } else if (!has_measured) {
        assume_model(module, common);
    }
    return serves;
}
