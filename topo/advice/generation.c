#include "topo/advice/generation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "topo/util/error.h"

/** The file: these bytes, the counter, and room to grow. */
typedef struct page {
    char magic[24];
    uint64_t counter; /**< of the host's byte order */
    char room[32];
} page_t;

static const char magic[sizeof(((page_t *) 0)->magic)] = "pipebcast-generation 1\n";

/** Gives a new file its size. Another process that does so at the same time gives it the same. */
static int prepare(int fd, const char *path, pb_diag_t *diag)
{
    struct stat file;
    if (fstat(fd, &file) != 0 || (file.st_size == 0 && ftruncate(fd, sizeof(page_t)) != 0)) {
        pb_diag_fault(diag, path, 0, "cannot be made: %s", strerror(errno));
        return PB_ERR_IO;
    }
    if (file.st_size != 0 && file.st_size != sizeof(page_t)) {
        pb_diag_fault(diag, path, 0,
                      "is not a generation of advice: it has %lld bytes and not %zu; remove it",
                      (long long) file.st_size, sizeof(page_t));
        return PB_ERR_INPUT;
    }
    return PB_SUCCESS;
}

/** Whether the mapped page is one; a new one, which is empty, becomes one. */
static int check(page_t *page, const char *path, pb_diag_t *diag)
{
    static const page_t empty;
    if (memcmp(page->magic, empty.magic, sizeof(magic)) == 0) {
        memcpy(page->magic, magic, sizeof(magic));
    }
    if (memcmp(page->magic, magic, sizeof(magic)) != 0) {
        pb_diag_fault(diag, path, 0, "is not a generation of advice of this version; remove it");
        return PB_ERR_INPUT;
    }
    return PB_SUCCESS;
}

static int map(pb_generation_t *generation, int fd, const char *path, pb_diag_t *diag)
{
    int error = prepare(fd, path, diag);
    if (error != PB_SUCCESS) {
        return error;
    }
    page_t *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        pb_diag_fault(diag, path, 0, "cannot be mapped: %s", strerror(errno));
        return PB_ERR_IO;
    }
    error = check(page, path, diag);
    if (error != PB_SUCCESS) {
        munmap(page, sizeof(*page));
        return error;
    }
    generation->counter = &page->counter;
    return PB_SUCCESS;
}

int pb_generation_open(pb_generation_t *generation, const char *dir, pb_diag_t *diag)
{
    char path[PATH_MAX];
    generation->counter = NULL;
    if ((size_t) snprintf(path, sizeof(path), "%s/generation", dir) >= sizeof(path)) {
        pb_diag_fault(diag, dir, 0, "is too long a path");
        return PB_ERR_IO;
    }
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        pb_diag_fault(diag, path, 0,
                      "cannot be opened: %s; the directory must be there and writable",
                      strerror(errno));
        return PB_ERR_IO;
    }
    const int error = map(generation, fd, path, diag);
    close(fd);
    return error;
}

void pb_generation_close(pb_generation_t *generation)
{
    if (generation->counter != NULL) {
        munmap((char *) generation->counter - offsetof(page_t, counter), sizeof(page_t));
        generation->counter = NULL;
    }
}

uint64_t pb_generation_get(const pb_generation_t *generation)
{
    return __atomic_load_n(generation->counter, __ATOMIC_ACQUIRE);
}

void pb_generation_raise(const pb_generation_t *generation)
{
    (void) __atomic_add_fetch(generation->counter, 1, __ATOMIC_ACQ_REL);
}
