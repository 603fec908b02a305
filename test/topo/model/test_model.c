/* The model of message costs: its file, good and invalid, its interpolation, what is assumed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/util/golden.h"
#include "topo/model/model.h"
#include "topo/util/error.h"
#include "topo/util/times.h"

#define HEAD "pipebcast-model 2\ntopology any\npayload 1448\noverhead 22\n"
#define SWITCH                                                                                     \
    "place switch links 2\n"                                                                       \
    "cost 1024 100 400 150 10 20\n"                                                                \
    "cost 8192 800 2000 900 20 30\n"

#define TRANSPORT "transport ob1 btl tcp interface eth0+eth1 rate 1000\n"

static pb_model_t model, other;

static int parse(const char *text, pb_model_t *into, char *first, size_t size)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    int rc = pb_model_parse(text, strlen(text), "x.model", into, &diag);
    snprintf(first, size, "%s", pb_diag_first(&diag));
    pb_diag_clear(&diag);
    return rc;
}

static void test_good(void)
{
    char fault[512];
    int rc = parse(HEAD SWITCH "place far links 5 ring 32 # links\r\ncost 1024 120 700 150 10 20\n"
                               "cost 8192 800 2600 900 20 30\n",
                   &model, fault, sizeof(fault));
    ok(rc == PB_SUCCESS, "a good file is read (%s)", fault);
    ok(model.measured && model.topology == 0 && model.payload == 1448 && model.overhead == 22,
       "its head is there");
    ok(model.costs[PB_PLACE_SWITCH].n_rows == 2 && model.costs[PB_PLACE_FAR].n_links == 5 &&
           model.costs[PB_PLACE_HOST].n_rows == 0,
       "its places are there");
    ok(model.costs[PB_PLACE_SWITCH].n_ring == 0 && model.costs[PB_PLACE_FAR].n_ring == 32,
       "its rings are, where it names one");
}

static void test_transport(void)
{
    char fault[512];
    ok(parse(HEAD SWITCH, &other, fault, sizeof(fault)) == PB_SUCCESS && !other.has_medium,
       "a file need not name its transport (%s)", fault);
    const uint64_t without = pb_model_hash(&other);
    ok(parse(HEAD TRANSPORT SWITCH, &other, fault, sizeof(fault)) == PB_SUCCESS &&
           other.has_medium && strcmp(other.medium.pml, "ob1") == 0 &&
           strcmp(other.medium.btls, "tcp") == 0 &&
           strcmp(other.medium.interfaces, "eth0+eth1") == 0 &&
           other.medium.bits_per_second == 1000000000,
       "a file names its transport (%s)", fault);
    ok(pb_model_hash(&other) != without, "by which models differ");
    ok(parse(HEAD "transport ucx btl - interface - rate -\n" SWITCH, &other, fault,
             sizeof(fault)) == PB_SUCCESS &&
           other.has_medium && strcmp(other.medium.pml, "ucx") == 0 &&
           other.medium.btls[0] == '\0' && other.medium.interfaces[0] == '\0' &&
           other.medium.bits_per_second == 0,
       "- is not known (%s)", fault);
}

static void test_fault(char *const *columns, int n)
{
    char fault[512];
    const int rc = parse(columns[0], &other, fault, sizeof(fault));
    ok(n == 2 && rc == PB_ERR_INPUT && strncmp(fault, columns[1], strlen(columns[1])) == 0,
       "fault: %s", fault);
}

static void test_faulty(void)
{
    char fault[512], line[600];
    ok(golden_rows("model/faulty.rows", test_fault) == 41, "there are rows");
    memset(line, '1', sizeof(line) - 1);
    line[sizeof(line) - 1] = '\0';
    ok(parse(line, &other, fault, sizeof(fault)) == PB_ERR_INPUT, "a long line: %s", fault);
    pb_diag_t diag;
    pb_diag_init(&diag);
    ok(pb_model_read("/nonexistent/x.model", &other, &diag) == PB_ERR_IO, "no file: %s",
       pb_diag_first(&diag));
    pb_diag_clear(&diag);
}

/* Each error of a file is reported, and none a second time as a consequence. */
static void test_all_faults(void)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    static const char text[] = HEAD SWITCH "cost 200000 900 2100 900 4 5\ncost x 1 1 1 1 1\n"
                                           "cost 210000 910 2200 910 4 5\nnonsense\n";
    pb_model_parse(text, sizeof(text) - 1, "x", &other, &diag);
    ok(diag.n_errors == 3, "three faults: %zu", diag.n_errors);
    pb_diag_clear(&diag);
}

/* Many rows are refused, not written past the end. */
static void test_too_many(void)
{
    char *text = malloc(1 << 20), fault[512];
    size_t length = (size_t) sprintf(text, HEAD "place switch links 2\n");
    for (int i = 0; i <= PB_MODEL_MAX_ROWS; i++) {
        length += (size_t) sprintf(text + length, "cost %d %d %d %d 1 1\n", 1000 + 100 * i, 10 + i,
                                   40 + i, 20 + i);
    }
    ok(parse(text, &other, fault, sizeof(fault)) == PB_ERR_INPUT, "too many rows: %s", fault);
    length = (size_t) sprintf(text, HEAD SWITCH);
    memset(text + length, 'x', 2049);
    text[length + 2049] = '\0';
    ok(parse(text, &other, fault, sizeof(fault)) == PB_ERR_INPUT &&
           strstr(fault, "x.model:8: the line is longer than 2048 bytes") == fault,
       "too long a line: %s", fault);
    free(text);
}

static void test_write(const pb_model_t *written, const char *what)
{
    char *text = NULL, fault[512];
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    ok(stream != NULL && pb_model_write(written, stream) == PB_SUCCESS, "%s is written", what);
    fclose(stream);
    ok(parse(text, &other, fault, sizeof(fault)) == PB_SUCCESS, "%s is read again (%s)", what,
       fault);
    other.measured = written->measured; /* of one that was assumed */
    other.speed = written->speed;
    ok(pb_model_hash(&other) == pb_model_hash(written), "%s is the same", what);
    free(text);
}

static void test_hash(void)
{
    static const size_t fields[] = {offsetof(pb_model_t, costs[PB_PLACE_FAR].rows[1].receive),
                                    offsetof(pb_model_t, topology),
                                    offsetof(pb_model_t, costs[PB_PLACE_FAR].n_ring)};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        other = model;
        ((unsigned char *) &other)[fields[i]]++;
        ok(pb_model_hash(&other) != pb_model_hash(&model), "the hash knows each field: %zu", i);
    }
}

/* A further link takes as long for a frame as the one whose time is in the rows. */
static void test_further_link(void)
{
    static pb_model_t assumed;
    pb_model_assume(UINT64_C(2000000), 1500, &assumed);
    static const uint64_t sizes[] = {100, 1000, 1426, 5000};
    bool good = true;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const int64_t frame = sizes[i] < 1426 ? (int64_t) sizes[i] + 22 + 90 : 1538;
        const int64_t more =
            pb_model_cost(&assumed, 4, sizes[i]).rtt - pb_model_cost(&assumed, 2, sizes[i]).rtt;
        /* Two links each way, and a switch of 5 us on each; rows are rounded. */
        good = good && llabs(more / 4 - frame * 4000 - 5000) < 5000;
    }
    ok(good, "a further link stores a frame with its headers once");
}

/* Costs of datagrams: of messages that are as long on the wire. */
static void test_datagrams(void)
{
    static pb_model_t assumed;
    pb_model_assume(UINT64_C(2000000), 1500, &assumed);
    const pb_cost_t frame = pb_model_cost(&assumed, 2, 1426);
    const pb_cost_t cost = pb_model_datagram(&assumed, 1448);
    ok(cost.bytes == 1448 && cost.gap == frame.gap && cost.rtt == frame.rtt &&
           cost.gap == INT64_C(1538) * 4000,
       "a datagram with a frame's bytes costs what a message in one frame costs");
    ok(pb_model_datagram(&assumed, 1).gap > 0, "one with a byte costs something");
    ok(llabs(pb_model_further_datagram(&assumed, 1448) - 1538 * 4000 - 5000) < 5000,
       "a further link stores it and all around it");
}

static void test_interpolation(void)
{
    pb_cost_t cost = pb_model_cost(&model, 2, 1024);
    ok(cost.bytes == 1024 && cost.gap == 100 && cost.rtt == 400 && cost.both == 150 &&
           cost.send == 10 && cost.receive == 20,
       "a row is itself");
    ok(pb_cost_latency(&cost) == 100, "L = RTT / 2 - g");
    cost = pb_model_cost(&model, 2, 1024 + 7168 / 2);
    ok(cost.gap == 450 && cost.rtt == 1200 && cost.both == 525, "half-way between two rows");
    cost = pb_model_cost(&model, 2, 8192 + 7168);
    ok(cost.gap == 1500 && cost.rtt == 3600, "beyond the last row");
    cost = pb_model_cost(&model, 2, 0);
    ok(cost.gap == 0 && cost.rtt >= 0 && cost.both >= cost.gap, "below the first row, not below 0");
    cost = pb_model_cost(&model, 5, 1024);
    ok(cost.gap == 120 && cost.rtt == 700, "another place is itself");
    cost = pb_model_cost(&model, 8, 1024);
    ok(cost.rtt == 1000, "beyond the farthest place by its slope");
    other = model;
    other.costs[PB_PLACE_FAR].n_rows = 0;
    cost = pb_model_cost(&other, 3, 1024);
    /* A frame of 1046 + 90 bytes. 1448 + 90 take as long as 1448 bytes of a long message, 700 ns in
     * 7168; and the switch, both ways. */
    ok(cost.rtt == 400 + 2 * (700 * 1136 / 7168 * 1448 / 1538 + 5000),
       "a further link stores one frame: %ld", (long) cost.rtt);
    cost = pb_model_cost(&model, 0, 1 << 20);
    ok(cost.gap > 0 && cost.rtt >= 2 * cost.gap, "memory has a cost of its own");
    cost = pb_model_cost(&model, 1 << 20, PB_MODEL_MAX_BYTES);
    ok(cost.gap >= 0 && cost.gap <= PB_TIME_LONGEST && cost.rtt <= PB_TIME_LONGEST,
       "nothing overflows");
}

/* Whatever the link: the gap is at least the wire's, and nothing shrinks with the size. */
static void test_assumed(uint64_t speed, uint32_t mtu)
{
    char what[64];
    pb_model_assume(speed, mtu, &model);
    snprintf(what, sizeof(what), "%llu bit/s, MTU %u", (unsigned long long) speed, mtu);
    test_write(&model, what);
    const pb_costs_t *costs = &model.costs[PB_PLACE_SWITCH];
    bool good = !model.measured && costs->n_rows > 20;
    for (int i = 1; i < costs->n_rows; i++) {
        const pb_cost_t *a = &costs->rows[i - 1], *b = &costs->rows[i];
        good = good && a->bytes < b->bytes && a->gap <= b->gap && a->rtt <= b->rtt &&
               a->both <= b->both && b->both >= b->gap && b->rtt / 2 >= b->gap;
    }
    ok(good, "%s: costs grow with the size", what);
}

static void test_scale(void)
{
    ok(pb_time_scale(1000, 3, 4) == 750 && pb_time_scale(-1000, 3, 4) == -750, "scaled");
    ok(pb_time_scale(PB_TIME_LONGEST, UINT64_MAX, 1) == PB_TIME_LONGEST, "not beyond the longest");
    ok(pb_time_scale(-PB_TIME_LONGEST, UINT64_MAX, 1) == -PB_TIME_LONGEST, "nor below");
    const int64_t third = pb_time_scale(PB_TIME_LONGEST, UINT64_MAX / 3, UINT64_MAX);
    ok(llabs(third - PB_TIME_LONGEST / 3) <= PB_TIME_LONGEST >> 20, "long numbers within 2^-20");
}

int main(void)
{
    test_scale();
    test_faulty();
    test_all_faults();
    test_too_many();
    test_good();
    test_transport();
    test_write(&model, "a measured model");
    test_hash();
    test_further_link();
    test_datagrams();
    test_interpolation();
    test_assumed(0, 0);
    test_assumed(10000000, 1500);
    test_assumed(UINT64_C(400000000000), 9000);
    test_assumed(100000, 65535);
    test_assumed(UINT64_C(1000000000), 68);
    return tap_done();
}
