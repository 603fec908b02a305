#include "topo/model/medium_file.h"

#include <inttypes.h>
#include <string.h>

/** Mbit/s that a link may have. */
#define MAX_MEGABITS UINT64_C(1000000000)

#define MEGA UINT64_C(1000000)

/** Word i, a name of the medium, or "-" where none is known. */
static bool read_name(pb_item_reader_t *item, int i, char name[PB_MEDIUM_NAME_SIZE])
{
    char quote[PB_DIAG_QUOTE_SIZE];
    const char *word = item->words[i];
    if (strlen(word) >= PB_MEDIUM_NAME_SIZE) {
        pb_item_error(item, "the name '%s' has more than %d characters",
                      pb_diag_quote_text(quote, word), PB_MEDIUM_NAME_SIZE - 1);
        return false;
    }
    strcpy(name, strcmp(word, "-") == 0 ? "" : word);
    return true;
}

bool pb_medium_read_item(pb_item_reader_t *item, pb_medium_t *medium)
{
    uint64_t megabits = 0;
    if (!read_name(item, 1, medium->pml) || !read_name(item, 3, medium->btls) ||
        !read_name(item, 5, medium->interfaces)) {
        return false;
    }
    if (strcmp(item->words[7], "-") != 0 &&
        !pb_item_number(item, "the rate", 7, 1, MAX_MEGABITS, &megabits)) {
        return false;
    }
    medium->bits_per_second = megabits * MEGA;
    return true;
}

static const char *name_or_dash(const char *name)
{
    return name[0] != '\0' ? name : "-";
}

void pb_medium_write_item(const pb_medium_t *medium, FILE *stream)
{
    fprintf(stream, "transport %s btl %s interface %s rate ", name_or_dash(medium->pml),
            name_or_dash(medium->btls), name_or_dash(medium->interfaces));
    if (medium->bits_per_second >= MEGA) {
        fprintf(stream, "%" PRIu64 "\n", medium->bits_per_second / MEGA);
    } else {
        fprintf(stream, "-\n");
    }
}
