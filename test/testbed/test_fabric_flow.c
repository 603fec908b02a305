/* What a flow is: frames of it take the same one of parallel links. */
#include "contrib/testbed/fabric_frame.h"

#include <string.h>

#include "test/tap.h"

/** A TCP segment's headers: Ethernet, IPv4, and the ports; the rest is zero. */
static void headers(unsigned char *data, unsigned char host, unsigned char port)
{
    memset(data, 0, 100);
    data[12] = 0x08;
    data[14] = 0x45;
    data[14 + 9] = 6;
    data[14 + 15] = host;
    data[34 + 1] = port;
}

static void flows(void)
{
    unsigned char one[100], other[100];
    headers(one, 1, 1);
    headers(other, 1, 1);
    other[60] = 9;
    ok(fabric_flow_of(one, 100) == fabric_flow_of(other, 100), "equal connections are one flow");
    headers(other, 2, 1);
    ok(fabric_flow_of(one, 100) != fabric_flow_of(other, 100), "other addresses, another flow");
    headers(other, 1, 2);
    ok(fabric_flow_of(one, 100) != fabric_flow_of(other, 100), "other ports, another flow");
    one[14 + 6] = other[14 + 6] = 0x20;
    ok(fabric_flow_of(one, 100) == fabric_flow_of(other, 100), "fragments have no ports");
    one[12] = other[12] = 0x88;
    ok(fabric_flow_of(one, 100) == fabric_flow_of(other, 100), "nor has what is not IPv4");
    headers(one, 1, 1);
    headers(other, 1, 2);
    int wrong = 0;
    for (uint32_t length = 0; length <= 37; length++) {
        wrong += fabric_flow_of(one, length) != fabric_flow_of(other, length);
    }
    ok(wrong == 0, "ports beyond the end of a frame are not read");
}

int main(void)
{
    flows();
    return tap_done();
}
