/*
 * Files of measured links. What can be read must keep to its bounds, and what is
 * written of it must come back as it was written.
 */
#include "contrib/adaptive/search/link_matrix.h"
#include "test/fuzz/fuzz.h"

const char fuzz_name[] = "links";

static pb_link_matrix_t *read_links(const char *text, size_t length)
{
    pb_link_matrix_t *matrix;
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = pb_link_matrix_parse(text, length, "input", &matrix, &diag);
    fuzz_parsed(error, matrix != NULL, &diag);
    return matrix;
}

static char *write_links(const pb_link_matrix_t *matrix, size_t *length_p)
{
    char *text;
    FILE *stream = must_have(open_memstream(&text, length_p));
    must(pb_link_matrix_write(matrix, stream) == PB_SUCCESS);
    fclose(stream);
    return text;
}

static void check_bounds(const pb_link_matrix_t *matrix)
{
    must(0 < matrix->n_nodes && matrix->n_nodes <= PB_LINK_MATRIX_MAX_NODES);
    for (int i = 0; i < matrix->n_nodes; i++) {
        must(0 <= matrix->startup[i] && matrix->startup[i] <= PB_LINK_MATRIX_MAX_NS);
        for (int j = 0; j < matrix->n_nodes; j++) {
            const int64_t latency = pb_link_latency(matrix, i, j);
            const uint64_t bandwidth = pb_link_bandwidth(matrix, i, j);
            must(0 <= latency && latency <= PB_LINK_MATRIX_MAX_NS);
            must(0 < bandwidth && bandwidth <= PB_LINK_MATRIX_MAX_BANDWIDTH);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pb_link_matrix_t *matrix = read_links((const char *) bytes, length);
    if (matrix == NULL) {
        return 0;
    }
    check_bounds(matrix);
    size_t n_first, n_second;
    char *first = write_links(matrix, &n_first);
    pb_link_matrix_t *again = read_links(first, n_first);
    must(again != NULL && again->n_nodes == matrix->n_nodes);
    char *second = write_links(again, &n_second);
    fuzz_same(first, n_first, second, n_second);
    pb_link_matrix_free(matrix);
    pb_link_matrix_free(again);
    return 0;
}
