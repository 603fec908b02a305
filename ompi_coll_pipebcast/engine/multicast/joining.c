/*
 * How the members of a group join it; see engine/multicast/joining.h.
 *
 * Messages, numbers little-endian, each behind a byte for its kind:
 *   OFFER   flags (1: bit 0, refused; bit 1, frames have a checksum), address (4), port (2), key
 * (8), key of the checksum (16) ANSWER  whether all have joined (1), bytes of a frame (4), capacity
 * (4) TERMS   whether refused (1), bytes of a payload (4), window (4), patience (8)
 */
#include "engine/multicast/joining.h"

#include "engine/multicast/window.h"
#include "topo/util/bytes.h"

enum { KIND_OFFER = 1, KIND_ANSWER, KIND_TERMS };

#define OFFER_BYTES 32
#define ANSWER_BYTES 10
#define TERMS_BYTES 18

#define FLAG_REFUSED 1
#define FLAG_CHECKSUM 2

/** A window is so much of the smallest buffer: see engine/multicast/mode.h. */
#define BUFFER_PART 2

/** Where no rank but the root hears anything there still is one; and it is no more than that. */
#define MOST_WINDOW (1 << 20)

/** Patience is so many times what the offer took down the tree and the answers up, within bounds.
 */
#define PATIENCE_TIMES 4
#define LEAST_PATIENCE INT64_C(2000000)
#define MOST_PATIENCE INT64_C(1000000000)

_Static_assert(OFFER_BYTES <= PB_JOINING_BYTES, "there is room for an offer");

typedef pb_joining_t joining_t;

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Messages as bytes. */

static size_t write_offer(const pb_joining_offer_t *offer, uint8_t *bytes)
{
    bytes[0] = KIND_OFFER;
    bytes[1] = (uint8_t) ((offer->is_refused ? FLAG_REFUSED : 0) |
                          (offer->rule.has_checksum ? FLAG_CHECKSUM : 0));
    pb_bytes_put(bytes + 2, offer->address, 4);
    pb_bytes_put(bytes + 6, offer->port, 2);
    pb_bytes_put(bytes + 8, offer->rule.key, 8);
    pb_bytes_put(bytes + 16, offer->rule.secret[0], 8);
    pb_bytes_put(bytes + 24, offer->rule.secret[1], 8);
    return OFFER_BYTES;
}

static bool read_offer(pb_joining_offer_t *offer, const uint8_t *bytes, size_t length)
{
    if (length != OFFER_BYTES || bytes[0] != KIND_OFFER) {
        return false;
    }
    *offer = (pb_joining_offer_t){
        .is_refused = (bytes[1] & FLAG_REFUSED) != 0,
        .address = (uint32_t) pb_bytes_get(bytes + 2, 4),
        .port = (uint16_t) pb_bytes_get(bytes + 6, 2),
        .rule = {.key = pb_bytes_get(bytes + 8, 8),
                 .has_checksum = (bytes[1] & FLAG_CHECKSUM) != 0,
                 .secret = {pb_bytes_get(bytes + 16, 8), pb_bytes_get(bytes + 24, 8)}},
    };
    return offer->is_refused || offer->port > 0;
}

static size_t write_answer(const pb_joining_answer_t *answer, uint8_t *bytes)
{
    bytes[0] = KIND_ANSWER;
    bytes[1] = answer->has_joined;
    pb_bytes_put(bytes + 2, answer->frame_bytes, 4);
    pb_bytes_put(bytes + 6, answer->capacity, 4);
    return ANSWER_BYTES;
}

/** Adds a child's answer to the others; false if it is none. */
static bool add_answer(pb_joining_answer_t *sum, const uint8_t *bytes, size_t length)
{
    if (length != ANSWER_BYTES || bytes[0] != KIND_ANSWER) {
        return false;
    }
    sum->has_joined = sum->has_joined && bytes[1] != 0;
    sum->frame_bytes = smaller(sum->frame_bytes, (uint32_t) pb_bytes_get(bytes + 2, 4));
    sum->capacity = smaller(sum->capacity, (uint32_t) pb_bytes_get(bytes + 6, 4));
    return true;
}

static size_t write_terms(const pb_joining_terms_t *terms, uint8_t *bytes)
{
    bytes[0] = KIND_TERMS;
    bytes[1] = terms->is_refused;
    pb_bytes_put(bytes + 2, terms->payload, 4);
    pb_bytes_put(bytes + 6, terms->window, 4);
    pb_bytes_put(bytes + 10, (uint64_t) terms->patience, 8);
    return TERMS_BYTES;
}

static bool read_terms(pb_joining_terms_t *terms, const uint8_t *bytes, size_t length)
{
    if (length != TERMS_BYTES || bytes[0] != KIND_TERMS) {
        return false;
    }
    *terms = (pb_joining_terms_t){.is_refused = bytes[1] != 0,
                                  .payload = (uint32_t) pb_bytes_get(bytes + 2, 4),
                                  .window = (uint32_t) pb_bytes_get(bytes + 6, 4),
                                  .patience = (int64_t) pb_bytes_get(bytes + 10, 8)};
    return terms->is_refused ||
           (terms->payload >= 1 && terms->payload <= PB_FRAME_MAX_PAYLOAD && terms->window >= 1 &&
            terms->window <= MOST_WINDOW && terms->patience >= 0);
}

/* What follows from the answers. */

static int64_t patience_of(int64_t round_trip)
{
    const int64_t patience =
        round_trip > MOST_PATIENCE ? MOST_PATIENCE : PATIENCE_TIMES * round_trip;
    return patience < LEAST_PATIENCE  ? LEAST_PATIENCE
           : patience > MOST_PATIENCE ? MOST_PATIENCE
                                      : patience;
}

/** At the root, which has all answers. */
static void decide(joining_t *j, int64_t now)
{
    const uint32_t header = (uint32_t) pb_frame_header_bytes(&j->offer.rule);
    const pb_joining_answer_t *all = &j->answer;
    const uint32_t frame = smaller(all->frame_bytes, PB_FRAME_MAX_PAYLOAD);
    const uint32_t window = smaller(all->capacity / BUFFER_PART, MOST_WINDOW);
    const bool is_good = !j->offer.is_refused && all->has_joined && frame > header && window > 0;
    j->terms = is_good ? (pb_joining_terms_t){.payload = frame - header,
                                              .window = window,
                                              .patience = patience_of(now - j->since)}
                       : (pb_joining_terms_t){.is_refused = true};
}

/* Passing messages on. */

static void refused(joining_t *j, int error)
{
    j->error = j->error != 0 ? j->error : error;
}

static bool is_child(const joining_t *j, int rank)
{
    for (int i = 0; i < j->n_children; i++) {
        if (j->children[i] == rank) {
            return true;
        }
    }
    return false;
}

static bool take(joining_t *j, int rank, size_t length)
{
    switch (j->state) {
    case PB_JOINING_LISTENING:
        j->state = PB_JOINING_OFFERED;
        return rank == j->parent && read_offer(&j->offer, j->in, length);
    case PB_JOINING_COLLECTING:
        j->n_answered++;
        return is_child(j, rank) && add_answer(&j->answer, j->in, length);
    case PB_JOINING_WAITING:
        j->state = PB_JOINING_PASSING;
        return rank == j->parent && read_terms(&j->terms, j->in, length);
    default:
        return false;
    }
}

/** Takes in the next message; false if it is not there. */
static bool receive_one(joining_t *j)
{
    int rank = -1, error = 0;
    size_t length = 0;
    if (j->receive == NULL) {
        error = pb_control_receive(j->control, j->in, sizeof(j->in), &j->receive);
    }
    if (error == 0 && !pb_control_received(j->control, &j->receive, &rank, &length, &error)) {
        return false;
    }
    if (error == 0 && !take(j, rank, length)) {
        error = PB_ERR_MALFORMED;
    }
    if (error != 0) {
        refused(j, error);
    }
    return error == 0;
}

/** Whether what was sent last has left. */
static bool has_left(joining_t *j)
{
    int error = 0;
    if (j->send != NULL && !pb_control_sent(j->control, &j->send, &error)) {
        return false;
    }
    if (error != 0) {
        refused(j, error);
    }
    return error == 0;
}

static void send_bytes(joining_t *j, size_t bytes, int rank)
{
    const int error = pb_control_send(j->control, j->out, bytes, rank, &j->send);
    if (error != 0) {
        refused(j, error);
    }
}

/** The offer goes to the next child, then their answers are taken in. */
static bool collect(joining_t *j, int64_t now)
{
    if (j->n_offered < j->n_children) {
        if (!has_left(j)) {
            return false;
        }
        send_bytes(j, write_offer(&j->offer, j->out), j->children[j->n_offered++]);
        return true;
    }
    if (j->n_answered < j->n_children) {
        return receive_one(j);
    }
    if (!has_left(j)) {
        return false;
    }
    if (j->parent < 0) {
        decide(j, now);
        j->state = PB_JOINING_PASSING;
    } else {
        send_bytes(j, write_answer(&j->answer, j->out), j->parent);
        j->state = PB_JOINING_ANSWERING;
    }
    return true;
}

/** The terms go to the next child, when the last one's have left. */
static bool pass(joining_t *j)
{
    if (!has_left(j)) {
        return false;
    }
    if (j->n_passed == j->n_children) {
        j->state = PB_JOINING_THROUGH;
    } else {
        send_bytes(j, write_terms(&j->terms, j->out), j->children[j->n_passed++]);
    }
    return true;
}

/** Does the next step; false if it has to wait. */
static bool step(joining_t *j, int64_t now)
{
    switch (j->state) {
    case PB_JOINING_LISTENING:
    case PB_JOINING_WAITING:
        return receive_one(j);
    case PB_JOINING_COLLECTING:
        return collect(j, now);
    case PB_JOINING_ANSWERING:
        j->state = has_left(j) ? PB_JOINING_WAITING : PB_JOINING_ANSWERING;
        return j->state == PB_JOINING_WAITING;
    case PB_JOINING_PASSING:
        return pass(j);
    case PB_JOINING_OFFERED:
    case PB_JOINING_THROUGH:
        break;
    }
    return false;
}

void pb_joining_start(joining_t *j, pb_control_t *control, const pb_role_t *role,
                      const pb_joining_offer_t *offer, int *room, int64_t now)
{
    *j = (joining_t){.control = control, .parent = -1, .children = room, .since = now};
    for (int i = 0; i < role->n_parents; i++) {
        if ((role->parent_mask[i] & 1) != 0) {
            j->parent = role->parent[i];
        }
    }
    for (int i = 0; i < role->n_children; i++) {
        if ((role->child_mask[i] & 1) != 0) {
            j->children[j->n_children++] = role->child[i];
        }
    }
    if (offer != NULL) {
        j->offer = *offer;
        j->state = PB_JOINING_OFFERED;
    }
}

void pb_joining_answer(joining_t *j, const pb_joining_answer_t *answer)
{
    j->answer = *answer;
    j->state = PB_JOINING_COLLECTING;
}

bool pb_joining_advance(joining_t *j, int64_t now)
{
    while (j->error == 0 && step(j, now)) {
    }
    return j->error != 0 || j->state == PB_JOINING_THROUGH;
}

void pb_joining_finish(joining_t *j)
{
    int rank;
    if (j->send != NULL) {
        (void) pb_control_withdraw(j->control, &j->send, &rank);
    }
    if (j->receive != NULL) {
        (void) pb_control_withdraw(j->control, &j->receive, &rank);
    }
}
