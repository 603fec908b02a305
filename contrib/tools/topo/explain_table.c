#include "explain_table.h"

#include <inttypes.h>
#include <stdio.h>

#include "learnt.h"

static bool is_same(const pb_candidate_t *a, const pb_candidate_t *b)
{
    return a->kind == b->kind && a->segment == b->segment;
}

static void print_time(int64_t time)
{
    if (time >= 0) {
        printf("  %12.3f", (double) time / 1e6);
    } else {
        printf("  %12s", "-");
    }
}

static void print_notes(const explain_table_t *table, const pb_candidate_t *candidate)
{
    const bool is_chosen = is_same(candidate, &table->chosen);
    const char *before = "  ";
    if (candidate->kind == PB_KIND_FALLBACK && candidate->estimated) {
        printf("%sestimated", before);
        before = ", ";
    }
    if (is_chosen) {
        printf("%schosen", before);
        before = ", ";
    }
    if (is_chosen && table->class != NULL && !table->class->is_settled) {
        printf("%sothers are still tried", before);
    }
    if (!is_chosen && is_same(candidate, &table->prior)) {
        printf("%sby predictions alone", before);
    }
    printf("\n");
}

/* Bytes of a segment; the whole message if it is not cut. */
static uint64_t segment_of(const explain_table_t *table, const pb_candidate_t *candidate)
{
    const bool is_cut = candidate->segment > 0 && candidate->segment < table->bytes;
    return is_cut ? candidate->segment : table->bytes;
}

static void print_row(const explain_table_t *table, const pb_candidate_t *candidate)
{
    const uint64_t bytes = table->bytes;
    printf("%-12s", pb_candidate_name(candidate));
    if (candidate->kind == PB_KIND_FALLBACK) {
        printf("  %10s  %10s", "-", "-");
    } else {
        const uint64_t segment = segment_of(table, candidate);
        printf("  %10" PRIu64 "  %10" PRIu64, segment, (bytes - 1) / segment + 1);
    }
    if (table->corrected != NULL) {
        print_time(pb_choose_time(table->chooser, table->root, bytes, candidate));
    }
    print_time(candidate->time);
    if (table->has_learnt) {
        print_time(tool_learnt_time(table->class, candidate));
    }
    print_notes(table, candidate);
}

/* Nanoseconds as milliseconds; null where it is not known. */
static void add_time(common_json_t to, const char *name, int64_t time)
{
    if (time >= 0) {
        common_json_real(to, name, (double) time / 1e6, 6);
    } else {
        common_json_null(to, name);
    }
}

static void add_row(const explain_table_t *table, const pb_candidate_t *candidate)
{
    const bool is_fallback = candidate->kind == PB_KIND_FALLBACK;
    const common_json_t object = common_json_object(table->candidates, NULL);
    common_json_text(object, "algorithm", pb_candidate_name(candidate));
    if (is_fallback) {
        common_json_null(object, "segment");
        common_json_null(object, "segments");
    } else {
        const uint64_t segment = segment_of(table, candidate);
        common_json_integer(object, "segment", (int64_t) segment);
        common_json_integer(object, "segments", (int64_t) ((table->bytes - 1) / segment + 1));
    }
    add_time(object, "predicted_ms",
             table->corrected != NULL
                 ? pb_choose_time(table->chooser, table->root, table->bytes, candidate)
                 : candidate->time);
    add_time(object, "corrected_ms", table->corrected != NULL ? candidate->time : -1);
    add_time(object, "measured_ms",
             table->has_learnt ? tool_learnt_time(table->class, candidate) : -1);
    common_json_truth(object, "estimated", is_fallback && candidate->estimated);
    common_json_truth(object, "chosen", is_same(candidate, &table->chosen));
    common_json_truth(object, "chosen_by_predictions", is_same(candidate, &table->prior));
}

static void put_row(const explain_table_t *table, const pb_candidate_t *candidate)
{
    if (table->json) {
        add_row(table, candidate);
    } else {
        print_row(table, candidate);
    }
}

/* The best candidate of the kind that was shown last, unless it was printed. */
static void end_kind(explain_table_t *table)
{
    if (table->has_best && !table->best_is_printed) {
        put_row(table, &table->best);
    }
    table->has_best = table->best_is_printed = false;
}

/* Candidates of one kind come together. */
static void visit(void *context, const pb_candidate_t *candidate)
{
    explain_table_t *table = context;
    const bool is_chosen = is_same(candidate, &table->chosen);
    const bool is_wanted = table->all || tool_learnt_time(table->class, candidate) >= 0 ||
                           (table->has_learnt && (is_chosen || is_same(candidate, &table->prior)));
    if (table->has_best && table->best.kind != candidate->kind) {
        end_kind(table);
    }
    /* Without measurements the choice need not be the one with the least time. */
    if (!table->has_best || is_chosen ||
        (candidate->time < table->best.time && !is_same(&table->best, &table->chosen))) {
        table->best = *candidate;
        table->has_best = true;
        table->best_is_printed = is_wanted;
    }
    if (is_wanted) {
        put_row(table, candidate);
    }
}

static void print_heading(const explain_table_t *table)
{
    printf("%-12s  %10s  %10s", "algorithm", "segment", "segments");
    printf(table->corrected != NULL ? "  %12s  %12s" : "  %12s", "predicted ms", "corrected ms");
    printf(table->has_learnt ? "  %12s\n" : "\n", "measured ms");
}

int explain_table_print(explain_table_t *table)
{
    if (!table->json) {
        print_heading(table);
    }
    const int rc = pb_choose_explain(table->corrected != NULL ? table->corrected : table->chooser,
                                     table->root, table->bytes, visit, table);
    end_kind(table);
    return rc;
}
