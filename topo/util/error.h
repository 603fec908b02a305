/* The one set of error codes of topo/ and of the engine. Functions that can fail return one of
 * these (or a non-negative count where they say so); errors of an input also go to a pb_diag_t. */
#ifndef PB_ERROR_H
#define PB_ERROR_H

/**
 * The codes are below all codes of MPI (positive) and of Open MPI (small negative ones). The engine
 * may also return a code of the library under its transport.
 */
#define PB_ERR_BASE (-1000000)

typedef enum {
    PB_SUCCESS = 0,
    PB_ERR_NO_MEMORY = PB_ERR_BASE - 1,
    PB_ERR_IO = PB_ERR_BASE - 2,        /**< a file could not be opened or read */
    PB_ERR_INPUT = PB_ERR_BASE - 3,     /**< an input is malformed; a pb_diag_t says how */
    PB_ERR_UNKNOWN = PB_ERR_BASE - 4,   /**< a name is not in the network */
    PB_ERR_UNFIT = PB_ERR_BASE - 5,     /**< no slack or time suffices, or there is no such kind */
    PB_ERR_EMPTY = PB_ERR_BASE - 6,     /**< an empty segment came: the sender has failed */
    PB_ERR_MALFORMED = PB_ERR_BASE - 7, /**< a control message that no rank should send */
} pb_error_t;

/** Keeps an error unless there was one before; 0 is none. */
static inline void pb_keep_first_error(int *first_p, int error)
{
    *first_p = *first_p != 0 ? *first_p : error;
}

/** A short English text for a code. Never NULL, static storage. */
const char *pb_error_text(int code);

#endif
