/*
 * Messages of the component to users.
 */
#ifndef COLL_PIPEBCAST_LOG_H
#define COLL_PIPEBCAST_LOG_H

#include "base/help.inc"

/** Opens the log before the first message; coll_pipebcast_log_close() follows the last one. */
void coll_pipebcast_log_open(void);
void coll_pipebcast_log_close(void);

/**
 * Shows a message about something wrong: one of base/help.inc, made from
 * help-mpi-coll-pipebcast.txt. A process shows each topic once. For messages of one rank, or about
 * one: that rank prints them itself, so that none is lost.
 */
void coll_pipebcast_help(const char *message, ...) __attribute__((format(printf, 1, 2)));

/** The same for what each rank may find: mpirun shows a topic once, and counts the others. */
void coll_pipebcast_help_each(const char *message, ...) __attribute__((format(printf, 1, 2)));

/** TCP connections that this process could not make and waits for. 0 from Open MPI 5.0 on. */
int coll_pipebcast_n_unconnected(void);

/** Prints a line if coll_pipebcast_verbose is at least `level`. */
void coll_pipebcast_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
