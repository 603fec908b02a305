/* Each allocation of import lldp fails in turn: it ends with an error (and, by a sanitizer, without
 * a leak). */
#include <stdio.h>

#include "contrib/tools/topo/import/lldp.h"
#include "contrib/tools/topo/import/lldpcli.h"
#include "test/failing_memory.h"
#include "test/tap.h"
#include "topo/util/error.h"

/** What is read: tables of hosts and of switches, and a table of trunks. */
typedef struct scenario {
    const char *hosts[3], *switches[3]; /* up to a NULL */
    const char *trunks;                 /* NULL: none */
    const char *pair, *top;             /* NULL: none */
} scenario_t;

#define SEES(interface, chassis, name)                                                             \
    "{\"name\":\"" interface "\",\"via\":\"LLDP\",\"chassis\":[{\"id\":[{\"type\":\"mac\","        \
    "\"value\":\"" chassis "\"}],\"name\":[{\"value\":\"" name "\"}],\"capability\":[{\"type\":"   \
    "\"Bridge\",\"enabled\":true}]}],\"port\":[{\"id\":[{\"type\":\"ifname\",\"value\":\"1\"}]}]}"
#define TABLE(neighbours) "{\"lldp\":[{\"interface\":[" neighbours "]}]}"

static int read_tables(const char *const *texts, const char *letter, import_table_t *tables, int *n,
                       pb_diag_t *diag)
{
    int error = PB_SUCCESS;
    for (; texts[*n] != NULL && error == PB_SUCCESS; ++*n) {
        char name[32];
        snprintf(name, sizeof(name), "%s%d", letter, *n);
        error = import_table_init(&tables[*n], name, "a file");
        if (error == PB_SUCCESS) {
            error = import_lldpcli_parse(texts[*n], strlen(texts[*n]), &tables[*n], diag);
        }
    }
    return error;
}

static int run(const void *context)
{
    const scenario_t *s = context;
    import_table_t hosts[3] = {{.n = 0}}, switches[3] = {{.n = 0}};
    import_trunks_t trunks = {.n = 0};
    pb_diag_t diag, warnings;
    FILE *out = fopen("/dev/null", "w");
    pb_diag_init(&diag);
    pb_diag_init(&warnings);
    import_request_t request = {.hosts = hosts,
                                .switches = switches,
                                .trunks = s->trunks != NULL ? &trunks : NULL,
                                .pairs = {&s->pair, s->pair != NULL},
                                .tops = {&s->top, s->top != NULL}};
    int error = out != NULL ? PB_SUCCESS : PB_ERR_IO;
    error =
        error != PB_SUCCESS ? error : read_tables(s->hosts, "h", hosts, &request.n_hosts, &diag);
    error = error != PB_SUCCESS
                ? error
                : read_tables(s->switches, "leaf", switches, &request.n_switches, &diag);
    if (error == PB_SUCCESS && s->trunks != NULL) {
        error = import_trunks_parse(s->trunks, strlen(s->trunks), "trunks", &trunks, &diag);
    }
    error = error != PB_SUCCESS ? error : import_lldp(&request, out, &diag, &warnings);
    for (int i = 0; i < 3; i++) {
        import_table_clear(&hosts[i]);
        import_table_clear(&switches[i]);
    }
    import_trunks_clear(&trunks);
    pb_diag_clear(&diag);
    pb_diag_clear(&warnings);
    if (out != NULL) {
        fclose(out);
    }
    return error;
}

static const scenario_t fabric = {
    .hosts = {TABLE(SEES("e", "a", "leaf0")), TABLE(SEES("e", "b", "leaf1"))},
    .switches = {TABLE(SEES("1", "c", "spine0") "," SEES("2", "d", "spine1")),
                 TABLE(SEES("1", "c", "spine0") "," SEES("2", "d", "spine1"))},
};
static const scenario_t pair = {
    .hosts = {TABLE(SEES("e", "a", "leaf0") "," SEES("f", "b", "leaf1"))},
    .pair = "leaf0,leaf1",
};
static const scenario_t line = {
    .hosts = {TABLE(SEES("e", "a", "s")), TABLE(SEES("e", "b", "s"))},
    .trunks = "a 1 b 1 10 # the only one\n",
    .top = "b",
};
static const scenario_t cycle = {
    .hosts = {TABLE(SEES("e", "a", "leaf0")), TABLE(SEES("e", "b", "leaf1"))},
    .trunks = "leaf0 1 leaf1 1\nleaf0 2 c 2\nleaf1 2 c 1\n",
};

static void test(const char *name, const scenario_t *scenario, int wanted)
{
    const failing_memory_t result = failing_memory_run(run, scenario);
    ok(result.with_memory == wanted, "%s ends with %s", name, pb_error_text(wanted));
    ok(result.n_failed > 20 && result.n_reported > 0 && result.n_wrong == 0,
       "and reports %d of %d allocations that fail; %d are wrong", result.n_reported,
       result.n_failed, result.n_wrong);
}

int main(void)
{
    test("a fabric", &fabric, PB_SUCCESS);
    test("a pair", &pair, PB_SUCCESS);
    test("a line", &line, PB_SUCCESS);
    test("a cycle", &cycle, PB_ERR_INPUT);
    return tap_done();
}
