#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/util/golden.h"
#include "topo/network/hostlist.h"
#include "topo/util/error.h"

/* Names found, joined with blanks; stops after `stop_after` names. */
typedef struct collected {
    char text[4096];
    int n_names;
    int stop_after;
} collected_t;

static int collect(void *context, const char *name)
{
    collected_t *c = context;
    if (c->n_names++ > 0) {
        strcat(c->text, " ");
    }
    strcat(c->text, name);
    return c->n_names == c->stop_after ? 42 : 0;
}

/* Of a list that is refused no name is found. */
static void check_row(char *const *columns, int n)
{
    collected_t c = {.n_names = 0};
    char why[200] = "";
    const bool refused = columns[2][0] == '1';
    const int rc =
        pb_hostlist_expand(columns[0], (size_t) atol(columns[1]), collect, &c, why, sizeof(why));
    ok(n == 4 && golden_equal(refused ? why : c.text, columns[3]) &&
           (refused ? rc == PB_ERR_INPUT && c.n_names == 0 : rc == PB_SUCCESS),
       "%s: %s", columns[0], columns[3]);
}

static void test_bounds(void)
{
    collected_t c = {.n_names = 0};
    char why[8];
    ok(pb_hostlist_expand("n[1-3]", 3, collect, &c, why, sizeof(why)) == 0 && c.n_names == 3,
       "as many names as the bound are found");
    ok(pb_hostlist_expand("n[2-1]", 3, collect, &c, why, sizeof(why)) == PB_ERR_INPUT &&
           strlen(why) == sizeof(why) - 1,
       "a short `why` is cut");
}

static void test_stop(void)
{
    collected_t c = {.stop_after = 2};
    ok(pb_hostlist_expand("a,n[1-3],b", 9, collect, &c, NULL, 0) == 42 && c.n_names == 2,
       "what `found` returns ends the list");
}

/* Groups of many ranges and with long names: each name costs its own length only. */
static int count_name(void *context, const char *name)
{
    (void) name;
    ++*(int *) context;
    return 0;
}

static void test_large(void)
{
    size_t size = 1 << 20, length = 0;
    char *list = malloc(size), why[200];
    length += (size_t) sprintf(list, "n[0");
    for (int i = 1; i < 100000; i++) {
        length += (size_t) sprintf(list + length, ",%d", i);
    }
    sprintf(list + length, "]");
    int n_names = 0;
    ok(pb_hostlist_expand(list, 100000, count_name, &n_names, why, sizeof(why)) == 0 &&
           n_names == 100000,
       "a group of 100000 ranges");
    for (length = 0; length < 3 * PB_HOSTLIST_MAX_NAME; length += 3) {
        memcpy(list + length, "[1]", 4);
    }
    collected_t c = {.n_names = 0};
    ok(pb_hostlist_expand("n[1][1][1][1][1][1][1][1]", 1, collect, &c, why, sizeof(why)) == 0 &&
           strcmp(c.text, "n11111111") == 0,
       "many groups");
    n_names = 0;
    ok(pb_hostlist_expand(list, 1, count_name, &n_names, why, sizeof(why)) == 0 && n_names == 1,
       "as many groups as a name has bytes");
    memcpy(list + length, "[1]", 4);
    ok(pb_hostlist_expand(list, 1, count_name, &n_names, why, sizeof(why)) == PB_ERR_INPUT &&
           n_names == 1 && strstr(why, "longer than 255 bytes") != NULL,
       "and one group more: %s", why);
    free(list);
}

/* Without a bound on names, a short text would stand for any amount of memory. */
static void test_long_names(void)
{
    char list[PB_HOSTLIST_MAX_NAME + 16], why[200];
    int n_names = 0;
    memset(list, 'x', sizeof(list));
    strcpy(list + PB_HOSTLIST_MAX_NAME - 2, "[1-10]");
    ok(pb_hostlist_expand(list, 10, count_name, &n_names, why, sizeof(why)) == 0 && n_names == 10,
       "a name of %d bytes", PB_HOSTLIST_MAX_NAME);
    strcpy(list + PB_HOSTLIST_MAX_NAME - 2, "[1-100]");
    ok(pb_hostlist_expand(list, 100, count_name, &n_names, why, sizeof(why)) == PB_ERR_INPUT &&
           n_names == 10 && strstr(why, "longer than 255 bytes") != NULL,
       "one byte more: %s", why);
}

int main(void)
{
    ok(golden_rows("network/hostlists.rows", check_row) == 36, "there are rows");
    test_bounds();
    test_stop();
    test_large();
    test_long_names();
    return tap_done();
}
