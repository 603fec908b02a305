/*
 * Datagrams over UDP multicast on the loopback interface: two members, batches that pass as one and
 * one by one, a full buffer. Then whole broadcasts over them.
 */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "engine/multicast/udp_datagrams.h"
#include "group.h"
#include "test/tap.h"

enum { HEADER = 24, PAYLOAD = 1448, FRAME = HEADER + PAYLOAD, N_MEMBERS = 2 };

/** Of this process alone, so that two runs of the test do not hear each other. */
static pb_udp_options_t options_of(size_t buffer_bytes, bool one_by_one)
{
    const uint32_t process = (uint32_t) getpid();
    pb_udp_options_t options = {.port = (uint16_t) (20000 + process % 10000),
                                .interface = if_nametoindex("lo"),
                                .loops = true,
                                .frame_bytes = FRAME,
                                .buffer_bytes = buffer_bytes,
                                .one_by_one = one_by_one};
    options.group.s_addr = htonl(UINT32_C(0xefff0000) | (process & 0xffff)); /* 239.255/16 */
    return options;
}

static void pause_ms(int ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000L};
    nanosleep(&time, NULL);
}

/** The next datagram; waits for at most a second. NULL: none. */
static const uint8_t *await_next(pb_datagrams_t *d, size_t *length_p)
{
    const uint8_t *bytes;
    for (int i = 0; i < 1000; i++) {
        if (d->next(d, &bytes, length_p)) {
            return bytes;
        }
        pause_ms(1);
    }
    return NULL;
}

static void fill(pb_datagram_t *batch, uint8_t (*headers)[HEADER], char *payload, int n, int first)
{
    for (int i = 0; i < n; i++) {
        memset(headers[i], first + i, HEADER);
        batch[i] = (pb_datagram_t){headers[i], HEADER, payload + (size_t) i * PAYLOAD, PAYLOAD};
        memset(payload + (size_t) i * PAYLOAD, first + i + 1, PAYLOAD);
    }
    batch[n - 1].bytes = PAYLOAD / 3;
}

/** Tells whether what has come is datagram i of n. */
static bool is_right(const uint8_t *bytes, size_t length, int i, int n)
{
    const size_t payload = i == n - 1 ? PAYLOAD / 3 : PAYLOAD;
    if (bytes == NULL || length != HEADER + payload) {
        return false;
    }
    for (size_t k = 0; k < length; k++) {
        if (bytes[k] != i + (k >= HEADER)) {
            return false;
        }
    }
    return true;
}

/** Sends all of a batch, however often it takes; returns what the socket says then. */
static int send_all(pb_datagrams_t *d, const pb_datagram_t *batch, int n)
{
    int sent = 0;
    for (int tries = 0; sent < n && tries < 1000; tries++) {
        const int rc = d->send(d, batch + sent, n - sent);
        if (rc < 0) {
            return rc;
        }
        sent += rc;
    }
    return sent;
}

/** Opens members; false, and the reason is printed, where this is not possible. */
static bool open_members(pb_datagrams_t **members, int n, size_t buffer_bytes, bool one_by_one)
{
    const pb_udp_options_t options = options_of(buffer_bytes, one_by_one);
    for (int i = 0; i < n; i++) {
        members[i] = NULL;
    }
    for (int i = 0; i < n; i++) {
        if (pb_udp_datagrams_open(&options, &members[i]) != 0) {
            printf("# joining a group on lo: %s\n", strerror(errno));
            return false;
        }
    }
    return true;
}

static void close_members(pb_datagrams_t **members, int n)
{
    for (int i = 0; i < n; i++) {
        pb_udp_datagrams_close(members[i]);
    }
}

/** Tells whether a datagram to the group reaches its sender, so that there is something to test. */
static bool passes_lo(void)
{
    pb_datagrams_t *member;
    uint8_t header[HEADER] = {1};
    const pb_datagram_t datagram = {header, HEADER, "x", 1};
    size_t length;
    const bool passes = open_members(&member, 1, 65536, true) &&
                        member->send(member, &datagram, 1) == 1 &&
                        await_next(member, &length) != NULL;
    close_members(&member, 1);
    return passes;
}

static void test_batches(bool one_by_one)
{
    enum { N = PB_DATAGRAMS_MAX_BATCH };
    static uint8_t headers[N][HEADER];
    static char payload[N * PAYLOAD];
    pb_datagram_t batch[N];
    pb_datagrams_t *members[N_MEMBERS];
    const bool opened = open_members(members, N_MEMBERS, 1 << 20, one_by_one);
    int n_wrong = 0, sent = -1, more = 0;
    fill(batch, headers, payload, N, 0);
    if (opened) {
        sent = send_all(members[0], batch, N);
        for (int m = 0; m < N_MEMBERS; m++) {
            size_t length = 0;
            for (int i = 0; i < N; i++) {
                const uint8_t *bytes = await_next(members[m], &length);
                n_wrong += !is_right(bytes, length, i, N);
            }
            const uint8_t *bytes;
            more += members[m]->next(members[m], &bytes, &length);
        }
    }
    ok(opened && sent == N && n_wrong == 0 && more == 0,
       "a batch comes whole and in order to both members, %s",
       one_by_one ? "one by one" : "as one where the kernel can");
    ok(opened && !members[0]->is_sending(members[0]), "and nothing is left in the host's queue");
    close_members(members, N_MEMBERS);
}

/** Sends n frames that nobody takes in, and then takes them in; how many are there. */
static int send_and_count(pb_datagrams_t *from, pb_datagrams_t *to, int n)
{
    static char payload[PAYLOAD];
    uint8_t header[HEADER] = {0};
    const pb_datagram_t datagram = {header, HEADER, payload, PAYLOAD};
    const uint8_t *bytes;
    size_t length;
    int n_there = 0;
    for (int i = 0; i < n; i++) {
        (void) send_all(from, &datagram, 1);
    }
    pause_ms(20);
    while (to->next(to, &bytes, &length)) {
        n_there++;
    }
    return n_there;
}

static void test_overflow(void)
{
    pb_datagrams_t *members[N_MEMBERS];
    const bool opened = open_members(members, N_MEMBERS, 1 << 16, true);
    int within = -1, capacity = 0, beyond = 0;
    uint64_t dropped_within = 1, dropped = 0;
    if (opened) {
        capacity = (int) members[1]->capacity;
        within = send_and_count(members[0], members[1], capacity);
        dropped_within = members[1]->dropped(members[1]);
        beyond = send_and_count(members[0], members[1], 4 * capacity);
        /* The kernel reports its count next to a datagram that comes after those that were lost. */
        beyond += send_and_count(members[0], members[1], 1);
        dropped = members[1]->dropped(members[1]);
    }
    ok(capacity > 0 && within == capacity && dropped_within == 0,
       "the buffer holds as many frames as it says (%d)", capacity);
    ok(opened && dropped > 0 && beyond + (int) dropped == 4 * capacity + 1,
       "what it drops is counted (%d there, %llu dropped)", beyond, (unsigned long long) dropped);
    close_members(members, N_MEMBERS);
}

static void test_refusals(void)
{
    static char payload[4 * PAYLOAD];
    pb_datagrams_t *members[N_MEMBERS];
    uint8_t header[HEADER] = {0};
    const uint8_t *bytes;
    size_t length = 0;
    bool is_dropped = false;
    if (open_members(members, N_MEMBERS, 1 << 18, false)) {
        const pb_datagram_t large = {header, HEADER, payload, sizeof(payload)};
        const pb_datagram_t empty = {header, 0, payload, 0};
        (void) send_all(members[0], &large, 1);
        (void) send_all(members[0], &empty, 1);
        bytes = await_next(members[1], &length);
        is_dropped = bytes != NULL && length == 0;
    }
    ok(is_dropped, "a datagram larger than a frame is dropped, and an empty one is no fault");
    close_members(members, N_MEMBERS);

    pb_udp_options_t options = options_of(65536, false);
    options.interface = 1000000;
    pb_datagrams_t *none = NULL;
    int rc = pb_udp_datagrams_open(&options, &none);
    ok(rc == PB_ERR_IO && none == NULL, "an interface that is not there is refused: %s",
       strerror(errno));
    options = options_of(65536, false);
    options.group.s_addr = htonl(UINT32_C(0x7f000001));
    rc = pb_udp_datagrams_open(&options, &none);
    ok(rc == PB_ERR_IO && none == NULL, "so is an address that is no group's: %s", strerror(errno));
}

/** Whole broadcasts of four ranks, whose words are in memory. */
static void test_broadcasts(bool one_by_one)
{
    enum { N_RANKS = 4, N_BROADCASTS = 12 };
    pb_datagrams_t *members[N_RANKS];
    bool good = false, is_clean = false;
    uint64_t received = 0, asked = 0;
    if (open_members(members, N_RANKS, 1 << 20, one_by_one)) {
        const uint32_t window = members[0]->capacity / 2;
        group_t *g =
            group_new(5, N_RANKS, N_BROADCASTS, PAYLOAD, window, (size_t) 2 * window * PAYLOAD);
        g->real = members;
        good = group_run(g, 100000) && g->n_breaches == 0;
        is_clean = group_left(g) == 0;
        received = group_count(g, received);
        asked = group_count(g, asked);
        group_free(g);
    }
    ok(good && is_clean && received > 100,
       "broadcasts over UDP %s: %llu frames came by datagram, %llu were asked for",
       one_by_one ? "one by one" : "in batches", (unsigned long long) received,
       (unsigned long long) asked);
    close_members(members, N_RANKS);
}

int main(void)
{
    if (!passes_lo()) {
        printf(
            "1..0 # SKIP multicast on the loopback interface is not permitted or does not pass\n");
        return 0;
    }
    test_batches(true);
    test_batches(false);
    test_overflow();
    test_refusals();
    test_broadcasts(true);
    test_broadcasts(false);
    return tap_done();
}
