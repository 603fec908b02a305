#include "topo/network/slurm/additions.h"

#include <stdlib.h>
#include <string.h>

#include "topo/network/slurm/beside.h"
#include "topo/network/slurm/switch_line.h"
#include "topo/util/error.h"
#include "topo/util/kit.h"

static const char file_beside[] = "topology.pipebcast";

struct pb_slurm_addition {
    char *text;
    int line;
};

void pb_slurm_additions_clear(pb_slurm_additions_t *additions)
{
    for (int i = 0; i < additions->n_lines; i++) {
        free(additions->lines[i].text);
    }
    free(additions->lines);
    *additions = (pb_slurm_additions_t){.lines = NULL};
}

int pb_slurm_additions_keep(pb_slurm_additions_t *additions, const char *text, size_t length,
                            int line)
{
    struct pb_slurm_addition *lines =
        pb_grow(additions->lines, additions->n_lines, &additions->capacity, sizeof(*lines));
    if (lines == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    additions->lines = lines;
    char *copy = strndup(text, length);
    if (copy == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    additions->lines[additions->n_lines++] = (struct pb_slurm_addition){.text = copy, .line = line};
    return PB_SUCCESS;
}

static void note(pb_topology_t *topology, const char *file, const char *what, int n_times)
{
    if (n_times > 0) {
        pb_diag_error(&topology->notes, file, 0,
                      "%s a link's LinkSpeed or Uplinks, or adds a link: %d %s", what, n_times,
                      n_times == 1 ? "time" : "times");
    }
}

static int enter_comments(const pb_slurm_additions_t *additions, const char *name,
                          pb_builder_t *builder)
{
    int error = PB_SUCCESS;
    for (int i = 0; i < additions->n_lines && error == PB_SUCCESS; i++) {
        error =
            pb_slurm_switch_line(builder, additions->lines[i].text, additions->lines[i].line, name);
    }
    return error;
}

static int enter_file(const char *path, const pb_topology_files_t *files, const char *name,
                      pb_builder_t *builder, pb_source_lines_t *where, int number)
{
    pb_slurm_lines_t lines;
    pb_slurm_line_t line;
    int error = pb_slurm_lines_open_file(&lines, path, files, where, number, builder->warnings,
                                         builder->warnings);
    while (error == PB_SUCCESS && !builder->full) {
        const int got = pb_slurm_lines_next(&lines, &line);
        if (got <= 0) {
            error = got;
            break;
        }
        error = pb_slurm_switch_line(builder, line.text, line.number, name);
    }
    pb_slurm_lines_close(&lines);
    return error == PB_ERR_IO ? PB_SUCCESS : error;
}

/* Enters the comments, then the file next to the text. */
static int enter_all(const pb_slurm_additions_t *additions, const pb_topology_text_t *text,
                     const char *name, pb_builder_t *builder, pb_source_lines_t *where, int number,
                     pb_topology_t *topology)
{
    int error = enter_comments(additions, name, builder);
    if (error == PB_SUCCESS && builder->n_added > 0) {
        note(topology, text->name, "a #pipebcast comment gives", builder->n_added);
    }
    if (error != PB_SUCCESS || text->files == NULL || pb_slurm_is_called(text->name, file_beside)) {
        return error;
    }
    char *path = pb_slurm_beside(text->name, file_beside);
    if (path == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    if (text->files->exists(text->files->context, path)) {
        const int n_before = builder->n_added;
        error = enter_file(path, text->files, name, builder, where, number);
        if (builder->n_added > n_before || builder->multicast == PB_MULTICAST_OFF) {
            note(topology, path, "this file gives", builder->n_added - n_before);
        }
    }
    free(path);
    return error;
}

int pb_slurm_additions_enter(const pb_slurm_additions_t *additions, const pb_topology_text_t *text,
                             const char *name, pb_builder_t *builder, pb_source_lines_t *where,
                             int number, pb_topology_t *topology)
{
    const int error = enter_all(additions, text, name, builder, where, number, topology);
    topology->multicast = (pb_multicast_allowed_t) builder->multicast;
    if (error == PB_SUCCESS && topology->multicast != PB_MULTICAST_OFF) {
        pb_diag_error(&topology->notes, text->name, 0,
                      "broadcasts may go by IP multicast, by our key Multicast");
    }
    return error;
}
