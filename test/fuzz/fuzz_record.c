/* The record of a process: a text that is read is what is written of it, any other is refused. */
#include "test/fuzz/fuzz.h"
#include "topo/network/record.h"

const char fuzz_name[] = "record";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *read = must_have(strdup(text));
    pb_facts_t facts;
    pb_address_t address;
    if (pb_record_read(read, &facts, &address) == PB_SUCCESS) {
        char *again = must_have(pb_record_write(&facts, &address));
        must(strcmp(again, text) == 0 || strlen(address.node) > PB_ADDRESS_MAX_NODE ||
             strlen(address.address) > PB_ADDRESS_MAX_LENGTH ||
             strlen(address.pattern) > PB_ADDRESS_MAX_LENGTH);
        free(again);
    } else {
        must(!facts.can_serve);
    }
    must(address.host != NULL && address.node != NULL && address.pattern != NULL);
    free(read);
    free(text);
    return 0;
}
