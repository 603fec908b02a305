#include "test/topo/network/in_memory.h"

#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

static const in_memory_t *find(const in_memory_t *files, const char *path)
{
    while (files->path != NULL && strcmp(files->path, path) != 0) {
        files++;
    }
    return files->path != NULL ? files : NULL;
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
    const in_memory_t *file = find(context, path);
    *text_p = NULL;
    if (file == NULL || file->text == NULL) {
        pb_diag_error(diag, path, 0, "cannot be opened: Permission denied");
        return PB_ERR_IO;
    }
    *length_p = strlen(file->text);
    *text_p = malloc(*length_p > 0 ? *length_p : 1);
    if (*text_p == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    memcpy(*text_p, file->text, *length_p); /* exactly, so that reading on is seen */
    return PB_SUCCESS;
}

pb_topology_files_t in_memory_files(const in_memory_t *files)
{
    return (pb_topology_files_t){
        .exists = exists, .are_same = are_same, .read = read_file, .context = (void *) files};
}

pb_topology_text_t in_memory_text(const in_memory_t *files, const pb_topology_files_t *access)
{
    return (pb_topology_text_t){.text = files[0].text,
                                .length = strlen(files[0].text),
                                .name = files[0].path,
                                .files = access};
}
