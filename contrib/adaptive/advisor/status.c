#include "status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "contrib/tools/common/file.h"
#include "contrib/tools/common/json.h"
#include "contrib/tools/common/report.h"

static const char text_name[] = "advisor-status", json_name[] = "advisor-status.json";

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
            "--dir: an advisor works in %s already; 'pipebcast advise status --dir %s' reports "
            "what it does",
            dir, dir);
        close(*fd_p);
        return false;
    }
    return true;
}

void advisor_status_close(const char *dir, int fd)
{
    static const char *const names[] = {text_name, json_name};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (path_in(path, dir, names[i])) {
            (void) unlink(path);
        }
    }
    close(fd);
}

/* ---- writing ---- */

enum { DATE_SIZE = 64 };

/** A time of day; `date` is returned. */
static const char *date_of(int64_t ns, char date[DATE_SIZE])
{
    const time_t seconds = (time_t) (ns / 1000000000);
    struct tm parts;
    date[0] = '\0';
    if (localtime_r(&seconds, &parts) != NULL) {
        strftime(date, DATE_SIZE, "%Y-%m-%d %H:%M:%S", &parts);
    }
    return date;
}

static void write_time(FILE *stream, const char *what, int64_t ns)
{
    char date[DATE_SIZE];
    fprintf(stream, "%-12s %s\n", what, date_of(ns, date));
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

static void add_tree(common_json_t to, const struct advisor_status *s)
{
    const common_json_t tree = common_json_object(to, "last_tree");
    common_json_integer(tree, "bytes", (int64_t) s->bytes);
    common_json_text(tree, "root", s->root);
    common_json_integer(tree, "hosts", s->n_hosts);
    common_json_integer(tree, "segment", s->segment);
    common_json_real(tree, "expected_s", s->gap >= 0 ? (double) s->gap * 1e-9 : (double) NAN, 3);
    common_json_real(tree, "predicted_ms", (double) s->cost * 1e-6, 6);
    common_json_real(tree, "multilevel_ms", (double) s->multilevel * 1e-6, 6);
    common_json_integer(tree, "streams", s->n_streams);
    common_json_truth(tree, "in_use_already", s->kept);
}

static bool write_json(FILE *stream, const struct advisor_options *o,
                       const struct advisor_status *s)
{
    const common_json_t whole = common_json_begin("pipebcast advise");
    char date[DATE_SIZE];
    common_json_integer(whole, "process", getpid());
    common_json_text(whole, "since", date_of(s->started, date));
    common_json_text(whole, "mode", s->mode);
    common_json_integer(whole, "programs", s->n_jobs);
    common_json_text(whole, "method", advise_method_name(o->method));
    common_json_integer(whole, "trees", s->n_trees);
    if (s->root != NULL) {
        add_tree(whole, s);
    } else {
        common_json_null(whole, "last_tree");
    }
    common_json_truth(whole, "links_measured", s->measured);
    common_json_text(whole, "links", o->links[0] != '\0' ? o->links : NULL);
    common_json_integer(whole, "rates_used", s->n_rates);
    common_json_integer(whole, "ways_loaded", s->n_loaded);
    common_json_text(whole, "last_loaded", s->n_loaded > 0 ? s->loaded : NULL);
    common_json_integer(whole, "files_unreadable", s->n_faulty);
    common_json_text(whole, "at", date_of(pb_advice_now(), date));
    return common_json_end(whole, stream);
}

static bool write_text(FILE *stream, const struct advisor_options *options,
                       const struct advisor_status *status)
{
    write_all(stream, options, status);
    return true;
}

/** Replaces one of the two files. */
static bool replace(const char *name,
                    bool (*write)(FILE *, const struct advisor_options *,
                                  const struct advisor_status *),
                    const struct advisor_options *options, const struct advisor_status *status)
{
    char path[PATH_MAX];
    common_file_t file;
    if (!path_in(path, options->dir, name) || !common_file_open(&file, path, "--dir")) {
        return false;
    }
    if (!write(file.stream, options, status) || !common_file_finish(&file)) {
        common_file_abandon(&file);
        return false;
    }
    return common_file_rename(&file);
}

bool advisor_status_write(const struct advisor_options *options,
                          const struct advisor_status *status)
{
    return replace(text_name, write_text, options, status) &&
           replace(json_name, write_json, options, status);
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

static void print_text(const char *dir, bool locked)
{
    char path[PATH_MAX], line[1024];
    FILE *stream = path_in(path, dir, text_name) ? fopen(path, "r") : NULL;
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
}

static bool print_json(const char *dir, bool locked)
{
    const common_json_t whole = common_json_begin("pipebcast advise status");
    char path[PATH_MAX];
    common_json_truth(whole, "at_work", locked);
    if (path_in(path, dir, json_name)) {
        common_json_file(whole, "report", path);
    }
    return common_json_end(whole, stdout);
}

int advisor_status_print(const struct advisor_options *options)
{
    const bool locked = is_locked(options->dir);
    bool good = true;
    if (access(options->dir, R_OK) != 0) {
        common_report("--dir: %s: %s", options->dir, strerror(errno));
        return EXIT_FAILURE;
    }
    if (options->json) {
        good = print_json(options->dir, locked);
    } else {
        print_text(options->dir, locked);
    }
    return locked && good ? EXIT_SUCCESS : EXIT_FAILURE;
}
