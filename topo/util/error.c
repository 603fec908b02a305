#include "topo/util/error.h"

const char *pb_error_text(int code)
{
    if (code >= 0) {
        return "success";
    }
    switch ((pb_error_t) code) {
    case PB_ERR_NO_MEMORY:
        return "out of memory";
    case PB_ERR_IO:
        return "a file could not be read";
    case PB_ERR_INPUT:
        return "an input is malformed";
    case PB_ERR_UNKNOWN:
        return "a name is not known";
    case PB_ERR_UNFIT:
        return "the algorithm cannot serve this network";
    case PB_ERR_EMPTY:
        return "a rank nearer to the root has failed";
    case PB_ERR_MALFORMED:
        return "a control message is malformed";
    case PB_SUCCESS:
        break;
    }
    return "an unknown error code";
}
