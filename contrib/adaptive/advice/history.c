/*
 * History files. All numbers little-endian:
 *
 *   0   8  "pbhist 1"
 *   8   4  kind
 *   12  4  number of hosts
 *   16  4  bytes of their names
 *   20  4  number of slots for records
 *   24  8  group
 *   32  8  hash of the 32 bytes before and of the names
 *   40     names, each with a '\0', and zeros up to a multiple of 8
 *   then   slots of 56 bytes:
 *     0   8  number of the record from 1; 0: none yet
 *     8   8  broadcast
 *     16  4  from
 *     20  4  to
 *     24  8  bytes
 *     32  8  begun
 *     40  8  taken
 *     48  8  hash of the 48 bytes before
 *
 * Record n is in slot (n - 1) mod slots.
 */
#include "contrib/adaptive/advice/history.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "topo/util/bytes.h"
#include "topo/util/error.h"
#include "topo/util/hash.h"
#include "topo/util/text_file.h"

#define HEAD 40
#define HASHED_HEAD 32
#define SLOT 56
#define HASHED_SLOT 48

/** Slots that a reader accepts, and bytes of names. */
#define MAX_SLOTS 65536
#define MAX_NAMES ((size_t) PB_HOST_SET_MAX * (PB_HOST_SET_MAX_NAME + 1))

static const char magic[8] = {'p', 'b', 'h', 'i', 's', 't', ' ', '1'};

static size_t padded(size_t n_names)
{
    return (n_names + 7) / 8 * 8;
}

static uint64_t hash_of_head(const uint8_t *head, const uint8_t *names, size_t n_names)
{
    const uint64_t state = pb_hash_bytes(PB_HASH_START, head, HASHED_HEAD);
    return pb_hash_end(pb_hash_bytes(state, names, n_names));
}

static uint64_t hash_of_slot(const uint8_t *slot)
{
    return pb_hash_end(pb_hash_bytes(PB_HASH_START, slot, HASHED_SLOT));
}

/* ---- reading ---- */

/** Contents of the head. */
typedef struct head {
    pb_history_kind_t kind;
    uint32_t n_hosts, n_names, n_slots;
    uint64_t group;
} head_t;

/** The error of the file as a whole, or NULL. */
static const char *check_head(const uint8_t *bytes, size_t length, head_t *head)
{
    if (length < HEAD || memcmp(bytes, magic, sizeof(magic)) != 0) {
        return "is no history of this version";
    }
    const uint64_t kind = pb_bytes_get(bytes + 8, 4);
    *head = (head_t){.n_hosts = (uint32_t) pb_bytes_get(bytes + 12, 4),
                     .n_names = (uint32_t) pb_bytes_get(bytes + 16, 4),
                     .n_slots = (uint32_t) pb_bytes_get(bytes + 20, 4),
                     .group = pb_bytes_get(bytes + 24, 8)};
    if (kind != PB_HISTORY_BROADCASTS && kind != PB_HISTORY_RATES) {
        return "is of an unknown kind";
    }
    head->kind = (pb_history_kind_t) kind;
    if (head->n_hosts < 1 || head->n_hosts > PB_HOST_SET_MAX || head->n_names > MAX_NAMES ||
        head->n_slots < 1 || head->n_slots > MAX_SLOTS) {
        return "has odd numbers of hosts or records";
    }
    if (length != HEAD + padded(head->n_names) + (size_t) head->n_slots * SLOT) {
        return "has another length than its head says";
    }
    if (pb_bytes_get(bytes + HASHED_HEAD, 8) != hash_of_head(bytes, bytes + HEAD, head->n_names)) {
        return "was not begun to its end, or was changed: its hash is wrong";
    }
    return NULL;
}

/** The set of hosts from their names; PB_ERR_INPUT if they are not as a writer leaves them. */
static int read_hosts(const uint8_t *bytes, const head_t *head, pb_host_set_t **hosts_p)
{
    const char *at = (const char *) bytes + HEAD, *end = at + head->n_names;
    const char **names = malloc(head->n_hosts * sizeof(*names));
    uint32_t n = 0;
    if (names == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    while (at < end && n < head->n_hosts) {
        const char *zero = memchr(at, '\0', (size_t) (end - at));
        if (zero == NULL) {
            break;
        }
        names[n++] = at;
        at = zero + 1;
    }
    int error =
        n == head->n_hosts && at == end ? pb_host_set_new(names, (int) n, hosts_p) : PB_ERR_INPUT;
    if (error == PB_SUCCESS && (*hosts_p)->n != (int) n) {
        pb_host_set_free(*hosts_p);
        *hosts_p = NULL;
        error = PB_ERR_INPUT;
    }
    free(names);
    return error;
}

/** Tells whether `slot`, the i-th of n, holds a record, and reads it. */
static bool read_slot(const uint8_t *slot, uint64_t i, uint64_t n_slots, int n_hosts,
                      pb_history_record_t *record)
{
    const uint64_t from = pb_bytes_get(slot + 16, 4), to = pb_bytes_get(slot + 20, 4);
    *record = (pb_history_record_t){.number = pb_bytes_get(slot, 8),
                                    .broadcast = pb_bytes_get(slot + 8, 8),
                                    .from = (int) (from & INT_MAX),
                                    .to = (int) (to & INT_MAX),
                                    .bytes = pb_bytes_get(slot + 24, 8),
                                    .begun = (int64_t) pb_bytes_get(slot + 32, 8),
                                    .taken = (int64_t) pb_bytes_get(slot + 40, 8)};
    return pb_bytes_get(slot + HASHED_SLOT, 8) == hash_of_slot(slot) && record->number > 0 &&
           (record->number - 1) % n_slots == i && from < (uint64_t) n_hosts &&
           to < (uint64_t) n_hosts && record->bytes > 0 && record->bytes <= INT64_MAX &&
           record->begun >= 0 && record->begun <= PB_HISTORY_MAX_BEGUN && record->taken > 0 &&
           record->taken <= PB_HISTORY_MAX_TAKEN;
}

static int compare_numbers(const void *a, const void *b)
{
    const pb_history_record_t *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int read_records(const uint8_t *slots, const head_t *head, pb_history_t *history)
{
    history->records = malloc(head->n_slots * sizeof(*history->records));
    if (history->records == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (uint32_t i = 0; i < head->n_slots; i++) {
        const uint8_t *slot = slots + (size_t) i * SLOT;
        if (read_slot(slot, i, head->n_slots, history->hosts->n,
                      &history->records[history->n_records])) {
            history->n_records++;
        } else {
            history->n_bad += pb_bytes_get(slot, 8) != 0;
        }
    }
    qsort(history->records, (size_t) history->n_records, sizeof(*history->records),
          compare_numbers);
    return PB_SUCCESS;
}

int pb_history_parse(const uint8_t *bytes, size_t length, const char *name,
                     pb_history_t **history_p, pb_diag_t *diag)
{
    head_t head;
    *history_p = NULL;
    const char *why = check_head(bytes, length, &head);
    if (why != NULL) {
        pb_diag_error(diag, name, 0, "%s", why);
        return PB_ERR_INPUT;
    }
    pb_history_t *history = calloc(1, sizeof(*history));
    if (history == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    history->kind = head.kind;
    history->group = head.group;
    int error = read_hosts(bytes, &head, &history->hosts);
    if (error == PB_ERR_INPUT) {
        pb_diag_error(diag, name, 0, "has odd names of hosts");
    }
    if (error == PB_SUCCESS) {
        error = read_records(bytes + HEAD + padded(head.n_names), &head, history);
    }
    if (error != PB_SUCCESS) {
        pb_history_free(history);
        return error;
    }
    *history_p = history;
    return PB_SUCCESS;
}

int pb_history_read(const char *path, pb_history_t **history_p, pb_diag_t *diag)
{
    const size_t most = HEAD + MAX_NAMES + (size_t) MAX_SLOTS * SLOT;
    char *bytes;
    size_t length;
    *history_p = NULL;
    int error = pb_text_file_read(path, "history", most, &bytes, &length, diag);
    if (error == PB_SUCCESS) {
        error = pb_history_parse((const uint8_t *) bytes, length, path, history_p, diag);
        free(bytes);
    }
    return error;
}

void pb_history_free(pb_history_t *history)
{
    if (history != NULL) {
        pb_host_set_free(history->hosts);
        free(history->records);
        free(history);
    }
}

/* ---- the directory ---- */

static const char *prefix_of(pb_history_kind_t kind)
{
    return kind == PB_HISTORY_BROADCASTS ? "history-" : "rates-";
}

/** As pb_history_list(), by the beginning of the files' names. */
static int visit_files(const char *dir, const char *prefix, pb_history_visit_t *visit,
                       void *context, pb_diag_t *diag)
{
    char path[PATH_MAX];
    int error = PB_SUCCESS;
    DIR *directory = opendir(dir);
    if (directory == NULL) {
        pb_diag_error(diag, dir, 0, "cannot be read: %s", strerror(errno));
        return PB_ERR_IO;
    }
    for (struct dirent *entry = readdir(directory); entry != NULL && error == PB_SUCCESS;
         entry = readdir(directory)) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 &&
            (size_t) snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) < sizeof(path)) {
            error = visit(context, path);
        }
    }
    closedir(directory);
    return error;
}

int pb_history_list(const char *dir, pb_history_kind_t kind, const pb_host_set_t *hosts,
                    pb_history_visit_t *visit, void *context, pb_diag_t *diag)
{
    char prefix[64];
    snprintf(prefix, sizeof(prefix), "%s", prefix_of(kind));
    if (hosts != NULL) {
        snprintf(prefix, sizeof(prefix), "%s%016" PRIx64 "-", prefix_of(kind), hosts->hash);
    }
    return visit_files(dir, prefix, visit, context, diag);
}

/** Removes one that was last written to before *context, seconds since the epoch. */
static int remove_if_old(void *context, const char *path)
{
    const time_t *before = context;
    struct stat file;
    if (stat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_mtime < *before) {
        (void) unlink(path);
    }
    return PB_SUCCESS;
}

int pb_history_remove_old(const char *dir, int64_t age, pb_diag_t *diag)
{
    static const char *const left[] = {"history-", "rates-", "advice-", "advisor-status.json."};
    time_t before = time(NULL) - (time_t) age;
    int error = PB_SUCCESS;
    for (size_t i = 0; i < sizeof(left) / sizeof(left[0]) && error == PB_SUCCESS; i++) {
        error = visit_files(dir, left[i], remove_if_old, &before, diag);
    }
    return error;
}

/* ---- writing ---- */

struct pb_history_writer {
    char path[PATH_MAX];
    uint8_t *bytes; /**< the mapped file */
    size_t length;
    uint8_t *slots;
    uint64_t n_added;
};

static bool is_token(const char *token)
{
    const char *good = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    const size_t length = strlen(token);
    return length > 0 && length <= NAME_MAX - 64 && strspn(token, good) == length;
}

static size_t bytes_of_names(const pb_host_set_t *hosts)
{
    size_t n = 0;
    for (int i = 0; i < hosts->n; i++) {
        n += strlen(hosts->name[i]) + 1;
    }
    return n;
}

/** The names come first, the hash last: a reader never takes a half head for a whole one. */
static void write_head(uint8_t *bytes, pb_history_kind_t kind, uint64_t group,
                       const pb_host_set_t *hosts)
{
    const size_t n_names = bytes_of_names(hosts);
    uint8_t *at = bytes + HEAD;
    for (int i = 0; i < hosts->n; i++) {
        const size_t size = strlen(hosts->name[i]) + 1;
        memcpy(at, hosts->name[i], size);
        at += size;
    }
    memcpy(bytes, magic, sizeof(magic));
    pb_bytes_put(bytes + 8, kind, 4);
    pb_bytes_put(bytes + 12, (uint64_t) hosts->n, 4);
    pb_bytes_put(bytes + 16, n_names, 4);
    pb_bytes_put(bytes + 20, PB_HISTORY_CAPACITY, 4);
    pb_bytes_put(bytes + 24, group, 8);
    pb_bytes_put(bytes + HASHED_HEAD, hash_of_head(bytes, bytes + HEAD, n_names), 8);
}

/** Makes the file of the writer's length and maps it. Its blocks are reserved, as a page of a
 * full disk could not be written to. */
static bool map_file(pb_history_writer_t *writer)
{
    (void) unlink(writer->path);
    const int fd = open(writer->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        return false;
    }
    (void) fchmod(fd, 0644); /* the directory decides who may read it, not the umask */
    const int rc = posix_fallocate(fd, 0, (off_t) writer->length);
    void *bytes =
        rc == 0 ? mmap(NULL, writer->length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : NULL;
    errno = rc != 0 ? rc : errno;
    close(fd);
    if (bytes == NULL || bytes == MAP_FAILED) {
        (void) unlink(writer->path);
        return false;
    }
    writer->bytes = bytes;
    return true;
}

int pb_history_create(const char *dir, pb_history_kind_t kind, uint64_t group,
                      const pb_host_set_t *hosts, const char *token, pb_history_writer_t **writer_p,
                      pb_diag_t *diag)
{
    const size_t names = padded(bytes_of_names(hosts));
    *writer_p = NULL;
    if (!is_token(token)) {
        return PB_ERR_INPUT;
    }
    pb_history_writer_t *writer = calloc(1, sizeof(*writer));
    if (writer == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    writer->length = HEAD + names + (size_t) PB_HISTORY_CAPACITY * SLOT;
    errno = ENAMETOOLONG;
    if ((size_t) snprintf(writer->path, PATH_MAX, "%s/%s%016" PRIx64 "-%s", dir, prefix_of(kind),
                          hosts->hash, token) >= PATH_MAX ||
        !map_file(writer)) {
        pb_diag_error(diag, writer->path, 0,
                      "cannot be made: %s; the directory must be there and writable",
                      strerror(errno));
        free(writer);
        return PB_ERR_IO;
    }
    writer->slots = writer->bytes + HEAD + names;
    write_head(writer->bytes, kind, group, hosts);
    *writer_p = writer;
    return PB_SUCCESS;
}

void pb_history_add(pb_history_writer_t *writer, const pb_history_record_t *record)
{
    uint8_t slot[SLOT];
    uint8_t *place = writer->slots + writer->n_added % PB_HISTORY_CAPACITY * SLOT;
    writer->n_added++;
    pb_bytes_put(slot, writer->n_added, 8);
    pb_bytes_put(slot + 8, record->broadcast, 8);
    pb_bytes_put(slot + 16, (uint64_t) record->from, 4);
    pb_bytes_put(slot + 20, (uint64_t) record->to, 4);
    pb_bytes_put(slot + 24, record->bytes, 8);
    pb_bytes_put(slot + 32, (uint64_t) record->begun, 8);
    pb_bytes_put(slot + 40, (uint64_t) record->taken, 8);
    pb_bytes_put(slot + HASHED_SLOT, hash_of_slot(slot), 8);
    memcpy(place, slot, SLOT);
}

void pb_history_close(pb_history_writer_t *writer)
{
    if (writer != NULL) {
        munmap(writer->bytes, writer->length);
        (void) unlink(writer->path);
        free(writer);
    }
}
