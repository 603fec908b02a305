/*
 * File and line that a line came from, where several files are read as one text. Lines are
 * numbered over all files in the order in which they are read; parts are runs of lines of one file.
 */
#ifndef PB_SOURCE_LINES_H
#define PB_SOURCE_LINES_H

typedef struct pb_source_part {
    char *file;
    int line; /**< of the part's first line, in the file */
    int at;   /**< that line's number over all files */
} pb_source_part_t;

/** {0} is empty. */
typedef struct pb_source_lines {
    pb_source_part_t *parts; /**< in order of their numbers */
    int n_parts;
    int capacity;
} pb_source_lines_t;

void pb_source_lines_clear(pb_source_lines_t *lines);

/** Adds a part: lines from number `at` on, which is not before the last part's, are lines of `file`
 * from `line` on. The name is copied. PB_ERR_NO_MEMORY. O(1) amortized. */
int pb_source_lines_part(pb_source_lines_t *lines, int at, const char *file, int line);

/**
 * The file that the line of number `at` came from, borrowed, and its line there; NULL if no part
 * has it. O(log parts).
 */
const char *pb_source_lines_find(const pb_source_lines_t *lines, int at, int *line_p);

#endif
