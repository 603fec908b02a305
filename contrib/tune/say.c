#include "say.h"

#include <stdarg.h>
#include <stdio.h>

void tune_say(const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "pipebcast-tune: %s\n", text);
    fflush(stderr);
}

bool tune_all_good(bool good, MPI_Comm comm)
{
    int own = good, all;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, comm);
    return all != 0;
}
