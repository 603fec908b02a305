/*
 * The model file (see model.h): a reader and a writer.
 *
 * A line is an item's name and its values. `cost` belongs to the last `place` before it. Every
 * error is reported with its line, and reading goes on, so that one run shows all.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topo/model/medium_file.h"
#include "topo/model/model.h"
#include "topo/util/error.h"
#include "topo/util/item_file.h"
#include "topo/util/text_file.h"

/** Bytes of a whole file; the longest that can be written needs far less. */
#define MAX_FILE ((size_t) 4 << 20)

/** Links that a path may have. */
#define MAX_LINKS 1024

/** Ranks that a broadcast may have. */
#define MAX_RANKS (1 << 24)

typedef struct reader {
    pb_item_reader_t item;
    pb_model_t *model;
    bool has_topology, has_medium, has_payload, has_overhead;
    int place_line[PB_PLACE_COUNT]; /**< 0: not named yet */
    pb_costs_t *costs;              /**< that cost lines belong to; NULL: none */
    bool skipping;                  /**< cost lines belong to an invalid place */
} reader_t;

static bool is_first(pb_item_reader_t *item, bool *has_p)
{
    if (*has_p) {
        pb_item_error(item, "%s is given twice", item->words[0]);
        return false;
    }
    *has_p = true;
    return true;
}

/* ---- items ---- */

static void item_topology(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    char quote[PB_DIAG_QUOTE_SIZE];
    if (!is_first(item, &r->has_topology)) {
        return;
    }
    const char *word = item->words[1];
    const size_t length = strlen(word);
    if (strcmp(word, "any") == 0) {
        return;
    }
    if (length > 16 || strspn(word, "0123456789abcdefABCDEF") != length) {
        pb_item_error(item, "the topology is '%s', but must be up to 16 hexadecimal digits, or any",
                      pb_diag_quote(quote, word, length));
        return;
    }
    r->model->topology = strtoull(word, NULL, 16);
}

static void item_transport(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    if (is_first(item, &r->has_medium)) {
        r->model->has_medium = pb_medium_read_item(item, &r->model->medium);
    }
}

static void item_payload(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    uint64_t value;
    if (is_first(item, &r->has_payload) &&
        pb_item_number(item, "the payload", 1, 64, 65535, &value)) {
        r->model->payload = (uint32_t) value;
    }
}

static void item_overhead(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    uint64_t value;
    if (is_first(item, &r->has_overhead) &&
        pb_item_number(item, "the overhead", 1, 0, 4096, &value)) {
        r->model->overhead = (uint32_t) value;
    }
}

static int find_place(const char *name)
{
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        if (strcmp(name, pb_place_name((pb_place_t) place)) == 0) {
            return place;
        }
    }
    return -1;
}

/** Cost lines that follow belong to nothing, unless the item is right. */
static void begin_place(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    r->costs = NULL;
    r->skipping = true;
}

static void item_place(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    static const uint64_t low[PB_PLACE_COUNT] = {0, 2, 3}, high[PB_PLACE_COUNT] = {0, 2, MAX_LINKS};
    char quote[PB_DIAG_QUOTE_SIZE];
    uint64_t n_links, n_ring = 0;
    begin_place(item);
    const bool has_ring = item->n_words == 6;
    const int place = find_place(item->words[1]);
    if (place < 0) {
        pb_item_error(item, "'%s' is not known; write: place machine|switch|far links NUMBER",
                      pb_diag_quote_text(quote, item->words[1]));
        return;
    }
    if (r->place_line[place] != 0) {
        pb_item_error(item, "place %s is there already, on line %d",
                      pb_place_name((pb_place_t) place), r->place_line[place]);
        return;
    }
    r->place_line[place] = item->line;
    if (!pb_item_number(item, "the number of links", 3, low[place], high[place], &n_links) ||
        (has_ring &&
         !pb_item_number(item, "the number of ranks in the ring", 5, 2, MAX_RANKS, &n_ring))) {
        return;
    }
    r->costs = &r->model->costs[place];
    r->costs->n_links = (int) n_links;
    r->costs->n_ring = (int) n_ring;
    r->skipping = false;
}

/** Reports a value that falls by more than half while the size grows. */
static void check_growth(pb_item_reader_t *item, const char *what, int64_t before, int64_t now)
{
    if (now < before / 2) {
        pb_item_error(item,
                      "%s is %" PRId64 " ns, less than half of the %" PRId64
                      " ns of the smaller message before it; measure again",
                      what, now, before);
    }
}

/** Sizes ascend, and not by too much. */
static void check_order(pb_item_reader_t *item, uint64_t bytes, uint64_t before)
{
    if (bytes <= before) {
        pb_item_error(item, "%" PRIu64 " bytes follow on %" PRIu64 ", but sizes must ascend", bytes,
                      before);
    } else if (bytes / PB_MODEL_MAX_STEP > before) {
        pb_item_error(item,
                      "sizes between %" PRIu64 " and %" PRIu64 " bytes are missing; measure again",
                      before, bytes);
    }
}

static bool has_room(pb_item_reader_t *item, int n_rows)
{
    if (n_rows == PB_MODEL_MAX_ROWS) {
        pb_item_error(item, "there are more than %d sizes", PB_MODEL_MAX_ROWS);
        return false;
    }
    return true;
}

/** Reads the six numbers of a cost line. */
static bool read_cost(pb_item_reader_t *item, pb_cost_t *row)
{
    static const char *const whats[6] = {"the size",        "the gap", "the round trip",
                                         "the gap of both", "o_s",     "o_r"};
    uint64_t values[6] = {0};
    bool good = true;
    for (int i = 0; i < 6; i++) {
        const uint64_t low = i < 4 ? 1 : 0;
        const uint64_t high = i == 0 ? PB_MODEL_MAX_BYTES : (uint64_t) PB_MODEL_MAX_NS;
        good = pb_item_number(item, whats[i], i + 1, low, high, &values[i]) && good;
    }
    *row = (pb_cost_t){.bytes = values[0],
                       .gap = (int64_t) values[1],
                       .rtt = (int64_t) values[2],
                       .both = (int64_t) values[3],
                       .send = (int64_t) values[4],
                       .receive = (int64_t) values[5]};
    return good;
}

static void item_cost(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    pb_cost_t row;
    pb_costs_t *costs = r->costs;
    if (r->skipping) {
        return;
    }
    if (costs == NULL) {
        pb_item_error(item, "a cost has no place before it");
        return;
    }
    if (!read_cost(item, &row) || !has_room(item, costs->n_rows)) {
        return;
    }
    if (row.both < row.gap) {
        pb_item_error(item, "the gap of both, %" PRId64 " ns, is less than the gap, %" PRId64 " ns",
                      row.both, row.gap);
        return;
    }
    const pb_cost_t *last = costs->n_rows > 0 ? &costs->rows[costs->n_rows - 1] : NULL;
    if (last != NULL) {
        check_order(item, row.bytes, last->bytes);
        check_growth(item, "the gap", last->gap, row.gap);
        check_growth(item, "the round trip", last->rtt, row.rtt);
    }
    costs->rows[costs->n_rows++] = row;
}

static const pb_item_t items[] = {
    {"topology HASH", item_topology, NULL},
    {PB_MEDIUM_FORM, item_transport, NULL},
    {"payload BYTES", item_payload, NULL},
    {"overhead BYTES", item_overhead, NULL},
    {"place PLACE links NUMBER ring RANKS", item_place, begin_place},
    {"place PLACE links NUMBER", item_place, begin_place},
    {"cost BYTES GAP RTT BOTH SEND RECEIVE", item_cost, NULL},
};

static const pb_item_file_t model_file = {.name = "pipebcast-model",
                                          .version = PB_MODEL_VERSION,
                                          .remedy = "measure again with its pipebcast tune",
                                          .items = items,
                                          .n_items = sizeof(items) / sizeof(items[0])};

/* ---- what must be there ---- */

static void check_place(reader_t *r, pb_place_t place)
{
    const pb_costs_t *costs = &r->model->costs[place];
    const int line = r->place_line[place];
    if (costs->n_rows < 2) {
        pb_diag_error(r->item.diag, r->item.file, line,
                      "place %s has %d costs, but needs two or more; measure again",
                      pb_place_name((pb_place_t) place), costs->n_rows);
        return;
    }
    if (costs->rows[0].bytes > PB_MODEL_MIDDLE_BYTES ||
        costs->rows[costs->n_rows - 1].bytes < PB_MODEL_MIDDLE_BYTES) {
        pb_diag_error(r->item.diag, r->item.file, line,
                      "the costs of place %s go from %" PRIu64 " to %" PRIu64
                      " bytes, but sizes on both sides of %d are needed; measure again",
                      pb_place_name((pb_place_t) place), costs->rows[0].bytes,
                      costs->rows[costs->n_rows - 1].bytes, PB_MODEL_MIDDLE_BYTES);
    }
}

static void check_whole(reader_t *r)
{
    const struct {
        bool there;
        const char *line;
    } needed[] = {{r->has_topology, "topology HASH"},
                  {r->has_payload, "payload BYTES"},
                  {r->has_overhead, "overhead BYTES"},
                  {r->place_line[PB_PLACE_SWITCH] != 0, "place switch links 2"}};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if (!needed[i].there) {
            pb_diag_error(r->item.diag, r->item.file, 0, "the line '%s' is missing; measure again",
                          needed[i].line);
        }
    }
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        if (r->place_line[place] != 0) {
            check_place(r, (pb_place_t) place);
        }
    }
    if (r->has_payload && r->has_overhead && r->model->overhead >= r->model->payload &&
        r->model->payload > 0) {
        pb_diag_error(r->item.diag, r->item.file, 0, "the overhead is not less than the payload");
    }
}

int pb_model_parse(const char *text, size_t length, const char *name, pb_model_t *model,
                   pb_diag_t *diag)
{
    reader_t reader = {.model = model};
    memset(model, 0, sizeof(*model));
    model->measured = true;
    const int rc = pb_item_read(&reader.item, &model_file, text, length, name, diag, &reader);
    /* Missing items may be the consequence of an error that was reported. */
    if (rc == PB_SUCCESS) {
        check_whole(&reader);
    }
    return pb_item_has_errors(&reader.item) ? PB_ERR_INPUT : rc;
}

int pb_model_read(const char *path, pb_model_t *model, pb_diag_t *diag)
{
    char *text = NULL;
    size_t length = 0;
    int rc = pb_text_file_read(path, "model file", MAX_FILE, &text, &length, diag);
    if (rc == PB_SUCCESS) {
        rc = pb_model_parse(text, length, path, model, diag);
    }
    free(text);
    return rc;
}

/* ---- writing ---- */

static void write_costs(const pb_costs_t *costs, const char *name, FILE *stream)
{
    fprintf(stream, "\nplace %s links %d", name, costs->n_links);
    if (costs->n_ring > 0) {
        fprintf(stream, " ring %d", costs->n_ring);
    }
    fprintf(stream, "\n#    %10s %13s %13s %13s %13s %13s\n", "bytes", "gap", "rtt", "both", "send",
            "receive");
    for (int i = 0; i < costs->n_rows; i++) {
        const pb_cost_t *row = &costs->rows[i];
        fprintf(stream,
                "cost %10" PRIu64 " %13" PRId64 " %13" PRId64 " %13" PRId64 " %13" PRId64
                " %13" PRId64 "\n",
                row->bytes, row->gap, row->rtt, row->both, row->send, row->receive);
    }
}

int pb_model_write(const pb_model_t *model, FILE *stream)
{
    fprintf(stream, "pipebcast-model %d\n", PB_MODEL_VERSION);
    if (model->topology != 0) {
        fprintf(stream, "topology %016" PRIx64 "\n", model->topology);
    } else {
        fprintf(stream, "topology any\n");
    }
    if (model->has_medium) {
        pb_medium_write_item(&model->medium, stream);
    }
    fprintf(stream, "payload %" PRIu32 "\noverhead %" PRIu32 "\n", model->payload, model->overhead);
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        if (model->costs[place].n_rows > 0) {
            write_costs(&model->costs[place], pb_place_name((pb_place_t) place), stream);
        }
    }
    return ferror(stream) ? PB_ERR_IO : PB_SUCCESS;
}
