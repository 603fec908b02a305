/*
 * Whether this plugin fits the Open MPI that loads it. The interface of components says less than
 * what both share: 5.0.10, for one, has a member more in a module than 5.0.9.
 */
#ifndef COLL_PIPEBCAST_FITS_H
#define COLL_PIPEBCAST_FITS_H

#include <stdbool.h>

/**
 * Whether the structures that both sides use have the sizes in the library that they had in the
 * headers by which the plugin was built. If not, one process of each host reports it.
 */
bool coll_pipebcast_fits(void);

#endif
