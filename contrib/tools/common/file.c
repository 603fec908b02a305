#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

/** The usual mode of a program's files; mkstemp() makes them private. */
enum { USUAL_MODE = 0644 };

static void release(common_file_t *file)
{
    free(file->path);
    free(file->temp);
    *file = (common_file_t){.path = NULL};
}

/** An old file's mode is kept. */
static void set_mode(int fd, const char *path)
{
    struct stat old;
    const mode_t mode = stat(path, &old) == 0 ? old.st_mode & 0777 : USUAL_MODE;
    if (fchmod(fd, mode) != 0) {
        common_report("warning: the mode of %s could not be set: %s", path, strerror(errno));
    }
}

/** A directory, a device or a pipe, which must not be replaced. */
static bool is_no_file(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && !S_ISREG(there.st_mode);
}

bool common_file_open(common_file_t *file, const char *path, const char *what)
{
    int fd = -1;
    *file = (common_file_t){.path = realpath(path, NULL)};
    if (file->path == NULL) {
        file->path = common_copy(path);
    }
    file->temp = common_format("%s.XXXXXX", file->path);
    errno = EINVAL;
    fd = is_no_file(path) ? -1 : mkstemp(file->temp);
    file->stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file->stream == NULL) {
        common_report(
            "%s: %s cannot be written: %s; name a file in a directory that you may write to", what,
            path, strerror(errno));
        if (fd >= 0) {
            close(fd);
            unlink(file->temp);
        }
        release(file);
        return false;
    }
    set_mode(fd, file->path);
    return true;
}

bool common_file_finish(common_file_t *file)
{
    const bool written =
        fflush(file->stream) == 0 && !ferror(file->stream) && fsync(fileno(file->stream)) == 0;
    const int error = errno;
    const bool closed = fclose(file->stream) == 0;
    file->stream = NULL;
    if (!written || !closed) {
        common_report("%s cannot be written: %s; is the disk full?", file->temp,
                      strerror(written ? errno : error));
    }
    return written && closed;
}

bool common_file_rename(common_file_t *file)
{
    if (rename(file->temp, file->path) != 0) {
        common_report("%s cannot be renamed to %s: %s", file->temp, file->path, strerror(errno));
        common_file_abandon(file);
        return false;
    }
    release(file);
    return true;
}

void common_file_abandon(common_file_t *file)
{
    if (file->stream != NULL) {
        fclose(file->stream);
    }
    if (file->temp != NULL) {
        unlink(file->temp);
    }
    release(file);
}
