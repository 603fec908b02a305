/*
 * The study of Figure 5 (papers 1 and 2, section 4): heights of trees over
 * random clusters of rising size.
 */
#ifndef TOOL_HEIGHTS_H
#define TOOL_HEIGHTS_H

#include <stdio.h>

#include "command.h"

/** Heights of one kind over the random clusters of one size and density. */
typedef struct tool_height {
    int n; /**< clusters that the kind served */
    int64_t sum;
    int low, high;
} tool_height_t;

typedef struct tool_study {
    const tool_options_t *options;
    tool_height_t *heights; /**< by density, size and kind */
} tool_study_t;

/** The cell of a density, a size and a kind, by their places in the options. */
static inline tool_height_t *tool_study_at(const tool_study_t *study, int density, int size,
                                           int kind)
{
    const tool_options_t *options = study->options;
    return &study->heights[(density * options->sizes.n + size) * options->n_kinds + kind];
}

/** Whether the kind served all clusters of the cell. */
static inline bool tool_height_is_known(const tool_study_t *study, const tool_height_t *height)
{
    return height->n == study->options->topologies;
}

/** Edges from the root of the complete binary tree of n hosts to its deepest leaf. */
int tool_complete_height(int n_hosts);

/** Switches of a cluster of so many hosts: at least one. */
int tool_study_switches(int n_hosts, int per_switch);

/** Writes the study as a picture. False if out of memory. */
bool tool_heights_draw(FILE *stream, const tool_study_t *study);

#endif
