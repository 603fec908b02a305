/* A file that appears whole or not at all: written beside its place, then renamed. */
#ifndef TUNE_FILE_H
#define TUNE_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct tune_file {
    char *path; /**< owned; where it will be: a symbolic link's target */
    char *temp; /**< owned; where it is written */
    FILE *stream;
};

/** Opens the file for writing. False, with a message that names `what`, if that cannot be. */
bool tune_file_open(struct tune_file *file, const char *path, const char *what);

/** Brings what was written to the disk; the stream is closed. False with a message. */
bool tune_file_finish(struct tune_file *file);

/** Puts the finished file in its place and frees. False with a message; nothing is left behind. */
bool tune_file_rename(struct tune_file *file);

/** Removes what was written, and frees. Also for a file that was never opened, if all zeros. */
void tune_file_abandon(struct tune_file *file);

#endif
