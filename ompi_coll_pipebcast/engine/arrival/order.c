/*
 * The order in which ranks usually arrive; see engine/arrival/order.h.
 */
#include "engine/arrival/order.h"

#include <stdlib.h>
#include <string.h>

bool pb_order_is_one(const uint8_t *late, int n_ranks, int root)
{
    int n = 0;
    for (int rank = 0; rank < n_ranks; rank++) {
        n += pb_order_has(late, rank);
    }
    return n > 0 && n <= n_ranks / 2 && !pb_order_has(late, root);
}

/* Habits. */

bool pb_arrival_habits_reserve(pb_arrival_habits_t *habits, int n_ranks)
{
    if (habits->of != NULL) {
        return true;
    }
    *habits = (pb_arrival_habits_t){.n_ranks = n_ranks};
    habits->of = calloc((size_t) n_ranks, sizeof(*habits->of));
    habits->late = calloc(pb_order_bytes(n_ranks), 1);
    if (habits->of == NULL || habits->late == NULL) {
        pb_arrival_habits_fini(habits);
        return false;
    }
    return true;
}

void pb_arrival_habits_fini(pb_arrival_habits_t *habits)
{
    free(habits->of);
    free(habits->late);
    habits->of = NULL;
    habits->late = NULL;
}

static void note_rank(pb_arrival_habit_t *habit, bool was_late)
{
    habit->n_contrary = was_late == habit->is_late ? 0 : (uint8_t) (habit->n_contrary + 1);
    if (habit->n_contrary == PB_ORDER_TIMES) {
        habit->is_late = was_late;
        habit->n_contrary = 0;
    }
}

/** Whether a broadcast was as learnt: nobody else was late, and most of those were. */
static bool is_as_learnt(const pb_arrival_habits_t *habits, const uint8_t *late)
{
    int n_usual = 0, n_late = 0, n_others = 0;
    for (int rank = 0; rank < habits->n_ranks; rank++) {
        const bool was_late = pb_order_has(late, rank), is_usual = habits->of[rank].is_late != 0;
        n_usual += is_usual;
        n_late += is_usual && was_late;
        n_others += !is_usual && was_late;
    }
    return n_others == 0 && 2 * n_late > n_usual;
}

void pb_arrival_habits_note(pb_arrival_habits_t *habits, const uint8_t *late, bool is_in_order)
{
    memset(habits->late, 0, pb_order_bytes(habits->n_ranks));
    for (int rank = 0; rank < habits->n_ranks; rank++) {
        note_rank(&habits->of[rank], pb_order_has(late, rank));
        if (habits->of[rank].is_late) {
            pb_order_add(habits->late, rank);
        }
    }
    habits->is_seen = !is_in_order;
    if (!is_as_learnt(habits, late)) {
        habits->n_as_learnt = 0;
    } else if (!is_in_order && habits->n_as_learnt < PB_ORDER_TIMES) {
        habits->n_as_learnt++;
    }
}

const uint8_t *pb_arrival_habits_order(const pb_arrival_habits_t *habits, int root)
{
    return habits->of != NULL && habits->is_seen && habits->n_as_learnt == PB_ORDER_TIMES &&
                   pb_order_is_one(habits->late, habits->n_ranks, root)
               ? habits->late
               : NULL;
}

/* Orders. */

bool pb_arrival_orders_init(pb_arrival_orders_t *orders, int n_ranks)
{
    const size_t bytes = pb_order_bytes(n_ranks);
    *orders = (pb_arrival_orders_t){.n_ranks = n_ranks, .room = calloc(PB_ORDERS, bytes)};
    for (int i = 0; i < PB_ORDERS && orders->room != NULL; i++) {
        orders->of[i].late = orders->room + (size_t) i * bytes;
    }
    return orders->room != NULL;
}

void pb_arrival_orders_fini(pb_arrival_orders_t *orders)
{
    free(orders->room);
    *orders = (pb_arrival_orders_t){0};
}

const uint8_t *pb_arrival_orders_find(const pb_arrival_orders_t *orders, int root)
{
    const pb_arrival_order_t *order = &orders->of[root % PB_ORDERS];
    return order->n_left > 0 && order->root == root ? order->late : NULL;
}

const uint8_t *pb_arrival_orders_take(pb_arrival_orders_t *orders, int root)
{
    const uint8_t *late = pb_arrival_orders_find(orders, root);
    orders->of[root % PB_ORDERS].n_left -= late != NULL;
    return late;
}

void pb_arrival_orders_set(pb_arrival_orders_t *orders, int root, const uint8_t *late)
{
    pb_arrival_order_t *order = &orders->of[root % PB_ORDERS];
    if (late != NULL) {
        order->root = root;
        order->n_left = PB_ORDER_LENGTH;
        memcpy(order->late, late, pb_order_bytes(orders->n_ranks));
    } else if (order->root == root) {
        order->n_left = 0;
    }
}

void pb_arrival_orders_clear(pb_arrival_orders_t *orders)
{
    for (int i = 0; i < PB_ORDERS; i++) {
        orders->of[i].n_left = 0;
    }
}
