/*
 * Layouts of one signature; see layouts.h.
 */
#include "layouts.h"

static MPI_Datatype committed(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype contiguous(int n, MPI_Datatype of)
{
    MPI_Datatype type;
    MPI_Type_contiguous(n, of, &type);
    return committed(type);
}

static MPI_Datatype vector(int n, int block, int stride, MPI_Datatype of)
{
    MPI_Datatype type;
    MPI_Type_vector(n, block, stride, of, &type);
    return committed(type);
}

static MPI_Datatype resized(MPI_Datatype of, MPI_Aint lb, MPI_Aint extent)
{
    MPI_Datatype type;
    MPI_Type_create_resized(of, lb, extent, &type);
    return committed(type);
}

/** A vector of n elements, each third one: three of them fill the gaps of each other. */
static MPI_Datatype interlaced(int n, MPI_Datatype of, MPI_Aint extent)
{
    MPI_Datatype column = vector(n, 1, 3, of);
    MPI_Datatype type = resized(column, 0, extent);
    MPI_Type_free(&column);
    return type;
}

/** n elements in reverse order, `step` apart: with 1 the memory is contiguous, its order is not. */
static MPI_Datatype reversed(int n, int step, MPI_Datatype of)
{
    int displacements[64];
    MPI_Datatype type;
    for (int i = 0; i < n; i++) {
        displacements[i] = step * (n - 1 - i);
    }
    MPI_Type_create_indexed_block(n, 1, displacements, of, &type);
    return committed(type);
}

/** {char, double, short, int[3]} at the given places. */
static MPI_Datatype mixed_struct(MPI_Aint at_double, MPI_Aint at_short, MPI_Aint at_int)
{
    const int lengths[] = {1, 1, 1, 3};
    const MPI_Aint places[] = {0, at_double, at_short, at_int};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_INT};
    MPI_Datatype type;
    MPI_Type_create_struct(4, lengths, places, types, &type);
    return committed(type);
}

layouts_t layouts_of_elements(MPI_Datatype of, int n)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(of, &lb, &extent);
    layouts_t layouts = {
        .n = 12,
        .layout =
            {
                {"basic", n, of},
                {"contiguous", n / 8, contiguous(8, of)},
                {"one contiguous", 1, contiguous(n, of)},
                {"vector", n / 12, vector(3, 4, 7, of)},
                {"one vector", 1, vector(n, 1, 2, of)},
                {"vector of blocks", 1, vector(n / 16, 16, 17, of)},
                {"interlaced vectors", 3, interlaced(n / 3, of, extent)},
                {"reversed", n / 8, reversed(8, 2, of)},
                {"reversed and dense", n / 8, reversed(8, 1, of)},
                {"negative lower bound", n, resized(of, -3 * extent, 5 * extent)},
                {"negative extent", n, resized(of, 0, -2 * extent)},
                {"one apart", n, resized(of, 0, extent + 1)},
            },
    };
    return layouts;
}

layouts_t layouts_of_structs(int n)
{
    MPI_Datatype apart = mixed_struct(8, 16, 20);
    MPI_Datatype tight = mixed_struct(1, 9, 11);
    MPI_Datatype backwards = mixed_struct(30, 21, 3);
    layouts_t layouts = {
        .n = 5,
        .layout =
            {
                {"struct", n, resized(apart, 0, 32)},
                {"tight struct", n, resized(tight, 0, 23)},
                {"struct with odd places", n, resized(backwards, 0, 41)},
                {"struct below its place", n, resized(apart, -13, 61)},
                {"vector of structs", n / 3, vector(3, 1, 2, tight)},
            },
    };
    MPI_Type_free(&apart);
    MPI_Type_free(&tight);
    MPI_Type_free(&backwards);
    return layouts;
}

void layouts_free(layouts_t *layouts)
{
    for (int i = 0; i < layouts->n; i++) {
        int integers, addresses, types, combiner;
        MPI_Type_get_envelope(layouts->layout[i].type, &integers, &addresses, &types, &combiner);
        if (combiner != MPI_COMBINER_NAMED) {
            MPI_Type_free(&layouts->layout[i].type);
        }
    }
}
