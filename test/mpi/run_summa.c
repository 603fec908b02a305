/*
 * Matrix multiplication by SUMMA (van de Geijn and Watts, 1997): ranks are a grid, each has a block
 * of A, B and C. For one panel after the other, a column of the grid broadcasts its part of A's
 * columns, in all rows at once, then a row its part of B's rows, in all columns at once, and every
 * rank adds their product to its block of C = A B.
 * Usage: run_summa SIZE PANEL [ROWS [TIMES]]
 * Matrices of SIZE x SIZE doubles, panels of at most PANEL; ROWS of the grid, which divide the
 * number of ranks (0 or none: as square as it gets); all of it TIMES times, from fresh blocks.
 * Elements are small whole numbers, so sums are exact in any order, and each rank compares its
 * block with the product that it works out by itself. Prints a line of CSV for each multiplication:
 * how long the slowest rank took for it, and the most that a rank was in broadcasts along rows and
 * columns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { ALONG_ROWS, ALONG_COLUMNS, N_ALONG };

/** Some of the numbers from 0: what one of several equal parts has. */
typedef struct range {
    int begin, end;
} range_t;

/** This rank's position in the grid. */
typedef struct grid {
    int n_rows, n_columns, row, column;
    MPI_Comm along[N_ALONG]; /**< this rank's row, ranked by column, and its column, by row */
} grid_t;

/** This rank's blocks; row after row. */
typedef struct blocks {
    int size;              /**< of the matrices */
    range_t rows, columns; /**< of each block; A's columns and B's rows are dealt out alike */
    double *a, *b, *c;
} blocks_t;

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

static grid_t make_grid(int n_rows)
{
    int shape[2] = {n_rows, 0};
    grid_t grid;
    if (n_rows < 0 || (n_rows > 0 && n_ranks % n_rows != 0)) {
        fprintf(stderr, "run_summa: %d ranks are no grid of %d rows\n", n_ranks, n_rows);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Dims_create(n_ranks, 2, shape);
    grid.n_rows = shape[0];
    grid.n_columns = shape[1];
    grid.row = my_rank / grid.n_columns;
    grid.column = my_rank % grid.n_columns;
    MPI_Comm_split(MPI_COMM_WORLD, grid.row, grid.column, &grid.along[ALONG_ROWS]);
    MPI_Comm_split(MPI_COMM_WORLD, grid.column, grid.row, &grid.along[ALONG_COLUMNS]);
    return grid;
}

static void free_grid(grid_t *grid)
{
    for (int i = 0; i < N_ALONG; i++) {
        MPI_Comm_free(&grid->along[i]);
    }
}

static blocks_t make_blocks(const grid_t *grid, int size)
{
    blocks_t blocks = {.size = size,
                       .rows = part_of(size, grid->row, grid->n_rows),
                       .columns = part_of(size, grid->column, grid->n_columns)};
    const int n_columns = length_of(blocks.columns);
    const size_t bytes = (size_t) length_of(blocks.rows) * n_columns * sizeof(double);
    blocks.a = must_malloc(bytes);
    blocks.b = must_malloc(bytes);
    blocks.c = must_malloc(bytes);
    memset(blocks.c, 0, bytes);
    for (int k = 0; k < length_of(blocks.rows) * n_columns; k++) {
        const int i = blocks.rows.begin + k / n_columns, j = blocks.columns.begin + k % n_columns;
        blocks.a[k] = element_of_a(i, j);
        blocks.b[k] = element_of_b(i, j);
    }
    return blocks;
}

static void free_blocks(blocks_t *blocks)
{
    free(blocks->a);
    free(blocks->b);
    free(blocks->c);
}

/** Copies rows of a matrix with so many columns, from one of its columns on. */
static void copy_rows(double *to, const double *from, int n_rows, int n_columns, int n_copied)
{
    for (int i = 0; i < n_rows; i++) {
        memcpy(to + (size_t) i * n_copied, from + (size_t) i * n_columns,
               (size_t) n_copied * sizeof(double));
    }
}

static void broadcast(double *values, int n, int root, MPI_Comm comm, double *seconds)
{
    const double begun = MPI_Wtime();
    MPI_Bcast(values, n, MPI_DOUBLE, root, comm);
    *seconds += MPI_Wtime() - begun;
}

/** c += a b, where a has `inner` columns and b as many rows. */
static void add_product(double *c, const double *a, const double *b, int n_rows, int inner,
                        int n_columns)
{
    for (int i = 0; i < n_rows; i++) {
        for (int k = 0; k < inner; k++) {
            const double factor = a[i * inner + k];
            for (int j = 0; j < n_columns; j++) {
                c[i * n_columns + j] += factor * b[k * n_columns + j];
            }
        }
    }
}

/** Adds what the panel of A's columns and B's rows contributes. Both have one owner. */
static void add_panel(const grid_t *grid, blocks_t *blocks, range_t panel, double *seconds)
{
    const int n_rows = length_of(blocks->rows), n_columns = length_of(blocks->columns);
    const int inner = length_of(panel);
    const int column = owner_of(panel.begin, blocks->size, grid->n_columns);
    const int row = owner_of(panel.begin, blocks->size, grid->n_rows);
    double *a = must_malloc((size_t) n_rows * inner * sizeof(double));
    double *b = must_malloc((size_t) inner * n_columns * sizeof(double));
    if (grid->column == column) {
        copy_rows(a, blocks->a + panel.begin - blocks->columns.begin, n_rows, n_columns, inner);
    }
    if (grid->row == row) {
        const size_t before = (size_t) (panel.begin - blocks->rows.begin) * n_columns;
        copy_rows(b, blocks->b + before, inner, n_columns, n_columns);
    }
    broadcast(a, n_rows * inner, column, grid->along[ALONG_ROWS], &seconds[ALONG_ROWS]);
    broadcast(b, inner * n_columns, row, grid->along[ALONG_COLUMNS], &seconds[ALONG_COLUMNS]);
    add_product(blocks->c, a, b, n_rows, inner, n_columns);
    free(a);
    free(b);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/** A panel ends where it is wide enough, or another rank has what follows of A or B. */
static void multiply(const grid_t *grid, blocks_t *blocks, int panel, double *seconds)
{
    const int size = blocks->size;
    for (range_t now = {0, 0}; now.begin < size; now.begin = now.end) {
        const int column = owner_of(now.begin, size, grid->n_columns);
        const int row = owner_of(now.begin, size, grid->n_rows);
        now.end = least(now.begin + panel, least(part_of(size, column, grid->n_columns).end,
                                                 part_of(size, row, grid->n_rows).end));
        add_panel(grid, blocks, now, seconds);
    }
}

/** Compares this rank's block with the product of whole rows and columns. */
static void check_product(const blocks_t *blocks)
{
    const double *c = blocks->c;
    for (int i = blocks->rows.begin; i < blocks->rows.end; i++) {
        for (int j = blocks->columns.begin; j < blocks->columns.end; j++) {
            double sum = 0;
            for (int k = 0; k < blocks->size; k++) {
                sum += element_of_a(i, k) * element_of_b(k, j);
            }
            check(*c == sum, "element %d,%d is %g instead of %g", i, j, *c, sum);
            c++;
        }
    }
}

/** One multiplication, verified, and its line. */
static void multiply_once(const grid_t *grid, int size, int panel)
{
    blocks_t blocks = make_blocks(grid, size);
    double own[N_ALONG + 1] = {0}, most[N_ALONG + 1];
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    multiply(grid, &blocks, panel, own);
    own[N_ALONG] = MPI_Wtime() - begun;
    MPI_Reduce(own, most, N_ALONG + 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (my_rank == 0) {
        printf("%d,%d,%d,%d,%.0f,%.0f,%.0f\n", size, panel, grid->n_rows, grid->n_columns,
               1e6 * most[N_ALONG], 1e6 * most[ALONG_ROWS], 1e6 * most[ALONG_COLUMNS]);
        fflush(stdout);
    }
    check_product(&blocks);
    free_blocks(&blocks);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    const int size = (int) argument(argc, argv, 1, 0), panel = (int) argument(argc, argv, 2, 0);
    const int n_times = (int) argument(argc, argv, 4, 1);
    if (size < 1 || panel < 1 || n_times < 1) {
        fprintf(stderr, "usage: run_summa SIZE PANEL [ROWS [TIMES]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    grid_t grid = make_grid((int) argument(argc, argv, 3, 0));
    if (my_rank == 0) {
        printf("size,panel,rows,columns,time_us,row_us,column_us\n");
    }
    for (int i = 0; i < n_times; i++) {
        multiply_once(&grid, size, panel);
    }
    free_grid(&grid);
    return check_done("run_summa");
}
