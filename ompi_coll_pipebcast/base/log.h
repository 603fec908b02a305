/*
 * What the component reports to people.
 */
#ifndef COLL_PIPEBCAST_LOG_H
#define COLL_PIPEBCAST_LOG_H

/** Before the first message, and after the last. */
void coll_pipebcast_log_open(void);
void coll_pipebcast_log_close(void);

/** Prints a message about something wrong; the same text only once in a process. */
void coll_pipebcast_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Prints a line if coll_pipebcast_verbose is at least `level`. */
void coll_pipebcast_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
