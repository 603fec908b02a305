/*
 * The logical lines of a configuration file, as Slurm reads it (src/common/parse_config.c of 22.05
 * to 26.05).
 *
 * '#' starts a comment, which ends with its physical line. A '\' at the end of the rest, before
 * blanks, continues the line; one before another character makes that a plain one. A line "Include
 * FILE" stands for the lines of that file. Slurm expands no '*', and '%c' only in slurm.conf.
 *
 * A comment that starts its line as "#pipebcast KEY=VALUE" is a line of ours.
 */
#ifndef PB_SLURM_LINES_H
#define PB_SLURM_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "topo/network/topology.h"
#include "topo/util/source_lines.h"

static inline bool pb_slurm_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/** Returns the first byte that is not a blank. */
static inline char *pb_slurm_skip_blanks(const char *at)
{
    while (pb_slurm_is_blank(*at)) {
        at++;
    }
    return (char *) at;
}

/** The bytes of the byte order mark that a file's text begins with; 0: it has none. */
size_t pb_slurm_mark(const char *text, size_t length);

/** The bytes of a physical line that are a line of ours, from *ours_p on; 0: none. */
size_t pb_slurm_ours(const char *line, size_t length, const char **ours_p);

/** Bytes of one logical line, continuations included. */
#define PB_SLURM_MAX_LINE (1 << 20)

/** Most files that are open at a time, each included by the one before; most that a file
 * includes. */
#define PB_SLURM_MAX_OPEN 16
#define PB_SLURM_MAX_INCLUDED 1000

typedef struct pb_slurm_line {
    char *text; /**< ended by '\0'; the reader may cut it; until the next line is read */
    int number; /**< of its first physical line, over all files */
    bool is_ours;
} pb_slurm_line_t;

typedef struct pb_slurm_lines {
    struct pb_slurm_source *open; /**< PB_SLURM_MAX_OPEN; the last one is being read */
    int n_open;
    int n_included;
    size_t n_bytes; /**< of all files */
    const pb_topology_files_t *files;
    char separator;
    pb_source_lines_t *where;
    int next_number; /**< of the next physical line, over all files */
    char *buffer;
    size_t size, room; /**< of the buffer: bytes used, and had */
    bool has_nul, too_long;
    pb_diag_t *warnings;
} pb_slurm_lines_t;

/**
 * Starts to read a text. Its lines are numbered from `number` on, which `where` gets to know. The
 * texts are borrowed. To be closed in any case. PB_ERR_NO_MEMORY.
 */
int pb_slurm_lines_open(pb_slurm_lines_t *lines, const pb_topology_text_t *text,
                        pb_source_lines_t *where, int number, pb_diag_t *warnings);

/** The same for a file of `files`. PB_ERR_IO with an error in `diag`. */
int pb_slurm_lines_open_file(pb_slurm_lines_t *lines, const char *path,
                             const pb_topology_files_t *files, pb_source_lines_t *where, int number,
                             pb_diag_t *warnings, pb_diag_t *diag);
void pb_slurm_lines_close(pb_slurm_lines_t *lines);

/** 1 and the next line, 0 at the end, or PB_ERR_NO_MEMORY. A line that cannot be read is ignored
 * with a warning. */
int pb_slurm_lines_next(pb_slurm_lines_t *lines, pb_slurm_line_t *line);

#endif
