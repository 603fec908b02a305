/*
 * The transfer and its transport over the PML as one unit, so that the compiler sees from one
 * into the other: every segment goes through both.
 */
#include "engine/transfer.c" /* NOLINT(bugprone-suspicious-include) */
#include "pml/transport.c"   /* NOLINT(bugprone-suspicious-include) */
