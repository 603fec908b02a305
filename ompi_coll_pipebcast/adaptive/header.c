/*
 * The header of an adaptive broadcast, as bytes; see adaptive/header.h.
 */
#include "adaptive/header.h"

#include "topo/util/bytes.h"

/** Changes with the form of the header. */
#define FORM 3

/** Bytes that all headers begin with, and of each edge behind them. */
#define FIXED 8
#define EDGE 4

static size_t stream_bytes(int n_hosts)
{
    return ((size_t) n_hosts - 1) * EDGE;
}

size_t pb_adaptive_header_room(int n_hosts)
{
    return FIXED + PB_ADVICE_MAX_STREAMS * stream_bytes(n_hosts);
}

size_t pb_adaptive_header_write(const pb_advice_tree_t *tree, int n_hosts, uint8_t *bytes)
{
    const int n_streams = tree != NULL ? tree->n_streams : 0;
    uint8_t *at = bytes + FIXED;
    bytes[0] = FORM;
    bytes[1] = (uint8_t) n_streams;
    pb_bytes_put(bytes + 2, (uint64_t) n_hosts, 2);
    pb_bytes_put(bytes + 4, tree != NULL ? tree->segment : 0, 4);
    for (int s = 0; s < n_streams; s++) {
        const pb_tree_t *stream = tree->streams[s];
        for (int host = 0; host < n_hosts; host++) {
            if (host != stream->root) {
                pb_bytes_put(at, (uint64_t) stream->parent[host], 2);
                pb_bytes_put(at + 2, (uint64_t) stream->child_index[host], 2);
                at += EDGE;
            }
        }
    }
    return (size_t) (at - bytes);
}

static int read_stream(pb_tree_t *stream, const uint8_t *at)
{
    for (int host = 0; host < stream->n_nodes; host++) {
        if (host != stream->root) {
            stream->parent[host] = (int) pb_bytes_get(at, 2);
            stream->child_index[host] = (int) pb_bytes_get(at + 2, 2);
            at += EDGE;
        }
    }
    return pb_tree_check(stream->parent, stream->n_nodes, stream->root);
}

int pb_adaptive_header_read(pb_advice_tree_t *tree, int n_hosts, int root, const uint8_t *bytes,
                            size_t length)
{
    int error = PB_SUCCESS;
    *tree = (pb_advice_tree_t){.root = root};
    if (length < FIXED || bytes[0] != FORM || bytes[1] > PB_ADVICE_MAX_STREAMS ||
        pb_bytes_get(bytes + 2, 2) != (uint64_t) n_hosts ||
        length != FIXED + bytes[1] * stream_bytes(n_hosts)) {
        return PB_ERR_INPUT;
    }
    const int n_streams = bytes[1];
    tree->segment = (uint32_t) pb_bytes_get(bytes + 4, 4);
    if (n_streams > 0 && (tree->segment < 1 || tree->segment > PB_ADVICE_MAX_SEGMENT)) {
        return PB_ERR_INPUT;
    }
    for (int s = 0; s < n_streams && error == PB_SUCCESS; s++) {
        tree->streams[s] = pb_tree_new(n_hosts, root);
        if (tree->streams[s] == NULL) {
            error = PB_ERR_NO_MEMORY;
        } else {
            tree->n_streams++;
            error =
                read_stream(tree->streams[s], bytes + FIXED + (size_t) s * stream_bytes(n_hosts));
        }
    }
    if (error != PB_SUCCESS) {
        pb_advice_tree_clear(tree);
    }
    return error;
}
