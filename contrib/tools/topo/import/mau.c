#include "mau.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/** Digits before "Base", at most: of 400GbaseR and of 100000. */
enum { MAX_DIGITS = 6 };

static bool begins(const char *text, const char *beginning)
{
    return strncasecmp(text, beginning, strlen(beginning)) == 0;
}

/** Reads digits; *text_p is then behind them. */
static uint32_t read_digits(const char **text_p)
{
    uint32_t number = 0;
    int n = 0;
    while (isdigit((unsigned char) **text_p) && n++ < MAX_DIGITS) {
        number = 10 * number + (uint32_t) (*(*text_p)++ - '0');
    }
    return number;
}

uint32_t import_mau_megabits(const char *type)
{
    static const struct {
        const char *word;
        uint32_t megabits;
    } units[] = {{"Gig", 1000}, {"G", 1000}, {"", 1}};
    const char *rest = type;
    uint32_t tenths = 10 * read_digits(&rest);
    if (rest[0] == 'p' && isdigit((unsigned char) rest[1])) { /* 2p5 is 2.5 */
        tenths += (uint32_t) (rest[1] - '0');
        rest += 2;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (begins(rest, units[i].word) && begins(rest + strlen(units[i].word), "base")) {
            return (uint32_t) ((uint64_t) tenths * units[i].megabits / 10);
        }
    }
    return 0;
}
