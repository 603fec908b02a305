/* The facts of a process: a line that is read is what is written of it, any other is refused. */
#include <string.h>

#include "test/fuzz/fuzz.h"
#include "topo/network/facts.h"
#include "topo/util/error.h"

const char fuzz_name[] = "facts";

enum { MAX_BYTES = 500 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[MAX_BYTES + 1], line[PB_FACTS_SIZE];
    pb_facts_t facts;
    const size_t n = size < MAX_BYTES ? size : MAX_BYTES;
    memcpy(text, data, n);
    text[n] = '\0';
    if (pb_facts_read(text, &facts) == PB_SUCCESS) {
        fuzz_must(strcmp(pb_facts_write(&facts, line), text) == 0);
    } else {
        fuzz_must(!facts.can_serve);
    }
    return 0;
}
