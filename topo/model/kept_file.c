/*
 * The file of what is kept, version 1 (see kept.h): a reader and a writer.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "topo/model/kept.h"
#include "topo/model/medium_file.h"
#include "topo/util/decimal.h"
#include "topo/util/error.h"
#include "topo/util/item_file.h"
#include "topo/util/times.h"

/** Of a communicator. */
#define MAX_RANKS (UINT64_C(1) << 24)

/** Bytes of a segment, and of a message. */
#define MIN_SEGMENT 16
#define MAX_SEGMENT (UINT64_C(1) << 30)
#define MAX_BYTES PB_MODEL_MAX_BYTES

/** Bits per second, notes of a class, and 1024 times a ratio. */
#define MAX_SPEED UINT64_C(1000000000000000)
#define MAX_NOTES 1000000
#define MAX_RATIO (INT64_C(1) << 40)

/** Children of a rank, as the parameter fanout may have. */
#define MAX_FANOUT 64

/** What an entry needs first, in this order. */
enum { NETWORK = 1, TRANSPORT, MODEL, CHOICE };

typedef struct reader {
    pb_item_reader_t item;
    pb_kept_t *kept;
    pb_kept_entry_t *entry;      /**< that is being read; NULL: none is, or a faulty one */
    int n_head;                  /**< of its first items */
    bool has_links;              /**< that item was read */
    pb_learner_class_t *class;   /**< that is being read, likewise */
    bool skips;                  /**< lines of a class with a fault */
    int n_classes;               /**< of the entry */
    int network_line, size_line; /**< of these two */
    int lines[PB_KEPT_MAX];      /**< of the entries */
} reader_t;

/* ---- the end of what is read ---- */

static void end_class(reader_t *r)
{
    if (r->class != NULL && r->class->in_force < 0) {
        pb_diag_fault(r->item.diag, r->item.file, r->size_line,
                      "the line used is missing behind this one");
    }
    r->class = NULL;
    r->skips = false;
}

static void end_entry(reader_t *r)
{
    pb_diag_t *diag = r->item.diag;
    end_class(r);
    if (r->entry == NULL) {
        return;
    }
    const int at = r->n_head >= CHOICE ? pb_kept_find(r->kept, &r->entry->key) : -1;
    if (r->n_head < CHOICE) {
        pb_diag_fault(diag, r->item.file, r->network_line,
                      "the lines transport, model and choice have to be behind this one");
    } else if (at >= 0) {
        pb_diag_fault(diag, r->item.file, r->network_line,
                      "this entry is for the same as that of line %d", r->lines[at]);
    } else if (r->kept->n == PB_KEPT_MAX) {
        pb_diag_fault(diag, r->item.file, r->network_line, "there are more than %d entries",
                      PB_KEPT_MAX);
        r->item.stop = true;
    } else {
        r->lines[r->kept->n] = r->network_line;
        r->kept->entries[r->kept->n++] = r->entry;
        r->entry = NULL;
    }
    free(r->entry);
    r->entry = NULL;
}

/* ---- words ---- */

/** Word i, up to 16 hexadecimal digits. */
static bool read_digest(pb_item_reader_t *item, int i, uint64_t *digest_p)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    const char *word = item->words[i];
    const size_t length = strlen(word);
    if (length > 16 || strspn(word, "0123456789abcdef") != length) {
        pb_item_fault(item, "%s is '%s', but must be up to 16 hexadecimal digits",
                      item->words[i - 1], pb_item_quote(quote, word));
        return false;
    }
    *digest_p = strtoull(word, NULL, 16);
    return true;
}

static bool read_int(pb_item_reader_t *item, int i, uint64_t low, uint64_t high, int *value_p)
{
    uint64_t value = 0;
    const bool good = pb_item_number(item, NULL, i, low, high, &value);
    *value_p = (int) value;
    return good;
}

static bool read_time(pb_item_reader_t *item, int i, uint64_t low, int64_t *time_p)
{
    uint64_t value = 0;
    const bool good = pb_item_number(item, NULL, i, low, (uint64_t) PB_TIME_LONGEST, &value);
    *time_p = (int64_t) value;
    return good;
}

/** Word i, 0 or the bytes of a segment. */
static bool read_segment(pb_item_reader_t *item, int i, uint64_t *segment_p)
{
    return strcmp(item->words[i], "0") == 0 ||
           pb_item_number(item, NULL, i, MIN_SEGMENT, MAX_SEGMENT, segment_p);
}

/** Whether word i is `yes` and not `no`; a fault if it is neither. */
static bool read_either(pb_item_reader_t *item, int i, const char *yes, const char *no,
                        bool *is_yes_p)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    *is_yes_p = strcmp(item->words[i], yes) == 0;
    if (!*is_yes_p && strcmp(item->words[i], no) != 0) {
        pb_item_fault(item, "'%s' must be %s or %s", pb_item_quote(quote, item->words[i]), yes, no);
        return false;
    }
    return true;
}

/** A kind of tree by its name, or the fallback component's. */
static bool find_kind(const char *name, int *kind_p)
{
    *kind_p = strcmp(name, "fallback") == 0 ? PB_KIND_FALLBACK : pb_kind_find(name);
    return *kind_p >= 0 || strcmp(name, "fallback") == 0;
}

/** Whether a kind may be used where kinds are chosen so. */
static bool may_be_used(const pb_kept_key_t *key, int kind)
{
    if (key->kind == PB_CHOOSE_ALL) {
        return kind == PB_KIND_FALLBACK || pb_kind_row((pb_kind_t) kind)->auto_turn != 0;
    }
    /* Others stand in for multicast where it does not work. */
    const bool may_differ = key->is_bound || pb_kind_row((pb_kind_t) key->kind)->copies;
    return kind == key->kind || (may_differ && kind != PB_KIND_FALLBACK);
}

/** Word i, a kind that may be used in the entry that is read. */
static bool read_kind(pb_item_reader_t *item, int i, int *kind_p)
{
    const reader_t *r = item->context;
    char quote[PB_DIAG_QUOTE_SIZE];
    if (!find_kind(item->words[i], kind_p) || !may_be_used(&r->entry->key, *kind_p)) {
        pb_item_fault(item, "'%s' is no kind of tree that may be chosen here",
                      pb_item_quote(quote, item->words[i]));
        return false;
    }
    return true;
}

/* ---- items ---- */

static void item_network(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    end_entry(r);
    r->network_line = item->line;
    r->n_head = NETWORK;
    r->has_links = false;
    r->n_classes = 0;
    r->entry = calloc(1, sizeof(*r->entry));
    if (r->entry == NULL) {
        item->error = PB_ERR_NO_MEMORY;
        return;
    }
    pb_learner_init(&r->entry->learner, 0);
    pb_kept_key_t *key = &r->entry->key;
    (void) (read_digest(item, 1, &key->network) && read_int(item, 3, 1, MAX_RANKS, &key->n_hosts) &&
            read_int(item, 5, 1, MAX_RANKS, &key->n_ranks) && read_digest(item, 7, &key->hosts));
}

/** Whether it is the turn of one of the first items of an entry. */
static bool is_turn(reader_t *r, int which)
{
    if (r->entry == NULL || r->n_head != which - 1) {
        pb_item_fault(&r->item,
                      "%s has another place: an entry begins with the lines network, "
                      "transport, model and choice",
                      r->item.words[0]);
        return false;
    }
    r->n_head = which;
    return true;
}

static void item_transport(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    if (is_turn(r, TRANSPORT)) {
        (void) pb_medium_read_item(item, &r->entry->key.medium);
    }
}

static void item_model(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    if (is_turn(r, MODEL)) {
        (void) read_digest(item, 1, &r->entry->key.model);
    }
}

static void item_choice(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    char quote[PB_DIAG_QUOTE_SIZE];
    if (!is_turn(r, CHOICE)) {
        return;
    }
    pb_kept_key_t *key = &r->entry->key;
    const bool is_auto = strcmp(item->words[1], "auto") == 0;
    key->kind = is_auto ? PB_CHOOSE_ALL : pb_kind_find(item->words[1]);
    bool is_unbounded;
    if (!is_auto && key->kind < 0) {
        key->kind = PB_CHOOSE_ALL;
        pb_item_fault(item, "'%s' is neither auto nor a kind of tree",
                      pb_item_quote(quote, item->words[1]));
    } else if (read_segment(item, 3, &key->segment) &&
               read_int(item, 5, 1, MAX_FANOUT, &key->fanout) &&
               read_either(item, 6, "unbounded", "bounded", &is_unbounded)) {
        key->is_bound = !is_unbounded;
    }
}

/** Whether an entry has what must come first. */
static bool has_head(reader_t *r)
{
    if (r->entry == NULL || r->n_head < CHOICE) {
        pb_item_fault(&r->item,
                      "%s comes before the lines network, transport, model and choice of its entry",
                      r->item.words[0]);
        return false;
    }
    return true;
}

static void item_links(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    bool is_measured;
    if (!has_head(r)) {
        return;
    }
    if (r->has_links) {
        pb_item_fault(item, "links is given twice");
        return;
    }
    r->has_links = true;
    pb_learner_t *learner = &r->entry->learner;
    if (pb_item_number(item, NULL, 1, 1, MAX_SPEED, &learner->speed) &&
        read_either(item, 2, "measured", "guessed", &is_measured)) {
        learner->is_guess = !is_measured;
    }
}

/** The octave that a power of two begins; -1, with a fault: it begins none. */
static int read_octave(pb_item_reader_t *item, int i)
{
    uint64_t bytes;
    for (int at = 0; at < PB_LEARNER_OCTAVES; at++) {
        if (pb_decimal_read(item->words[i], UINT64_C(1) << at, UINT64_C(1) << at, &bytes)) {
            return at;
        }
    }
    char quote[PB_DIAG_QUOTE_SIZE];
    pb_item_fault(item, "'%s' is no power of two below 2^%d", pb_item_quote(quote, item->words[i]),
                  PB_LEARNER_OCTAVES);
    return -1;
}

static void item_ratio(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    int kind;
    uint64_t ratio;
    if (!has_head(r) || !read_kind(item, 1, &kind)) {
        return;
    }
    const int at = read_octave(item, 2);
    if (at < 0 || !pb_item_number(item, "the ratio", 3, 1, MAX_RATIO, &ratio)) {
        return;
    }
    int64_t *known = &r->entry->learner.ratio[kind == PB_KIND_FALLBACK ? PB_KIND_COUNT : kind][at];
    if (*known != 0) {
        pb_item_fault(item, "this ratio is given twice");
    }
    *known = (int64_t) ratio;
}

/** The room for one more class, or NULL with a fault. */
static pb_learner_class_t *add_class(reader_t *r, uint64_t bytes)
{
    pb_learner_class_t *classes = r->entry->learner.classes;
    for (int i = 0; i < r->n_classes; i++) {
        if (classes[i].size_class == bytes) {
            pb_item_fault(&r->item, "this size is given twice");
            return NULL;
        }
    }
    if (r->n_classes == PB_LEARNER_CLASSES) {
        pb_item_fault(&r->item, "the entry has more than %d sizes", PB_LEARNER_CLASSES);
        return NULL;
    }
    classes[r->n_classes].size_class = bytes;
    return &classes[r->n_classes++];
}

static void item_size(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    uint64_t bytes;
    end_class(r);
    r->skips = true;
    if (!has_head(r) || !pb_item_number(item, "the size", 1, 1, MAX_BYTES, &bytes)) {
        return;
    }
    if (pb_size_class(bytes) != bytes) {
        pb_item_fault(item, "a class of sizes does not begin with %" PRIu64 " but with %" PRIu64,
                      bytes, pb_size_class(bytes));
        return;
    }
    pb_learner_class_t *class = add_class(r, bytes);
    if (class != NULL && read_either(item, 2, "settled", "trying", &class->is_settled) &&
        read_int(item, 4, 1, MAX_NOTES, &class->n_notes) && read_time(item, 6, 0, &class->spent) &&
        read_time(item, 8, 0, &class->extra)) {
        r->class = class;
        r->size_line = item->line;
        r->skips = false;
    }
}

/** A line that has another form than item_size() reads: those that belong to it are skipped. */
static void refused_size(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    end_class(r);
    r->skips = true;
}

/** Notes that yield the least and the usual time again. */
static void set_notes(pb_learner_entry_t *entry, int n, int64_t least, int64_t usual)
{
    entry->n = (uint16_t) n;
    entry->is_connected = true;
    entry->notes[0] = least;
    entry->notes[1] = entry->notes[2] = usual;
}

static bool is_there(const pb_learner_class_t *class, const pb_learner_entry_t *entry)
{
    for (int i = 0; i < class->n_entries; i++) {
        if (class->entries[i].kind == entry->kind && class->entries[i].segment == entry->segment) {
            return true;
        }
    }
    return false;
}

/** A candidate; false, with a fault, if it is none. */
static bool read_candidate(pb_item_reader_t *item, pb_learner_entry_t *entry)
{
    int kind, n;
    int64_t least, usual;
    if (!read_kind(item, 1, &kind) || !read_segment(item, 3, &entry->segment) ||
        !read_int(item, 5, 1, PB_LEARNER_KEPT, &n) || !read_time(item, 7, 1, &least) ||
        !read_time(item, 9, 1, &usual)) {
        return false;
    }
    if (usual < least || (n == 1 && usual != least)) {
        pb_item_fault(item,
                      "the usual time is less than the least one, or another one though there is "
                      "one note");
        return false;
    }
    entry->kind = (int16_t) kind;
    set_notes(entry, n, least, usual);
    return true;
}

/** Adds the candidate of this line to the class; false, with a fault, if it is none. */
static bool add_candidate(pb_item_reader_t *item, pb_learner_class_t *class)
{
    pb_learner_entry_t entry = {.n = 0};
    if (!read_candidate(item, &entry)) {
        return false;
    }
    if (is_there(class, &entry)) {
        pb_item_fault(item, "this candidate is given twice");
        return false;
    }
    if (class->n_entries == PB_LEARNER_ENTRIES) {
        pb_item_fault(item, "the size has more than %d candidates", PB_LEARNER_ENTRIES);
        return false;
    }
    class->entries[class->n_entries++] = entry;
    return true;
}

static void item_used(pb_item_reader_t *item)
{
    reader_t *r = item->context;
    pb_learner_class_t *class = r->class;
    if (r->skips) {
        return;
    }
    if (class == NULL || class->in_force >= 0) {
        pb_item_fault(item, "used does not follow the line size");
        return;
    }
    r->class = NULL;
    r->skips = true;
    if (add_candidate(item, class)) {
        class->in_force = 0;
        class->reference = pb_learner_usual_time(&class->entries[0]);
        r->class = class;
        r->skips = false;
    }
}

static void item_tried(pb_item_reader_t *item)
{
    const reader_t *r = item->context;
    if (r->skips) {
        return;
    }
    if (r->class == NULL || r->class->in_force < 0) {
        pb_item_fault(item, "tried does not follow the line used");
        return;
    }
    (void) add_candidate(item, r->class);
}

static const pb_item_t items[] = {
    {"network DIGEST hosts HOSTS ranks RANKS digest DIGEST", item_network, NULL},
    {PB_MEDIUM_FORM, item_transport, NULL},
    {"model DIGEST", item_model, NULL},
    {"choice KIND segment BYTES fanout CHILDREN BOUND", item_choice, NULL},
    {"links BITS KNOWN", item_links, NULL},
    {"ratio KIND BYTES RATIO", item_ratio, NULL},
    {"size BYTES STATE notes NOTES spent NANOSECONDS extra NANOSECONDS", item_size, refused_size},
    {"used KIND segment BYTES notes NOTES least NANOSECONDS usual NANOSECONDS", item_used, NULL},
    {"tried KIND segment BYTES notes NOTES least NANOSECONDS usual NANOSECONDS", item_tried, NULL},
    PB_ITEM_END,
};

static const pb_item_file_t kept_file = {
    .name = "pipebcast-learnt",
    .version = PB_KEPT_VERSION,
    .remedy = "remove it, or set coll_pipebcast_learn to on",
    .items = items,
    .n_items = sizeof(items) / sizeof(items[0]),
    .has_end = true,
};

int pb_kept_parse(const char *text, size_t length, const char *name, pb_kept_t *kept,
                  pb_diag_t *diag)
{
    reader_t reader = {.kept = kept};
    *kept = (pb_kept_t){.n = 0};
    int rc = pb_item_read(&reader.item, &kept_file, text, length, name, diag, &reader);
    if (rc == PB_SUCCESS) {
        end_entry(&reader);
        rc = pb_item_has_faults(&reader.item) ? PB_ERR_INPUT : PB_SUCCESS;
    }
    free(reader.entry);
    if (rc != PB_SUCCESS) {
        pb_kept_clear(kept);
    }
    return rc;
}

/* ---- writing ---- */

typedef struct writer {
    FILE *stream;
    int64_t n_items;
} writer_t;

__attribute__((format(printf, 2, 3))) static void put(writer_t *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(w->stream, format, args);
    va_end(args);
    w->n_items++;
}

/** A number that the reader takes. */
static int64_t limited(int64_t number, int64_t least, int64_t most)
{
    return number < least ? least : number > most ? most : number;
}

static const char *name_of(int kind)
{
    const pb_candidate_t candidate = {.kind = kind};
    return pb_candidate_name(&candidate);
}

static void write_key(writer_t *w, const pb_kept_key_t *key)
{
    fprintf(w->stream, "\n");
    put(w, "network %016" PRIx64 " hosts %d ranks %d digest %016" PRIx64 "\n", key->network,
        key->n_hosts, key->n_ranks, key->hosts);
    pb_medium_write_item(&key->medium, w->stream);
    w->n_items++;
    put(w, "model %016" PRIx64 "\n", key->model);
    put(w, "choice %s segment %" PRIu64 " fanout %d %s\n",
        key->kind == PB_CHOOSE_ALL ? "auto" : name_of(key->kind), key->segment, key->fanout,
        key->is_bound ? "bounded" : "unbounded");
}

static void write_ratios(writer_t *w, const pb_learner_t *learner)
{
    for (int row = 0; row <= PB_KIND_COUNT; row++) {
        for (int at = 0; at < PB_LEARNER_OCTAVES; at++) {
            if (learner->ratio[row][at] > 0) {
                put(w, "ratio %s %" PRIu64 " %" PRId64 "\n",
                    name_of(row < PB_KIND_COUNT ? row : PB_KIND_FALLBACK), UINT64_C(1) << at,
                    limited(learner->ratio[row][at], 1, MAX_RATIO));
            }
        }
    }
}

static void write_candidate(writer_t *w, const char *item, const pb_learner_entry_t *entry)
{
    put(w, "%s %s segment %" PRIu64 " notes %d least %" PRId64 " usual %" PRId64 "\n", item,
        name_of(entry->kind), entry->segment, (int) limited(entry->n, 1, PB_LEARNER_KEPT),
        limited(pb_learner_time(entry), 1, PB_TIME_LONGEST),
        limited(pb_learner_usual_time(entry), 1, PB_TIME_LONGEST));
}

static void write_class(writer_t *w, const pb_learner_class_t *class)
{
    put(w, "size %" PRIu64 " %s notes %d spent %" PRId64 " extra %" PRId64 "\n", class->size_class,
        class->is_settled ? "settled" : "trying", (int) limited(class->n_notes, 1, MAX_NOTES),
        pb_time_limited(class->spent), pb_time_limited(class->extra));
    write_candidate(w, "used", &class->entries[class->in_force]);
    for (int i = 0; i < class->n_entries; i++) {
        if (i != class->in_force) {
            write_candidate(w, "tried", &class->entries[i]);
        }
    }
}

/** The class of the least size above `size`; NULL: there is none. */
static const pb_learner_class_t *next_class(const pb_learner_t *learner, uint64_t size)
{
    const pb_learner_class_t *next = NULL;
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        const pb_learner_class_t *class = &learner->classes[i];
        if (class->size_class > size && (next == NULL || class->size_class < next->size_class)) {
            next = class;
        }
    }
    return next;
}

static void write_entry(writer_t *w, const pb_kept_entry_t *entry)
{
    const pb_learner_t *learner = &entry->learner;
    write_key(w, &entry->key);
    if (learner->speed != 0) {
        put(w, "links %" PRIu64 " %s\n", learner->speed,
            learner->is_guess ? "guessed" : "measured");
    }
    write_ratios(w, learner);
    for (const pb_learner_class_t *class = next_class(learner, 0); class != NULL;
         class = next_class(learner, class->size_class)) {
        write_class(w, class);
    }
}

int pb_kept_write(const pb_kept_t *kept, FILE *stream)
{
    writer_t writer = {.stream = stream};
    fprintf(stream,
            "pipebcast-learnt %d\n"
            "# What pipebcast learnt of broadcasts, for later jobs (coll_pipebcast_learn keep). It "
            "may be removed.\n",
            PB_KEPT_VERSION);
    for (int i = 0; i < kept->n; i++) {
        write_entry(&writer, kept->entries[i]);
    }
    fprintf(stream, "\nend %" PRId64 "\n", writer.n_items);
    return ferror(stream) ? PB_ERR_IO : PB_SUCCESS;
}
