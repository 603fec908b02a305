/*
 * A list is items between commas or blanks; an item is plain text and groups of ranges in
 * brackets, in any order. The whole list is checked and counted first. Then each
 * item runs through its names like an odometer, the last group fastest.
 */
#include "topo/network/hostlist.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/diag.h"
#include "topo/util/error.h"

/* Digits of a number: all such numbers fit a uint64_t, and so do their sums. */
#define MAX_DIGITS 18

/* Where errors go. */
typedef struct complaint {
    char *why;
    size_t size;
} complaint_t;

/* "n[5-1]" has one group of one range. `next` is behind the range. */
typedef struct range {
    uint64_t low, high;
    int width; /* digits of the first number, the least that are written */
    const char *next;
} range_t;

/* Number and length of the names of a range, a group or an item. */
typedef struct extent {
    uint64_t count; /* numbers or names */
    size_t length;  /* bytes of the longest, or a little more where a range's second number has
                       zeros in front */
} extent_t;

/* A group in an item, and the number at which it stands. */
typedef struct group {
    const char *open;  /* the bracket that opens it */
    const char *close; /* and the one that closes it */
    range_t range;
    uint64_t number;
} group_t;

static int complain(const complaint_t *to, const char *text, size_t length, const char *what)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    snprintf(to->why, to->size, "'%s': %s", pb_diag_quote(quote, text, length), what);
    return PB_ERR_INPUT;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Tells whether a character may be in a name; brackets and commas are syntax. */
static bool is_plain(char c)
{
    return c != '\0' && (unsigned char) c > ' ' && c != 127 && strchr("[],\"'=#;\\", c) == NULL;
}

/* The number at `text`, which starts with 1 to MAX_DIGITS digits. */
static uint64_t read_number(const char *text, size_t n_digits)
{
    uint64_t number = 0;
    for (size_t i = 0; i < n_digits; i++) {
        number = 10 * number + (uint64_t) (text[i] - '0');
    }
    return number;
}

static size_t count_digits(const char *text)
{
    size_t n = 0;
    while (is_digit(text[n])) {
        n++;
    }
    return n;
}

/* The range at `text`, known to be well-formed. */
static range_t read_range(const char *text)
{
    size_t n_low = count_digits(text);
    range_t range = {.low = read_number(text, n_low), .width = (int) n_low, .next = text + n_low};
    range.high = range.low;
    if (*range.next == '-') {
        size_t n_high = count_digits(range.next + 1);
        range.high = read_number(range.next + 1, n_high);
        range.next += 1 + n_high;
    }
    return range;
}

/* Checks the range at `text`, in the group that opens at `open`, and measures it. */
static int check_range(const char *open, const char *text, extent_t *extent, const complaint_t *to)
{
    size_t length = strcspn(text, ",]");
    size_t n_low = count_digits(text), n_high = n_low, used = n_low;
    if (length == 0) {
        return complain(to, open, strcspn(open, "]") + 1, "a number is missing in the brackets");
    }
    if (text[n_low] == '-') {
        n_high = count_digits(text + n_low + 1);
        used += 1 + n_high;
    }
    if (n_low == 0 || n_high == 0 || used != length) {
        return complain(to, text, length,
                        "malformed range; write a number, or two with '-' between them");
    }
    if (n_low > MAX_DIGITS || n_high > MAX_DIGITS) {
        return complain(to, text, length, "malformed range; a number has too many digits");
    }
    range_t range = read_range(text);
    if (range.high < range.low) {
        return complain(to, text, length, "malformed range; it runs backwards");
    }
    extent->count = range.high - range.low + 1;
    extent->length = n_low > n_high ? n_low : n_high;
    return PB_SUCCESS;
}

/* a + b and a * b, where more than `bound` is as good as bound + 1. */
static uint64_t bounded_sum(uint64_t a, uint64_t b, uint64_t bound)
{
    return a > bound || b > bound - a ? bound + 1 : a + b;
}

static uint64_t bounded_product(uint64_t a, uint64_t b, uint64_t bound)
{
    return a != 0 && b > bound / a ? bound + 1 : a * b;
}

/* Checks the group that opens at `open`, measures it and finds its end. */
static int check_group(const char *open, uint64_t bound, extent_t *extent, const char **close_p,
                       const complaint_t *to)
{
    const char *at = open + 1;
    if (open[1 + strcspn(open + 1, "[]")] != ']') {
        return complain(to, open, strlen(open), "the bracket is not closed");
    }
    *extent = (extent_t){.count = 0};
    for (;; at++) {
        extent_t range = {0};
        int error = check_range(open, at, &range, to);
        if (error != PB_SUCCESS) {
            return error;
        }
        extent->count = bounded_sum(extent->count, range.count, bound);
        extent->length = range.length > extent->length ? range.length : extent->length;
        at += strcspn(at, ",]");
        if (*at == ']') {
            *close_p = at;
            return PB_SUCCESS;
        }
    }
}

/* Checks and measures one group or character of an item, and moves `at_p` to its last byte. */
static int check_piece(const char *item, const char **at_p, uint64_t bound, extent_t *extent,
                       const complaint_t *to)
{
    const char c = **at_p;
    *extent = (extent_t){.count = 1, .length = 1};
    if (c == '[') {
        return check_group(*at_p, bound, extent, at_p, to);
    }
    if (c == ']') {
        return complain(to, item, (size_t) (*at_p - item) + 1,
                        "no bracket is open before this ']'");
    }
    if (!is_plain(c)) {
        char what[] = "'?' cannot be part of a name";
        what[1] = ' ' <= c && c <= '~' ? c : '?';
        return complain(to, item, strcspn(item, ","), what);
    }
    return PB_SUCCESS;
}

/* Checks an item, and counts its names and groups. */
static int check_item(const char *item, const char *end, uint64_t bound, uint64_t *count_p,
                      int *n_groups_p, const complaint_t *to)
{
    size_t length = 0;
    *count_p = 1;
    *n_groups_p = 0;
    for (const char *at = item; at < end; at++) {
        extent_t piece;
        *n_groups_p += *at == '[';
        int error = check_piece(item, &at, bound, &piece, to);
        if (error != PB_SUCCESS) {
            return error;
        }
        *count_p = bounded_product(*count_p, piece.count, bound);
        length += piece.length;
    }
    if (length > PB_HOSTLIST_MAX_NAME) {
        char what[60];
        snprintf(what, sizeof(what), "a name of this is longer than %d bytes",
                 PB_HOSTLIST_MAX_NAME);
        return complain(to, item, (size_t) (end - item), what);
    }
    return PB_SUCCESS;
}

const char *pb_hostlist_item(const char *at, const char **end_p)
{
    static const char separators[] = ", \t\n";
    at += strspn(at, separators);
    const char *end = at;
    for (; *end != '\0' && strchr(separators, *end) == NULL; end++) {
        const char *close = *end == '[' ? end + 1 + strcspn(end + 1, "[]") : end;
        end = *close == ']' ? close : end;
    }
    *end_p = end;
    return at;
}

static int check_list(const char *text, size_t max_names, const complaint_t *to)
{
    /* The bound leaves room for one more than it. */
    uint64_t bound = max_names < UINT64_MAX / 2 ? max_names : UINT64_MAX / 2;
    uint64_t n_names = 0;
    const char *end;
    for (const char *item = pb_hostlist_item(text, &end); item < end;
         item = pb_hostlist_item(end, &end)) {
        uint64_t count;
        int n_groups;
        int error = check_item(item, end, bound, &count, &n_groups, to);
        if (error != PB_SUCCESS) {
            return error;
        }
        n_names = bounded_sum(n_names, count, bound);
        if (n_names > bound) {
            char what[80];
            snprintf(what, sizeof(what), "with this there are more than %" PRIu64 " names", bound);
            return complain(to, item, (size_t) (end - item), what);
        }
    }
    return n_names > 0 ? PB_SUCCESS : complain(to, text, 0, "the list is empty");
}

static void set_range(group_t *group, const char *text)
{
    group->range = read_range(text);
    group->number = group->range.low;
}

/* Finds the groups of an item and sets each to its first number. */
static void find_groups(const char *item, const char *end, group_t *groups)
{
    for (const char *at = item; at < end; at++) {
        if (*at == '[') {
            groups->open = at;
            groups->close = at + strcspn(at, "]");
            set_range(groups, at + 1);
            at = groups->close;
            groups++;
        }
    }
}

/* Moves on to the next name of an item; false after its last. */
static bool advance(group_t *groups, int n_groups)
{
    for (group_t *group = groups + n_groups - 1; group >= groups; group--) {
        if (group->number < group->range.high) {
            group->number++;
            return true;
        }
        if (group->range.next != group->close) {
            set_range(group, group->range.next + 1);
            return true;
        }
        set_range(group, group->open + 1);
    }
    return false;
}

static char *append(char *to, const char *from, const char *end)
{
    assert(from != NULL);
    memcpy(to, from, (size_t) (end - from));
    return to + (end - from);
}

/* Writes the name at which the groups stand. It is no longer than its item was
 * measured to be, as a number has no more digits than one of its range's two. */
static void write_name(const char *item, const char *end, const group_t *groups, int n_groups,
                       char *name)
{
    for (int i = 0; i < n_groups; i++) {
        name = append(name, item, groups[i].open);
        name += sprintf(name, "%0*" PRIu64, groups[i].range.width, groups[i].number);
        item = groups[i].close + 1;
    }
    *append(name, item, end) = '\0';
}

static int expand_item(const char *item, const char *end, int n_groups,
                       int (*found)(void *context, const char *name), void *context)
{
    char name[PB_HOSTLIST_MAX_NAME + 1];
    group_t *groups = calloc((size_t) n_groups + 1, sizeof(*groups));
    int result = PB_ERR_NO_MEMORY;
    if (groups != NULL) {
        find_groups(item, end, groups);
        do {
            write_name(item, end, groups, n_groups, name);
            result = found(context, name);
        } while (result == 0 && advance(groups, n_groups));
    }
    free(groups);
    return result;
}

int pb_hostlist_expand(const char *text, size_t max_names,
                       int (*found)(void *context, const char *name), void *context, char *why,
                       size_t why_size)
{
    complaint_t to = {.why = why, .size = why_size};
    int result = check_list(text, max_names, &to);
    if (result != PB_SUCCESS) {
        return result;
    }
    const char *end;
    for (const char *item = pb_hostlist_item(text, &end); item < end && result == 0;
         item = pb_hostlist_item(end, &end)) {
        uint64_t count;
        int n_groups;
        check_item(item, end, UINT64_MAX / 2, &count, &n_groups, &to);
        result = expand_item(item, end, n_groups, found, context);
    }
    return result;
}
