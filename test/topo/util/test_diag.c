#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "topo/util/diag.h"
#include "topo/util/error.h"
#include "topo/util/hash.h"

static void test_messages(void)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    ok(strcmp(pb_diag_first(&diag), "no error") == 0, "an empty set has no first fault");
    pb_diag_error(&diag, "file", 12, "%d %s", 3, "mice");
    pb_diag_error(&diag, "file", 0, "blind");
    pb_diag_error(&diag, NULL, 7, "placeless");
    ok(strcmp(pb_diag_first(&diag), "file:12: 3 mice") == 0, "file and line");
    ok(strcmp(diag.messages[1], "file: blind") == 0, "file alone");
    ok(strcmp(diag.messages[2], "placeless") == 0, "no place");
    ok(diag.n_errors == 3 && diag.n_kept == 3, "all are kept and counted");
    pb_diag_clear(&diag);
    ok(diag.n_errors == 0 && diag.n_kept == 0 && diag.messages == NULL, "cleared");
}

static void test_bound(void)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    for (int i = 0; i < PB_DIAG_MAX_KEPT + 5; i++) {
        pb_diag_error(&diag, "file", i + 1, "fault");
    }
    ok(diag.n_kept == PB_DIAG_MAX_KEPT && diag.n_errors == PB_DIAG_MAX_KEPT + 5,
       "messages beyond the bound are only counted");
    pb_diag_clear(&diag);
}

static void test_quote(void)
{
    char quote[PB_DIAG_QUOTE_SIZE], text[200];
    memset(text, 'x', sizeof(text));
    ok(strcmp(pb_diag_quote(quote, "a\tb\xff\0c", 6), "a?b??c") == 0,
       "what is not printable becomes '?'");
    ok(strlen(pb_diag_quote(quote, text, 63)) == 63 && quote[62] == 'x', "63 bytes fit");
    ok(strlen(pb_diag_quote(quote, text, 64)) == 63 && strcmp(quote + 60, "...") == 0,
       "64 bytes are cut");
    ok(*pb_diag_quote(quote, text, 0) == '\0', "no bytes");
}

static void test_error_texts(void)
{
    for (int code = PB_ERR_MALFORMED - 1; code <= PB_ERR_NO_MEMORY + 1; code++) {
        ok(pb_error_text(code) != NULL && *pb_error_text(code) != '\0', "code %d: %s", code,
           pb_error_text(code));
    }
}

/* Known values, so that a change or a host of other byte order is noticed:
 * the states are FNV-1a's published test vectors. */
static void test_hash(void)
{
    ok(pb_hash_bytes(PB_HASH_START, "", 0) == UINT64_C(0xcbf29ce484222325), "FNV-1a of nothing");
    ok(pb_hash_bytes(PB_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c), "FNV-1a of a");
    ok(pb_hash_bytes(PB_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8),
       "FNV-1a of foobar");
    static const unsigned char bytes[8] = {8, 7, 6, 5, 4, 3, 2, 1};
    ok(pb_hash_number(1, UINT64_C(0x0102030405060708)) == pb_hash_bytes(1, bytes, 8),
       "numbers enter least significant byte first");
    ok(pb_hash_string(pb_hash_string(1, "ab"), "c") != pb_hash_string(pb_hash_string(1, "a"), "bc"),
       "strings do not run together");
    ok(pb_hash_end(1) != pb_hash_end(2), "the end keeps states apart");
}

int main(void)
{
    test_messages();
    test_bound();
    test_quote();
    test_error_texts();
    test_hash();
    return tap_done();
}
