#include <string.h>

#include "options.h"

enum { MOST_LETTERS = 32 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/** Letters to change, add, remove or swap with the next to make one word of the other (Damerau
 * 1964). */
static int distance(const char *a, const char *b)
{
    const int m = (int) strlen(a), n = (int) strlen(b);
    int d[MOST_LETTERS + 1][MOST_LETTERS + 1];
    if (m > MOST_LETTERS || n > MOST_LETTERS) {
        return MOST_LETTERS;
    }
    for (int i = 0; i <= m; i++) {
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                            least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[m][n];
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
