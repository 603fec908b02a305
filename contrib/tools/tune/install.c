#include "install.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "contrib/tools/common/file.h"
#include "contrib/tools/common/report.h"

static const char model_name[] = "coll_pipebcast_model_file";
static const char topology_name[] = "coll_pipebcast_topology_file";
static const char name_name[] = "coll_pipebcast_topology_name";

static const char blanks[] = " \t\r\n\v\f";

/** $HOME/.openmpi/NAME, to be freed. */
static char *user_path(const char *name)
{
    return common_format("%s/.openmpi/%s", getenv("HOME"), name);
}

bool tune_install_prepare(void)
{
    char *directory = user_path("");
    const bool good = mkdir(directory, 0777) == 0 || errno == EEXIST;
    if (!good) {
        common_report("--install: %s cannot be made: %s", directory, strerror(errno));
    }
    free(directory);
    return good;
}

/** Prints a parameter with the absolute path of its file, as jobs start in other directories. */
static void print_path(FILE *stream, const char *name, const char *path)
{
    char *found = realpath(path, NULL);
    fprintf(stream, "%s = %s\n", name, found != NULL ? found : path);
    free(found);
}

void tune_install_print(const char *model, const char *topology, const char *name, FILE *stream)
{
    print_path(stream, model_name, model);
    if (topology[0] != '\0') {
        print_path(stream, topology_name, topology);
    }
    if (name[0] != '\0') {
        fprintf(stream, "%s = %s\n", name_name, name);
    }
}

/** Tells whether a line of the file sets this parameter. */
static bool sets(const char *line, const char *name)
{
    const size_t length = strlen(name);
    line += strspn(line, blanks);
    return strncmp(line, name, length) == 0 && line[length + strspn(line + length, blanks)] == '=';
}

/** Copies all lines but those that are to be replaced. False if the old file cannot be read. */
static bool copy_rest(FILE *old, bool with_topology, FILE *stream)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while ((length = getline(&line, &size, old)) >= 0) {
        if (!sets(line, model_name) &&
            !(with_topology && (sets(line, topology_name) || sets(line, name_name)))) {
            fputs(line, stream);
            if (length > 0 && line[length - 1] != '\n') {
                fputc('\n', stream);
            }
        }
    }
    free(line);
    return !ferror(old);
}

/** Opens the file if there is one; *old_p is NULL if there is nothing yet. False with a message. */
static bool open_old(const char *path, FILE **old_p)
{
    *old_p = fopen(path, "r");
    if (*old_p == NULL && errno != ENOENT) {
        common_report("--install: %s cannot be read: %s", path, strerror(errno));
        return false;
    }
    return true;
}

bool tune_install(const char *model, const char *topology, const char *name, bool quiet)
{
    common_file_t file = {.path = NULL};
    FILE *old = NULL;
    char *path = user_path("mca-params.conf");
    bool good = open_old(path, &old) && common_file_open(&file, path, "--install");
    if (good && old != NULL && !copy_rest(old, topology[0] != '\0', file.stream)) {
        common_report("--install: %s cannot be read", path);
        good = false;
    }
    if (good) {
        tune_install_print(model, topology, name, file.stream);
        good = common_file_finish(&file) && common_file_rename(&file);
    }
    if (good && !quiet) {
        printf("entered in %s\n", path);
    }
    common_file_abandon(&file);
    if (old != NULL) {
        fclose(old);
    }
    free(path);
    return good;
}
