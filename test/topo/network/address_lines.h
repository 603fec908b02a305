/*
 * Addresses of hosts as text: a line "HOST RECORD" for each process. The record's own lines are
 * separated by blanks, and "-" is an empty one: "n1 1 n1 core.s1.n1 switch.switch.node".
 */
#ifndef PB_TEST_ADDRESS_LINES_H
#define PB_TEST_ADDRESS_LINES_H

#include "topo/network/addresses.h"

/** Cuts the text into addresses, at most `most`, whose texts are inside it; their number. A
 * malformed record is an empty one. */
int address_lines_read(char *text, pb_address_t *addresses, int most);

#endif
