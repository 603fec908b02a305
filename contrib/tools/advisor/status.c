#include "status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "contrib/tools/common/file.h"
#include "contrib/tools/common/report.h"

static bool path_in(char path[PATH_MAX], const char *dir, const char *name)
{
    return (size_t) snprintf(path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX;
}

bool advisor_status_lock(const char *dir, int *fd_p)
{
    char path[PATH_MAX];
    errno = ENAMETOOLONG;
    *fd_p =
        path_in(path, dir, "advisor-lock") ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644) : -1;
    if (*fd_p < 0) {
        common_report("--dir: %s cannot be used: %s; name a directory that you may write to", dir,
                      strerror(errno));
        return false;
    }
    if (flock(*fd_p, LOCK_EX | LOCK_NB) != 0) {
        common_report(
            "--dir: an advisor works in %s already; 'pipebcast-advisor status --dir %s' reports "
            "what it does",
            dir, dir);
        close(*fd_p);
        return false;
    }
    return true;
}

void advisor_status_close(const char *dir, int fd)
{
    char path[PATH_MAX];
    if (path_in(path, dir, "advisor-status")) {
        (void) unlink(path);
    }
    close(fd);
}

/* ---- writing ---- */

static void write_time(FILE *stream, const char *what, int64_t ns)
{
    char date[64] = "";
    const time_t seconds = (time_t) (ns / 1000000000);
    struct tm parts;
    if (localtime_r(&seconds, &parts) != NULL) {
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &parts);
    }
    fprintf(stream, "%-12s %s\n", what, date);
}

static void write_tree(FILE *stream, const struct advisor_status *s)
{
    fprintf(stream, "%-12s %" PRIu64 " bytes from %s to %d hosts, segments of %" PRIu32 "\n",
            "last tree", s->bytes, s->root, s->n_hosts, s->segment);
    if (s->gap >= 0) {
        fprintf(stream, "%-12s in %.3f s after the last broadcast\n", "expected",
                (double) s->gap * 1e-9);
    }
    fprintf(stream, "%-12s %.3f ms%s; the multilevel tree %.3f ms%s\n", "predicted",
            (double) s->cost * 1e-6, s->n_streams > 1 ? " for the static two trees" : "",
            (double) s->multilevel * 1e-6, s->kept ? "; it was in use already" : "");
}

static void write_all(FILE *stream, const struct advisor_options *o, const struct advisor_status *s)
{
    fprintf(stream, "%-12s %ld\n", "process", (long) getpid());
    write_time(stream, "since", s->started);
    fprintf(stream, "%-12s %s\n", "mode", s->mode);
    fprintf(stream, "%-12s %d\n", "programs", s->n_jobs);
    fprintf(stream, "%-12s %s, %" PRId64 " found\n", "trees", advise_method_name(o->method),
            s->n_trees);
    if (s->root != NULL) {
        write_tree(stream, s);
    }
    fprintf(stream, "%-12s %s%s%s\n", "links", s->measured ? "measured" : "assumed",
            o->links[0] != '\0' ? ", " : "", o->links);
    fprintf(stream, "%-12s %d used, %d ways between clusters found loaded%s%s\n", "rates",
            s->n_rates, s->n_loaded, s->n_loaded > 0 ? ", as " : "", s->loaded);
    if (s->n_faulty > 0) {
        fprintf(stream, "%-12s %d files of programs could not be read\n", "trouble", s->n_faulty);
    }
    write_time(stream, "at", pb_advice_now());
}

bool advisor_status_write(const struct advisor_options *options,
                          const struct advisor_status *status)
{
    char path[PATH_MAX];
    common_file_t file;
    if (!path_in(path, options->dir, "advisor-status") || !common_file_open(&file, path, "--dir")) {
        return false;
    }
    write_all(file.stream, options, status);
    if (!common_file_finish(&file)) {
        common_file_abandon(&file);
        return false;
    }
    return common_file_rename(&file);
}

/* ---- reading ---- */

static bool is_locked(const char *dir)
{
    char path[PATH_MAX];
    const int fd = path_in(path, dir, "advisor-lock") ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;
    if (fd >= 0) {
        close(fd);
    }
    return locked;
}

int advisor_status_print(const char *dir)
{
    char path[PATH_MAX], line[1024];
    const bool locked = is_locked(dir);
    FILE *stream = path_in(path, dir, "advisor-status") ? fopen(path, "r") : NULL;
    puts(locked ? "an advisor is at work" : "no advisor is at work");
    if (stream != NULL && !locked) {
        puts("the last one did not end cleanly; its last report:");
    }
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL) {
        fputs(line, stdout);
    }
    if (stream != NULL) {
        fclose(stream);
    }
    return locked ? EXIT_SUCCESS : EXIT_FAILURE;
}
