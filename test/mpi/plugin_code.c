#include "preloaded.h"

#include <link.h>
#include <stdint.h>
#include <string.h>

#define PLUGIN "mca_coll_pipebcast.so"

/* (dlopen() is no place to see it being loaded: UCX's hooks may come before ours.) */
static uintptr_t first, end;

static int find(struct dl_phdr_info *info, size_t size, void *context)
{
    (void) size;
    (void) context;
    if (strstr(info->dlpi_name, PLUGIN) == NULL) {
        return 0;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
            first = info->dlpi_addr + part->p_vaddr;
            end = first + part->p_memsz;
        }
    }
    return 1;
}

void plugin_code_find(void)
{
    if (end == 0) {
        dl_iterate_phdr(find, NULL);
    }
}

__attribute__((no_sanitize_address)) bool plugin_code_has(const void *caller)
{
    const uintptr_t at = (uintptr_t) caller;
    return at >= first && at < end;
}
