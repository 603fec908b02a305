#include "traffic.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/clock.h"
#include "contrib/tools/common/quiet.h"
#include "contrib/tools/common/report.h"
#include "topo/util/kit.h"
#include "topo/util/median.h"

enum { TAG_BALL = 11, TAG_CAR = 12, TAG_WORD = 13 };

void probe_traffic_init(struct probe_traffic *traffic, MPI_Comm comm, int64_t train)
{
    const size_t size =
        (size_t) pb_max64(probe_car_bytes(train) * PROBE_TRAIN_CARS, PROBE_BALL_BYTES);
    *traffic =
        (struct probe_traffic){.comm = comm, .train = train, .memory = common_alloc(size, 1)};
    memset(traffic->memory, 1, size);
}

void probe_traffic_free(struct probe_traffic *traffic)
{
    free(traffic->memory);
    traffic->memory = NULL;
}

/* ---- latency ---- */

static int64_t round_trip(const struct probe_traffic *t, int peer)
{
    const int64_t begin = coll_pipebcast_now();
    MPI_Send(t->memory, PROBE_BALL_BYTES, MPI_BYTE, peer, TAG_BALL, t->comm);
    MPI_Recv(t->memory, PROBE_BALL_BYTES, MPI_BYTE, peer, TAG_BALL, t->comm, MPI_STATUS_IGNORE);
    return coll_pipebcast_now() - begin;
}

/** The first round wakes the other side and is not counted. */
static int64_t measure_latency(const struct probe_traffic *t, int peer)
{
    round_trip(t, peer);
    int64_t least = INT64_MAX;
    for (int i = 0; i < PROBE_ROUNDS; i++) {
        const int64_t trip = round_trip(t, peer);
        least = trip < least ? trip : least;
    }
    return least / 2;
}

/** The other side; the first ball is waited for asleep. */
static void follow_latency(const struct probe_traffic *t, int peer)
{
    common_quiet_recv(t->memory, PROBE_BALL_BYTES, MPI_BYTE, peer, TAG_BALL, t->comm);
    MPI_Send(t->memory, PROBE_BALL_BYTES, MPI_BYTE, peer, TAG_BALL, t->comm);
    for (int i = 0; i < PROBE_ROUNDS; i++) {
        MPI_Recv(t->memory, PROBE_BALL_BYTES, MPI_BYTE, peer, TAG_BALL, t->comm, MPI_STATUS_IGNORE);
        MPI_Send(t->memory, PROBE_BALL_BYTES, MPI_BYTE, peer, TAG_BALL, t->comm);
    }
}

/* ---- bandwidth ---- */

/** A train for each word that asks for one. */
static void send_trains(const struct probe_traffic *t, int peer)
{
    MPI_Request cars[PROBE_TRAIN_CARS];
    const int64_t bytes = probe_car_bytes(t->train);
    int wanted;
    MPI_Recv(&wanted, 1, MPI_INT, peer, TAG_WORD, t->comm, MPI_STATUS_IGNORE);
    while (wanted) {
        for (int i = 0; i < PROBE_TRAIN_CARS; i++) {
            MPI_Isend(t->memory + i * bytes, (int) bytes, MPI_BYTE, peer, TAG_CAR, t->comm,
                      &cars[i]);
        }
        MPI_Waitall(PROBE_TRAIN_CARS, cars, MPI_STATUSES_IGNORE);
        MPI_Recv(&wanted, 1, MPI_INT, peer, TAG_WORD, t->comm, MPI_STATUS_IGNORE);
    }
}

static void send_word(const struct probe_traffic *t, int peer, int wanted)
{
    MPI_Send(&wanted, 1, MPI_INT, peer, TAG_WORD, t->comm);
}

/** The train starts when all its cars are awaited: one that waited here would seem to come in no
 * time. */
static struct probe_train receive_train(const struct probe_traffic *t, int peer)
{
    struct probe_train train;
    MPI_Request cars[PROBE_TRAIN_CARS];
    const int64_t bytes = probe_car_bytes(t->train);
    for (int i = 0; i < PROBE_TRAIN_CARS; i++) {
        MPI_Irecv(t->memory + i * bytes, (int) bytes, MPI_BYTE, peer, TAG_CAR, t->comm, &cars[i]);
    }
    train.word = coll_pipebcast_now();
    send_word(t, peer, 1);
    for (int i = 0; i < PROBE_TRAIN_CARS; i++) {
        MPI_Wait(&cars[i], MPI_STATUS_IGNORE);
        train.car[i] = coll_pipebcast_now();
    }
    return train;
}

static struct probe_band receive_trains(const struct probe_traffic *t, int peer, int64_t latency)
{
    struct probe_band band = {.least = 0};
    for (int i = 0; i < PROBE_TRAINS && !probe_band_known(&band); i++) {
        const struct probe_train train = receive_train(t, peer);
        probe_band_add(&band, &train, probe_car_bytes(t->train), 2 * latency);
    }
    send_word(t, peer, 0);
    return band;
}

static void measure_bandwidths(const struct probe_traffic *t, int peer, struct probe_result *result)
{
    MPI_Send(&result->time, 1, MPI_INT64_T, peer, TAG_WORD, t->comm);
    send_trains(t, peer);
    result->back = receive_trains(t, peer, result->time);
    MPI_Recv(&result->there, sizeof result->there, MPI_BYTE, peer, TAG_WORD, t->comm,
             MPI_STATUS_IGNORE);
}

static void follow_bandwidths(const struct probe_traffic *t, int peer)
{
    int64_t latency;
    MPI_Recv(&latency, 1, MPI_INT64_T, peer, TAG_WORD, t->comm, MPI_STATUS_IGNORE);
    const struct probe_band band = receive_trains(t, peer, latency);
    send_trains(t, peer);
    MPI_Send(&band, sizeof band, MPI_BYTE, peer, TAG_WORD, t->comm);
}

/* ---- start-up ---- */

static int64_t measure_startup(const struct probe_traffic *t, int peer)
{
    double times[PROBE_STARTS];
    round_trip(t, peer);
    for (int i = 0; i < PROBE_STARTS; i++) {
        MPI_Request request;
        const int64_t begin = coll_pipebcast_now();
        MPI_Isend(t->memory, PROBE_BALL_BYTES, MPI_BYTE, peer, TAG_CAR, t->comm, &request);
        times[i] = (double) (coll_pipebcast_now() - begin);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return (int64_t) pb_median(times, PROBE_STARTS);
}

static void follow_startup(const struct probe_traffic *t, int peer)
{
    common_quiet_recv(t->memory, PROBE_BALL_BYTES, MPI_BYTE, peer, TAG_BALL, t->comm);
    MPI_Send(t->memory, PROBE_BALL_BYTES, MPI_BYTE, peer, TAG_BALL, t->comm);
    for (int i = 0; i < PROBE_STARTS; i++) {
        MPI_Recv(t->memory, PROBE_BALL_BYTES, MPI_BYTE, peer, TAG_CAR, t->comm, MPI_STATUS_IGNORE);
    }
}

struct probe_result probe_lead(const struct probe_traffic *traffic, enum probe_kind kind, int peer)
{
    struct probe_result result = {.time = 0};
    if (kind == PROBE_STARTUP) {
        result.time = measure_startup(traffic, peer);
    } else {
        result.time = measure_latency(traffic, peer);
        measure_bandwidths(traffic, peer, &result);
    }
    return result;
}

void probe_follow(const struct probe_traffic *traffic, enum probe_kind kind, int peer)
{
    if (kind == PROBE_STARTUP) {
        follow_startup(traffic, peer);
    } else {
        follow_latency(traffic, peer);
        follow_bandwidths(traffic, peer);
    }
}
