/* Hostlists. Every name that comes out must be one that can stand alone in a list. */
#include "test/fuzz/fuzz.h"
#include "topo/network/hostlist.h"

const char fuzz_name[] = "hostlist";

/* A list of more names is refused; few enough for many executions. */
enum { MAX_NAMES = 500 };

/* Names that are expanded again. */
enum { MAX_AGAIN = 4 };

typedef struct seen {
    size_t n_names;
    const char *expected; /* that the one name must be equal to; NULL: any */
} seen_t;

static int see_same(void *context, const char *name)
{
    seen_t *seen = context;
    must(strcmp(name, seen->expected) == 0);
    seen->n_names++;
    return 0;
}

static int see(void *context, const char *name)
{
    seen_t *seen = context;
    char why[200];
    const size_t length = strlen(name);
    must(0 < length && length <= PB_HOSTLIST_MAX_NAME);
    must(strpbrk(name, "[], \t\r\n\"'=#;\\") == NULL);
    if (seen->n_names++ < MAX_AGAIN) {
        seen_t again = {.expected = name};
        must(pb_hostlist_expand(name, 1, see_same, &again, why, sizeof(why)) == PB_SUCCESS);
        must(again.n_names == 1);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *text = fuzz_text(bytes, length), why[200] = "";
    seen_t seen = {.n_names = 0};
    const int error = pb_hostlist_expand(text, MAX_NAMES, see, &seen, why, sizeof(why));
    if (error == PB_SUCCESS) {
        must(0 < seen.n_names && seen.n_names <= MAX_NAMES);
        must(pb_hostlist_expand(text, seen.n_names - 1, see, &seen, why, sizeof(why)) ==
             PB_ERR_INPUT);
    } else {
        must(error == PB_ERR_INPUT && seen.n_names == 0);
        must(why[0] == '\'' && strlen(why) < sizeof(why));
    }
    free(text);
    return 0;
}
