/*
 * Families of (count, datatype) pairs that describe one signature.
 */
#ifndef PB_TEST_MPI_LAYOUTS_H
#define PB_TEST_MPI_LAYOUTS_H

#include <mpi.h>

#define LAYOUTS_MAX 16

/** Bytes on each side of the address that is given to MPI within which every layout stays. */
#define LAYOUTS_REACH (1 << 17)

typedef struct layout {
    const char *name;
    int count;
    MPI_Datatype type;
} layout_t;

typedef struct layouts {
    int n;
    layout_t layout[LAYOUTS_MAX];
} layouts_t;

/** n elements of a basic type; n a multiple of 48, 960 * 8 bytes at most. Free with layouts_free().
 */
layouts_t layouts_of_elements(MPI_Datatype of, int n);

/** n times {char, double, short, int[3]}; n a multiple of 3, 240 at most. As above. */
layouts_t layouts_of_structs(int n);

void layouts_free(layouts_t *layouts);

#endif
