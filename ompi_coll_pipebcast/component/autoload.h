/*
 * Loads the components that a list such as "pipebcast,tuned" leaves out.
 *
 * Open MPI takes a list without '^' to exclude everything else, and then aborts
 * MPI_Init because no one serves alltoallw and others. Users mean "these before
 * the rest", so the rest is found here, while the framework opens its
 * components: each is registered and opened here and put into the framework's
 * list in front of our own entry, where the loop that is opening us has already
 * been.
 */
#ifndef COLL_PIPEBCAST_AUTOLOAD_H
#define COLL_PIPEBCAST_AUTOLOAD_H

/**
 * Loads the basic components that such a list leaves out, so
 * that every operation of a communicator is served. Called from our open.
 */
int coll_pipebcast_autoload(void);

#endif
