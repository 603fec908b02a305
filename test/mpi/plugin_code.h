/*
 * Where the plugin's code lies in this process, so that what it calls can be told apart from what
 * others call. For libraries put before the C library (LD_PRELOAD).
 */
#ifndef PB_TEST_PLUGIN_CODE_H
#define PB_TEST_PLUGIN_CODE_H

#include <stdbool.h>

/** Looks for the plugin, which is loaded by now. */
void plugin_code_find(void);

/** Whether the code at `caller` is the plugin's; false before it was found. */
bool plugin_code_has(const void *caller);

#endif
