#include <string.h>

#include "options.h"

enum { MOST_LETTERS = 32 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/** Letters to change, add or remove to make one word of the other (Levenshtein 1966). */
static int distance(const char *a, const char *b)
{
    const int n = (int) strlen(b);
    int row[MOST_LETTERS + 1];
    if (n > MOST_LETTERS) {
        return n;
    }
    for (int j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (int i = 1; a[i - 1] != '\0'; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            const int changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(changed, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[n];
}

const char *common_nearest(const char *word, const char *const *words)
{
    const char *best = NULL;
    int best_distance = 1 + least(2, (int) strlen(word) / 3);
    for (; *words != NULL; words++) {
        const int d = distance(word, *words);
        if (d < best_distance) {
            best = *words;
            best_distance = d;
        }
    }
    return best;
}
