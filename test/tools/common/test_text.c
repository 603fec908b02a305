/*
 * Names in the output formats. The reader of topologies refuses most of what is
 * tried here, but the formats must not depend on that.
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/text.h"
#include "test/tap.h"

typedef void (*writer_t)(FILE *stream, const char *text);

static void expect(const char *format, writer_t write, const char *name, const char *expected)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        exit(EXIT_FAILURE);
    }
    write(stream, name);
    fclose(stream);
    ok(strcmp(text, expected) == 0, "%s: %s", format, expected);
    free(text);
}

int main(void)
{
    expect("JSON", common_json_string, "n1", "\"n1\"");
    expect("JSON", common_json_string, "", "\"\"");
    expect("JSON", common_json_string, "a\"b\\c", "\"a\\\"b\\\\c\"");
    expect("JSON", common_json_string, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
           "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    expect("JSON, control characters", common_json_string, "a\nb\x7f",
           "\"a\xef\xbf\xbd"
           "b\xef\xbf\xbd\"");
    expect("JSON, stray byte", common_json_string, "a\xff", "\"a\xef\xbf\xbd\"");
    expect("JSON, cut character", common_json_string, "a\xc3", "\"a\xef\xbf\xbd\"");
    expect("JSON, overlong", common_json_string, "\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    expect("JSON, overlong", common_json_string, "\xe0\x80\xaf",
           "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    expect("JSON, surrogate", common_json_string, "\xed\xa0\x80",
           "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    expect("JSON, too large", common_json_string, "\xf4\x90\x80\x80",
           "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    expect("XML", common_xml_text, "<a&b>\"'", "&lt;a&amp;b&gt;&quot;&#39;");
    expect("XML, no character of XML", common_xml_text, "\xef\xbf\xbf\x01",
           "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect("DOT", common_dot_string, "a\"b\\", "\"a\\\"b\\\\\"");
    ok(common_text_width("\xc3\xa9"
                         "n1") == 3,
       "a character of two bytes is one wide");
    return tap_done();
}
