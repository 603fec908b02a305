#include "topo/util/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

uint64_t pb_descriptors_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return UINT64_MAX;
    }
    return limit.rlim_cur;
}

uint64_t pb_descriptors_open(void)
{
    uint64_t n = 0;
    DIR *directory = opendir("/proc/self/fd");
    if (directory == NULL) {
        return errno == EMFILE ? pb_descriptors_limit() : 0;
    }
    while (readdir(directory) != NULL) {
        n++;
    }
    closedir(directory);
    return n > 3 ? n - 3 : 0; /* without ".", ".." and the directory's own */
}
