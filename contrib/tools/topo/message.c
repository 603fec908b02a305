#include "message.h"

static void print_all(FILE *stream, const char *prefix, const pb_diag_t *diag)
{
    for (size_t i = 0; i < diag->n_kept; i++) {
        fprintf(stream, "%s%s\n", prefix, diag->messages[i]);
    }
    if (diag->n_errors > diag->n_kept) {
        fprintf(stream, "(%zu more)\n", diag->n_errors - diag->n_kept);
    }
}

void tool_print_errors(FILE *stream, const pb_diag_t *diag)
{
    print_all(stream, "", diag);
}

void tool_print_warnings(FILE *stream, const pb_diag_t *diag)
{
    print_all(stream, "warning: ", diag);
}
