/*
 * Files of measured links: golden ones, and what only memory can hold. A matrix that
 * was read is printed by writing it; test/fuzz/fuzz_links.c reads that back.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/search/link_matrix.h"
#include "test/adaptive/search/measured_case.h"
#include "test/tap.h"
#include "test/topo/network/given.h"
#include "test/topo/util/golden.h"
#include "topo/network/topology.h"

static void print_result(int error, const pb_link_matrix_t *matrix, const pb_diag_t *diag,
                         FILE *out)
{
    if (error == PB_SUCCESS && diag->n_errors == 0 && matrix != NULL) {
        pb_link_matrix_write(matrix, out);
        return;
    }
    fprintf(out, "%s\n", pb_error_text(error));
    for (size_t i = 0; i < diag->n_kept; i++) {
        fprintf(out, "%s\n", diag->messages[i]);
    }
    if (matrix != NULL) {
        fprintf(out, "and yet there is a matrix\n");
    }
}

/* The result as text, for the caller to free. Frees the matrix and the messages. */
static char *text_of(int error, pb_link_matrix_t *matrix, pb_diag_t *diag)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    print_result(error, matrix, diag, out);
    pb_link_matrix_free(matrix);
    pb_diag_clear(diag);
    fclose(out);
    return text;
}

static char *read_and_print(const char *file)
{
    pb_diag_t diag;
    pb_link_matrix_t *matrix;
    pb_diag_init(&diag);
    const int error = pb_link_matrix_read(file, &matrix, &diag);
    return text_of(error, matrix, &diag);
}

static void check_inline(const char *name, const char *content, size_t length, const char *expected)
{
    pb_diag_t diag;
    pb_link_matrix_t *matrix;
    pb_diag_init(&diag);
    const int error = pb_link_matrix_parse(content, length, "inline", &matrix, &diag);
    char *text = text_of(error, matrix, &diag);
    ok(golden_equal(text, expected), "%s", name);
    free(text);
}

static void test_memory(void)
{
    static const char nul[] = "pipebcast-links 1\nsite a\0b\nend 1\n";
    check_inline(
        "a NUL byte", nul, sizeof(nul) - 1,
        "an input is malformed\ninline:2: there is a NUL byte in this line; is this a text "
        "file?\n");
    char line[4096];
    const int start = snprintf(line, sizeof(line), "pipebcast-links 1\nsite ");
    memset(line + start, 'x', 3000);
    snprintf(line + start + 3000, sizeof(line) - (size_t) start - 3000, "\nend 1\n");
    check_inline("a long line", line, strlen(line),
                 "an input is malformed\ninline:2: the line is longer than 2048 bytes\n");
    memset(line + start + 256, ' ', 1000);
    memset(line + start + 1256, '#', 1);
    check_inline(
        "a long name", line, strlen(line),
        "an input is malformed\ninline:2: the name "
        "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' is longer than 255 "
        "bytes\n");
}

static void test_too_many(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "pipebcast-links 1\nsite s\ncluster c site s latency 1 bandwidth 1\n");
    for (int i = 0; i <= PB_LINK_MATRIX_MAX_NODES; i++) {
        fprintf(out, "node n%d cluster c startup 0\n", i);
    }
    fprintf(out, "end %d\n", PB_LINK_MATRIX_MAX_NODES + 3);
    fclose(out);
    check_inline(
        "a node too many", text, size,
        "an input is malformed\ninline:1028: with node 'n1024' there are more than 1024\n");
    free(text);
}

/* The clusters and sites of a network's hosts. */
static void test_of_network(void)
{
    static const char text[] = "SwitchName=a Nodes=m[0-2];SwitchName=b Nodes=m[3-4];"
                               "SwitchName=x Switches=a,b;SwitchName=top Switches=x Nodes=m5";
    const char *hosts[] = {"m4", "m0.example", "m5", "m3"}, *twice[] = {"m0", "m0.example"},
               *unknown[] = {"m0", "zebra"};
    pb_network_t *network = given_network(text);
    pb_link_matrix_t *m;
    ok(pb_link_matrix_of_network(network, hosts, 4, &m) == PB_SUCCESS && m->n_nodes == 4 &&
           m->n_clusters == 3 && m->n_sites == 2,
       "hosts of three switches below two of the top's");
    ok(strcmp(m->node[1], "m0.example") == 0 && m->node_cluster[0] == m->node_cluster[3] &&
           strcmp(m->cluster[m->node_cluster[1]], "a") == 0 &&
           strcmp(m->site[m->cluster_site[m->node_cluster[1]]], "x") == 0 &&
           strcmp(m->site[m->cluster_site[m->node_cluster[2]]], "top") == 0,
       "names of hosts, clusters and sites");
    pb_link_matrix_free(m);
    ok(pb_link_matrix_of_network(network, twice, 2, &m) == PB_ERR_INPUT && m == NULL,
       "two hosts on one host");
    ok(pb_link_matrix_of_network(network, unknown, 2, &m) == PB_ERR_UNKNOWN && m == NULL,
       "a host that is not there");
    ok(pb_link_matrix_of_network(network, hosts, 0, &m) == PB_ERR_INPUT, "no host");
    pb_network_free(network);
}

static void test_select(void)
{
    pb_random_t random = pb_random_seed(5100);
    measured_case_t c;
    pb_link_matrix_t *ranks;
    int unknown;
    measured_case_init(&c, &random, MEASURED_GRID, 16);
    ok(pb_link_matrix_select(c.matrix, (char *[]){"n7", "n3"}, 2, &ranks, &unknown) == PB_SUCCESS,
       "two nodes");
    ok(ranks->n_nodes == 2 && strcmp(ranks->node[0], "n7") == 0 &&
           ranks->startup[1] == c.matrix->startup[3] &&
           pb_link_bandwidth(ranks, 1, 0) == pb_link_bandwidth(c.matrix, 3, 7) &&
           pb_link_latency(ranks, 0, 0) == pb_link_latency(c.matrix, 7, 7),
       "have their values");
    pb_link_matrix_free(ranks);
    ok(pb_link_matrix_select(c.matrix, (char *[]){"n16"}, 1, &ranks, &unknown) == PB_ERR_UNKNOWN &&
           ranks == NULL && unknown == 0,
       "no such node");
    measured_case_clear(&c);
}

static void test_times(void)
{
    ok(pb_link_time(1, 3) == 333333333, "times are rounded down");
    ok(pb_link_time(1000000, 1000000000) == 1000000, "a megabyte at 1 GB/s");
    ok(pb_link_time(UINT64_C(1) << 40, 1) == PB_LINK_LONGEST, "no time is longer than the longest");
    ok(pb_link_matrix_new(1, 1, PB_LINK_MATRIX_MAX_NODES + 1) == NULL, "too many nodes");
    ok(pb_link_matrix_new(0, 1, 1) == NULL, "no site");
}

static void check_golden(const char *file, bool equal)
{
    ok(equal, "%s", file);
}

int main(void)
{
    const int n_files = golden_check("search/link_matrix", read_and_print, check_golden);
    ok(n_files >= 19, "there are golden files (%d)", n_files);
    char *text = read_and_print("no_such.links");
    ok(golden_equal(text,
                    "a file could not be read\nno_such.links: cannot be opened: No such file or "
                    "directory\n"),
       "no such file");
    free(text);
    test_memory();
    test_of_network();
    test_too_many();
    test_select();
    test_times();
    return tap_done();
}
