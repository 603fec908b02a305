#include "communicator/link.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compat.h"
#include "base/parameters.h"

/** Interfaces that report no speed are virtual ones mostly, of fast networks. Lower ones are
 * thought of when choosing (topo/choose.h), higher ones are not. */
#define DEFAULT_BITS_PER_SECOND UINT64_C(10000000000)
#define DEFAULT_MTU 1500

/** A number that the system reports of an interface; 0 if it reports none, or nothing positive. */
static uint64_t read_number(const char *interface, const char *what)
{
    char path[128];
    long long number = 0;
    snprintf(path, sizeof(path), "/sys/class/net/%s/%s", interface, what);
    FILE *stream = fopen(path, "r");
    if (stream == NULL) {
        return 0;
    }
    if (fscanf(stream, "%lld", &number) != 1) {
        number = 0;
    }
    fclose(stream);
    return number > 0 ? (uint64_t) number : 0;
}

/** The interface of the default route; false if there is none. */
static bool find_default_route(char interface[IF_NAMESIZE])
{
    char line[256];
    bool found = false;
    FILE *stream = fopen("/proc/net/route", "r");
    if (stream == NULL) {
        return false;
    }
    while (!found && fgets(line, sizeof(line), stream) != NULL) {
        char name[IF_NAMESIZE];
        unsigned long destination = 1;
        found = sscanf(line, "%15s %lx", name, &destination) == 2 && destination == 0;
        if (found) {
            strcpy(interface, name);
        }
    }
    fclose(stream);
    return found;
}

static uint32_t address_of(const struct ifaddrs *interface)
{
    return ntohl(
        ((const struct sockaddr_in *) (const void *) interface->ifa_addr)->sin_addr.s_addr);
}

/** Whether an entry of btl_tcp_if_include, a name or ADDRESS/BITS, means this interface. */
static bool is_meant(const struct ifaddrs *interface, const char *entry)
{
    const char *slash = strchr(entry, '/');
    char address[64];
    struct in_addr network;
    if (slash == NULL) {
        return strcmp(interface->ifa_name, entry) == 0;
    }
    const long bits = strtol(slash + 1, NULL, 10);
    snprintf(address, sizeof(address), "%.*s", (int) (slash - entry), entry);
    if (inet_pton(AF_INET, address, &network) != 1 || bits < 0 || bits > 32) {
        return false;
    }
    const uint32_t mask = bits == 0 ? 0 : UINT32_MAX << (32 - bits);
    return (address_of(interface) & mask) == (ntohl(network.s_addr) & mask);
}

/** The parameter btl_tcp_if_include; NULL if it is not set. Borrowed. */
static const char *included(void)
{
    const char **value = NULL;
    const int index = mca_base_var_find("opal", "btl", "tcp", "if_include");
    if (index < 0 || mca_base_var_get_value(index, &value, NULL, NULL) != OPAL_SUCCESS ||
        value == NULL || !coll_pipebcast_is_set(*value)) {
        return NULL;
    }
    return *value;
}

static bool is_up(const struct ifaddrs *interface)
{
    return interface->ifa_addr != NULL && interface->ifa_addr->sa_family == AF_INET &&
           (interface->ifa_flags & IFF_UP) != 0;
}

/** Makes the link no better than this interface. 0 stands for what is not known yet. */
static void take(coll_pipebcast_link_t *link, const char *interface)
{
    const uint64_t megabits = read_number(interface, "speed");
    const uint64_t mtu = read_number(interface, "mtu");
    const uint64_t speed = megabits < UINT64_MAX / 1000000 ? megabits * 1000000 : 0;
    if (speed > 0 && (link->bits_per_second == 0 || speed < link->bits_per_second)) {
        link->bits_per_second = speed;
    }
    if (mtu > 0 && mtu <= UINT32_MAX && (link->mtu == 0 || mtu < link->mtu)) {
        link->mtu = (uint32_t) mtu;
    }
}

static void take_included(coll_pipebcast_link_t *link, const struct ifaddrs *interfaces,
                          const char *list)
{
    char **entries = opal_argv_split(list, ',');
    for (const struct ifaddrs *at = interfaces; at != NULL; at = at->ifa_next) {
        for (int i = 0; entries != NULL && entries[i] != NULL; i++) {
            if (is_up(at) && is_meant(at, entries[i])) {
                take(link, at->ifa_name);
            }
        }
    }
    opal_argv_free(entries);
}

static void take_usual(coll_pipebcast_link_t *link, const struct ifaddrs *interfaces)
{
    char route[IF_NAMESIZE];
    if (find_default_route(route)) {
        take(link, route);
        return;
    }
    for (const struct ifaddrs *at = interfaces; at != NULL; at = at->ifa_next) {
        if (is_up(at) && (at->ifa_flags & IFF_LOOPBACK) == 0) {
            take(link, at->ifa_name);
            return;
        }
    }
}

coll_pipebcast_link_t coll_pipebcast_link_get(void)
{
    coll_pipebcast_link_t link = {0};
    struct ifaddrs *interfaces = NULL;
    const char *list = included();
    if (getifaddrs(&interfaces) != 0) {
        interfaces = NULL;
    }
    if (list != NULL) {
        take_included(&link, interfaces, list);
    } else {
        take_usual(&link, interfaces);
    }
    if (interfaces != NULL) {
        freeifaddrs(interfaces);
    }
    link.bits_per_second =
        link.bits_per_second > 0 ? link.bits_per_second : DEFAULT_BITS_PER_SECOND;
    link.mtu = link.mtu > 0 ? link.mtu : DEFAULT_MTU;
    return link;
}
