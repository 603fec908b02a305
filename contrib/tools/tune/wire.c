#include "wire.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "topo/model/model.h"

enum {
    BYTES = 1000, /**< of a message; sent immediately by every transport */
    FEW = 64,
    MANY = 320,
    MOST_OVERHEAD = 512,
    LEAST_PAYLOAD = 64,
    MOST_PAYLOAD = 65535,
    USUAL_PAYLOAD = 1448, /**< of 1500 bytes, 52 are headers with timestamps */
    MOST_DESCRIPTORS = 65536,
};

/** All of this process's TCP connections at one moment. */
struct census {
    uint64_t acknowledged; /**< bytes, of all connections */
    uint64_t most;         /**< of one connection */
    uint32_t payload;      /**< of that one */
};

static void count_socket(struct census *census, int fd)
{
    struct tcp_info info;
    socklen_t length = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
        length < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked) {
        return;
    }
    census->acknowledged += info.tcpi_bytes_acked;
    if (info.tcpi_bytes_acked > census->most) {
        census->most = info.tcpi_bytes_acked;
        census->payload = info.tcpi_snd_mss;
    }
}

static struct census take_census(void)
{
    struct census census = {.most = 0};
    struct rlimit limit;
    int n = MOST_DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < MOST_DESCRIPTORS) {
        n = (int) limit.rlim_cur;
    }
    for (int fd = 0; fd < n; fd++) {
        count_socket(&census, fd);
    }
    return census;
}

bool tune_wire_find(const struct tune_team *team, struct tune_wire *wire_p)
{
    *wire_p = (struct tune_wire){.payload = USUAL_PAYLOAD, .overhead = PB_MODEL_ASSUMED_OVERHEAD};
    tune_lead(team, TUNE_STREAM, BYTES, FEW); /* connections are made */
    const struct census first = take_census();
    tune_lead(team, TUNE_STREAM, BYTES, FEW);
    const struct census second = take_census();
    tune_lead(team, TUNE_STREAM, BYTES, MANY);
    const struct census third = take_census();
    const uint64_t more =
        (third.acknowledged - second.acknowledged) - (second.acknowledged - first.acknowledged);
    const uint64_t each = (more + (MANY - FEW) / 2) / (MANY - FEW);
    if (each < BYTES || each > BYTES + MOST_OVERHEAD || third.payload < LEAST_PAYLOAD ||
        third.payload > MOST_PAYLOAD) {
        return false;
    }
    *wire_p = (struct tune_wire){.payload = third.payload, .overhead = (uint32_t) (each - BYTES)};
    return true;
}
