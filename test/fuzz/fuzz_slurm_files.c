/* A topology file with the files that belong to it: those that it includes, the slurm.conf by which
 * a partition's topology is found, and topology.pipebcast. A line "%NAME" starts each file; the
 * first is the topology. */
#include "test/fuzz/fuzz.h"
#include "topo/network/topology.h"

const char fuzz_name[] = "slurm_files";

enum { MAX_FILES = 8, MAX_NAME = 32 };

typedef struct file {
    char name[MAX_NAME];
    const char *text;
    size_t length;
} file_t;

typedef struct files {
    file_t files[MAX_FILES];
    int n;
} files_t;

/* Cuts the input into files, which borrow it. */
static void split(const char *text, size_t length, files_t *files)
{
    const char *end = text + length;
    while (text < end && *text == '%' && files->n < MAX_FILES) {
        file_t *file = &files->files[files->n++];
        const char *line_end = memchr(text, '\n', (size_t) (end - text));
        line_end = line_end != NULL ? line_end : end;
        const size_t n = (size_t) (line_end - text) - 1;
        memcpy(file->name, text + 1, n < MAX_NAME ? n : MAX_NAME - 1);
        file->text = line_end < end ? line_end + 1 : end;
        text = file->text;
        while (text < end && *text != '%') {
            const char *next = memchr(text, '\n', (size_t) (end - text));
            text = next != NULL ? next + 1 : end;
        }
        file->length = (size_t) (text - file->text);
    }
}

static const file_t *find(const files_t *files, const char *path)
{
    for (int i = 0; i < files->n; i++) {
        if (strcmp(files->files[i].name, path) == 0) {
            return &files->files[i];
        }
    }
    return NULL;
}

static bool exists(void *context, const char *path)
{
    return find(context, path) != NULL;
}

static bool are_same(void *context, const char *path, const char *other)
{
    (void) context;
    return strcmp(path, other) == 0;
}

static int read_file(void *context, const char *path, char **text_p, size_t *length_p,
                     pb_diag_t *diag)
{
    const file_t *file = find(context, path);
    *text_p = NULL;
    if (file == NULL) {
        pb_diag_fault(diag, path, 0, "is not there");
        return PB_ERR_IO;
    }
    *text_p = malloc(file->length > 0 ? file->length : 1);
    fuzz_must(*text_p != NULL);
    memcpy(*text_p, file->text, file->length);
    *length_p = file->length;
    return PB_SUCCESS;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    files_t files = {.n = 0};
    split((const char *) bytes, length, &files);
    if (files.n == 0) {
        return 0;
    }
    const pb_topology_files_t access = {
        .exists = exists, .are_same = are_same, .read = read_file, .context = &files};
    const pb_topology_text_t text = {.text = files.files[0].text,
                                     .length = files.files[0].length,
                                     .name = files.files[0].name,
                                     .files = &access};
    const pb_topology_request_t request = {.partition = "p"};
    pb_topology_t topology;
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = pb_topology_open_text(&text, &request, &topology, &diag);
    fuzz_must(diag.lines == NULL);
    fuzz_parsed(error, topology.network != NULL, &diag);
    pb_topology_clear(&topology);
    return 0;
}
