/*
 * Model files. What can be read must come back the same after it was written, and
 * must yield a time for every size and path.
 */
#include <inttypes.h>

#include "test/fuzz/fuzz.h"
#include "topo/model/model.h"

const char fuzz_name[] = "model";

static int read_model(const char *text, size_t length, pb_model_t *model)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = pb_model_parse(text, length, "input", model, &diag);
    fuzz_parsed(error, error == PB_SUCCESS, &diag);
    return error;
}

static void write_again(const pb_model_t *model)
{
    static pb_model_t again;
    char *text;
    size_t length;
    FILE *stream = must_have(open_memstream(&text, &length));
    must(pb_model_write(model, stream) == PB_SUCCESS);
    fclose(stream);
    must(read_model(text, length, &again) == PB_SUCCESS);
    /* NOLINTNEXTLINE(*-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c): both were zeroed */
    must(memcmp(&again, model, sizeof(again)) == 0);
    free(text);
}

static void ask(const pb_model_t *model)
{
    static const int links[] = {0, 1, 2, 3, 7, 5000};
    static const uint64_t sizes[] = {0, 1, 1448, 65536, PB_MODEL_MAX_BYTES};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t k = 0; k < sizeof(links) / sizeof(links[0]); k++) {
            const pb_cost_t cost = pb_model_cost(model, links[k], sizes[i]);
            must(cost.gap >= 0 && cost.rtt >= 0 && cost.both >= 0);
            must(cost.send >= 0 && cost.receive >= 0 && pb_cost_latency(&cost) >= 0);
        }
        const pb_cost_t datagram = pb_model_datagram(model, sizes[i] + 1);
        must(datagram.gap >= 0 && datagram.rtt >= 0 && datagram.both >= datagram.gap);
        must(datagram.send >= 0 && datagram.receive >= 0);
        must(pb_model_byte_time(model, sizes[i]) >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pb_model_t model;
    if (read_model((const char *) bytes, length, &model) == PB_SUCCESS) {
        write_again(&model);
        ask(&model);
    }
    return 0;
}
