#include "topo/model/medium.h"

#include <stdio.h>
#include <string.h>

#include "topo/util/hash.h"

/** Tells whether a list separated by '+' has this name. */
static bool has_name(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; *at != '\0';) {
        const size_t n = strcspn(at, "+");
        if (n == length && strncmp(at, name, n) == 0) {
            return true;
        }
        at += n + (at[n] == '+');
    }
    return false;
}

void pb_medium_add_name(char list[PB_MEDIUM_NAME_SIZE], const char *name)
{
    const size_t used = strlen(list);
    const size_t needed = used + (used > 0) + strlen(name) + 1;
    if (!has_name(list, name) && needed <= PB_MEDIUM_NAME_SIZE) {
        snprintf(list + used, PB_MEDIUM_NAME_SIZE - used, "%s%s", used > 0 ? "+" : "", name);
    }
}

void pb_medium_limit_rate(pb_medium_t *medium, uint64_t bits_per_second)
{
    if (bits_per_second > 0 &&
        (medium->bits_per_second == 0 || bits_per_second < medium->bits_per_second)) {
        medium->bits_per_second = bits_per_second;
    }
}

bool pb_medium_is_alike(const pb_medium_t *a, const pb_medium_t *b)
{
    return strcmp(a->pml, b->pml) == 0 && strcmp(a->btls, b->btls) == 0;
}

bool pb_medium_is_as_fast(uint64_t a_bits_per_second, uint64_t b_bits_per_second)
{
    const uint64_t a = a_bits_per_second / 1000000, b = b_bits_per_second / 1000000;
    return a == 0 || b == 0 || a == b;
}

uint64_t pb_medium_hash(const pb_medium_t *medium)
{
    uint64_t hash = pb_hash_string(PB_HASH_START, medium->pml);
    hash = pb_hash_string(hash, medium->btls);
    hash = pb_hash_end(pb_hash_number(hash, medium->is_ethernet));
    return hash != 0 ? hash : 1;
}

const char *pb_medium_describe(const pb_medium_t *medium, char text[PB_MEDIUM_TEXT_SIZE])
{
    char speed[48] = "";
    if (medium->bits_per_second > 0) {
        snprintf(speed, sizeof(speed), ", %llu Mbit/s",
                 (unsigned long long) (medium->bits_per_second / 1000000));
    } else if (medium->interfaces[0] != '\0') {
        snprintf(speed, sizeof(speed), ", of unknown speed");
    }
    snprintf(text, PB_MEDIUM_TEXT_SIZE, "%s%s%s%s%s%s",
             medium->pml[0] != '\0' ? medium->pml : "an unknown pml",
             medium->btls[0] != '\0' ? " with btl " : "", medium->btls,
             medium->interfaces[0] != '\0' ? " on " : "", medium->interfaces, speed);
    return text;
}
