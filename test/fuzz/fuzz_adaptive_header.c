/*
 * Headers of adaptive broadcasts, as they come off the wire. An input is the number of
 * hosts and the root's host, two bytes each, little-endian, and then the header. What is read must
 * be trees over all hosts, and be written as it came.
 */
#include "adaptive/header.h"
#include "test/fuzz/fuzz.h"

const char fuzz_name[] = "adaptive_header";

enum { PREFIX = 4 };

static void check_tree(const pb_advice_tree_t *tree, int n_hosts, int root, const uint8_t *bytes,
                       size_t length)
{
    uint8_t *again = must_have(malloc(pb_adaptive_header_room(n_hosts)));
    must(tree->n_streams <= PB_ADVICE_MAX_STREAMS);
    must(tree->n_streams == 0 || (tree->segment > 0 && tree->segment <= PB_ADVICE_MAX_SEGMENT));
    for (int s = 0; s < tree->n_streams; s++) {
        for (int host = 0; host < n_hosts; host++) {
            must(tree->streams[s]->parent[host] != PB_TREE_OUTSIDE);
        }
        must(pb_tree_check(tree->streams[s]->parent, n_hosts, root) == PB_SUCCESS);
    }
    must(pb_adaptive_header_write(tree->n_streams > 0 ? tree : NULL, n_hosts, again) == length);
    must(tree->n_streams == 0 || memcmp(again, bytes, length) == 0);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pb_advice_tree_t tree;
    if (length < PREFIX) {
        return 0;
    }
    const int n_hosts = 1 + (bytes[0] | bytes[1] << 8) % PB_HOST_SET_MAX;
    const int root = (bytes[2] | bytes[3] << 8) % n_hosts;
    const size_t rest = length - PREFIX;
    if (pb_adaptive_header_read(&tree, n_hosts, root, bytes + PREFIX, rest) == PB_SUCCESS) {
        check_tree(&tree, n_hosts, root, bytes + PREFIX, rest);
        pb_advice_tree_clear(&tree);
    }
    return 0;
}
