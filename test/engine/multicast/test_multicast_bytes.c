/*
 * The parts of a broadcast by multicast that send nothing: frames and words as bytes, which frames
 * are here, the modes, the rate.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/multicast/frame.h"
#include "engine/multicast/frames.h"
#include "engine/multicast/marks.h"
#include "engine/multicast/rate.h"
#include "engine/multicast/siphash.h"
#include "engine/multicast/word.h"
#include "test/failing_memory.h"
#include "test/tap.h"
#include "test/topo/check/random_network.h"

/* The checksum. */

/** The vectors of the paper's authors: the key 0, 1, ..., 15 over the bytes 0, 1, ..., n - 1. The
 * first bytes are the head. */
static uint64_t hash_of(size_t n, size_t head)
{
    static const uint64_t key[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
    uint8_t bytes[64] = {0};
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t) i;
    }
    return pb_siphash(key, bytes, head, bytes + head, n - head);
}

static void test_siphash(void)
{
    int differ = 0;
    ok(hash_of(0, 0) == UINT64_C(0x726fdb47dd0e0e31) &&
           hash_of(15, 0) == UINT64_C(0xa129ca6149be45e5),
       "SipHash-2-4 of the authors' examples");
    for (size_t n = 1; n <= 64; n++) {
        for (size_t head = 8; head <= n; head += 8) {
            differ += hash_of(n, head) != hash_of(n, 0);
        }
    }
    ok(differ == 0, "wherever the head ends");
}

/* Frames. */

static void test_frames(void)
{
    uint8_t bytes[PB_FRAME_MAX_HEADER_BYTES + 100], copy[sizeof(bytes)];
    int unread = 0, accepted = 0, unforged = 0;
    for (int with = 0; with < 2; with++) {
        const pb_frame_rule_t rule = {
            .key = UINT64_C(0x1122334455667788), .has_checksum = with, .secret = {5, 6}};
        const pb_frame_t frame = {.number = UINT64_C(1) << 40,
                                  .index = 1234567,
                                  .bytes = 100,
                                  .payload = (const char *) bytes + pb_frame_header_bytes(&rule)};
        pb_frame_t read;
        memset(bytes, 7, sizeof(bytes));
        const size_t length = pb_frame_write(&rule, &frame, bytes) + frame.bytes;
        unread += !pb_frame_read(&rule, bytes, length, &read) || read.number != frame.number ||
                  read.index != frame.index || read.bytes != frame.bytes ||
                  read.payload != frame.payload;
        for (size_t cut = 0; cut < length; cut++) {
            accepted += pb_frame_read(&rule, bytes, cut, &read);
        }
        for (size_t bit = 0; with && bit < 8 * length; bit++) {
            memcpy(copy, bytes, length);
            copy[bit / 8] ^= (uint8_t) (1 << bit % 8);
            unforged += pb_frame_read(&rule, copy, length, &read);
        }
        pb_frame_rule_t other = rule;
        other.key++;
        accepted += pb_frame_read(&other, bytes, length, &read);
        other = rule;
        other.has_checksum = !with;
        accepted += pb_frame_read(&other, bytes, length, &read);
        other = rule;
        other.secret[1]++;
        accepted += with && pb_frame_read(&other, bytes, length, &read);
    }
    ok(unread == 0, "a frame is read as it was written");
    ok(accepted == 0, "not if it is cut off, or of another group");
    ok(unforged == 0, "and with a checksum not if any bit is wrong");
}

static void test_cost(void)
{
    ok(pb_frame_checksum_is_cheap(2000000) && pb_frame_checksum_is_cheap(1000000000) &&
           !pb_frame_checksum_is_cheap(2500000000) && !pb_frame_checksum_is_cheap(0),
       "the checksum is cheap on links of up to 1 Gbit/s");
}

/* Frames that are here. */

/** Adds frames in random order, and compares with a plain array. */
static int wrong_frames(uint64_t seed)
{
    pb_random_t random = pb_random_seed(seed);
    const uint32_t n = 1 + (uint32_t) pb_random_below(&random, 300);
    const uint32_t payload = 1 + (uint32_t) pb_random_below(&random, 9);
    const size_t total =
        (size_t) (n - 1) * payload + 1 + (size_t) pb_random_below(&random, (int) payload);
    bool here[300] = {false};
    uint32_t n_here = 0;
    pb_frames_t w;
    int wrong = !pb_frames_init(&w, total, payload, false) || w.n_frames != n;
    for (int i = 0; i < 500; i++) {
        const uint32_t index = (uint32_t) pb_random_below(&random, (int) n);
        wrong += pb_frames_add(&w, index) == here[index];
        n_here += !here[index];
        here[index] = true;
        uint32_t first = 0, seen = n, from = (uint32_t) pb_random_below(&random, (int) n + 1);
        const uint32_t to = (uint32_t) pb_random_below(&random, (int) n + 1);
        while (first < n && here[first]) {
            first++;
        }
        while (!here[seen - 1]) {
            seen--;
        }
        wrong += w.first_missing != first || w.seen_to != seen;
        uint32_t found, run = 0;
        const uint32_t got = pb_frames_gap(&w, from, to, 5, &found);
        while (from < to && here[from]) {
            from++;
        }
        while (run < 5 && from + run < to && !here[from + run]) {
            run++;
        }
        wrong += got != run || (run > 0 && found != from);
    }
    wrong += pb_frames_is_complete(&w) != (n_here == n);
    pb_frames_fini(&w);
    return wrong;
}

static void test_frames_here(void)
{
    int wrong = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        wrong += wrong_frames(seed);
    }
    ok(wrong == 0, "it is known which frames are here, and which gaps there are");
    pb_frames_t w;
    wrong = 0;
    for (size_t n = 1; n < 200; n++) {
        wrong += !pb_frames_init(&w, n, 1, true) || !pb_frames_is_complete(&w) ||
                 w.first_missing != n || !pb_frames_has(&w, (uint32_t) n - 1);
        pb_frames_fini(&w);
    }
    ok(wrong == 0, "a root has all");
    ok(pb_frames_init(&w, 2500, 1000, false) && pb_frames_fits(&w, 1, 1000) &&
           pb_frames_fits(&w, 2, 500) && !pb_frames_fits(&w, 2, 1000) &&
           !pb_frames_fits(&w, 1, 999) && !pb_frames_fits(&w, 3, 1000) &&
           !pb_frames_fits(&w, UINT32_MAX, 1000),
       "a frame fits by its index and length");
    pb_frames_fini(&w);
    ok(pb_frames_count((size_t) 1 << 31, 1448) == 1483069 && pb_frames_count(SIZE_MAX, 1) == 0 &&
           !pb_frames_init(&w, SIZE_MAX, 1, false),
       "2 GB are a million frames, and more than can be counted are refused");
    failing_memory_after(0);
    const bool made = pb_frames_init(&w, 100, 1, false);
    failing_memory_after(-1);
    ok(!made, "so are those without memory");
}

/* Words. */

static void test_words(void)
{
    static const pb_word_t words[] = {
        {.kind = PB_WORD_ASK, .index = 90, .n_frames = 10},
        {.kind = PB_WORD_END},
        {.kind = PB_WORD_DONE},
        {.kind = PB_WORD_FAILED},
        {.kind = PB_WORD_HERE, .blocks = 70000},
        {.kind = PB_WORD_BELOW},
        {.kind = PB_WORD_SETTLED},
    };
    static const pb_word_t bad[] = {
        {.kind = PB_WORD_ASK, .index = 5, .n_frames = 0},
        {.kind = PB_WORD_ASK, .index = 99, .n_frames = 2},
        {.kind = PB_WORD_ASK, .index = UINT32_MAX, .n_frames = 1},
        {.kind = PB_WORD_ASK, .index = 0, .n_frames = 65},
        {.kind = PB_WORD_HERE, .blocks = 0},
        {.kind = PB_WORD_COUNT},
    };
    pb_frames_t w;
    uint8_t bytes[PB_WORD_BYTES + 1], repair[PB_WORD_REPAIR_BYTES + 40];
    const char text[40] = "";
    pb_word_t read;
    int wrong = !pb_frames_init(&w, 995, 10, false), accepted = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = pb_word_write(&words[i], bytes);
        uint8_t again[PB_WORD_BYTES];
        wrong += !pb_word_read(&read, &w, bytes, length) || read.kind != words[i].kind ||
                 pb_word_write(&read, again) != length || memcmp(again, bytes, length) != 0;
        accepted += pb_word_read(&read, &w, bytes, length + 1);
        accepted += pb_word_read(&read, &w, bytes, length - 1);
    }
    ok(wrong == 0, "words are read as they were written");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        accepted += pb_word_read(&read, &w, bytes, pb_word_write(&bad[i], bytes));
    }
    ok(accepted == 0, "those that make no sense are not read");
    const pb_word_t last = {.kind = PB_WORD_REPAIR, .index = 99, .bytes = 5, .payload = "abcde"};
    const size_t length = pb_word_write(&last, repair);
    ok(pb_word_read(&read, &w, repair, length) && read.kind == PB_WORD_REPAIR && read.index == 99 &&
           read.bytes == 5 && read.n_frames == 1 && memcmp(read.payload, "abcde", 5) == 0,
       "a repair is read as it was written");
    const pb_word_t two = {
        .kind = PB_WORD_REPAIR, .index = 98, .bytes = 15, .payload = "abcdefghijklmno"};
    ok(pb_word_read(&read, &w, repair, pb_word_write(&two, repair)) && read.index == 98 &&
           read.n_frames == 2 && read.bytes == 15,
       "so is one of two frames");
    accepted = 0;
    for (uint32_t n = 1; n < 40; n++) {
        const pb_word_t some = {.kind = PB_WORD_REPAIR, .index = 97, .bytes = n, .payload = text};
        accepted += pb_word_read(&read, &w, repair, pb_word_write(&some, repair));
    }
    ok(accepted == 3, "only of whole frames that there are");
    (void) pb_word_write(&last, repair);
    accepted = pb_word_read(&read, &w, repair, length - 1) +
               pb_word_read(&read, &w, repair, length + 1) +
               pb_word_read(&read, &w, repair, PB_WORD_REPAIR_BYTES) +
               pb_word_read(&read, &w, repair, 1) + pb_word_read(&read, &w, repair, 0);
    repair[1] = 100;
    accepted += pb_word_read(&read, &w, repair, length);
    ok(accepted == 0, "not with another length, or for a frame that there is not");
    pb_frames_fini(&w);
}

/* Marks. */

enum { N_STEPS = 400 };

/** Goes through random broadcasts. Finds what breaks the rule in marks.h, or lets a root wait
 * without end. */
static int wrong_marks(uint64_t seed, int *n_short_p, int *n_reporting_p)
{
    pb_random_t random = pb_random_seed(seed);
    const uint32_t window = 1 + (uint32_t) pb_random_below(&random, 200);
    const int most = 1 + pb_random_below(&random, 2 * (int) window);
    pb_marks_t marks;
    uint64_t position = 0, marked = 0;
    int wrong = 0;
    pb_marks_init(&marks, window);
    const uint64_t block = pb_marks_block(&marks);
    for (int k = 0; k < N_STEPS; k++) {
        const uint64_t frames = 1 + (uint64_t) pb_random_below(&random, most);
        const pb_step_t step = pb_marks_next(&marks, (uint32_t) frames);
        wrong += step.first != position || step.end != position + frames || step.marked != marked;
        const uint64_t by_mark = marked + window - step.first;
        const uint64_t by_reports = step.n_blocks * block + window;
        wrong += step.n_blocks == 0 ? by_mark < frames : by_reports < frames;
        wrong += step.n_blocks > 0 && (by_mark < block || by_mark >= frames || !step.is_mark ||
                                       step.n_blocks * block > frames);
        wrong += step.n_blocks > 1 && by_reports - block >= frames;
        position = step.end;
        wrong += !step.is_mark && position - marked >= block;
        marked = step.is_mark ? position : marked;
        *n_short_p += step.n_blocks == 0;
        *n_reporting_p += step.n_blocks > 0;
    }
    return wrong;
}

static void test_marks(void)
{
    int wrong = 0, n_short = 0, n_reporting = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        wrong += wrong_marks(seed, &n_short, &n_reporting);
    }
    ok(wrong == 0 && n_short > 1000 && n_reporting > 1000,
       "marks and reports let a root send all frames, a block at least before the first report");
    pb_marks_t marks;
    pb_marks_init(&marks, 92);
    int n_marks = 0;
    for (int k = 0; k < 1000; k++) {
        const pb_step_t step = pb_marks_next(&marks, 1);
        n_marks += step.is_mark;
        wrong += step.n_blocks > 0;
    }
    ok(wrong == 0 && n_marks == 1000 / (92 / PB_MARKS_BLOCKS), "short ones never report");
}

/* The rate. */

/** Bytes that are sent in some milliseconds, by datagrams of 1,500 as soon as they may be. */
static uint64_t sent_in(pb_rate_t *rate, int ms)
{
    uint64_t sent = 0;
    for (int64_t now = 0; now < (int64_t) ms * 1000000; now += 7000) {
        while (pb_rate_allows(rate, now) > 0 && sent < UINT64_C(1) << 40) {
            pb_rate_spend(rate, 1500);
            sent += 1500;
        }
    }
    return sent;
}

static void test_rate(void)
{
    pb_rate_t rate = pb_rate_of(0);
    ok(pb_rate_allows(&rate, 5) == UINT64_MAX, "without a ceiling there is no pacing");
    rate = pb_rate_of(10000000);
    uint64_t sent = sent_in(&rate, 100);
    ok(sent > 990000 && sent < 1010000, "10 MB/s are 1 MB in 100 ms (%llu)",
       (unsigned long long) sent);
    rate = pb_rate_of(1000);
    sent = sent_in(&rate, 3000);
    ok(sent >= 1500 && sent <= 4500, "a rate of less than a datagram's bytes a second, too (%llu)",
       (unsigned long long) sent);
}

int main(void)
{
    test_siphash();
    test_frames();
    test_cost();
    test_frames_here();
    test_words();
    test_marks();
    test_rate();
    return tap_done();
}
