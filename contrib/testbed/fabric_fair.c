#include "contrib/testbed/fabric_fair.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct flow {
    fabric_fifo_t frames;
    struct flow *next; /* in the list that it is in */
    int64_t credit;    /* bytes that it may send before its turn ends */
    bool listed;       /* in one of the lists; a flow with frames always is */
} flow_t;

typedef struct flow_list {
    flow_t *head, *tail;
} flow_list_t;

struct fabric_fair {
    uint32_t quantum;
    flow_list_t fresh; /* flows that had nothing waiting when a frame came */
    flow_list_t old;   /* flows that have had their first turn */
    flow_t flows[FABRIC_FAIR_FLOWS];
};

fabric_fair_t *fabric_fair_new(uint32_t quantum)
{
    fabric_fair_t *fair = calloc(1, sizeof(*fair));
    if (fair != NULL) {
        fair->quantum = quantum;
    }
    return fair;
}

void fabric_fair_free(fabric_fair_t *fair)
{
    free(fair);
}

static void append(flow_list_t *list, flow_t *flow)
{
    flow->next = NULL;
    if (list->head == NULL) {
        list->head = flow;
    } else {
        list->tail->next = flow;
    }
    list->tail = flow;
}

void fabric_fair_push(fabric_fair_t *fair, fabric_frame_t *frame)
{
    flow_t *flow = &fair->flows[frame->flow % FABRIC_FAIR_FLOWS];
    fabric_fifo_push(&flow->frames, frame);
    if (!flow->listed) {
        flow->listed = true;
        flow->credit = fair->quantum;
        append(&fair->fresh, flow);
    }
}

fabric_frame_t *fabric_fair_pop(fabric_fair_t *fair)
{
    for (;;) {
        flow_list_t *list = fair->fresh.head != NULL ? &fair->fresh : &fair->old;
        flow_t *flow = list->head;
        assert(flow != NULL);
        if (flow->credit > 0 && flow->frames.head != NULL) {
            fabric_frame_t *frame = fabric_fifo_pop(&flow->frames);
            flow->credit -= frame->length;
            return frame;
        }
        list->head = flow->next;
        if (flow->credit <= 0) {
            flow->credit += fair->quantum;
            append(&fair->old, flow);
        } else if (list == &fair->fresh && fair->old.head != NULL) {
            /* It waits a turn as an old one, or flows that send a little at a time would always
             * be fresh and starve the others. */
            append(&fair->old, flow);
        } else {
            flow->listed = false;
        }
    }
}

/* The hash of Fowler, Noll and Vo, 32 bits. */
static uint32_t hash_bytes(uint32_t hash, const unsigned char *data, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        hash = (hash ^ data[i]) * 16777619u;
    }
    return hash;
}

uint32_t fabric_flow_of(const unsigned char *data, uint32_t length)
{
    const uint32_t seed = 2166136261u;
    const unsigned char *ip = data + FABRIC_HEADER;
    if (length < FABRIC_HEADER + 20 || data[12] != 0x08 || data[13] != 0x00 || ip[0] >> 4 != 4) {
        return hash_bytes(seed, data, length < FABRIC_HEADER ? length : FABRIC_HEADER);
    }
    uint32_t hash = hash_bytes(seed, ip + 12, 8);
    hash = hash_bytes(hash, ip + 9, 1);
    uint32_t ports = FABRIC_HEADER + (ip[0] & 15u) * 4;
    bool fragment = (ip[6] & 0x3f) != 0 || ip[7] != 0;
    bool has_ports = ip[9] == 6 || ip[9] == 17;
    return has_ports && !fragment && length >= ports + 4 ? hash_bytes(hash, data + ports, 4) : hash;
}
