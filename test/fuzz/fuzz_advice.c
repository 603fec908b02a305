/*
 * Files of advice. An input is read as it is, and once more between a right first line and a
 * right end. What can be read must come back the same after it was written, and have an answer for
 * every root and size.
 */
#include "contrib/adaptive/advice/advice.h"
#include "test/fuzz/fuzz.h"

const char fuzz_name[] = "advice";

static pb_advice_t *read_advice(const char *text, size_t length)
{
    pb_diag_t diag;
    pb_advice_t *advice;
    pb_diag_init(&diag);
    const int error = pb_advice_parse(text, length, "input", &advice, &diag);
    fuzz_parsed(error, advice != NULL, &diag);
    return advice;
}

static char *text_of(const pb_advice_t *advice, size_t *length_p)
{
    char *text;
    FILE *stream = must_have(open_memstream(&text, length_p));
    must(pb_advice_write(advice, stream) == PB_SUCCESS);
    fclose(stream);
    return text;
}

static void ask(const pb_advice_t *advice)
{
    must(advice->max_age >= 1 && advice->max_age <= PB_ADVICE_MAX_AGE);
    (void) pb_advice_is_stale(advice, pb_advice_now());
    for (int root = 0; root < advice->hosts->n; root++) {
        for (uint64_t bytes = 1; bytes < UINT64_C(1) << 62; bytes *= 2) {
            const pb_advice_tree_t *tree = pb_advice_find(advice, root, bytes);
            must(tree == NULL || (tree->root == root && tree->least <= bytes &&
                                  bytes <= tree->most && tree->segment > 0));
            for (int s = 0; tree != NULL && s < tree->n_streams; s++) {
                must(pb_tree_check(tree->streams[s]->parent, advice->hosts->n, root) == PB_SUCCESS);
            }
        }
    }
}

static void try(const char *text, size_t length)
{
    size_t first_length, second_length;
    pb_advice_t *advice = read_advice(text, length);
    if (advice == NULL) {
        return;
    }
    ask(advice);
    char *first = text_of(advice, &first_length);
    pb_advice_t *again = read_advice(first, first_length);
    must(again != NULL);
    char *second = text_of(again, &second_length);
    fuzz_same(first, first_length, second, second_length);
    pb_advice_free(advice);
    pb_advice_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char first[] = "pipebcast-advice 1\n";
    char *framed = must_have(malloc(length + 64));
    try((const char *) bytes, length);
    const size_t n = sizeof(first) - 1 + length;
    int n_items = 0;
    memcpy(framed, first, sizeof(first) - 1);
    memcpy(framed + sizeof(first) - 1, bytes, length);
    for (size_t i = 0; i < length; i++) {
        n_items += bytes[i] == '\n';
    }
    try(framed, n + (size_t) sprintf(framed + n, "end %d\n", n_items));
    free(framed);
    return 0;
}
