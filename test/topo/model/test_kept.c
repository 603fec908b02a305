/*
 * What is kept for later jobs: golden files of the reader, merging, and the file of a user where
 * jobs end at the same time, a lock is held, the disk is full, or something else is in its place.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/tap.h"
#include "test/topo/util/golden.h"
#include "topo/model/kept_store.h"
#include "topo/util/error.h"
#include "topo/util/text_file.h"

enum { MAX_PATH = 512 };

/* ---- reading and writing ---- */

static void print_result(int rc, const pb_kept_t *kept, const pb_diag_t *diag, FILE *out)
{
    if (rc == PB_SUCCESS && diag->n_faults == 0) {
        (void) pb_kept_write(kept, out);
        return;
    }
    fprintf(out, "%s\n", pb_error_text(rc));
    for (size_t i = 0; i < diag->n_kept; i++) {
        fprintf(out, "%s\n", diag->messages[i]);
    }
    if (kept->n != 0) {
        fprintf(out, "and yet something is kept\n");
    }
}

static char *print_of(const char *text, size_t length, const char *name)
{
    char *is = NULL;
    size_t size;
    pb_kept_t kept;
    pb_diag_t diag;
    pb_diag_init(&diag);
    FILE *out = open_memstream(&is, &size);
    const int rc = pb_kept_parse(text, length, name, &kept, &diag);
    print_result(rc, &kept, &diag, out);
    fclose(out);
    pb_kept_clear(&kept);
    pb_diag_clear(&diag);
    return is;
}

static char *read_and_print(const char *file)
{
    char *text = NULL;
    size_t length = 0;
    pb_diag_t diag;
    pb_diag_init(&diag);
    if (pb_text_file_read(file, "golden file", 1 << 20, &text, &length, &diag) != PB_SUCCESS) {
        abort();
    }
    char *is = print_of(text, length, file);
    free(text);
    return is;
}

static void check_golden(const char *file, bool equal)
{
    ok(equal, "%s", file);
}

/** What was written is written again as it is. */
static void test_written_again(void)
{
    char *once = read_and_print("model/learnt/good.learnt");
    char *again = print_of(once, strlen(once), "again");
    ok(strstr(once, "used twotree") != NULL && golden_equal(again, once),
       "what was written is read and written alike");
    free(once);
    free(again);
}

/* ---- merging ---- */

static pb_kept_key_t key_of(uint64_t hosts)
{
    return (pb_kept_key_t){.network = 1,
                           .n_hosts = 4,
                           .n_ranks = 4,
                           .hosts = hosts,
                           .medium = {.pml = "ob1", .btls = "tcp", .interfaces = "eth0"},
                           .model = 2,
                           .kind = PB_CHOOSE_ALL,
                           .fanout = 3};
}

static void learner_init(pb_learner_t *learner)
{
    pb_learner_init(learner, UINT64_C(1000000000));
}

/** Adds a class, as if its candidate had been noted so often, by this learner if `is_own`. */
static pb_learner_class_t *learn(pb_learner_t *learner, uint64_t bytes, int kind, int64_t time,
                                 bool is_settled, bool is_own)
{
    int at = 0;
    while (learner->classes[at].size_class != 0) {
        at++;
    }
    learner->classes[at] = (pb_learner_class_t){.size_class = bytes,
                                                .is_settled = is_settled,
                                                .n_notes = 3,
                                                .n_own = is_own ? 3 : 0,
                                                .reference = time,
                                                .n_entries = 1,
                                                .entries[0] = {.kind = (int16_t) kind,
                                                               .segment = 1024,
                                                               .n = 3,
                                                               .is_connected = true,
                                                               .notes = {time, time, time}}};
    return &learner->classes[at];
}

static const pb_learner_class_t *class_of(const pb_kept_t *kept, const pb_kept_key_t *key,
                                          uint64_t bytes)
{
    const int at = pb_kept_find(kept, key);
    for (int i = 0; at >= 0 && i < PB_LEARNER_CLASSES; i++) {
        const pb_learner_class_t *class = &kept->entries[at]->learner.classes[i];
        if (class->size_class == bytes) {
            return class;
        }
    }
    return NULL;
}

/** Whether it has this class, with this kind in force. */
static bool has(const pb_kept_t *kept, const pb_kept_key_t *key, uint64_t bytes, int kind)
{
    const pb_learner_class_t *class = class_of(kept, key, bytes);
    return class != NULL && class->entries[class->in_force].kind == kind;
}

static void put(pb_kept_t *kept, const pb_kept_key_t *key, const pb_learner_t *learner)
{
    if (pb_kept_put(kept, key, learner) != PB_SUCCESS) {
        abort();
    }
}

static void test_merging(void)
{
    static pb_learner_t first, second;
    pb_kept_t kept = {.n = 0};
    const pb_kept_key_t key = key_of(7), other = key_of(8);
    learner_init(&first);
    (void) learn(&first, 1024, PB_KIND_CHAIN, 100, true, true);
    (void) learn(&first, 2048, PB_KIND_CHAIN, 100, true, true);
    (void) learn(&first, 4096, PB_KIND_CHAIN, 100, true, true);
    (void) learn(&first, 8192, PB_KIND_CHAIN, 100, false, true);
    first.speed = 5000000;
    first.ratio[PB_KIND_CHAIN][3] = 1100;
    first.ratio[PB_KIND_FLAT][3] = 1200;
    put(&kept, &key, &first);
    learner_init(&second);
    (void) learn(&second, 1024, PB_KIND_TWOTREE, 90, true, true);
    (void) learn(&second, 2048, PB_KIND_TWOTREE, 90, false, true);
    learn(&second, 4096, PB_KIND_TWOTREE, 300, false, true)->has_drifted = true;
    (void) learn(&second, 8192, PB_KIND_TWOTREE, 90, false, true);
    (void) learn(&second, 16384, PB_KIND_TWOTREE, 90, false, true);
    second.speed = 6000000;
    second.is_guess = true;
    second.ratio[PB_KIND_CHAIN][3] = 1300;
    put(&kept, &key, &second);
    const pb_learner_t *merged = &kept.entries[0]->learner;
    ok(kept.n == 1 && has(&kept, &key, 1024, PB_KIND_TWOTREE), "what is settled later counts");
    ok(has(&kept, &key, 2048, PB_KIND_CHAIN), "what is not settled gives way to what is");
    ok(has(&kept, &key, 4096, PB_KIND_TWOTREE), "unless that has drifted");
    ok(has(&kept, &key, 8192, PB_KIND_TWOTREE) && has(&kept, &key, 16384, PB_KIND_TWOTREE),
       "what only the later one knows, or better, is there");
    ok(merged->speed == 5000000 && !merged->is_guess, "a guess of the speed gives way");
    ok(merged->ratio[PB_KIND_CHAIN][3] == 1300 && merged->ratio[PB_KIND_FLAT][3] == 1200,
       "ratios are those that were measured last");
    learner_init(&second);
    (void) learn(&second, 1024, PB_KIND_FLAT, 90, true, false);
    put(&kept, &key, &second);
    ok(has(&kept, &key, 1024, PB_KIND_TWOTREE),
       "what a job began with and did not measure replaces nothing");
    put(&kept, &other, &first);
    ok(kept.n == 2 && pb_kept_find(&kept, &other) == 0 && has(&kept, &other, 1024, PB_KIND_CHAIN) &&
           has(&kept, &key, 1024, PB_KIND_TWOTREE),
       "other hosts have an entry of their own");
    pb_kept_clear(&kept);
}

/** What of a class is not known well enough to be written. */
static void test_cleaning(void)
{
    static pb_learner_t learner;
    pb_kept_t kept = {.n = 0};
    const pb_kept_key_t key = key_of(7);
    learner_init(&learner);
    pb_learner_class_t *class = learn(&learner, 1024, PB_KIND_CHAIN, 100, true, true);
    class->entries[1] = class->entries[0];
    class->entries[2] = class->entries[0];
    class->entries[0] = (pb_learner_entry_t){.kind = PB_KIND_FLAT, .n_opened = 1};
    class->entries[2].kind = PB_KIND_KARY;
    class->entries[2].is_connected = false;
    class->n_entries = 3;
    class->in_force = 1;
    learn(&learner, 2048, PB_KIND_CHAIN, 100, false, true)->in_force = -1;
    learn(&learner, 4096, PB_KIND_CHAIN, 100, true, true)->entries[0].is_connected = false;
    (void) learn(&learner, PB_MODEL_MAX_BYTES * 2, PB_KIND_CHAIN, 100, true, true);
    put(&kept, &key, &learner);
    ok(has(&kept, &key, 1024, PB_KIND_CHAIN) && class_of(&kept, &key, 1024)->n_entries == 1 &&
           class_of(&kept, &key, 2048) == NULL && class_of(&kept, &key, 4096) == NULL &&
           class_of(&kept, &key, PB_MODEL_MAX_BYTES * 2) == NULL,
       "candidates that only opened connections, and classes without any, are not kept");
    pb_kept_clear(&kept);
}

static void test_oldest_go(void)
{
    static pb_learner_t learner;
    pb_kept_t kept = {.n = 0};
    learner_init(&learner);
    (void) learn(&learner, 1024, PB_KIND_CHAIN, 100, true, true);
    for (uint64_t i = 0; i < PB_KEPT_MAX + 3; i++) {
        const pb_kept_key_t key = key_of(i);
        put(&kept, &key, &learner);
    }
    const pb_kept_key_t gone = key_of(2), oldest = key_of(3), last = key_of(PB_KEPT_MAX + 2);
    ok(kept.n == PB_KEPT_MAX && pb_kept_find(&kept, &gone) < 0 &&
           pb_kept_find(&kept, &oldest) == PB_KEPT_MAX - 1 && pb_kept_find(&kept, &last) == 0,
       "of more entries than there is room for, the last that were written stay");
    ok(pb_kept_is_worth(&kept, &oldest, &learner) && !pb_kept_is_worth(&kept, &last, &learner),
       "one that would go soon is written again, though nothing is new");
    learner.has_news = true;
    ok(pb_kept_is_worth(&kept, &last, &learner), "and so is what has news");
    pb_kept_clear(&kept);
}

static void test_keys(void)
{
    const pb_kept_key_t key = key_of(7);
    pb_kept_key_t others[] = {key, key, key, key, key, key, key, key, key, key, key};
    static pb_learner_t learner;
    pb_kept_t kept = {.n = 0};
    learner_init(&learner);
    put(&kept, &key, &learner);
    others[0].network++;
    others[1].n_ranks++;
    others[2].hosts++;
    strcpy(others[3].medium.pml, "ucx");
    strcpy(others[4].medium.interfaces, "eth1");
    others[5].medium.bits_per_second = 1000000;
    others[6].model++;
    others[7].kind = PB_KIND_CHAIN;
    others[8].segment = 1024;
    others[9].fanout++;
    others[10].is_bound = true;
    int n_found = 0;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        n_found += pb_kept_find(&kept, &others[i]) >= 0;
    }
    ok(n_found == 0 && pb_kept_find(&kept, &key) == 0, "what was learnt for one is for no other");
    pb_kept_clear(&kept);
}

static void test_hosts(void)
{
    static const char *const names[] = {"a", "b", "c"};
    static const int orders[][4] = {{0, 1, 2, 0}, {2, 0, 1, 0}, {0, 1, 2, 1}};
    pb_network_t *network = pb_network_one_switch(names, 3);
    uint64_t hashes[3] = {0};
    for (int i = 0; i < 3 && network != NULL; i++) {
        pb_placement_t *placement = pb_placement_new(network, 4);
        for (int rank = 0; rank < 4 && placement != NULL; rank++) {
            placement->host[rank] = pb_network_find(network, names[orders[i][rank]]);
        }
        hashes[i] = placement != NULL ? pb_kept_hosts(placement, false) : 0;
        pb_placement_free(placement);
    }
    ok(hashes[0] != 0 && hashes[0] == hashes[1], "the order of ranks does not count");
    ok(hashes[0] != hashes[2], "but how many are on which host");
    pb_network_free(network);
}

/* ---- the file ---- */

static char directory[] = "/tmp/pipebcast-kept.XXXXXX";

static void path_in(char path[MAX_PATH], const char *name)
{
    snprintf(path, MAX_PATH, "%s/%s", directory, name);
}

static int add(const char *path, uint64_t hosts, char *fault, size_t size)
{
    static pb_learner_t learner;
    const pb_kept_key_t key = key_of(hosts);
    pb_diag_t diag;
    pb_diag_init(&diag);
    learner_init(&learner);
    (void) learn(&learner, 1024, PB_KIND_CHAIN, 100, true, true);
    const int rc = pb_kept_store_add(path, &key, &learner, &diag);
    snprintf(fault, size, "%s", pb_diag_first(&diag));
    pb_diag_clear(&diag);
    return rc;
}

/** The entries of a file, or an error. */
static int count(const char *path, uint64_t *digest_p)
{
    pb_kept_t kept;
    pb_diag_t diag;
    pb_diag_init(&diag);
    int rc = pb_kept_store_read(path, &kept, digest_p, &diag);
    rc = rc == PB_SUCCESS ? kept.n : rc;
    pb_kept_clear(&kept);
    pb_diag_clear(&diag);
    return rc;
}

static void fill_file(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    if (stream == NULL || fputs(text, stream) < 0 || fclose(stream) != 0) {
        abort();
    }
}

static void test_paths(void)
{
    char path[MAX_PATH];
    pb_diag_t diag;
    pb_diag_init(&diag);
    setenv("HOME", "/home/someone", 1);
    setenv("XDG_CACHE_HOME", "/cache", 1);
    ok(pb_kept_store_path(path, sizeof(path), &diag) == PB_SUCCESS &&
           strcmp(path, "/cache/pipebcast/learnt") == 0,
       "%s", path);
    setenv("XDG_CACHE_HOME", "cache", 1);
    ok(pb_kept_store_path(path, sizeof(path), &diag) == PB_SUCCESS &&
           strcmp(path, "/home/someone/.cache/pipebcast/learnt") == 0,
       "%s", path);
    ok(pb_kept_store_path(path, 20, &diag) == PB_ERR_UNKNOWN, "a path that is too long is refused");
    pb_diag_clear(&diag);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    ok(pb_kept_store_path(path, sizeof(path), &diag) == PB_ERR_UNKNOWN &&
           strstr(pb_diag_first(&diag), "XDG_CACHE_HOME nor HOME") != NULL,
       "without HOME there is none");
    pb_diag_clear(&diag);
}

static void test_file(void)
{
    char path[MAX_PATH], fault[MAX_PATH];
    uint64_t none, first, second;
    path_in(path, "a/pipebcast/learnt");
    ok(count(path, &none) == 0 && none == 0, "no file: nothing is kept");
    ok(add(path, 1, fault, sizeof(fault)) == PB_SUCCESS && count(path, &first) == 1 && first != 0,
       "the first job makes the directories");
    ok(add(path, 2, fault, sizeof(fault)) == PB_SUCCESS && count(path, &second) == 2 &&
           second != first,
       "the next one adds to the file");
    fill_file(path, "pipebcast-learnt 1\nend 7\n");
    ok(count(path, &none) == PB_ERR_INPUT && none == 0, "a damaged file is refused");
    ok(add(path, 1, fault, sizeof(fault)) == PB_SUCCESS && count(path, &second) == 1 &&
           second == first,
       "and replaced; the same content has the same digest");
    if (truncate(path, PB_KEPT_MAX_FILE + 1) != 0) {
        abort();
    }
    ok(count(path, &none) == PB_ERR_INPUT && add(path, 1, fault, sizeof(fault)) == PB_SUCCESS &&
           count(path, &second) == 1,
       "so is one that is too large");
}

static void test_no_file(void)
{
    char path[MAX_PATH], fault[MAX_PATH];
    uint64_t digest;
    path_in(path, "file");
    fill_file(path, "");
    path_in(path, "file/pipebcast/learnt");
    ok(count(path, &digest) == 0 && add(path, 1, fault, sizeof(fault)) == PB_ERR_IO &&
           strstr(fault, "its directory cannot be made") != NULL,
       "a file in place of the directory: %s", fault);
    path_in(path, "b");
    (void) mkdir(path, 0700);
    path_in(path, "b/learnt");
    (void) mkdir(path, 0700);
    ok(count(path, &digest) == PB_ERR_IO && add(path, 1, fault, sizeof(fault)) == PB_ERR_IO,
       "a directory in place of the file: %s", fault);
    char deep[5000];
    memset(deep, 'x', sizeof(deep) - 1);
    deep[0] = '/';
    deep[sizeof(deep) - 1] = '\0';
    ok(add(deep, 1, fault, sizeof(fault)) == PB_ERR_IO, "a path that is too long");
}

static void test_full_disk(void)
{
    char path[MAX_PATH], fault[MAX_PATH];
    uint64_t before, after;
    path_in(path, "c/pipebcast/learnt");
    (void) add(path, 1, fault, sizeof(fault));
    (void) count(path, &before);
    const struct rlimit none = {.rlim_cur = 10, .rlim_max = RLIM_INFINITY};
    struct rlimit usual;
    (void) getrlimit(RLIMIT_FSIZE, &usual);
    signal(SIGXFSZ, SIG_IGN);
    (void) setrlimit(RLIMIT_FSIZE, &none);
    const int rc = add(path, 2, fault, sizeof(fault));
    (void) setrlimit(RLIMIT_FSIZE, &usual);
    ok(rc == PB_ERR_IO && strstr(fault, "learnt.new: cannot be written") != NULL &&
           count(path, &after) == 1 && after == before,
       "nothing can be written: the file stays (%s)", fault);
    path_in(path, "c/pipebcast/learnt.new");
    ok(access(path, F_OK) != 0, "and nothing is left beside it");
}

static void test_lock(void)
{
    char path[MAX_PATH], fault[MAX_PATH];
    path_in(path, "c/pipebcast/learnt.lock");
    const int fd = open(path, O_RDWR);
    ok(fd >= 0 && flock(fd, LOCK_EX) == 0, "another job holds the lock");
    path_in(path, "c/pipebcast/learnt");
    ok(add(path, 3, fault, sizeof(fault)) == PB_ERR_IO &&
           strstr(fault, "another job holds") != NULL,
       "then nothing is written: %s", fault);
    close(fd);
    ok(add(path, 3, fault, sizeof(fault)) == PB_SUCCESS, "until it is free");
}

/** Processes that end at the same time; each adds an entry of its own. */
static void test_at_the_same_time(void)
{
    enum { N_JOBS = 12 };
    char path[MAX_PATH], fault[MAX_PATH];
    uint64_t digest;
    int n_failed = 0;
    path_in(path, "d/pipebcast/learnt");
    fflush(stdout);
    for (int i = 0; i < N_JOBS; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            int rc = PB_ERR_IO;
            for (int tries = 0; rc != PB_SUCCESS && tries < 20; tries++) {
                rc = add(path, (uint64_t) i, fault, sizeof(fault));
            }
            _exit(rc != PB_SUCCESS);
        }
    }
    for (int i = 0; i < N_JOBS; i++) {
        int status = 1;
        (void) wait(&status);
        n_failed += status != 0;
    }
    ok(n_failed == 0 && count(path, &digest) == N_JOBS,
       "of jobs that end at the same time no entry is lost");
}

int main(void)
{
    const int n_files = golden_check("model/learnt", read_and_print, check_golden);
    ok(n_files >= 50, "there are golden files (%d)", n_files);
    if (getenv("srcdir") != NULL && chdir(getenv("srcdir")) != 0) {
        return 99;
    }
    test_written_again();
    test_merging();
    test_cleaning();
    test_oldest_go();
    test_keys();
    test_hosts();
    if (mkdtemp(directory) == NULL) {
        return 99;
    }
    test_file();
    test_no_file();
    test_full_disk();
    test_lock();
    test_at_the_same_time();
    test_paths();
    char command[MAX_PATH];
    snprintf(command, sizeof(command), "rm -rf '%s'", directory);
    return system(command) == 0 ? tap_done() : 99;
}
