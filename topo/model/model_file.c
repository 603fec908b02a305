/*
 * The model file, version 1 (see model.h): a reader and a writer.
 *
 * A line is an item's name and its values. `cost` and `time` belong to the last
 * `place` or `previous` before them. Every fault is reported with its line, and
 * reading goes on, so that all are seen at once.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topo/model/model.h"
#include "topo/util/decimal.h"
#include "topo/util/error.h"
#include "topo/util/text_file.h"

/** Bytes of a whole file; the longest that can be written needs far less. */
#define MAX_FILE ((size_t) 4 << 20)

/** Bytes of one line, its end included. */
#define MAX_LINE 512

/** Words of one line; no item has as many. */
#define MAX_WORDS 16

/** Cables that a path may have. */
#define MAX_LINKS 1024

/** Ranks that a broadcast may have. */
#define MAX_RANKS (1 << 24)

typedef struct reader {
    const char *file;
    int line;
    pb_diag_t *diag;
    pb_model_t *model;
    int n_words;
    char text[MAX_LINE]; /**< the line, cut into words */
    char *words[MAX_WORDS];
    bool has_version, has_topology, has_payload, has_overhead;
    int place_line[PB_PLACE_COUNT]; /**< 0: not named yet */
    int fallback_line[PB_MODEL_MAX_FALLBACK];
    pb_costs_t *costs;       /**< that cost lines belong to; NULL: none */
    pb_fallback_t *fallback; /**< that time lines belong to; NULL: none */
    bool skipping;           /**< cost and time lines belong to a faulty place or previous */
} reader_t;

/** One message for a line whose words are too many or too few. */
static bool has_words(reader_t *r, int n_values, const char *form)
{
    if (r->n_words == n_values + 1) {
        return true;
    }
    pb_diag_fault(r->diag, r->file, r->line, "has %d values after '%s'; write: %s", r->n_words - 1,
                  r->words[0], form);
    return false;
}

/** A decimal number from `low` to `high`, or a fault. */
static bool read_number(reader_t *r, const char *word, const char *what, uint64_t low,
                        uint64_t high, uint64_t *value_p)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    if (!pb_decimal_read(word, low, high, value_p)) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "%s is '%s', but must be a whole number from %" PRIu64 " to %" PRIu64, what,
                      pb_diag_quote(quote, word, strlen(word)), low, high);
        return false;
    }
    return true;
}

static bool is_first(reader_t *r, bool *has_p)
{
    if (*has_p) {
        pb_diag_fault(r->diag, r->file, r->line, "%s is given twice", r->words[0]);
        return false;
    }
    *has_p = true;
    return true;
}

/* ---- items ---- */

static void item_topology(reader_t *r)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    if (!is_first(r, &r->has_topology) || !has_words(r, 1, "topology HASH, or topology any")) {
        return;
    }
    const char *word = r->words[1];
    const size_t length = strlen(word);
    if (strcmp(word, "any") == 0) {
        return;
    }
    if (length > 16 || strspn(word, "0123456789abcdefABCDEF") != length) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "the topology is '%s', but must be up to 16 hexadecimal digits, or any",
                      pb_diag_quote(quote, word, length));
        return;
    }
    r->model->topology = strtoull(word, NULL, 16);
}

static void item_payload(reader_t *r)
{
    uint64_t value;
    if (is_first(r, &r->has_payload) && has_words(r, 1, "payload BYTES") &&
        read_number(r, r->words[1], "the payload", 64, 65535, &value)) {
        r->model->payload = (uint32_t) value;
    }
}

static void item_overhead(reader_t *r)
{
    uint64_t value;
    if (is_first(r, &r->has_overhead) && has_words(r, 1, "overhead BYTES") &&
        read_number(r, r->words[1], "the overhead", 0, 4096, &value)) {
        r->model->overhead = (uint32_t) value;
    }
}

#define PLACE_FORM "place machine|switch|far links NUMBER [ring RANKS]"

static int find_place(const char *name)
{
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        if (strcmp(name, pb_place_name((pb_place_t) place)) == 0) {
            return place;
        }
    }
    return -1;
}

static void item_place(reader_t *r)
{
    static const uint64_t low[PB_PLACE_COUNT] = {0, 2, 3}, high[PB_PLACE_COUNT] = {0, 2, MAX_LINKS};
    char quote[PB_DIAG_QUOTE_SIZE];
    uint64_t n_links, n_ring = 0;
    r->costs = NULL;
    r->fallback = NULL;
    r->skipping = true;
    const bool has_ring = r->n_words == 6 && strcmp(r->words[4], "ring") == 0;
    if (!has_ring && !has_words(r, 3, PLACE_FORM)) {
        return;
    }
    const int place = find_place(r->words[1]);
    if (place < 0 || strcmp(r->words[2], "links") != 0) {
        const char *word = r->words[place < 0 ? 1 : 2];
        pb_diag_fault(r->diag, r->file, r->line, "'%s' is not known; write: %s",
                      pb_diag_quote(quote, word, strlen(word)), PLACE_FORM);
        return;
    }
    if (r->place_line[place] != 0) {
        pb_diag_fault(r->diag, r->file, r->line, "place %s is there already, on line %d",
                      pb_place_name((pb_place_t) place), r->place_line[place]);
        return;
    }
    r->place_line[place] = r->line;
    if (!read_number(r, r->words[3], "the number of links", low[place], high[place], &n_links) ||
        (has_ring &&
         !read_number(r, r->words[5], "the number of ranks in the ring", 2, MAX_RANKS, &n_ring))) {
        return;
    }
    r->costs = &r->model->costs[place];
    r->costs->n_links = (int) n_links;
    r->costs->n_ring = (int) n_ring;
    r->skipping = false;
}

/** A value that falls by more than half while the size grows is a fault. */
static void check_growth(reader_t *r, const char *what, int64_t before, int64_t now)
{
    if (now < before / 2) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "%s is %" PRId64 " ns, less than half of the %" PRId64
                      " ns of the smaller message before it; measure again",
                      what, now, before);
    }
}

/** Sizes ascend, and not by too much. */
static void check_order(reader_t *r, uint64_t bytes, uint64_t before)
{
    if (bytes <= before) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "%" PRIu64 " bytes follow on %" PRIu64 ", but sizes must ascend", bytes,
                      before);
    } else if (bytes / PB_MODEL_MAX_STEP > before) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "sizes between %" PRIu64 " and %" PRIu64 " bytes are missing; measure again",
                      before, bytes);
    }
}

static bool has_room(reader_t *r, int n_rows)
{
    if (n_rows == PB_MODEL_MAX_ROWS) {
        pb_diag_fault(r->diag, r->file, r->line, "there are more than %d sizes", PB_MODEL_MAX_ROWS);
        return false;
    }
    return true;
}

/** Reads the six numbers of a cost line. */
static bool read_cost(reader_t *r, pb_cost_t *row)
{
    static const char *const whats[6] = {"the size",        "the gap", "the round trip",
                                         "the gap of both", "o_s",     "o_r"};
    uint64_t values[6] = {0};
    bool good = true;
    for (int i = 0; i < 6; i++) {
        const uint64_t low = i < 4 ? 1 : 0;
        const uint64_t high = i == 0 ? PB_MODEL_MAX_BYTES : (uint64_t) PB_MODEL_MAX_NS;
        good = read_number(r, r->words[i + 1], whats[i], low, high, &values[i]) && good;
    }
    *row = (pb_cost_t){.bytes = values[0],
                       .gap = (int64_t) values[1],
                       .rtt = (int64_t) values[2],
                       .both = (int64_t) values[3],
                       .send = (int64_t) values[4],
                       .receive = (int64_t) values[5]};
    return good;
}

static void item_cost(reader_t *r)
{
    pb_cost_t row;
    pb_costs_t *costs = r->costs;
    if (r->skipping || !has_words(r, 6, "cost BYTES GAP RTT BOTH SEND RECEIVE")) {
        return;
    }
    if (costs == NULL) {
        pb_diag_fault(r->diag, r->file, r->line, "a cost has no place before it");
        return;
    }
    if (!read_cost(r, &row) || !has_room(r, costs->n_rows)) {
        return;
    }
    if (row.both < row.gap) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "the gap of both, %" PRId64 " ns, is less than the gap, %" PRId64 " ns",
                      row.both, row.gap);
        return;
    }
    const pb_cost_t *last = costs->n_rows > 0 ? &costs->rows[costs->n_rows - 1] : NULL;
    if (last != NULL) {
        check_order(r, row.bytes, last->bytes);
        check_growth(r, "the gap", last->gap, row.gap);
        check_growth(r, "the round trip", last->rtt, row.rtt);
    }
    costs->rows[costs->n_rows++] = row;
}

static void item_fallback(reader_t *r)
{
    uint64_t n_ranks;
    pb_model_t *model = r->model;
    r->costs = NULL;
    r->fallback = NULL;
    r->skipping = true;
    if (!has_words(r, 2, "previous ranks NUMBER") || strcmp(r->words[1], "ranks") != 0) {
        if (r->n_words == 3) {
            pb_diag_fault(r->diag, r->file, r->line, "write: previous ranks NUMBER");
        }
        return;
    }
    if (!read_number(r, r->words[2], "the number of ranks", 2, MAX_RANKS, &n_ranks)) {
        return;
    }
    if (model->n_fallback == PB_MODEL_MAX_FALLBACK) {
        pb_diag_fault(r->diag, r->file, r->line, "there are more than %d tables of previous times",
                      PB_MODEL_MAX_FALLBACK);
        return;
    }
    if (model->n_fallback > 0 && (int) n_ranks <= model->fallback[model->n_fallback - 1].n_ranks) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "%d ranks follow on %d, but numbers of ranks must ascend", (int) n_ranks,
                      model->fallback[model->n_fallback - 1].n_ranks);
        return;
    }
    r->fallback_line[model->n_fallback] = r->line;
    r->fallback = &model->fallback[model->n_fallback++];
    r->fallback->n_ranks = (int) n_ranks;
    r->skipping = false;
}

static void item_time(reader_t *r)
{
    uint64_t bytes, time;
    pb_fallback_t *fallback = r->fallback;
    if (r->skipping || !has_words(r, 2, "time BYTES NANOSECONDS")) {
        return;
    }
    if (fallback == NULL) {
        pb_diag_fault(r->diag, r->file, r->line, "a time has no 'previous ranks' before it");
        return;
    }
    if (!read_number(r, r->words[1], "the size", 1, PB_MODEL_MAX_BYTES, &bytes) ||
        !read_number(r, r->words[2], "the time", 1, (uint64_t) PB_MODEL_MAX_NS, &time) ||
        !has_room(r, fallback->n_rows)) {
        return;
    }
    if (fallback->n_rows > 0) {
        check_order(r, bytes, fallback->bytes[fallback->n_rows - 1]);
        check_growth(r, "the time", fallback->time[fallback->n_rows - 1], (int64_t) time);
    }
    fallback->bytes[fallback->n_rows] = bytes;
    fallback->time[fallback->n_rows++] = (int64_t) time;
}

static const struct {
    const char *name;
    void (*read)(reader_t *r);
} items[] = {
    {"topology", item_topology}, {"payload", item_payload}, {"overhead", item_overhead},
    {"place", item_place},       {"cost", item_cost},       {"previous", item_fallback},
    {"time", item_time},
};

/* ---- lines ---- */

/** The first line says what the file is, and in which version. */
static bool read_version(reader_t *r)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    uint64_t version;
    if (strcmp(r->words[0], "pipebcast-model") != 0) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "begins with '%s' and not with 'pipebcast-model %d'; is this a model file of "
                      "pipebcast-tune?",
                      pb_diag_quote(quote, r->words[0], strlen(r->words[0])), PB_MODEL_VERSION);
        return false;
    }
    if (!has_words(r, 1, "pipebcast-model VERSION") ||
        !read_number(r, r->words[1], "the version", 1, 1000000, &version)) {
        return false;
    }
    if (version != PB_MODEL_VERSION) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "is of version %" PRIu64
                      ", but this pipebcast reads version %d; measure again with its "
                      "pipebcast-tune",
                      version, PB_MODEL_VERSION);
        return false;
    }
    r->has_version = true;
    return true;
}

static void read_item(reader_t *r)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
        if (strcmp(r->words[0], items[i].name) == 0) {
            items[i].read(r);
            return;
        }
    }
    pb_diag_fault(r->diag, r->file, r->line,
                  "unknown item '%s'; known are topology, payload, overhead, place, cost, previous "
                  "and time",
                  pb_diag_quote(quote, r->words[0], strlen(r->words[0])));
}

/** Cuts a line into words; false, with a fault, if there are too many. */
static bool cut_words(reader_t *r, char *line)
{
    static const char blanks[] = " \t\r\v\f";
    r->n_words = 0;
    for (char *at = line + strspn(line, blanks); *at != '\0';) {
        if (r->n_words == MAX_WORDS) {
            pb_diag_fault(r->diag, r->file, r->line, "has more than %d words", MAX_WORDS);
            return false;
        }
        r->words[r->n_words++] = at;
        at += strcspn(at, blanks);
        if (*at != '\0') {
            *at++ = '\0';
            at += strspn(at, blanks);
        }
    }
    return true;
}

/** Reads one line; false if it shows that this is no file of ours, so that the rest is left. */
static bool read_line(reader_t *r, const char *text, size_t length)
{
    const char *comment = memchr(text, '#', length);
    length = comment != NULL ? (size_t) (comment - text) : length;
    if (length >= sizeof(r->text) || memchr(text, '\0', length) != NULL) {
        pb_diag_fault(r->diag, r->file, r->line,
                      "is longer than %d bytes or no text; is this a model file of pipebcast-tune?",
                      MAX_LINE - 1);
        return false;
    }
    memcpy(r->text, text, length);
    r->text[length] = '\0';
    if (!cut_words(r, r->text) || r->n_words == 0) {
        return true;
    }
    if (!r->has_version) {
        return read_version(r);
    }
    read_item(r);
    return true;
}

/* ---- what must be there ---- */

static void check_fallback(reader_t *r, const pb_fallback_t *fallback, int line)
{
    if (fallback->n_rows < 2) {
        pb_diag_fault(
            r->diag, r->file, line,
            "there are %d times for these ranks, but two or more are needed; measure again",
            fallback->n_rows);
    }
}

static void check_place(reader_t *r, pb_place_t place)
{
    const pb_costs_t *costs = &r->model->costs[place];
    const int line = r->place_line[place];
    if (costs->n_rows < 2) {
        pb_diag_fault(r->diag, r->file, line,
                      "place %s has %d costs, but needs two or more; measure again",
                      pb_place_name((pb_place_t) place), costs->n_rows);
        return;
    }
    if (costs->rows[0].bytes > PB_MODEL_MIDDLE_BYTES ||
        costs->rows[costs->n_rows - 1].bytes < PB_MODEL_MIDDLE_BYTES) {
        pb_diag_fault(r->diag, r->file, line,
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
    } needed[] = {{r->has_version, "pipebcast-model 1"},
                  {r->has_topology, "topology HASH"},
                  {r->has_payload, "payload BYTES"},
                  {r->has_overhead, "overhead BYTES"},
                  {r->place_line[PB_PLACE_SWITCH] != 0, "place switch links 2"}};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if (!needed[i].there) {
            pb_diag_fault(r->diag, r->file, 0, "the line '%s' is missing; measure again",
                          needed[i].line);
        }
        if (i == 0 && !needed[i].there) {
            return;
        }
    }
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        if (r->place_line[place] != 0) {
            check_place(r, (pb_place_t) place);
        }
    }
    for (int i = 0; i < r->model->n_fallback; i++) {
        check_fallback(r, &r->model->fallback[i], r->fallback_line[i]);
    }
    if (r->has_payload && r->has_overhead && r->model->overhead >= r->model->payload &&
        r->model->payload > 0) {
        pb_diag_fault(r->diag, r->file, 0, "the overhead is not less than the payload");
    }
}

int pb_model_parse(const char *text, size_t length, const char *name, pb_model_t *model,
                   pb_diag_t *diag)
{
    reader_t reader = {.file = name, .diag = diag, .model = model};
    const size_t n_before = diag->n_faults;
    bool ours = true;
    memset(model, 0, sizeof(*model));
    model->measured = true;
    for (size_t at = 0; at < length && ours;) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t n = end != NULL ? (size_t) (end - (text + at)) : length - at;
        reader.line++;
        ours = read_line(&reader, text + at, n);
        at += n + 1;
    }
    /* What is missing may be the consequence of a fault that was reported. */
    if (diag->n_faults == n_before) {
        check_whole(&reader);
    }
    return diag->n_faults == n_before ? PB_SUCCESS : PB_ERR_INPUT;
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
    fprintf(stream, "payload %" PRIu32 "\noverhead %" PRIu32 "\n", model->payload, model->overhead);
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        if (model->costs[place].n_rows > 0) {
            write_costs(&model->costs[place], pb_place_name((pb_place_t) place), stream);
        }
    }
    for (int i = 0; i < model->n_fallback; i++) {
        const pb_fallback_t *fallback = &model->fallback[i];
        fprintf(stream, "\nprevious ranks %d\n", fallback->n_ranks);
        for (int k = 0; k < fallback->n_rows; k++) {
            fprintf(stream, "time %10" PRIu64 " %13" PRId64 "\n", fallback->bytes[k],
                    fallback->time[k]);
        }
    }
    return ferror(stream) ? PB_ERR_IO : PB_SUCCESS;
}
