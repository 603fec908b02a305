/*
 * Decimal numbers; see decimal.h.
 */
#include "topo/util/decimal.h"

#include <stdio.h>

bool pb_decimal_read(const char *word, uint64_t low, uint64_t high, uint64_t *value_p)
{
    uint64_t value = 0;
    bool good = word[0] != '\0';
    for (const char *at = word; *at != '\0' && good; at++) {
        const uint64_t digit = (uint64_t) (*at - '0');
        good = '0' <= *at && *at <= '9' && digit <= high && value <= (high - digit) / 10;
        value = good ? 10 * value + digit : value;
    }
    if (!good || value < low) {
        return false;
    }
    *value_p = value;
    return true;
}

const char *pb_rate_text(double bits_per_second, char text[PB_RATE_TEXT_SIZE])
{
    const double mbits = bits_per_second / 1e6;
    snprintf(text, PB_RATE_TEXT_SIZE, "%.*f", mbits < 100 ? 2 : 0, mbits);
    return text;
}
