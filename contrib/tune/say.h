/* Messages to people. */
#ifndef TUNE_SAY_H
#define TUNE_SAY_H

/** Prints one line, "PROGRAM: ...", to stderr, in one piece. */
void tune_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
