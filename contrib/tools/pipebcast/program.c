#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/** Tells whether there is such a program in the first `length` bytes of `directory`. */
static bool is_in(const char *directory, size_t length, const char *name, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%.*s/%s", (int) length, directory, name) < PATH_MAX &&
           access(path, X_OK) == 0;
}

/** Tells whether it is in the directory of the file `own`, or in libexec next to that. */
static bool is_beside(const char *own, const char *name, char path[PATH_MAX])
{
    const char *const end = strrchr(own, '/');
    char libexec[PATH_MAX];
    if (end == NULL) {
        return false;
    }
    const int length =
        snprintf(libexec, sizeof libexec, "%.*s/../libexec/pipebcast", (int) (end - own), own);
    return is_in(own, (size_t) (end - own), name, path) ||
           (length < PATH_MAX && is_in(libexec, (size_t) length, name, path));
}

static bool is_beside_called(const char *name, char path[PATH_MAX])
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel's; 0: none */
    const char *const own = (const char *) getauxval(AT_EXECFN);
    return own != NULL && is_beside(own, name, path);
}

static bool is_beside_real(const char *name, char path[PATH_MAX])
{
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0) {
        return false;
    }
    own[length] = '\0';
    return is_beside(own, name, path);
}

static bool is_in_path(const char *name, char path[PATH_MAX])
{
    const char *directories = getenv("PATH");
    while (directories != NULL && directories[0] != '\0') {
        const size_t length = strcspn(directories, ":");
        if (length > 0 && is_in(directories, length, name, path)) {
            return true;
        }
        directories += length + (directories[length] == ':');
    }
    return false;
}

bool front_program_find(const char *name, char path[PATH_MAX])
{
    return is_beside_called(name, path) || is_beside_real(name, path) ||
           is_in(PB_PKGLIBEXECDIR, strlen(PB_PKGLIBEXECDIR), name, path) || is_in_path(name, path);
}
