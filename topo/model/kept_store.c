#include "topo/model/kept_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "topo/util/error.h"
#include "topo/util/hash.h"
#include "topo/util/text_file.h"

/** Milliseconds between two tries to get the lock. */
#define LOCK_PAUSE 5

/** Of the path, and of files beside it. */
#define FILE_IN_CACHE "pipebcast/learnt"
#define LOCK_SUFFIX ".lock"
#define NEW_SUFFIX ".new"

int pb_kept_store_path(char *path, size_t size, pb_diag_t *diag)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    size_t length = size;
    if (cache != NULL && cache[0] == '/') {
        length = (size_t) snprintf(path, size, "%s/" FILE_IN_CACHE, cache);
    } else if (home != NULL && home[0] == '/') {
        length = (size_t) snprintf(path, size, "%s/.cache/" FILE_IN_CACHE, home);
    }
    if (length >= size) {
        pb_diag_fault(diag, NULL, 0,
                      "neither XDG_CACHE_HOME nor HOME is an absolute path of less than %zu bytes",
                      size);
        return PB_ERR_UNKNOWN;
    }
    return PB_SUCCESS;
}

/* ---- reading ---- */

static bool is_too_large(FILE *stream)
{
    struct stat file;
    return fstat(fileno(stream), &file) == 0 && file.st_size > (off_t) PB_KEPT_MAX_FILE;
}

int pb_kept_store_read(const char *path, pb_kept_t *kept, uint64_t *digest_p, pb_diag_t *diag)
{
    char *text = NULL;
    size_t length = 0;
    *kept = (pb_kept_t){.n = 0};
    *digest_p = 0;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL && (errno == ENOENT || errno == ENOTDIR)) {
        return PB_SUCCESS;
    }
    if (stream == NULL) {
        pb_diag_fault(diag, path, 0, "cannot be opened: %s", strerror(errno));
        return PB_ERR_IO;
    }
    int rc = PB_SUCCESS;
    if (is_too_large(stream)) {
        pb_diag_fault(diag, path, 0, "is larger than %zu bytes; remove it", PB_KEPT_MAX_FILE);
        rc = PB_ERR_INPUT;
    } else {
        rc = pb_text_file_read_stream(stream, path, "file of coll_pipebcast_learn keep",
                                      PB_KEPT_MAX_FILE, &text, &length, diag);
    }
    fclose(stream);
    if (rc == PB_SUCCESS) {
        rc = pb_kept_parse(text, length, path, kept, diag);
    }
    if (rc == PB_SUCCESS) {
        *digest_p = pb_hash_end(pb_hash_bytes(PB_HASH_START, text, length)) | 1;
    }
    free(text);
    return rc;
}

/* ---- writing ---- */

/** The directory of a path, with the n-th '/' from its end cut off, unless it is there. */
static bool make_directory(const char *path, int n)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof(directory), "%s", path);
    for (; n > 0; n--) {
        char *end = strrchr(directory, '/');
        if (end == NULL || end == directory) {
            return true;
        }
        *end = '\0';
    }
    return mkdir(directory, 0700) == 0 || errno == EEXIST;
}

static void pause_for(long milliseconds)
{
    const struct timespec time = {.tv_nsec = milliseconds * 1000000};
    (void) nanosleep(&time, NULL);
}

/** Locks the file; -1: it cannot, by errno. */
static int lock(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int rc = fd >= 0 ? flock(fd, LOCK_EX | LOCK_NB) : -1;
    for (int waited = 0; rc != 0 && errno == EWOULDBLOCK && waited < PB_KEPT_STORE_WAIT;
         waited += LOCK_PAUSE) {
        pause_for(LOCK_PAUSE);
        rc = flock(fd, LOCK_EX | LOCK_NB);
    }
    if (rc == 0 || fd < 0) {
        return fd;
    }
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/** The file's text, to be freed; NULL if out of memory. */
static char *print(const pb_kept_t *kept, size_t *length_p)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length_p);
    if (stream == NULL) {
        return NULL;
    }
    const int rc = pb_kept_write(kept, stream);
    if (fclose(stream) != 0 || rc != PB_SUCCESS) {
        free(text);
        text = NULL;
    }
    return text;
}

static bool write_text(const char *path, const char *text, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good = fd >= 0;
    while (good && length > 0) {
        const ssize_t n = write(fd, text, length);
        good = n > 0 || (n < 0 && errno == EINTR);
        text += n > 0 ? n : 0;
        length -= n > 0 ? (size_t) n : 0;
    }
    if (fd >= 0 && close(fd) != 0) {
        good = false;
    }
    return good;
}

/** Not synchronised with the disk: a file that a crash of the host cuts off has no end line. */
static int replace(const char *path, const char *text, size_t length, pb_diag_t *diag)
{
    char new_path[PATH_MAX];
    snprintf(new_path, sizeof(new_path), "%s" NEW_SUFFIX, path);
    if (!write_text(new_path, text, length)) {
        pb_diag_fault(diag, new_path, 0, "cannot be written: %s", strerror(errno));
        (void) unlink(new_path);
        return PB_ERR_IO;
    }
    if (rename(new_path, path) != 0) {
        pb_diag_fault(diag, path, 0, "cannot be replaced: %s", strerror(errno));
        return PB_ERR_IO;
    }
    return PB_SUCCESS;
}

/** Writes what is kept, if it can be read again. */
static int write_kept(const char *path, const pb_kept_t *kept, pb_diag_t *diag)
{
    pb_kept_t again;
    size_t length = 0;
    char *text = print(kept, &length);
    if (text == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int rc = pb_kept_parse(text, length, path, &again, diag);
    pb_kept_clear(&again);
    if (rc == PB_SUCCESS) {
        rc = replace(path, text, length, diag);
    }
    free(text);
    return rc;
}

/** What is there, without what is faulty. */
static int read_what_is_good(const char *path, pb_kept_t *kept, pb_diag_t *diag)
{
    uint64_t digest;
    pb_diag_t faults;
    pb_diag_init(&faults);
    int rc = pb_kept_store_read(path, kept, &digest, &faults);
    if (rc == PB_ERR_IO) {
        pb_diag_fault(diag, NULL, 0, "%s", pb_diag_first(&faults));
    }
    pb_diag_clear(&faults);
    return rc == PB_ERR_INPUT ? PB_SUCCESS : rc;
}

/** With the lock held. */
static int add(const char *path, const pb_kept_key_t *key, const pb_learner_t *learner,
               pb_diag_t *diag)
{
    pb_kept_t kept;
    int rc = read_what_is_good(path, &kept, diag);
    if (rc == PB_SUCCESS) {
        rc = pb_kept_put(&kept, key, learner);
    }
    if (rc == PB_SUCCESS) {
        rc = write_kept(path, &kept, diag);
    }
    pb_kept_clear(&kept);
    return rc;
}

/** Locks what is beside the file, to be closed; -1 with a fault. */
static int open_lock(const char *path, pb_diag_t *diag)
{
    char lock_path[PATH_MAX];
    snprintf(lock_path, sizeof(lock_path), "%s" LOCK_SUFFIX, path);
    if (!make_directory(path, 2) || !make_directory(path, 1)) {
        pb_diag_fault(diag, path, 0, "its directory cannot be made: %s", strerror(errno));
        return -1;
    }
    const int fd = lock(lock_path);
    if (fd < 0 && errno == EWOULDBLOCK) {
        pb_diag_fault(diag, lock_path, 0, "another job holds this lock for longer than %d ms",
                      PB_KEPT_STORE_WAIT);
    } else if (fd < 0) {
        pb_diag_fault(diag, lock_path, 0, "cannot be locked: %s", strerror(errno));
    }
    return fd;
}

int pb_kept_store_add(const char *path, const pb_kept_key_t *key, const pb_learner_t *learner,
                      pb_diag_t *diag)
{
    if (strlen(path) + sizeof(LOCK_SUFFIX) > PATH_MAX) {
        pb_diag_fault(diag, path, 0, "is too long a path");
        return PB_ERR_IO;
    }
    const int fd = open_lock(path, diag);
    if (fd < 0) {
        return PB_ERR_IO;
    }
    const int rc = add(path, key, learner, diag);
    close(fd);
    return rc;
}
