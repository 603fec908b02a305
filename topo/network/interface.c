#include "topo/network/interface.h"

#include <dirent.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/** Interfaces above each other that are followed: a VLAN on a team of bonds, and one more. */
#define MAX_DEPTH 4

/** Bytes of a path below the directory of interfaces. */
#define MAX_PATH 512

/** An interface of the directory that is read. */
typedef struct at {
    const char *directory;
    const char *name;
    int depth; /**< interfaces above it that led to it */
} at_t;

static bool path_of(const at_t *at, const char *what, char path[MAX_PATH])
{
    const int length = snprintf(path, MAX_PATH, "%s/%s/%s", at->directory, at->name, what);
    return length > 0 && length < MAX_PATH;
}

static FILE *open_file(const at_t *at, const char *what)
{
    char path[MAX_PATH];
    return path_of(at, what, path) ? fopen(path, "r") : NULL;
}

static bool is_there(const at_t *at, const char *what)
{
    char path[MAX_PATH];
    struct stat file;
    return path_of(at, what, path) && stat(path, &file) == 0;
}

/** A number, -1 if there is none: a link that is down or virtual may have a file that fails. */
static long long read_number(const at_t *at, const char *what)
{
    long long number = -1;
    FILE *stream = open_file(at, what);
    if (stream == NULL) {
        return -1;
    }
    if (fscanf(stream, "%lld", &number) != 1) {
        number = -1;
    }
    fclose(stream);
    return number;
}

static uint64_t reported_speed(const at_t *at)
{
    const long long megabits = read_number(at, "speed");
    return megabits > 0 && megabits < INT32_MAX ? (uint64_t) megabits * 1000000 : 0;
}

/** Tells whether the bond uses one member at a time, so that its speed is the active member's. */
static bool has_one_active(const at_t *at)
{
    char mode[32] = "";
    FILE *stream = open_file(at, "bonding/mode");
    if (stream == NULL) {
        return false;
    }
    const bool read = fscanf(stream, "%31s", mode) == 1;
    fclose(stream);
    return read && strcmp(mode, "active-backup") == 0;
}

static uint64_t flow_speed(const at_t *at);

/** The lower one of two speeds; 0: unknown. */
static uint64_t slower(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static uint64_t member_speed(const at_t *above, const char *name)
{
    const at_t member = {above->directory, name, above->depth + 1};
    return member.depth < MAX_DEPTH ? flow_speed(&member) : 0;
}

/** The slowest one of a bond's list; 0 if there is no list. */
static uint64_t slowest_in_bond(const at_t *at)
{
    char name[IF_NAMESIZE];
    uint64_t speed = 0;
    FILE *stream = open_file(at, "bonding/slaves");
    if (stream == NULL) {
        return 0;
    }
    while (fscanf(stream, "%15s", name) == 1) {
        speed = slower(speed, member_speed(at, name));
    }
    fclose(stream);
    return speed;
}

/** The slowest one of those that it is above of, by the links lower_NAME; 0 if there are none. */
static uint64_t slowest_below(const at_t *at)
{
    static const char prefix[] = "lower_";
    char path[MAX_PATH];
    uint64_t speed = 0;
    DIR *directory = path_of(at, "", path) ? opendir(path) : NULL;
    if (directory == NULL) {
        return 0;
    }
    for (const struct dirent *entry = readdir(directory); entry != NULL;
         entry = readdir(directory)) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0) {
            speed = slower(speed, member_speed(at, entry->d_name + strlen(prefix)));
        }
    }
    closedir(directory);
    return speed;
}

/** Bits per second that one flow has; 0: not known. */
static uint64_t flow_speed(const at_t *at)
{
    uint64_t speed = 0;
    if (!is_there(at, "bridge") && !has_one_active(at)) {
        speed = slowest_in_bond(at);
        speed = speed > 0 ? speed : slowest_below(at);
    }
    return speed > 0 ? speed : reported_speed(at);
}

void pb_interface_read(const char *directory, const char *name, pb_interface_t *interface)
{
    const at_t at = {directory, name, 0};
    const long long mtu = read_number(&at, "mtu"), type = read_number(&at, "type");
    *interface = (pb_interface_t){
        .bits_per_second = flow_speed(&at),
        .mtu = mtu > 0 && mtu <= UINT32_MAX ? (uint32_t) mtu : 0,
        .type = type >= 0 && type <= UINT16_MAX ? (int) type : -1,
    };
}

bool pb_interface_is_ethernet(const pb_interface_t *interface)
{
    return interface->type == ARPHRD_ETHER || interface->type == ARPHRD_LOOPBACK;
}
