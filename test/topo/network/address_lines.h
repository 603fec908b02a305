/*
 * Addresses of hosts as text: a line "HOST NODE ADDRESS PATTERN" for each process. "-" or nothing
 * is an empty one: "n1 n1 core.s1.n1 switch.switch.node".
 */
#ifndef PB_TEST_ADDRESS_LINES_H
#define PB_TEST_ADDRESS_LINES_H

#include "topo/network/addresses.h"

/** Cuts the text into addresses, at most `most`, whose texts are inside it; their number. */
int address_lines_read(char *text, pb_address_t *addresses, int most);

#endif
