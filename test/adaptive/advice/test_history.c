/* History files: written and read, while they are written, cut off, and with bytes changed. */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "contrib/adaptive/advice/history.h"
#include "test/must.h"
#include "test/tap.h"
#include "topo/util/error.h"

static const char *const names[] = {"n1", "n0", "n2"};
static char dir[] = "/tmp/pipebcast-history.XXXXXX";
static pb_host_set_t *hosts;
static struct stat file; /**< the last one that bytes_of() has read */

static pb_history_record_t record(int i)
{
    return (pb_history_record_t){.broadcast = (uint64_t) i,
                                 .from = i % 3,
                                 .to = (i + 1) % 3,
                                 .bytes = 1000 + (uint64_t) i,
                                 .begun = 5000000000 + i,
                                 .taken = 1 + i};
}

static int is_record(const pb_history_record_t *r, int i)
{
    const pb_history_record_t wanted = record(i);
    return r->broadcast == wanted.broadcast && r->from == wanted.from && r->to == wanted.to &&
           r->bytes == wanted.bytes && r->begun == wanted.begun && r->taken == wanted.taken;
}

static char *path_of(const char *token)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/history-%016" PRIx64 "-%s", dir, hosts->hash, token);
    return path;
}

static uint8_t *bytes_of(const char *token, size_t *length_p)
{
    FILE *stream = fopen(path_of(token), "rb");
    must(stream != NULL && fstat(fileno(stream), &file) == 0);
    uint8_t *bytes = malloc((size_t) file.st_size);
    *length_p = fread(bytes, 1, (size_t) file.st_size, stream);
    fclose(stream);
    return bytes;
}

static pb_history_t *parse(const uint8_t *bytes, size_t length, char *fault, size_t size)
{
    pb_diag_t diag;
    pb_history_t *history;
    pb_diag_init(&diag);
    const int error = pb_history_parse(bytes, length, "x", &history, &diag);
    snprintf(fault, size, "%s", diag.n_errors > 0 ? pb_diag_first(&diag) : "");
    if ((error == PB_SUCCESS) != (history != NULL) || (history == NULL) != (diag.n_errors > 0)) {
        ok(0, "faults, result and history go together");
    }
    pb_diag_clear(&diag);
    return history;
}

static pb_history_writer_t *create(const char *token)
{
    pb_diag_t diag;
    pb_history_writer_t *writer;
    pb_diag_init(&diag);
    const int error =
        pb_history_create(dir, PB_HISTORY_BROADCASTS, 77, hosts, token, &writer, &diag);
    ok(error == PB_SUCCESS, "a history is made");
    pb_diag_clear(&diag);
    return writer;
}

static void test_ring(void)
{
    char fault[256];
    int n_good = 0, n_wanted = 0;
    pb_diag_t diag;
    pb_history_t *history;
    pb_history_writer_t *writer = create("ring");
    pb_diag_init(&diag);
    for (int n = 0; n <= 2 * PB_HISTORY_CAPACITY + 5; n++) {
        const int n_there = n < PB_HISTORY_CAPACITY ? n : PB_HISTORY_CAPACITY;
        int good = pb_history_read(path_of("ring"), &history, &diag) == PB_SUCCESS &&
                   history->n_records == n_there && history->n_bad == 0;
        for (int i = 0; good && i < n_there; i++) {
            good = is_record(&history->records[i], n - n_there + i);
        }
        n_good += good;
        n_wanted++;
        pb_history_free(history);
        const pb_history_record_t next = record(n);
        pb_history_add(writer, &next);
    }
    ok(n_good == n_wanted, "the last %d records are there at any time, oldest first",
       PB_HISTORY_CAPACITY);
    size_t length;
    uint8_t *bytes = bytes_of("ring", &length);
    history = parse(bytes, length, fault, sizeof(fault));
    ok(history != NULL && history->kind == PB_HISTORY_BROADCASTS && history->group == 77 &&
           pb_host_set_equal(history->hosts, hosts),
       "kind, group and hosts are there");
    pb_history_free(history);
    ok((file.st_mode & 0777) == 0644, "whatever the umask, others may read it");
    int n_read = 0;
    for (size_t n = 0; n < length; n++) {
        pb_history_t *half = parse(bytes, n, fault, sizeof(fault));
        n_read += half != NULL;
        pb_history_free(half);
    }
    ok(n_read == 0, "cut off it is not read: %s", fault);
    int n_unseen = 0;
    for (size_t n = 0; n < length; n++) {
        bytes[n] ^= 0x10;
        pb_history_t *changed = parse(bytes, length, fault, sizeof(fault));
        n_unseen += changed != NULL && changed->n_records != PB_HISTORY_CAPACITY - 1;
        pb_history_free(changed);
        bytes[n] ^= 0x10;
    }
    /* The bytes that pad the names are no one's. */
    ok(n_unseen <= 7, "a changed byte costs one record, or the file (%d unseen)", n_unseen);
    free(bytes);
    pb_history_close(writer);
    ok(access(path_of("ring"), F_OK) != 0, "a closed history is gone");
    pb_diag_clear(&diag);
}

static int count(void *context, const char *path)
{
    *(int *) context += strstr(path, "history-") != NULL;
    return PB_SUCCESS;
}

static void test_folder(void)
{
    int n = 0;
    pb_diag_t diag;
    pb_host_set_t *others;
    pb_history_writer_t *a = create("a"), *b = create("b"), *bad;
    const struct utimbuf long_ago = {1000000, 1000000};
    pb_diag_init(&diag);
    ok(pb_history_list(dir, PB_HISTORY_BROADCASTS, hosts, count, &n, &diag) == PB_SUCCESS && n == 2,
       "two histories are listed");
    n = 0;
    ok(pb_history_list(dir, PB_HISTORY_RATES, NULL, count, &n, &diag) == PB_SUCCESS && n == 0,
       "no rates");
    ok(pb_host_set_new(names, 2, &others) == PB_SUCCESS &&
           pb_history_list(dir, PB_HISTORY_BROADCASTS, others, count, &n, &diag) == PB_SUCCESS &&
           n == 0,
       "none of other hosts");
    ok(utime(path_of("a"), &long_ago) == 0 &&
           pb_history_remove_old(dir, 3600, &diag) == PB_SUCCESS &&
           access(path_of("a"), F_OK) != 0 && access(path_of("b"), F_OK) == 0,
       "old ones are removed");
    ok(pb_history_create(dir, PB_HISTORY_RATES, 1, hosts, "../x", &bad, &diag) == PB_ERR_INPUT,
       "a token that is a path is refused");
    ok(pb_history_create("/nonexistent", PB_HISTORY_RATES, 1, hosts, "x", &bad, &diag) ==
               PB_ERR_IO &&
           bad == NULL,
       "no directory: %s", pb_diag_first(&diag));
    ok(pb_history_list("/nonexistent", PB_HISTORY_RATES, NULL, count, &n, &diag) == PB_ERR_IO,
       "nothing to list");
    pb_history_close(a);
    pb_history_close(b);
    pb_host_set_free(others);
    pb_diag_clear(&diag);
}

static void test_hosts(void)
{
    pb_host_set_t *same, *bad;
    const char *const other[] = {"n2", "n0", "n1", "n0"};
    const char *const odd[] = {"a b"}, *const empty[] = {""};
    ok(hosts->n == 3 && strcmp(hosts->name[0], "n0") == 0 && pb_host_set_find(hosts, "n2") == 2 &&
           pb_host_set_find(hosts, "n3") == PB_ERR_UNKNOWN,
       "hosts are sorted and found");
    ok(pb_host_set_new(other, 4, &same) == PB_SUCCESS && same->hash == hosts->hash &&
           pb_host_set_equal(same, hosts),
       "in another order they are the same set");
    pb_host_set_free(same);
    ok(pb_host_set_new(odd, 1, &bad) == PB_ERR_INPUT && bad == NULL, "a space is no name's");
    ok(pb_host_set_new(empty, 1, &bad) == PB_ERR_INPUT && bad == NULL, "no name");
}

int main(void)
{
    if (mkdtemp(dir) == NULL || pb_host_set_new(names, 3, &hosts) != PB_SUCCESS) {
        return 99;
    }
    umask(077);
    test_hosts();
    test_ring();
    test_folder();
    ok(rmdir(dir) == 0, "nothing is left in the directory");
    pb_host_set_free(hosts);
    return tap_done();
}
