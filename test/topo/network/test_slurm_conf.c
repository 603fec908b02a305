/*
 * Golden files: each slurm_conf/NAME.conf is read and printed, as a tree or as
 * its faults, and must be equal to NAME.expected. With a file as argument, only
 * prints, to make a new expected file from.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/tap.h"
#include "topo/network/slurm_conf.h"

static void print_tree(const pb_network_t *network, FILE *out)
{
    fprintf(out, "%d switches, %d hosts, base speed %u\n", pb_network_n_switches(network),
            pb_network_n_hosts(network), pb_network_base_speed(network));
    for (int at = pb_network_top(network); at >= 0;) {
        const pb_node_t *node = pb_network_node(network, at);
        fprintf(out, "%*s%s %s", 2 * pb_network_depth(network, at), "",
                node->kind == PB_NODE_SWITCH ? "switch" : "host", node->name);
        if (node->parent >= 0) {
            fprintf(out, " speed %u", node->speed);
        }
        if (node->cables != 1) {
            fprintf(out, " in %d cables", node->cables);
        }
        fprintf(out, "\n");
        int next = node->first_child;
        while (next < 0 && at >= 0) {
            next = pb_network_node(network, at)->next_sibling;
            at = pb_network_node(network, at)->parent;
        }
        at = next;
    }
}

static void print_result(int error, const pb_network_t *network, const pb_diag_t *diag, FILE *out)
{
    if (error == PB_SUCCESS && diag->n_faults == 0 && network != NULL) {
        print_tree(network, out);
        return;
    }
    fprintf(out, "%s\n", pb_error_text(error));
    for (size_t i = 0; i < diag->n_kept; i++) {
        fprintf(out, "%s\n", diag->messages[i]);
    }
    if (diag->n_faults > diag->n_kept) {
        fprintf(out, "and %zu more\n", diag->n_faults - diag->n_kept);
    }
    if (network != NULL) {
        fprintf(out, "and yet there is a network\n");
    }
}

/* What reading the file yields, as text that the caller frees. */
static char *read_and_print(const char *file)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    pb_diag_t diag;
    pb_network_t *network;
    pb_diag_init(&diag);
    int error = pb_slurm_conf_read(file, &network, &diag);
    print_result(error, network, &diag, out);
    pb_diag_clear(&diag);
    pb_network_free(network);
    fclose(out);
    return text;
}

/* The same from memory. */
static char *parse_and_print(const char *conf, size_t length, char separator)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    pb_diag_t diag;
    pb_network_t *network;
    pb_diag_init(&diag);
    int error = pb_slurm_conf_parse(conf, length, "inline", separator, &network, &diag);
    print_result(error, network, &diag, out);
    pb_diag_clear(&diag);
    pb_network_free(network);
    fclose(out);
    return text;
}

/* The whole file as text, or NULL. */
static char *slurp(const char *file)
{
    FILE *in = fopen(file, "rb");
    if (in == NULL) {
        return NULL;
    }
    char *text = calloc(1, 1 << 16);
    size_t length = fread(text, 1, (1 << 16) - 1, in);
    text[length] = '\0';
    fclose(in);
    return text;
}

static void print_as_comment(const char *what, const char *text)
{
    printf("# %s:\n# ", what);
    for (; *text != '\0'; text++) {
        printf(*text == '\n' && text[1] != '\0' ? "\n# " : "%c", *text);
    }
    printf("\n");
}

static void check_equal(const char *name, const char *is, const char *expected)
{
    if (!ok(expected != NULL && strcmp(is, expected) == 0, "%s", name)) {
        print_as_comment("expected", expected != NULL ? expected : "(no file)");
        print_as_comment("is", is);
    }
}

static void check_golden(const char *file)
{
    char expected_file[300];
    snprintf(expected_file, sizeof(expected_file), "%.*s.expected",
             (int) (strlen(file) - strlen(".conf")), file);
    char *expected = slurp(expected_file);
    char *is = read_and_print(file);
    check_equal(file, is, expected);
    free(is);
    free(expected);
}

static int is_conf(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".conf") == 0;
}

/* Messages name the file as it was given, so the files are read in their place. */
static void check_all_golden(void)
{
    const char *srcdir = getenv("srcdir");
    struct dirent **entries = NULL;
    bool found = (srcdir == NULL || chdir(srcdir) == 0) && chdir("network/slurm_conf") == 0;
    int n = found ? scandir(".", &entries, is_conf, alphasort) : 0;
    ok(n > 20, "there are golden files (%d) in %s", n, srcdir != NULL ? srcdir : "this directory");
    for (int i = 0; i < n; i++) {
        check_golden(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

static void check_inline(const char *name, const char *conf, size_t length, char separator,
                         const char *expected)
{
    char *is = parse_and_print(conf, length, separator);
    check_equal(name, is, expected);
    free(is);
}

static void test_memory(void)
{
    static const char lines[] = "SwitchName=a Nodes=a1;SwitchName=b Nodes=b1 Switches=a;";
    check_inline("inline with ';'", lines, sizeof(lines) - 1, ';',
                 "2 switches, 2 hosts, base speed 1\nswitch b\n  host b1 speed 1\n"
                 "  switch a speed 1\n    host a1 speed 1\n");
    static const char faulty[] = "SwitchName=a Nodes=a1;SwitchName=a Nodes=[;\nwhat";
    check_inline("inline lines are counted by both ends", faulty, sizeof(faulty) - 1, ';',
                 "an input is malformed\ninline:2: Nodes: '[': the bracket is not closed\n"
                 "inline:4: 'what' is not followed by '='; write KEY=VALUE, and lists without "
                 "blanks\n");
    check_inline("nothing", "", 0, ';',
                 "an input is malformed\ninline: no switch is described; write lines as "
                 "SwitchName=s0 Nodes=n[1-8]\n");
    static const char nul[] = "SwitchName=a Nodes=a1\nSwitchName=b No\0des=b1\nSwitchName=a "
                              "Switches=b\n";
    check_inline("a NUL byte", nul, sizeof(nul) - 1, '\0',
                 "an input is malformed\ninline:2: there is a NUL byte in this line; is this a "
                 "text file?\n");
}

/* One line of `length` bytes: names, or a comment behind a short line. */
static void check_long_line(const char *name, const char *start, size_t length,
                            const char *expected)
{
    char *conf = malloc(length);
    memset(conf, 'x', length);
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): its length is told */
    memcpy(conf, start, strlen(start));
    check_inline(name, conf, length, '\0', expected);
    free(conf);
}

static void test_long_lines(void)
{
    check_long_line("a line of one byte too many",
                    "SwitchName=a Nodes=", PB_SLURM_CONF_MAX_LINE + 1,
                    "an input is malformed\ninline:1: the line is longer than 1048576 bytes; "
                    "describe the switch on several lines\n");
    check_long_line("a long comment is no long line", "SwitchName=a Nodes=b #",
                    PB_SLURM_CONF_MAX_LINE + 1,
                    "1 switches, 1 hosts, base speed 1\nswitch a\n  host b speed 1\n");
    pb_diag_t diag;
    pb_network_t *network;
    char *conf = malloc(PB_SLURM_CONF_MAX_LINE);
    memset(conf, ' ', PB_SLURM_CONF_MAX_LINE);
    memcpy(conf, "SwitchName=a", strlen("SwitchName=a"));
    memcpy(conf + PB_SLURM_CONF_MAX_LINE - strlen("Nodes=b"), "Nodes=b", strlen("Nodes=b"));
    pb_diag_init(&diag);
    ok(pb_slurm_conf_parse(conf, PB_SLURM_CONF_MAX_LINE, "inline", 0, &network, &diag) == 0,
       "a line of the longest length is read");
    pb_network_free(network);
    pb_diag_clear(&diag);
    free(conf);
}

/* A line of switches with a host `depth` cables below the top. */
static int read_line_of_switches(int depth, pb_diag_t *diag)
{
    char *conf;
    size_t length;
    pb_network_t *network;
    FILE *out = open_memstream(&conf, &length);
    for (int i = 1; i < depth; i++) {
        fprintf(out, "SwitchName=s%d Switches=s%d\n", i, i + 1);
    }
    fprintf(out, "SwitchName=s%d Nodes=n\n", depth);
    fclose(out);
    pb_diag_init(diag);
    int error = pb_slurm_conf_parse(conf, length, "line", 0, &network, diag);
    pb_network_free(network);
    free(conf);
    return error;
}

static void test_depth(void)
{
    pb_diag_t diag;
    int error = read_line_of_switches(PB_SLURM_CONF_MAX_DEPTH, &diag);
    ok(error == PB_SUCCESS, "a host %d cables below the top: %s", PB_SLURM_CONF_MAX_DEPTH,
       pb_diag_first(&diag));
    pb_diag_clear(&diag);
    error = read_line_of_switches(PB_SLURM_CONF_MAX_DEPTH + 1, &diag);
    ok(error == PB_ERR_INPUT && diag.n_faults == 1 &&
           strstr(pb_diag_first(&diag),
                  "line:513: host 'n' is more than 512 cables below the top switch 's1'") ==
               pb_diag_first(&diag),
       "one cable more: %s", pb_diag_first(&diag));
    pb_diag_clear(&diag);
}

static void test_unreadable(void)
{
    char *is = read_and_print("no/such/file.conf");
    check_equal("a file that is not there", is,
                "a file could not be read\nno/such/file.conf: cannot be opened: No such file or "
                "directory\n");
    free(is);
    is = read_and_print(".");
    check_equal("a directory", is, "a file could not be read\n.: cannot be read: Is a directory\n");
    free(is);
}

/* A diag that has faults of another file does not spoil the next. */
static void test_shared_diag(void)
{
    static const char good[] = "SwitchName=a Nodes=a1";
    pb_diag_t diag;
    pb_network_t *network;
    pb_diag_init(&diag);
    pb_diag_fault(&diag, "other", 1, "something");
    ok(pb_slurm_conf_parse(good, sizeof(good) - 1, "good", 0, &network, &diag) == PB_SUCCESS &&
           network != NULL && diag.n_faults == 1,
       "faults of another file do not spoil this one");
    pb_network_free(network);
    pb_diag_clear(&diag);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        char *text = read_and_print(argv[1]);
        fputs(text, stdout);
        free(text);
        return EXIT_SUCCESS;
    }
    test_memory();
    test_long_lines();
    test_depth();
    test_unreadable();
    test_shared_diag();
    check_all_golden();
    return tap_done();
}
