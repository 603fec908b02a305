/*
 * Random case for the tests of trees: a network, ranks on it, a root, often a subset; and the
 * judgement of its plan.
 */
#ifndef PB_TREE_CASE_H
#define PB_TREE_CASE_H

#include <stdbool.h>

#include "test/topo/check/random_network.h"
#include "topo/trees/plan.h"

typedef struct tree_case {
    pb_network_t *network;
    pb_placement_t *placement;
    pb_view_t *view;
    char *members; /**< by rank; NULL if all take part */
    int root;
} tree_case_t;

typedef struct tree_case_size {
    int max_switches;
    int max_hosts;
    int max_per_host; /**< ranks */
    int max_speed;    /**< 0: equal links */
    bool subsets;     /**< half of the cases are over a subset */
} tree_case_size_t;

/** A property of a case; what it needs besides may be drawn from `random`. */
typedef bool tree_case_property_t(tree_case_t *c, pb_random_t *random, void *context);

/** Tells whether a property holds in `n` random cases of each shape: a line of TAP for each shape.
 */
void tree_case_hold(const char *what, uint64_t seed, int n, tree_case_size_t size,
                    tree_case_property_t *property, void *context);

/** The case of a text in Slurm's form, lines separated by ';', with ranks on these hosts, in order.
 * Aborts if there is none. */
void tree_case_read(tree_case_t *c, const char *conf, const char *hosts, int root);

/** Hosts m0, m1, ... of this speed on switches in a line, per_switch on each; rank i on m<i>; 0: no
 * speeds. */
void tree_case_line(tree_case_t *c, int n_switches, int per_switch, uint32_t speed,
                    uint32_t trunk_speed);

/** A case of this shape. Aborts if out of memory. Free with tree_case_clear(). */
void tree_case_init(tree_case_t *c, pb_random_t *random, pb_shape_t shape, tree_case_size_t size);
void tree_case_clear(tree_case_t *c);

/**
 * The same ranks on the same network, with these speeds of hosts' uplinks and
 * of all others. Aborts if out of memory. Free with tree_case_clear().
 */
void tree_case_with_speeds(tree_case_t *c, const tree_case_t *from, uint32_t hosts,
                           uint32_t trunks);

/**
 * Gives the case's hosts random levels inside; ranks of a host may know different numbers of them.
 * False if no ranks are in groups: then nothing changes. Aborts if out of memory.
 */
bool tree_case_locate(tree_case_t *c, pb_random_t *random);

/** Tells whether two plans over the same ranks have the same parents and orders of children. */
bool tree_case_same_plan(const pb_plan_t *a, const pb_plan_t *b);

/** The most marks of 0 or 1 in a row of n rows of n. */
int tree_case_most_marked(const char *marks, int n);

/** The least k with 2^k >= n. */
int tree_case_log2_up(int n);

/** Of the highest stream. */
int tree_case_height(const pb_plan_t *plan);

/** Tells whether ranks a and b are on a host, or in a place of one, that rank `outside` is not in.
 */
bool tree_case_together(const pb_placement_t *placement, int a, int b, int outside);

/** The plan of a kind; fanout 0: the default. Aborts if there is none. */
pb_plan_t *tree_case_plan(const tree_case_t *c, pb_kind_t kind, int fanout);

/** Rules that a plan has to obey beyond being a tree over the members. */
typedef enum {
    TREE_CASE_ANY,        /**< nothing */
    TREE_CASE_LOAD,       /**< pb_check_load() */
    TREE_CASE_ONE_SENDER, /**< and over no link more than the message of several ranks, however fast
                               it is */
    TREE_CASE_ONE_EDGE,   /**< and over no link more than one edge */
} tree_case_rule_t;

/**
 * Tells whether the plan reaches everyone, no rank sends to more than `max_sends`, and
 * the rule is obeyed. Says what is wrong in a TAP comment.
 */
bool tree_case_judge(const tree_case_t *c, const pb_plan_t *plan, int max_sends,
                     tree_case_rule_t rule);

#endif
