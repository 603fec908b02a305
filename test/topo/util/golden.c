#include "test/topo/util/golden.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Bytes of an expected file. */
#define MAX_EXPECTED (1 << 16)

#define EXPECTED ".expected"

static void print_as_comment(const char *what, const char *text)
{
    printf("# %s:\n# ", what);
    for (; *text != '\0'; text++) {
        printf(*text == '\n' && text[1] != '\0' ? "\n# " : "%c", *text);
    }
    printf("\n");
}

bool golden_equal(const char *is, const char *expected)
{
    if (expected != NULL && strcmp(is, expected) == 0) {
        return true;
    }
    print_as_comment("expected", expected != NULL ? expected : "(no file)");
    print_as_comment("is", is);
    return false;
}

/* The whole file as text, or NULL. */
static char *slurp(const char *file)
{
    FILE *in = fopen(file, "rb");
    if (in == NULL) {
        return NULL;
    }
    char *text = calloc(1, MAX_EXPECTED);
    if (text != NULL) {
        text[fread(text, 1, MAX_EXPECTED - 1, in)] = '\0';
    }
    fclose(in);
    return text;
}

static bool update(const char *file, const char *text)
{
    FILE *out = fopen(file, "wb");
    return out != NULL && fputs(text, out) >= 0 && fclose(out) == 0;
}

static bool check_file(const char *file, golden_print_t *print)
{
    char expected_file[300];
    snprintf(expected_file, sizeof(expected_file), "%.*s%s", (int) strcspn(file, "."), file,
             EXPECTED);
    char *is = print(file);
    bool good;
    if (getenv("UPDATE_GOLDEN") != NULL) {
        good = update(expected_file, is);
    } else {
        char *expected = slurp(expected_file);
        good = golden_equal(is, expected);
        free(expected);
    }
    free(is);
    return good;
}

static bool ends_in(const char *name, const char *suffix)
{
    const size_t length = strlen(name), n = strlen(suffix);
    return length > n && strcmp(name + length - n, suffix) == 0;
}

/* Enters the directory; a descriptor of the one before, to return to, or -1. */
static int enter(const char *directory)
{
    const char *srcdir = getenv("srcdir");
    const int before = open(".", O_RDONLY | O_DIRECTORY);
    if (before >= 0 && (srcdir == NULL || chdir(srcdir) == 0) && chdir(directory) == 0) {
        return before;
    }
    return -1;
}

int golden_check(const char *directory, golden_print_t *print, golden_verdict_t *verdict)
{
    struct dirent **entries = NULL;
    const int before = enter(directory);
    int n = before >= 0 ? scandir(".", &entries, NULL, alphasort) : 0, n_files = 0;
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (name[0] != '.' && !ends_in(name, EXPECTED)) {
            verdict(name, check_file(name, print));
            n_files++;
        }
        free(entries[i]);
    }
    free(entries);
    if (before >= 0 && (fchdir(before) != 0 || close(before) != 0)) {
        return 0;
    }
    return n_files;
}

static void unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at != '\\') {
            *to++ = *at;
        } else if (*++at == 'x') {
            *to++ = (char) strtol((char[]){at[1], at[2], '\0'}, NULL, 16);
            at += 2;
        } else {
            *to++ = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at == 'r' ? '\r' : *at;
        }
    }
    *to = '\0';
}

int golden_rows(const char *file, golden_row_t *row)
{
    enum { MAX_COLUMNS = 24 };
    const int before = enter(".");
    char *text = before >= 0 ? slurp(file) : NULL, *rest = text, *line;
    int n_rows = 0;
    while (text != NULL && (line = strsep(&rest, "\n")) != NULL) {
        char *columns[MAX_COLUMNS];
        int n = 0;
        if (line[0] == '#' || line[0] == '\0') {
            continue;
        }
        for (; line != NULL && n < MAX_COLUMNS; n++) {
            columns[n] = strsep(&line, "\t");
            unescape(columns[n]);
        }
        row(columns, n);
        n_rows++;
    }
    free(text);
    if (before >= 0 && (fchdir(before) != 0 || close(before) != 0)) {
        return 0;
    }
    return n_rows;
}
