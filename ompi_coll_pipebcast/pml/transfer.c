/*
 * The transfer and its transport as one unit, so that the compiler sees both: every segment goes
 * through them.
 */
#include "engine/transfer.c" /* NOLINT(bugprone-suspicious-include) */
#include "pml/transport.c"   /* NOLINT(bugprone-suspicious-include) */
