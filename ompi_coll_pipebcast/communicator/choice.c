/*
 * Which tree and which segment size a broadcast uses: topo/choose.h, asked with
 * what the ranks have agreed on and the packed size, so that all ranks choose
 * alike.
 */
#include <assert.h>
#include <stdio.h>

#include "communicator/lost.h"
#include "component/component.h"
#include "component/log.h"
#include "operation/operation.h"

static pb_choose_options_t get_options(void)
{
    const coll_pipebcast_params_t *params = &mca_coll_pipebcast_component.params;
    return (pb_choose_options_t){
        .kind = params->algorithm == COLL_PIPEBCAST_ADAPTIVE
                    ? PB_CHOOSE_OWN /* only the root could know whether it is advised */
                    : coll_pipebcast_forced_kind(params), /* -1 is PB_CHOOSE_ALL */
        .segment = params->segment_size,
        .plan.fanout = params->fanout};
}

/** The module's chooser, made when it is first needed; NULL if out of memory. */
static pb_chooser_t *get_chooser(coll_pipebcast_module_t *module)
{
    if (module->chooser == NULL) {
        const pb_choose_options_t options = get_options();
        module->chooser = pb_chooser_new(module->placement, &module->model->model, &options);
    }
    return module->chooser;
}

/** "twotree, 46 segments of 1426 bytes". */
static const char *describe(char *text, size_t size, const pb_candidate_t *candidate, size_t total)
{
    assert(total > 0);
    const uint64_t segment =
        candidate->segment != 0 && candidate->segment < total ? candidate->segment : total;
    if (candidate->kind == PB_KIND_FALLBACK) {
        snprintf(text, size, "fallback component");
    } else {
        const unsigned long long n = (total - 1) / segment + 1;
        snprintf(text, size, "%s, %llu %s of %llu bytes", pb_candidate_name(candidate), n,
                 n == 1 ? "segment" : "segments", (unsigned long long) segment);
    }
    return text;
}

static double milliseconds(int64_t nanoseconds)
{
    return (double) nanoseconds / 1e6;
}

/** Whether this is the first broadcast of its size class on the communicator; notes it. */
static bool is_new_class(coll_pipebcast_module_t *module, size_t total)
{
    int octave = 0;
    while (total >> octave > 1) {
        octave++;
    }
    const uint64_t bit = UINT64_C(1) << octave;
    uint64_t *told = &module->told[((total << 3) >> octave) & 7];
    const bool is_new = (*told & bit) == 0;
    *told |= bit;
    return is_new;
}

/** Rank 0 tells what was chosen, over what, and how long it should take. */
static void tell_choice(coll_pipebcast_module_t *module, int root, size_t total,
                        const pb_choice_t *choice)
{
    char best[128], next[128], other[256] = "nothing else was considered";
    if (ompi_comm_rank(module->comm) != 0) {
        return;
    }
    if (choice->next.time >= 0) {
        snprintf(other, sizeof(other), "next %s: %.3f ms",
                 describe(next, sizeof(next), &choice->next, total),
                 milliseconds(pb_choose_time(module->chooser, root, total, &choice->next)));
    }
    coll_pipebcast_tell(
        10, "communicator %s: %zu bytes from root %d: %s: %.3f ms predicted; %s",
        module->comm->c_name, total, root, describe(best, sizeof(best), &choice->best, total),
        milliseconds(pb_choose_time(module->chooser, root, total, &choice->best)), other);
}

static int ask(coll_pipebcast_module_t *module, int root, size_t total, pb_choice_t *made)
{
    pb_chooser_t *chooser = get_chooser(module);
    return chooser == NULL ? PB_ERR_NO_MEMORY : pb_choose(chooser, root, total, made);
}

/**
 * The tree and segment size for a message of `total` bytes from `root`; alike on all
 * ranks. OMPI_ERR_OUT_OF_RESOURCE; OMPI_ERR_NOT_SUPPORTED if a forced kind does not
 * fit (choice->kind says which).
 */
static int choose(coll_pipebcast_module_t *module, int root, size_t total,
                  coll_pipebcast_choice_t *choice)
{
    pb_choice_t made;
    int rc = ask(module, root, total, &made);
    *choice = (coll_pipebcast_choice_t){0};
    if (rc == PB_ERR_NO_MEMORY && coll_pipebcast_reserve_spend()) {
        rc = ask(module, root, total, &made);
    }
    if (rc == PB_ERR_UNFIT) {
        choice->kind = (pb_kind_t) coll_pipebcast_forced_kind(&mca_coll_pipebcast_component.params);
        return OMPI_ERR_NOT_SUPPORTED;
    }
    if (rc != PB_SUCCESS) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    choice->fallback = made.best.kind == PB_KIND_FALLBACK;
    choice->kind = choice->fallback ? PB_KIND_CHAIN : (pb_kind_t) made.best.kind;
    choice->segment_size =
        made.best.segment != 0 && made.best.segment < total ? (size_t) made.best.segment : total;
    choice->told = mca_coll_pipebcast_component.params.verbose >= 10 && is_new_class(module, total);
    if (choice->told) {
        tell_choice(module, root, total, &made);
    }
    return OMPI_SUCCESS;
}

/** Where the ranks have agreed to serve. Errors as choose(). */
static int decide_large(coll_pipebcast_module_t *module, int root, size_t total,
                        coll_pipebcast_decision_t *decision)
{
    if (module->agreed != OMPI_SUCCESS) {
        return module->agreed; /* this rank does not know by what the others choose */
    }
    const int rc = choose(module, root, total, &decision->choice);
    decision->reason =
        rc == OMPI_ERR_NOT_SUPPORTED ? COLL_PIPEBCAST_UNFIT : COLL_PIPEBCAST_PREDICTED;
    decision->ours =
        rc == OMPI_SUCCESS && (!decision->choice.fallback || coll_pipebcast_minds_arrivals());
    return rc == OMPI_ERR_NOT_SUPPORTED ? OMPI_SUCCESS : rc;
}

/** As coll_pipebcast_decide(), but for what becomes of this rank after an error. */
static int decide(coll_pipebcast_module_t *module, int root, size_t total,
                  coll_pipebcast_decision_t *decision)
{
    *decision = (coll_pipebcast_decision_t){.reason = module->passes_for};
    if (module->state == COLL_PIPEBCAST_PASSING) {
        return OMPI_SUCCESS;
    }
    if (module->state != COLL_PIPEBCAST_SERVING) {
        return MPI_ERR_OTHER; /* lost before the ranks had agreed */
    }
    if (total < mca_coll_pipebcast_component.params.min_size) {
        decision->reason = COLL_PIPEBCAST_TOO_SMALL;
        return OMPI_SUCCESS;
    }
    return decide_large(module, root, total, decision);
}

/** Whether the others may have given a message to the fallback component. */
static bool may_be_passed(const coll_pipebcast_module_t *module, size_t total)
{
    const pb_choose_options_t options = get_options();
    return module->state == COLL_PIPEBCAST_SERVING && !coll_pipebcast_minds_arrivals() &&
           pb_choose_may_pass(&module->model->model, &options, total);
}

int coll_pipebcast_decide(coll_pipebcast_module_t *module, int root, size_t total,
                          coll_pipebcast_decision_t *decision)
{
    const int rc = decide(module, root, total, decision);
    if (rc != OMPI_SUCCESS && may_be_passed(module, total)) {
        coll_pipebcast_end_job(module->comm, "find out what the others do with a broadcast", rc);
    }
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_lose(module, rc); /* the others broadcast, and may send to this rank */
    }
    return rc;
}

int coll_pipebcast_decide_later(coll_pipebcast_module_t *module, int root, size_t total,
                                coll_pipebcast_decision_t *decision)
{
    const int rc = decide(module, root, total, decision);
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_lose(module, rc); /* likewise */
    }
    return rc;
}

void coll_pipebcast_warn_unfit(const coll_pipebcast_module_t *module, pb_kind_t kind)
{
    if (ompi_comm_rank(module->comm) == 0) {
        coll_pipebcast_warn("communicator %s: the algorithm %s does not fit its network. The "
                            "fallback component serves the broadcasts that it cannot. Choose "
                            "another coll_pipebcast_algorithm.",
                            module->comm->c_name, pb_kind_name(kind));
    }
}

void coll_pipebcast_choice_took(coll_pipebcast_module_t *module, int root, size_t total,
                                const coll_pipebcast_choice_t *choice, double seconds)
{
    const int size = ompi_comm_size(module->comm);
    const int teller = (root + size - 1) % size;
    pb_choice_t made;
    char best[128];
    if (!choice->told || ompi_comm_rank(module->comm) != teller ||
        pb_choose(module->chooser, root, total, &made) != PB_SUCCESS) {
        return;
    }
    coll_pipebcast_tell(
        10, "communicator %s: %zu bytes from root %d: %s: %.3f ms predicted, %.3f ms on rank %d",
        module->comm->c_name, total, root, describe(best, sizeof(best), &made.best, total),
        milliseconds(pb_choose_time(module->chooser, root, total, &made.best)), 1e3 * seconds,
        teller);
}
