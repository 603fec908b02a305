/* Speeds by the types of transceivers that lldpcli prints. */
#include "contrib/tools/topo/import/mau.h"
#include "test/tap.h"

static const struct {
    const char *type;
    uint32_t megabits;
} cases[] = {
    {"10BaseTFD - UTP MAU, full duplex mode", 10},
    {"100BaseTXFD - 2 pair category 5 UTP, full duplex mode", 100},
    {"1000BaseTFD - Four-pair Category 5 UTP, full duplex mode", 1000},
    {"1000baseKX - X backplane, full duplex mode only", 1000},
    {"2p5GbaseT - PCS/PMA", 2500},
    {"5GigBaseT", 5000},
    {"10GigBaseLR - R fiber over 1310 nm optics", 10000},
    {"10GbaseT - Four-pair Category 6A or better, full duplex mode only", 10000},
    {"25GbaseCR - 25GBASE-R PCS/PMA over shielded balanced copper cable", 25000},
    {"40GbaseCR4", 40000},
    {"100GbaseLR4", 100000},
    {"400GbaseDR4", 400000},
    {"10G1GbasePRXD1 - One single-mode fiber asymmetric-rate EPON OLT", 0},
    {"10PassTS - Voice grade UTP copper", 0},
    {"AUI - No internal MAU, view from AUI", 0},
    {"unknown", 0},
    {"", 0},
    {"2p", 0},
    {"99999999999999GbaseT", 0},
    {"999999GbaseT", 999999000},
    {"BaseT", 0},
};

int main(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint32_t is = import_mau_megabits(cases[i].type);
        ok(is == cases[i].megabits, "'%s' is %u Mbit/s", cases[i].type, (unsigned) is);
    }
    return tap_done();
}
