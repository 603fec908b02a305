/* A host's interfaces, read from made-up directories like /sys/class/net. */
#include <sys/stat.h>
#include <unistd.h>

#include "test/must.h"
#include "test/tap.h"
#include "test/topo/util/golden.h"
#include "topo/network/interface.h"

static char root[] = "/tmp/test_interface.XXXXXX";

/** Writes a file below the root; directories are made. */
static void put(const char *file, const char *text)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", root, file);
    for (char *slash = strchr(path + sizeof(root), '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *stream = fopen(path, "w");
    must(stream != NULL && fputs(text, stream) >= 0 && fclose(stream) == 0);
}

static void check_row(char *const *columns, int n)
{
    pb_interface_t interface;
    char is[100];
    for (int i = 3; i + 1 < n; i += 2) {
        put(columns[i], columns[i + 1]);
    }
    pb_interface_read(root, columns[1], &interface);
    snprintf(is, sizeof(is), "%lu %lu %d %d", (unsigned long) (interface.bits_per_second / 1000000),
             (unsigned long) interface.mtu, interface.type, pb_interface_is_ethernet(&interface));
    ok(golden_equal(is, columns[2]), "%s", columns[0]);
}

int main(void)
{
    must(mkdtemp(root) != NULL);
    ok(golden_rows("network/interfaces.rows", check_row) == 19, "there are rows");
    char command[sizeof(root) + 16];
    snprintf(command, sizeof(command), "rm -rf %s", root);
    ok(system(command) == 0, "the directories are removed");
    return tap_done();
}
