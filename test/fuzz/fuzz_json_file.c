/* The advisor's report as JSON, which `pipebcast advise status --json` takes into its own document.
 * Whatever the file has, that document is whole, and the report is an object or null. */
#include "contrib/tools/common/json.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/fuzz/fuzz.h"

const char fuzz_name[] = "json_file";

/** Property of a document that has the file's object. */
static void check(const char *text)
{
    const char *const report = strstr(text, "\"report\": ");
    must(report != NULL && (report[10] == '{' || strncmp(report + 10, "null", 4) == 0));
    must(strcmp(text + strlen(text) - 2, "}\n") == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char path[64], *text = NULL;
    size_t size;
    const int file = memfd_create("report", 0);
    FILE *const stream = open_memstream(&text, &size);
    must(stream != NULL && file >= 0 && write(file, bytes, length) == (ssize_t) length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const common_json_t whole = common_json_begin("pipebcast fuzz");
    common_json_file(whole, "report", path);
    common_json_end(whole, stream);
    must(fclose(stream) == 0);
    check(text);
    free(text);
    close(file);
    return 0;
}
