/*
 * Speeds of links by the type of their transceivers (medium attachment units, RFC 4836), by which
 * LLDP announces them.
 */
#ifndef IMPORT_MAU_H
#define IMPORT_MAU_H

#include <stdint.h>

/**
 * Mbit/s of a type as lldpcli prints it: "1000BaseTFD - Four-pair Category 5 UTP, full duplex
 * mode", "10GigBaseLR - ...", "25GbaseCR - ...", "2p5GbaseT - ...". 0 if it is none.
 */
uint32_t import_mau_megabits(const char *type);

#endif
