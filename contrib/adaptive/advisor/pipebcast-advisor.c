/*
 * pipebcast-advisor: finds broadcast trees for a network that changes. See --help.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "advisor.h"
#include "status.h"

enum { LEAST_PRIORITY = 19 };

/** Set by a signal that asks for the end. */
static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void) number;
    stop = 1;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
}

int main(int argc, char **argv)
{
    static struct advisor_options options;
    advisor_options_read(argc, argv, &options);
    if (options.status) {
        return advisor_status_print(&options);
    }
    catch_signals();
    /* It computes all the time, on a host whose processors are the program's. Where the system
     * does not allow that, it is only less polite. */
    setpriority(PRIO_PROCESS, 0, LEAST_PRIORITY);
    return advisor_serve(&options, &stop);
}
