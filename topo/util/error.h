/*
 * The error codes of topo/. Functions that can fail return one of these (or a
 * non-negative count where they say so); what was wrong with an input goes to a
 * pb_diag_t beside it.
 */
#ifndef PB_ERROR_H
#define PB_ERROR_H

typedef enum {
    PB_SUCCESS = 0,
    PB_ERR_NO_MEMORY = -1,
    PB_ERR_IO = -2,      /**< a file could not be opened or read */
    PB_ERR_INPUT = -3,   /**< an input is malformed; a pb_diag_t says how */
    PB_ERR_UNKNOWN = -4, /**< a name is not in the network */
    PB_ERR_UNFIT = -5,   /**< an algorithm cannot serve this network */
} pb_error_t;

/** A short English text for a code. Never NULL, static storage. */
const char *pb_error_text(int code);

#endif
