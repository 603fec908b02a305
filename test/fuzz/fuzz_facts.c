/* The facts of a process: a line that is read is what is written of it, any other is refused. */
#include "test/fuzz/fuzz.h"
#include "topo/network/facts.h"

const char fuzz_name[] = "facts";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char line[PB_FACTS_SIZE], *text = fuzz_text(data, size);
    pb_facts_t facts;
    if (pb_facts_read(text, &facts) == PB_SUCCESS) {
        must(strcmp(pb_facts_write(&facts, line), text) == 0);
    } else {
        must(!facts.can_serve);
    }
    free(text);
    return 0;
}
