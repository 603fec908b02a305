/*
 * Names in the output formats. The reader of topologies refuses most of what is
 * tried here, but the formats must not depend on that.
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/json.h"
#include "contrib/tools/common/text.h"
#include "test/must.h"
#include "test/tap.h"

typedef void (*writer_t)(FILE *stream, const char *text);

static void expect(const char *format, writer_t write, const char *name, const char *expected)
{
    char *text = NULL;
    size_t size;
    FILE *stream = must_have(open_memstream(&text, &size));
    write(stream, name);
    fclose(stream);
    ok(strcmp(text, expected) == 0, "%s: %s", format, expected);
    free(text);
}

/** The text as the library for JSON prints it in a document. */
static void write_json(FILE *stream, const char *text)
{
    static const char before[] = "\"text\": ";
    char *document = NULL;
    size_t size;
    FILE *memory = must_have(open_memstream(&document, &size));
    const common_json_t whole = common_json_begin("pipebcast test");
    common_json_text(whole, "text", text);
    ok(common_json_end(whole, memory), "a document");
    fclose(memory);
    const char *at = strstr(document, before);
    if (at != NULL) {
        at += sizeof before - 1;
        fprintf(stream, "%.*s", (int) strcspn(at, "\n"), at);
    }
    free(document);
}

static void test_json(void)
{
    expect("JSON", write_json, "n1", "\"n1\"");
    expect("JSON", write_json, "", "\"\"");
    expect("JSON", write_json, "a\"b\\c", "\"a\\\"b\\\\c\"");
    expect("JSON", write_json, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
           "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    expect("JSON, control characters", write_json, "a\nb\x7f",
           "\"a\xef\xbf\xbd"
           "b\xef\xbf\xbd\"");
    expect("JSON, stray byte", write_json, "a\xff", "\"a\xef\xbf\xbd\"");
    expect("JSON, cut character", write_json, "a\xc3", "\"a\xef\xbf\xbd\"");
    expect("JSON, overlong", write_json, "\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    expect("JSON, overlong", write_json, "\xe0\x80\xaf",
           "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    expect("JSON, surrogate", write_json, "\xed\xa0\x80",
           "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    expect("JSON, too large", write_json, "\xf4\x90\x80\x80",
           "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

int main(void)
{
    test_json();
    expect("DOT", common_dot_string, "a\"b\\", "\"a\\\"b\\\\\"");
    return tap_done();
}
