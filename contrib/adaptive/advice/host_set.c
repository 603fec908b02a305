#include "contrib/adaptive/advice/host_set.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"
#include "topo/util/hash.h"

static bool is_name(const char *name)
{
    size_t length = 0;
    while (length <= PB_HOST_SET_MAX_NAME && name[length] > ' ' && name[length] < 0x7f &&
           name[length] != '#') {
        length++;
    }
    return length > 0 && length <= PB_HOST_SET_MAX_NAME && name[length] == '\0';
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

/** Sorts borrowed names, drops repeated ones, and returns the number of the rest. */
static int sort_names(const char **names, int n)
{
    int n_kept = 0;
    qsort(names, (size_t) n, sizeof(*names), compare_names);
    for (int i = 0; i < n; i++) {
        if (n_kept == 0 || strcmp(names[n_kept - 1], names[i]) != 0) {
            names[n_kept++] = names[i];
        }
    }
    return n_kept;
}

static uint64_t hash_of(const pb_host_set_t *set)
{
    uint64_t state = pb_hash_number(PB_HASH_START, (uint64_t) set->n);
    for (int i = 0; i < set->n; i++) {
        state = pb_hash_string(state, set->name[i]);
    }
    return pb_hash_end(state);
}

/** A set of copies of sorted names. */
static int copy_names(const char *const *names, int n, pb_host_set_t **set_p)
{
    pb_host_set_t *set = calloc(1, sizeof(*set));
    if (set == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    set->name = calloc((size_t) n, sizeof(*set->name));
    for (int i = 0; set->name != NULL && i < n; i++, set->n++) {
        set->name[i] = strdup(names[i]);
        if (set->name[i] == NULL) {
            break;
        }
    }
    if (set->n < n) {
        pb_host_set_free(set);
        return PB_ERR_NO_MEMORY;
    }
    set->hash = hash_of(set);
    *set_p = set;
    return PB_SUCCESS;
}

int pb_host_set_new(const char *const *names, int n, pb_host_set_t **set_p)
{
    *set_p = NULL;
    if (n < 1) {
        return PB_ERR_INPUT;
    }
    for (int i = 0; i < n; i++) {
        if (!is_name(names[i])) {
            return PB_ERR_INPUT;
        }
    }
    const char **sorted = malloc((size_t) n * sizeof(*sorted));
    if (sorted == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    memcpy(sorted, names, (size_t) n * sizeof(*sorted));
    const int n_kept = sort_names(sorted, n);
    const int error = n_kept <= PB_HOST_SET_MAX ? copy_names(sorted, n_kept, set_p) : PB_ERR_INPUT;
    free(sorted);
    return error;
}

void pb_host_set_free(pb_host_set_t *set)
{
    if (set == NULL) {
        return;
    }
    for (int i = 0; i < set->n; i++) {
        free(set->name[i]);
    }
    free(set->name);
    free(set);
}

int pb_host_set_find(const pb_host_set_t *set, const char *name)
{
    char *const *found =
        bsearch(&name, set->name, (size_t) set->n, sizeof(*set->name), compare_names);
    return found == NULL ? PB_ERR_UNKNOWN : (int) (found - set->name);
}

int pb_host_set_equal(const pb_host_set_t *a, const pb_host_set_t *b)
{
    bool equal = a->n == b->n;
    for (int i = 0; i < a->n && equal; i++) {
        equal = strcmp(a->name[i], b->name[i]) == 0;
    }
    return equal;
}
