/*
 * Matrix multiplication by SUMMA (van de Geijn and Watts, 1997): ranks are a grid, each has a block
 * of A, B and C. For one panel after the other, a column of the grid broadcasts its part of A's
 * columns, in all rows together. Then a row broadcasts its part of B's rows, in all columns
 * together. Every rank adds their product to its block of C = A B.
 *
 * Usage: run_summa SIZE PANEL [ROWS [TIMES]]. Matrices of SIZE x SIZE doubles, panels of at most
 * PANEL. ROWS of the grid divide the number of ranks (0 or none: as square as it gets). Elements
 * are small whole numbers, so sums are exact in any order; each rank computes the product of its
 * block itself. Prints a line of CSV for each multiplication: how long the slowest rank took for
 * it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "test/must.h"

/** Some of the numbers from 0: what one of several equal parts has. */
typedef struct range {
    int begin, end;
} range_t;

/** This rank's position in the grid, and its block of C, row after row. */
typedef struct grid {
    int size; /**< of the matrices */
    int n_rows, n_columns, row, column;
    MPI_Comm along_row, along_column; /**< ranked by column, and by row */
    range_t rows, columns;            /**< of the block */
    double *c;
} grid_t;

static int length_of(range_t range)
{
    return range.end - range.begin;
}

static range_t part_of(int n, int part, int n_parts)
{
    return (range_t){(int) ((long long) n * part / n_parts),
                     (int) ((long long) n * (part + 1) / n_parts)};
}

/** The part that has a number. */
static int owner_of(int number, int n, int n_parts)
{
    int part = 0;
    while (part_of(n, part, n_parts).end <= number) {
        part++;
    }
    return part;
}

static double element_of_a(int i, int j)
{
    return (i * 7 + j * 3) % 17 - 8;
}

static double element_of_b(int i, int j)
{
    return (i * 5 + j * 11) % 19 - 9;
}

static grid_t make_grid(int size, int n_rows)
{
    int shape[2] = {n_rows, 0};
    grid_t grid = {.size = size};
    must(n_rows >= 0 && (n_rows == 0 || n_ranks % n_rows == 0));
    MPI_Dims_create(n_ranks, 2, shape);
    grid.n_rows = shape[0];
    grid.n_columns = shape[1];
    grid.row = my_rank / grid.n_columns;
    grid.column = my_rank % grid.n_columns;
    grid.rows = part_of(size, grid.row, grid.n_rows);
    grid.columns = part_of(size, grid.column, grid.n_columns);
    grid.c = must_malloc((size_t) length_of(grid.rows) * length_of(grid.columns) * sizeof(double));
    MPI_Comm_split(MPI_COMM_WORLD, grid.row, grid.column, &grid.along_row);
    MPI_Comm_split(MPI_COMM_WORLD, grid.column, grid.row, &grid.along_column);
    return grid;
}

/** A part of A or B, which one rank of `comm` has; its broadcast. The caller frees it. */
static double *get_panel(double (*element)(int i, int j), range_t rows, range_t columns, int owner,
                         MPI_Comm comm)
{
    const int n = length_of(rows) * length_of(columns);
    double *panel = must_malloc((size_t) n * sizeof(double)), *next = panel;
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int i = rows.begin; rank == owner && i < rows.end; i++) {
        for (int j = columns.begin; j < columns.end; j++) {
            *next++ = element(i, j);
        }
    }
    MPI_Bcast(panel, n, MPI_DOUBLE, owner, comm);
    return panel;
}

/** Adds a b to C, where a has `inner` columns and b as many rows. */
static void add_product(const grid_t *grid, const double *a, const double *b, int inner)
{
    const int n_rows = length_of(grid->rows), n_columns = length_of(grid->columns);
    for (int i = 0; i < n_rows; i++) {
        for (int k = 0; k < inner; k++) {
            const double factor = a[i * inner + k];
            for (int j = 0; j < n_columns; j++) {
                grid->c[i * n_columns + j] += factor * b[k * n_columns + j];
            }
        }
    }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/** A panel ends where it is wide enough, or another rank has what follows of A or B. */
static void multiply(const grid_t *grid, int most)
{
    const int size = grid->size;
    for (range_t now = {0, 0}; now.begin < size; now.begin = now.end) {
        const int column = owner_of(now.begin, size, grid->n_columns);
        const int row = owner_of(now.begin, size, grid->n_rows);
        now.end = least(now.begin + most, least(part_of(size, column, grid->n_columns).end,
                                                part_of(size, row, grid->n_rows).end));
        double *a = get_panel(element_of_a, grid->rows, now, column, grid->along_row);
        double *b = get_panel(element_of_b, now, grid->columns, row, grid->along_column);
        add_product(grid, a, b, length_of(now));
        free(a);
        free(b);
    }
}

/** Compares this rank's block with the product of whole rows and columns. */
static void check_product(const grid_t *grid)
{
    const double *c = grid->c;
    for (int i = grid->rows.begin; i < grid->rows.end; i++) {
        for (int j = grid->columns.begin; j < grid->columns.end; j++) {
            double sum = 0;
            for (int k = 0; k < grid->size; k++) {
                sum += element_of_a(i, k) * element_of_b(k, j);
            }
            check(*c == sum, "element %d,%d is %g instead of %g", i, j, *c, sum);
            c++;
        }
    }
}

static void multiply_once(const grid_t *grid, int panel)
{
    const size_t n = (size_t) length_of(grid->rows) * length_of(grid->columns);
    memset(grid->c, 0, n * sizeof(double));
    MPI_Barrier(MPI_COMM_WORLD);
    double own = -MPI_Wtime(), most = 0;
    multiply(grid, panel);
    own += MPI_Wtime();
    MPI_Reduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (my_rank == 0) {
        printf("%d,%d,%d,%d,%.0f\n", grid->size, panel, grid->n_rows, grid->n_columns, 1e6 * most);
        fflush(stdout);
    }
    check_product(grid);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    const int size = (int) argument(argc, argv, 1, 0), panel = (int) argument(argc, argv, 2, 0);
    const int n_times = (int) argument(argc, argv, 4, 1);
    must(size >= 1 && panel >= 1 && n_times >= 1);
    grid_t grid = make_grid(size, (int) argument(argc, argv, 3, 0));
    if (my_rank == 0) {
        printf("size,panel,rows,columns,time_us\n");
    }
    for (int i = 0; i < n_times; i++) {
        multiply_once(&grid, panel);
    }
    free(grid.c);
    MPI_Comm_free(&grid.along_row);
    MPI_Comm_free(&grid.along_column);
    return check_done("run_summa");
}
