#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
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

static void check_names(const char *list, const char *expected)
{
    collected_t c = {.n_names = 0};
    char why[200] = "";
    int result = pb_hostlist_expand(list, 1000, collect, &c, why, sizeof(why));
    if (!ok(result == PB_SUCCESS && strcmp(c.text, expected) == 0, "%s is %s", list, expected)) {
        printf("# is: %s (%d) %s\n", c.text, result, why);
    }
}

static void check_fault(const char *list, size_t max_names, const char *expected)
{
    collected_t c = {.n_names = 0};
    char why[200] = "";
    int result = pb_hostlist_expand(list, max_names, collect, &c, why, sizeof(why));
    if (!ok(result == PB_ERR_INPUT && c.n_names == 0 && strcmp(why, expected) == 0,
            "%s is refused before any name is found: %s", list, expected)) {
        printf("# is: %s (%d), %d names\n", why, result, c.n_names);
    }
}

static void test_names(void)
{
    check_names("login", "login");
    check_names("a,b", "a b");
    check_names(",a,,b,", "a b");
    check_names("a b\tn[1,3]", "a b n1 n3");
    check_names("n[1-3]", "n1 n2 n3");
    check_names("n[3]", "n3");
    check_names("n[8-11]", "n8 n9 n10 n11");
    check_names("n[08-11]", "n08 n09 n10 n11");
    check_names("n[098-101]", "n098 n099 n100 n101");
    check_names("n[0-1]", "n0 n1");
    check_names("n[00-1]", "n00 n01");
    check_names("n[1,3-4,02]x", "n1x n3x n4x n02x");
    check_names("r[1-2]n[001-002,020],login", "r1n001 r1n002 r1n020 r2n001 r2n002 r2n020 login");
    check_names("[1-2][3-4]", "13 14 23 24");
    check_names("a[1-2]b[1]c[5,7]d", "a1b1c5d a1b1c7d a2b1c5d a2b1c7d");
    check_names("10.0.0.[7-8]", "10.0.0.7 10.0.0.8");
    check_names("n[999999999999999998-999999999999999999]",
                "n999999999999999998 n999999999999999999");
    check_names("\xc3\xa4[1-2]", "\xc3\xa4"
                                 "1 \xc3\xa4"
                                 "2");
}

static void test_faults(void)
{
    check_fault("", 9, "'': the list is empty");
    check_fault("ok,n[1-", 9, "'[1-': the bracket is not closed");
    check_fault("n[1[2]", 9, "'[1[2]': the bracket is not closed");
    check_fault("n1]", 9, "'n1]': no bracket is open before this ']'");
    check_fault("n[]", 9, "'[]': a number is missing in the brackets");
    check_fault("n[1,,2]", 9, "'[1,,2]': a number is missing in the brackets");
    check_fault("n[2-1]", 9, "'2-1': malformed range; it runs backwards");
    check_fault("n[-1]", 9, "'-1': malformed range; write a number, or two with '-' between them");
    check_fault("n[1-]", 9, "'1-': malformed range; write a number, or two with '-' between them");
    check_fault("n[a]", 9, "'a': malformed range; write a number, or two with '-' between them");
    check_fault("n[1 ]", 9, "'1 ': malformed range; write a number, or two with '-' between them");
    check_fault("n[1234567890123456789]", 9,
                "'1234567890123456789': malformed range; a number has too many digits");
}

static void test_bounds(void)
{
    check_fault("n[1-4]", 3, "'n[1-4]': with this there are more than 3 names");
    check_fault("a,b,c,d", 3, "'d': with this there are more than 3 names");
    check_fault("a[1-2]b[1-2]", 3, "'a[1-2]b[1-2]': with this there are more than 3 names");
    check_fault("a", 0, "'a': with this there are more than 0 names");
    check_fault("n[0-999999999999999999,0-999999999999999999]", 1000,
                "'n[0-999999999999999999,0-999999999999999999]': with this there are more than "
                "1000 names");
    check_fault(
        "[0-999999999999999999][0-999999999999999999][0-999999999999999999]", (size_t) -1,
        "'[0-999999999999999999][0-999999999999999999][0-9999999999999...': with this there "
        "are more than 9223372036854775807 names");
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

/* Groups whose ranges are many and whose names are long: each name costs its own
 * length only. */
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
    test_names();
    test_faults();
    test_bounds();
    test_stop();
    test_large();
    test_long_names();
    return tap_done();
}
