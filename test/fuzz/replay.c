/*
 * A fuzz target as a plain test: gives it each file of corpus/NAME, below $srcdir
 * or the current directory, or the files that are named. A broken promise ends the
 * program, so that the file is the one after the last TAP line.
 */
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "test/fuzz/fuzz.h"
#include "test/tap.h"

/** Inputs larger than this are not worth keeping. */
#define LONGEST_INPUT (1 << 20)

/** Gives one file to the target, in memory that is exactly as long. */
static void replay(const char *file)
{
    static uint8_t room[LONGEST_INPUT + 1];
    FILE *stream = fopen(file, "rb");
    const size_t length = stream != NULL ? fread(room, 1, sizeof(room), stream) : 0;
    const int good = stream != NULL && !ferror(stream) && length <= LONGEST_INPUT;
    if (stream != NULL) {
        fclose(stream);
    }
    if (good) {
        uint8_t *bytes = must_have(malloc(length > 0 ? length : 1));
        memcpy(bytes, room, length);
        LLVMFuzzerTestOneInput(bytes, length);
        free(bytes);
    }
    ok(good, "%s: %s", fuzz_name, file);
}

static int is_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void replay_corpus(void)
{
    const char *source = getenv("srcdir");
    char directory[64];
    snprintf(directory, sizeof(directory), "corpus/%s", fuzz_name);
    if ((source != NULL && chdir(source) != 0) || chdir(directory) != 0) {
        ok(0, "there is a directory %s", directory);
        return;
    }
    struct dirent **entries;
    const int n = scandir(".", &entries, is_file, alphasort);
    ok(n > 0, "%s: the corpus has %d files", fuzz_name, n);
    for (int i = 0; i < n; i++) {
        replay(entries[i]->d_name);
        free(entries[i]);
    }
    if (n >= 0) {
        free(entries);
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        replay(argv[i]);
    }
    if (argc == 1) {
        replay_corpus();
    }
    return tap_done();
}
