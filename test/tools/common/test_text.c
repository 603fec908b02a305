/* Names in JSON. The reader of topologies refuses most of what is tried here, but JSON must not
 * depend on that. */
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/json.h"
#include "test/must.h"
#include "test/tap.h"

/* The text in a document. */
static void expect(const char *what, const char *text, const char *expected)
{
    char *document = NULL;
    size_t size;
    FILE *memory = must_have(open_memstream(&document, &size));
    const common_json_t whole = common_json_begin("pipebcast test");
    common_json_text(whole, "text", text);
    common_json_end(whole, memory);
    fclose(memory);
    ok(strstr(document, expected) != NULL, "%s: %s", what, expected);
    free(document);
}

int main(void)
{
    expect("a name", "n1", "\"text\": \"n1\"\n");
    expect("none", "", "\"text\": \"\"\n");
    expect("quotes", "a\"b\\c", "\"a\\\"b\\\\c\"\n");
    expect("UTF-8", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
           "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"\n");
    expect("a control character", "a\nb", "\"a\\nb\"\n");
    expect("a stray byte", "a\xff", "\"a?\"\n");
    expect("a cut character", "a\xc3", "\"a?\"\n");
    expect("an overlong character", "\xc0\xaf", "\"??\"\n");
    expect("a surrogate", "\xed\xa0\x80", "\"???\"\n");
    expect("a character that is too large", "\xf4\x90\x80\x80", "\"????\"\n");
    return tap_done();
}
