#include "status.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "contrib/tools/common/file.h"
#include "contrib/tools/common/json.h"
#include "contrib/tools/common/report.h"

static const char report_name[] = "advisor-status.json";

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
    (void) fchmod(*fd_p, 0664); /* the next advisor may be another member's of a group */
    if (flock(*fd_p, LOCK_EX | LOCK_NB) == 0) {
        return true;
    }
    if (errno == EWOULDBLOCK) {
        common_report(
            "--dir: an advisor works in %s already; 'pipebcast advise status --dir %s' reports "
            "what it does",
            dir, dir);
    } else {
        common_report("--dir: %s/advisor-lock cannot be locked: %s; name a directory of a file "
                      "system that has flock()",
                      dir, strerror(errno));
    }
    close(*fd_p);
    return false;
}

void advisor_status_close(const char *dir, int fd)
{
    char path[PATH_MAX];
    if (path_in(path, dir, report_name)) {
        (void) unlink(path);
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

static void write_report(FILE *stream, const struct advisor_options *o,
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
    common_json_integer(whole, "files_unreadable", s->n_unreadable);
    common_json_text(whole, "at", date_of(pb_advice_now(), date));
    common_json_end(whole, stream);
}

bool advisor_status_write(const struct advisor_options *options,
                          const struct advisor_status *status)
{
    char path[PATH_MAX];
    common_file_t file;
    if (!path_in(path, options->dir, report_name) || !common_file_open(&file, path, "--dir")) {
        return false;
    }
    write_report(file.stream, options, status);
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
    const bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0) {
        close(fd);
    }
    return locked;
}

/** Prints the members of an object, a line each; those of an object in it stand in its place. */
static void print_members(json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
        if (json_is_object(value)) {
            print_members(value);
        } else if (!json_is_null(value) && text != NULL) {
            printf("%-16s %s\n", name, json_is_string(value) ? json_string_value(value) : text);
        }
        free(text);
    }
}

static void print_text(json_t *report, bool locked)
{
    puts(locked ? "an advisor is at work" : "no advisor is at work");
    if (json_is_object(report) && !locked) {
        puts("the last one did not end cleanly; its last report:");
    }
    print_members(report);
}

int advisor_status_print(const struct advisor_options *options)
{
    const bool locked = is_locked(options->dir);
    char path[PATH_MAX];
    if (access(options->dir, R_OK) != 0) {
        common_report("--dir: %s: %s", options->dir, strerror(errno));
        return EXIT_FAILURE;
    }
    const common_json_t whole = common_json_begin("pipebcast advise status");
    common_json_truth(whole, "at_work", locked);
    if (path_in(path, options->dir, report_name)) {
        common_json_file(whole, "report", path);
    }
    if (!options->json) {
        print_text(json_object_get(whole, "report"), locked);
    }
    common_json_end(whole, options->json ? stdout : NULL);
    common_check_output();
    return locked ? EXIT_SUCCESS : EXIT_FAILURE;
}
