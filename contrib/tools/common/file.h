/* A file that appears whole or not at all: written next to it under another name, then renamed. */
#ifndef COMMON_FILE_H
#define COMMON_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct common_file {
    char *path; /**< owned; where it will be: a symbolic link's target */
    char *temp; /**< owned; where it is written */
    FILE *stream;
} common_file_t;

/** Opens the file for writing. False, with a message that names `what`, if that cannot be. */
bool common_file_open(common_file_t *file, const char *path, const char *what);

/** Brings the file to the disk; the stream is closed. False with a message. */
bool common_file_finish(common_file_t *file);

/** Gives the finished file its name and frees. False with a message; nothing is left behind. */
bool common_file_rename(common_file_t *file);

/** Removes the unfinished file, and frees. Also for a file that was never opened, if all zeros. */
void common_file_abandon(common_file_t *file);

#endif
