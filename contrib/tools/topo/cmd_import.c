#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cluster.h"
#include "contrib/tools/common/file.h"
#include "import/lldp.h"
#include "import/lldpcli.h"
#include "message.h"
#include "remarks.h"
#include "topo/network/topology.h"
#include "topo/util/text_file.h"

/** Bytes of an output of lldpcli, or of a table of trunks. */
#define MAX_FILE ((size_t) 16 << 20)

/** Tables of one kind. */
typedef struct tables {
    import_table_t *all;
    int n, capacity;
} tables_t;

/** What is read before anything is made of it. */
typedef struct inputs {
    tables_t hosts, switches;
    import_trunks_t trunks;
    pb_diag_t diag, warnings;
} inputs_t;

/** The exit that an error of a reader leads to. */
static tool_exit_t exit_of(int error)
{
    switch (error) {
    case PB_SUCCESS:
        return TOOL_OK;
    case PB_ERR_INPUT:
        return TOOL_FAULTY;
    case PB_ERR_IO:
        return TOOL_SYSTEM;
    default:
        return tool_complain_error(error);
    }
}

/** The more serious of two exits of reading. */
static tool_exit_t worse(tool_exit_t a, tool_exit_t b)
{
    return a > b ? a : b;
}

/* ---- tables of neighbours ---- */

static void clear_tables(tables_t *tables)
{
    for (int i = 0; i < tables->n; i++) {
        import_table_clear(&tables->all[i]);
    }
    free(tables->all);
}

/** A new table; NULL if out of memory. */
static import_table_t *new_table(tables_t *tables, const char *owner, const char *file)
{
    if (tables->n == tables->capacity) {
        const int capacity = tables->capacity > 0 ? 2 * tables->capacity : 64;
        import_table_t *more = realloc(tables->all, (size_t) capacity * sizeof(*tables->all));
        if (more == NULL) {
            return NULL;
        }
        tables->all = more;
        tables->capacity = capacity;
    }
    import_table_t *table = &tables->all[tables->n++];
    return import_table_init(table, owner, file) == PB_SUCCESS ? table : NULL;
}

/** Reads the table of `owner` at `path`. */
static tool_exit_t read_table(tables_t *tables, const char *owner, const char *path,
                              pb_diag_t *diag)
{
    char *text;
    size_t length;
    import_table_t *table = new_table(tables, owner, path);
    int error = table != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    if (error == PB_SUCCESS) {
        error = pb_text_file_read(path, "table of lldpcli", MAX_FILE, &text, &length, diag);
    }
    if (error == PB_SUCCESS) {
        error = import_lldpcli_parse(text, length, table, diag);
        free(text);
    }
    return exit_of(error);
}

/** The part of a path that names the owner: "n0" of "tables/n0.json". The caller frees it. */
static char *owner_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return strndup(name, dot != NULL && dot > name ? (size_t) (dot - name) : strlen(name));
}

/** Reads a file whose name is that of its owner. */
static tool_exit_t read_named_file(tables_t *tables, const char *path, pb_diag_t *diag)
{
    char *owner = owner_of(path);
    const tool_exit_t code = owner != NULL ? read_table(tables, owner, path, diag)
                                           : tool_complain_error(PB_ERR_NO_MEMORY);
    free(owner);
    return code;
}

static int is_json(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot != NULL && strcmp(dot, ".json") == 0;
}

/** Reads each .json file of a directory. */
static tool_exit_t read_directory(tables_t *tables, const char *directory, pb_diag_t *diag)
{
    struct dirent **entries;
    const int n = scandir(directory, &entries, is_json, versionsort);
    tool_exit_t code = TOOL_OK;
    if (n < 0) {
        return tool_complain(TOOL_SYSTEM, "%s: cannot be read: %s", directory, strerror(errno));
    }
    for (int i = 0; i < n; i++) {
        char *path;
        if (asprintf(&path, "%s/%s", directory, entries[i]->d_name) < 0) {
            code = tool_complain_error(PB_ERR_NO_MEMORY);
        } else {
            code = worse(code, read_named_file(tables, path, diag));
            free(path);
        }
        free(entries[i]);
    }
    free(entries);
    if (n == 0) {
        pb_diag_fault(diag, directory, 0, "has no file whose name ends in .json");
        return TOOL_FAULTY;
    }
    return code;
}

/** Reads what a word of the command line names: DIRECTORY, NAME=FILE, or FILE. */
static tool_exit_t read_word(tables_t *tables, const char *word, pb_diag_t *diag)
{
    struct stat there;
    const size_t name = strcspn(word, "=/");
    if (stat(word, &there) == 0) {
        return S_ISDIR(there.st_mode) ? read_directory(tables, word, diag)
                                      : read_named_file(tables, word, diag);
    }
    if (word[name] != '=' || name == 0) {
        return read_named_file(tables, word, diag);
    }
    char *owner = strndup(word, name);
    const tool_exit_t code = owner != NULL ? read_table(tables, owner, word + name + 1, diag)
                                           : tool_complain_error(PB_ERR_NO_MEMORY);
    free(owner);
    return code;
}

static tool_exit_t read_words(tables_t *tables, const char *const *words, int n, pb_diag_t *diag)
{
    tool_exit_t code = TOOL_OK;
    for (int i = 0; i < n; i++) {
        code = worse(code, read_word(tables, words[i], diag));
    }
    return code;
}

static tool_exit_t read_trunks(const char *path, import_trunks_t *trunks, pb_diag_t *diag)
{
    char *text;
    size_t length;
    int error = pb_text_file_read(path, "table of trunks", MAX_FILE, &text, &length, diag);
    if (error == PB_SUCCESS) {
        error = import_trunks_parse(text, length, path, trunks, diag);
        free(text);
    }
    return exit_of(error);
}

static tool_exit_t read_inputs(const tool_options_t *options, inputs_t *inputs)
{
    tool_exit_t code = read_words(&inputs->hosts, (const char *const *) options->operands.words + 1,
                                  options->operands.n - 1, &inputs->diag);
    code = worse(code, read_words(&inputs->switches, options->switches.words, options->switches.n,
                                  &inputs->diag));
    if (options->trunks != NULL) {
        code = worse(code, read_trunks(options->trunks, &inputs->trunks, &inputs->diag));
    }
    return code;
}

/* ---- the topology ---- */

static import_words_t words_of(const tool_words_t *words)
{
    return (import_words_t){.all = words->words, .n = words->n};
}

/** Makes the topology, as text that the caller frees, and reads it back. */
static tool_exit_t make_topology(const tool_options_t *options, inputs_t *inputs, char **text_p,
                                 size_t *length_p, pb_network_t **network_p)
{
    const import_request_t request = {
        .hosts = inputs->hosts.all,
        .n_hosts = inputs->hosts.n,
        .switches = inputs->switches.all,
        .n_switches = inputs->switches.n,
        .trunks = options->trunks != NULL ? &inputs->trunks : NULL,
        .interfaces = words_of(&options->interfaces),
        .pairs = words_of(&options->pairs),
        .ignored = words_of(&options->ignored),
        .tops = words_of(&options->tops),
    };
    FILE *out = open_memstream(text_p, length_p);
    if (out == NULL) {
        return tool_complain_error(PB_ERR_NO_MEMORY);
    }
    int error = import_lldp(&request, out, &inputs->diag, &inputs->warnings);
    if (fclose(out) != 0 && error == PB_SUCCESS) {
        error = PB_ERR_NO_MEMORY;
    }
    if (error == PB_SUCCESS) {
        const pb_topology_text_t topology = {
            .text = *text_p, .length = *length_p, .name = "the topology of these tables"};
        error = pb_topology_parse(&topology, network_p, &inputs->diag);
    }
    return exit_of(error);
}

/** Writes the topology to the file of --output, and prints what `check` prints of it. */
static tool_exit_t write_file(const char *path, const char *text, size_t length,
                              const pb_network_t *network)
{
    common_file_t file;
    if (!common_file_open(&file, path, "--output")) {
        return TOOL_SYSTEM;
    }
    fwrite(text, 1, length, file.stream);
    if (!common_file_finish(&file)) {
        common_file_abandon(&file);
        return TOOL_SYSTEM;
    }
    if (!common_file_rename(&file)) {
        return TOOL_SYSTEM;
    }
    tool_print_size(path, network);
    tool_print_remarks(network, stdout);
    return TOOL_OK;
}

static void print_warnings(const pb_diag_t *warnings)
{
    for (size_t i = 0; i < warnings->n_kept; i++) {
        tool_complain(TOOL_OK, "warning: %s", warnings->messages[i]);
    }
}

static tool_exit_t import_tables(const tool_options_t *options, inputs_t *inputs)
{
    char *text = NULL;
    size_t length = 0;
    pb_network_t *network = NULL;
    tool_exit_t code = read_inputs(options, inputs);
    if (code == TOOL_OK) {
        code = make_topology(options, inputs, &text, &length, &network);
    }
    print_warnings(&inputs->warnings);
    tool_print_faults(stderr, &inputs->diag);
    if (code == TOOL_OK && options->output != NULL) {
        code = write_file(options->output, text, length, network);
    } else if (code == TOOL_OK) {
        fwrite(text, 1, length, stdout);
    }
    pb_network_free(network);
    free(text);
    return code;
}

static tool_exit_t run(const tool_options_t *options)
{
    inputs_t inputs = {.hosts = {.n = 0}};
    if (options->operands.n < 2 || strcmp(options->operands.words[0], "lldp") != 0) {
        return tool_complain(TOOL_USAGE,
                             "import takes lldp and one FILE or more; see pipebcast import "
                             "--help");
    }
    pb_diag_init(&inputs.diag);
    pb_diag_init(&inputs.warnings);
    const tool_exit_t code = import_tables(options, &inputs);
    clear_tables(&inputs.hosts);
    clear_tables(&inputs.switches);
    import_trunks_clear(&inputs.trunks);
    pb_diag_clear(&inputs.diag);
    pb_diag_clear(&inputs.warnings);
    return code;
}

static const common_option_t rows[] = {
    {"switches", COMMON_OWN, .take = tool_take_switches, .argument = "FILE",
     .help = "the table of a switch on which lldpd runs, or a directory of such; may be repeated"},
    {"trunks", COMMON_WORD, TOOL_VALUE(trunks), .argument = "FILE",
     .help = "links between switches, a line for each: switch, port, switch, port, and Mbit/s if "
             "known"},
    {"interface", COMMON_OWN, .take = tool_take_interfaces, .argument = "LIST", .missing = "all",
     .help = "interfaces of hosts that count, as eth0,eth1"},
    {"pair", COMMON_OWN, .take = tool_take_pairs, .argument = "LIST",
     .help = "switches that are one, as leaf1,leaf2: an MLAG pair, a stack; may be repeated"},
    {"ignore", COMMON_OWN, .take = tool_take_ignored, .argument = "LIST",
     .help = "neighbours that are no switches, or do not count"},
    {"top", COMMON_OWN, .take = tool_take_tops, .argument = "LIST",
     .missing = "the middle of a tree, else what is above the leaves",
     .help = "switches of the highest layer"},
    {"output", COMMON_WORD, TOOL_VALUE(output), .argument = "FILE", .missing = "standard output",
     .help = "where the topology goes"},
    {0},
};

const tool_command_t tool_cmd_import = {
    .line =
        {
            .name = "pipebcast import",
            .usage =
                "usage: pipebcast import lldp FILE... [OPTION]...\n"
                "\n"
                "Makes a topology of what LLDP has told the hosts: which switch each is connected\n"
                "to. Each FILE is what 'lldpcli -f json0 show neighbors details' prints on a "
                "host,\n"
                "called as the host (n0.json), or given as NAME=FILE; or a directory of such, "
                "whose\n"
                "names end in .json. The switches' own tables, or a table of trunks, tell how "
                "these\n"
                "are connected; without either, they are joined by one switch above them.\n",
            .has_operands = true,
            .groups = (const common_group_t[]){{NULL, rows}, {0}},
            .more = "Switches are named by their system name or their chassis ID.\n"
                    "\n"
                    "examples:\n"
                    "  for host in n0 n1 n2; do\n"
                    "      ssh $host lldpcli -f json0 show neighbors details > lldp/$host.json\n"
                    "  done\n"
                    "  pipebcast import lldp lldp --switches lldp/switches --output cluster.conf\n"
                    "  pipebcast import lldp lldp --trunks trunks --interface eth1\n"
                    "\n"
                    "exit status: 0 all is well; 1 a table has faults, the links are no tree, a "
                    "file cannot\n"
                    "be read or written, or there is no library for JSON; 2 the command line is "
                    "wrong.\n",
        },
    .summary = "make a topology of what LLDP tells",
    .many_files = true,
    .run = run,
};
