/*
 * Topology files of every format: each file of network/topology/FORMAT is read and printed, as a
 * tree or as its faults, and must be equal to its .expected file. With a file as argument, only
 * prints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/network/printed.h"
#include "test/topo/util/golden.h"
#include "topo/util/yaml_tree.h"

static void report(const char *file, bool equal)
{
    ok(equal, "%s", file);
}

static void test_golden(void)
{
    for (const pb_topology_format_t *format = pb_topology_formats; format->name != NULL; format++) {
        char directory[100];
        if (strcmp(format->name, "slurm_yaml") == 0 && !pb_yaml_is_there()) {
            printf("# %s is left out, as the build has no libyaml\n", format->name);
            continue;
        }
        snprintf(directory, sizeof(directory), "network/topology/%s", format->name);
        const int n = golden_check(directory, printed_file, report);
        ok(n > 0, "there are golden files of %s: %d", format->name, n);
    }
}

static void test_unreadable(void)
{
    char *is = printed_file("no/such/file.conf");
    ok(golden_equal(
           is, "a file could not be read\nno/such/file.conf: cannot be opened: No such file or "
               "directory\n"),
       "a file that is not there");
    free(is);
    is = printed_file(".");
    ok(golden_equal(is, "a file could not be read\n.: cannot be read: Is a directory\n"),
       "a directory");
    free(is);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        char *text = printed_file(argv[1]);
        fputs(text, stdout);
        free(text);
        return EXIT_SUCCESS;
    }
    test_unreadable();
    test_golden();
    return tap_done();
}
