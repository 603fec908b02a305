/*
 * Tables of neighbours: what LLDP (IEEE 802.1AB) has told a host or a switch of whom its ports are
 * connected to.
 */
#ifndef IMPORT_TABLE_H
#define IMPORT_TABLE_H

#include <stdint.h>

/** Bytes of a name or an identifier, at most: what LLDP can carry. */
#define IMPORT_MAX_NAME 255

/** What a neighbour does, of the capabilities that it has enabled. */
typedef enum {
    IMPORT_STATED = 1, /**< it has stated capabilities at all */
    IMPORT_BRIDGE = 2, /**< it forwards frames */
    IMPORT_ROUTER = 4, /**< it forwards packets */
    IMPORT_DEVICE =
        8, /**< it is a telephone, an access point or a cable modem, whatever it forwards */
} import_capability_t;

/** A neighbour on an interface. Texts are owned, and have printable characters of ASCII only. */
typedef struct import_neighbour {
    char *interface;       /**< of the table's owner */
    char *chassis;         /**< chassis ID with its type before it, as "mac 00:1c:73:00:00:01" */
    char *name;            /**< system name; NULL: not announced */
    char *port;            /**< of the neighbour's end, as people call it; NULL: not announced */
    unsigned capabilities; /**< import_capability_t */
    uint32_t megabits;     /**< of the neighbour's port, Mbit/s; 0: not announced */
    int at;                /**< for import_lldp(): the switch that it is, -1: none */
} import_neighbour_t;

typedef struct import_table {
    char *owner; /**< name of the host or switch whose table it is; owned */
    char *file;  /**< as messages call it; owned */
    import_neighbour_t *neighbours;
    int n, capacity;
} import_table_t;

/** An empty table. PB_ERR_NO_MEMORY; clear in any case. */
int import_table_init(import_table_t *table, const char *owner, const char *file);
void import_table_clear(import_table_t *table);

/**
 * Adds a neighbour, which is owned by the table from here on, also after an error.
 * PB_ERR_NO_MEMORY.
 */
int import_table_add(import_table_t *table, const import_neighbour_t *neighbour);

#endif
