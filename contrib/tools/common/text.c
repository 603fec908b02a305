#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character at `text`, 0 if it is none or a control character. */
static size_t character_length(const char *text)
{
    const unsigned char *byte = (const unsigned char *) text;
    if (byte[0] < 0x80) {
        return byte[0] >= 0x20 && byte[0] != 0x7f;
    }
    size_t n = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
    uint32_t code = byte[0] & (0x7fU >> n);
    if (byte[0] < 0xc2 || byte[0] > 0xf4) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((byte[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (byte[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool wrong = code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ||
                 (code >= 0x80 && code < 0xa0) || code == 0xfffe || code == 0xffff;
    return wrong ? 0 : n;
}

/* The text for one byte in an output; NULL: the byte itself. */
typedef const char *(*substitute_t)(char byte);

static void write_text(FILE *stream, const char *text, substitute_t substitute)
{
    while (*text != '\0') {
        size_t n = character_length(text);
        const char *other = n == 1 ? substitute(*text) : NULL;
        if (n == 0) {
            fputs("\xef\xbf\xbd", stream);
        } else if (other != NULL) {
            fputs(other, stream);
        } else {
            fwrite(text, 1, n, stream);
        }
        text += n > 0 ? n : 1;
    }
}

static const char *none(char byte)
{
    (void) byte;
    return NULL;
}

char *common_text_clean(const char *text)
{
    char *clean = NULL;
    size_t size;
    FILE *const stream = open_memstream(&clean, &size);
    if (stream == NULL) {
        return NULL;
    }
    write_text(stream, text, none);
    if (fclose(stream) != 0) {
        free(clean);
        return NULL;
    }
    return clean;
}

static const char *backslashed(char byte)
{
    return byte == '"' ? "\\\"" : byte == '\\' ? "\\\\" : NULL;
}

void common_dot_string(FILE *stream, const char *text)
{
    fputc('"', stream);
    write_text(stream, text, backslashed);
    fputc('"', stream);
}
