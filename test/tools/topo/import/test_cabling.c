/*
 * Random fabrics: what is made of their tables has the same links between every two hosts as what
 * is read of the fabric itself, whichever tables there are.
 */
#include <stdio.h>

#include "contrib/tools/topo/import/lldp.h"
#include "test/tap.h"
#include "test/topo/check/cabling.h"
#include "topo/network/topology.h"

enum { MAX_SPEED = 4, LONGEST = 32 };

/** Which tables are given. */
typedef enum { TRUNKS, ALL_SWITCHES, LOWER_SWITCHES, N_TABLES } given_t;

typedef struct tables {
    import_table_t *hosts, *switches;
    int n_hosts, n_switches;
    FILE *trunks; /* writes trunks_text */
    char *trunks_text;
    size_t trunks_length;
    int n_ports; /* so far, to call each differently */
} tables_t;

static char *copy(const char *text)
{
    char *new = strdup(text);
    if (new == NULL) {
        abort();
    }
    return new;
}

/** The table of `of` has a link to switch number `to`. */
static void see(tables_t *t, import_table_t *of, int to, int speed)
{
    char name[32], chassis[32], interface[32];
    snprintf(name, sizeof(name), "s%d", to);
    snprintf(chassis, sizeof(chassis), "mac %d", to);
    snprintf(interface, sizeof(interface), "p%d", t->n_ports++);
    const import_neighbour_t neighbour = {.interface = copy(interface),
                                          .chassis = copy(chassis),
                                          .name = copy(name),
                                          .capabilities = IMPORT_STATED | IMPORT_BRIDGE,
                                          .megabits = 1000 * (uint32_t) speed};
    if (import_table_add(of, &neighbour) != PB_SUCCESS) {
        abort();
    }
}

static import_table_t *new_tables(int n, const char *letter)
{
    import_table_t *tables = calloc((size_t) n + 1, sizeof(*tables));
    for (int i = 0; tables != NULL && i < n; i++) {
        char name[32];
        snprintf(name, sizeof(name), "%s%d", letter, i);
        if (import_table_init(&tables[i], name, name) != PB_SUCCESS) {
            abort();
        }
    }
    return tables;
}

static void make_tables(const pb_cabling_t *c, tables_t *t)
{
    *t = (tables_t){.hosts = new_tables(c->n_hosts, "h"),
                    .switches = new_tables(c->n_switches, "s"),
                    .n_hosts = c->n_hosts,
                    .n_switches = c->n_switches};
    t->trunks = open_memstream(&t->trunks_text, &t->trunks_length);
    if (t->hosts == NULL || t->switches == NULL || t->trunks == NULL) {
        abort();
    }
    for (int i = 0; i < c->n_cables; i++) {
        const pb_cable_t *cable = &c->cables[i];
        for (int member = 0; member < cable->members; member++) {
            if (cable->lower >= c->n_switches) {
                see(t, &t->hosts[cable->lower - c->n_switches], cable->upper, cable->speed);
                continue;
            }
            see(t, &t->switches[cable->lower], cable->upper, cable->speed);
            see(t, &t->switches[cable->upper], cable->lower, cable->speed);
            fprintf(t->trunks, "s%d p%d s%d p%d %d\n", cable->lower, t->n_ports, cable->upper,
                    t->n_ports, 1000 * cable->speed);
            t->n_ports++;
        }
    }
    fclose(t->trunks);
}

static void clear_tables(tables_t *t)
{
    for (int i = 0; i < t->n_hosts; i++) {
        import_table_clear(&t->hosts[i]);
    }
    for (int i = 0; i < t->n_switches; i++) {
        import_table_clear(&t->switches[i]);
    }
    free(t->hosts);
    free(t->switches);
    free(t->trunks_text);
}

/** Reads a topology; NULL, with its faults as notes, if it has some. */
static pb_network_t *read_text(char *text, size_t length)
{
    pb_network_t *network;
    pb_diag_t diag;
    pb_diag_init(&diag);
    const pb_topology_text_t topology = {.text = text, .length = length, .name = "text"};
    pb_topology_parse(&topology, &network, &diag);
    for (size_t i = 0; i < diag.n_kept; i++) {
        printf("# %s\n", diag.messages[i]);
    }
    pb_diag_clear(&diag);
    free(text);
    return network;
}

static pb_network_t *truth_of(const pb_cabling_t *cabling)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    pb_cabling_write(cabling, out);
    fclose(out);
    return read_text(text, length);
}

/** What is made of the tables; NULL, with notes, if nothing is. */
static pb_network_t *made_of(const tables_t *t, given_t given)
{
    char *text;
    size_t length;
    pb_diag_t diag, warnings;
    import_trunks_t trunks = {.n = 0};
    pb_diag_init(&diag);
    pb_diag_init(&warnings);
    import_request_t request = {.hosts = t->hosts, .n_hosts = t->n_hosts};
    if (given == TRUNKS && t->trunks_length > 0) {
        import_trunks_parse(t->trunks_text, t->trunks_length, "trunks", &trunks, &diag);
        request.trunks = &trunks;
    } else if (given != TRUNKS) {
        request.switches = t->switches;
        request.n_switches = t->n_switches;
    }
    FILE *out = open_memstream(&text, &length);
    const int error = import_lldp(&request, out, &diag, &warnings);
    fclose(out);
    for (size_t i = 0; i < diag.n_kept; i++) {
        printf("# %s\n", diag.messages[i]);
    }
    const bool warned = given != LOWER_SWITCHES && warnings.n_faults > 0 &&
                        strstr(warnings.messages[0], "differ") != NULL;
    pb_diag_clear(&diag);
    pb_diag_clear(&warnings);
    import_trunks_clear(&trunks);
    if (error != PB_SUCCESS || warned) {
        free(text);
        return NULL;
    }
    return read_text(text, length);
}

/** Takes away the table of a switch at the top. */
static void take_away_upper(const pb_cabling_t *c, tables_t *t)
{
    for (int node = 0; node < c->n_switches; node++) {
        bool above_others = false, below = false;
        for (int i = 0; i < c->n_cables; i++) {
            above_others |= c->cables[i].upper == node && c->cables[i].lower < c->n_switches;
            below |= c->cables[i].lower == node;
        }
        if (above_others && !below) {
            import_table_clear(&t->switches[node]);
            t->switches[node] = t->switches[--t->n_switches];
            return;
        }
    }
}

/** Whether two links have the same speed, against the lowest, and number. */
static bool equal_links(const pb_network_t *a, int link_a, const pb_network_t *b, int link_b,
                        bool all_links)
{
    const pb_node_t *left = pb_network_node(a, pb_link_node(link_a));
    const pb_node_t *right = pb_network_node(b, pb_link_node(link_b));
    return !all_links || (left->members == right->members &&
                          (uint64_t) left->speed * pb_network_base_speed(b) ==
                              (uint64_t) right->speed * pb_network_base_speed(a));
}

/** Whether the ways between all hosts are equal; `all_links`: also in speed and number of links. */
static bool equal(const pb_network_t *a, const pb_network_t *b, int n_hosts, bool all_links)
{
    int way_a[2 * LONGEST], way_b[2 * LONGEST];
    bool same = pb_network_n_hosts(a) == n_hosts && pb_network_n_hosts(b) == n_hosts &&
                pb_network_max_path(a) <= 2 * LONGEST && pb_network_max_path(b) <= 2 * LONGEST;
    for (int i = 0; i < n_hosts * n_hosts && same; i++) {
        char from[32], to[32];
        snprintf(from, sizeof(from), "h%d", i / n_hosts);
        snprintf(to, sizeof(to), "h%d", i % n_hosts);
        const int n_a = pb_network_path(a, pb_network_find(a, from), pb_network_find(a, to), way_a);
        const int n_b = pb_network_path(b, pb_network_find(b, from), pb_network_find(b, to), way_b);
        same = n_a == n_b;
        for (int link = 0; link < n_a && same; link++) {
            same = equal_links(a, way_a[link], b, way_b[link], all_links);
        }
    }
    return same;
}

static bool test_one(const pb_cabling_t *cabling, pb_cabling_kind_t kind, given_t given)
{
    tables_t tables;
    make_tables(cabling, &tables);
    if (given == LOWER_SWITCHES) {
        take_away_upper(cabling, &tables);
    }
    pb_network_t *truth = truth_of(cabling), *made = made_of(&tables, given);
    /* A spine that has one leaf is on no way between hosts, and its links are left out. */
    const bool same = truth != NULL && made != NULL &&
                      equal(truth, made, cabling->n_hosts, kind != PB_CABLING_SOME);
    pb_network_free(truth);
    pb_network_free(made);
    clear_tables(&tables);
    return same;
}

int main(void)
{
    static const char *const names[] = {"a table of trunks", "the tables of all switches",
                                        "those of all but one at the top"};
    pb_random_t random = pb_random_seed(17);
    const int trials = tap_trials(2000, 200);
    for (int kind = 0; kind < PB_CABLING_COUNT; kind++) {
        int n_equal[N_TABLES] = {0};
        for (int trial = 0; trial < trials; trial++) {
            pb_cabling_t cabling;
            if (pb_cabling_random(&random, (pb_cabling_kind_t) kind, MAX_SPEED, &cabling) !=
                PB_SUCCESS) {
                abort();
            }
            for (int given = 0; given < N_TABLES; given++) {
                n_equal[given] += test_one(&cabling, (pb_cabling_kind_t) kind, (given_t) given);
            }
            pb_cabling_clear(&cabling);
        }
        for (int given = 0; given < N_TABLES; given++) {
            ok(n_equal[given] == trials, "%s, of %s: %d of %d are the true ones",
               pb_cabling_name((pb_cabling_kind_t) kind), names[given], n_equal[given], trials);
        }
    }
    return tap_done();
}
