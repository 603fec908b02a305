/* A topology file with the files that belong to it: those that it includes, the slurm.conf by which
 * a partition's topology is found, and topology.pipebcast. A line "%NAME" starts each file; the
 * first is the topology. */
#include "test/fuzz/fuzz.h"
#include "test/topo/network/in_memory.h"

const char fuzz_name[] = "slurm_files";

enum { MAX_FILES = 8, MAX_NAME = 32 };

typedef struct files {
    in_memory_t files[MAX_FILES + 1];
    char names[MAX_FILES][MAX_NAME];
    int n;
} files_t;

/* Cuts the input into files, which end at a zero byte. */
static void split(const char *text, size_t length, files_t *files)
{
    const char *end = text + length;
    while (text < end && *text == '%' && files->n < MAX_FILES) {
        in_memory_t *file = &files->files[files->n];
        const char *line_end = memchr(text, '\n', (size_t) (end - text));
        line_end = line_end != NULL ? line_end : end;
        const size_t n = (size_t) (line_end - text) - 1;
        memcpy(files->names[files->n], text + 1, n < MAX_NAME ? n : MAX_NAME - 1);
        file->path = files->names[files->n++];
        const char *start = text = line_end < end ? line_end + 1 : end;
        while (text < end && *text != '%') {
            const char *next = memchr(text, '\n', (size_t) (end - text));
            text = next != NULL ? next + 1 : end;
        }
        file->text = fuzz_text((const uint8_t *) start, (size_t) (text - start));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    files_t files = {.n = 0};
    split((const char *) bytes, length, &files);
    if (files.n == 0) {
        return 0;
    }
    const pb_topology_files_t access = in_memory_files(files.files);
    const pb_topology_text_t text = in_memory_text(files.files, &access);
    const pb_topology_request_t request = {.partition = "p"};
    pb_topology_t topology;
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = pb_topology_open_text(&text, &request, &topology, &diag);
    must(diag.lines == NULL);
    fuzz_parsed(error, topology.network != NULL, &diag);
    pb_topology_clear(&topology);
    for (int i = 0; i < files.n; i++) {
        free((char *) files.files[i].text);
    }
    return 0;
}
