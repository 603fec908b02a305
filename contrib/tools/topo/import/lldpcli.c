#include "lldpcli.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "mau.h"
#include "topo/util/error.h"

/** Neighbours of one host or switch. */
enum { MAX_NEIGHBOURS = 8192 };

/** What is being read. */
typedef struct reader {
    import_table_t *table;
    pb_diag_t *diag;
} reader_t;

/* ---- elements of json0: {"key": [{"value": "text", "attribute": "text"}, ...]} ---- */

/** The first element under a key of an object; NULL if there is none, or `object` is none. */
static const json_t *first(const json_t *object, const char *key)
{
    return json_array_get(json_object_get(object, key), 0);
}

/** A text under a key; NULL if there is none. */
static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/** The value of the first element under a key; NULL if there is none, or it is empty. */
static const char *value_of(const json_t *object, const char *key)
{
    const char *text = text_of(first(object, key), "value");
    return text != NULL && text[0] != '\0' ? text : NULL;
}

/** A copy of a text in printable ASCII, '?' for all else; NULL if out of memory. */
static char *clean_copy(const char *text)
{
    char *copy = strndup(text, IMPORT_MAX_NAME);
    for (char *c = copy; c != NULL && *c != '\0'; c++) {
        *c = ' ' <= *c && *c <= '~' ? *c : '?';
    }
    return copy;
}

/** Copies a text that may be missing. */
static int copy_if_there(const char *text, char **copy_p)
{
    *copy_p = text != NULL ? clean_copy(text) : NULL;
    return text == NULL || *copy_p != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

/* ---- neighbours ---- */

/** An ID with its type before it; NULL if it is missing or out of memory. */
static char *typed_id(const char *type, const char *value)
{
    char *joined, *copy = NULL;
    if (value != NULL && asprintf(&joined, "%s %s", type != NULL ? type : "unknown", value) >= 0) {
        copy = clean_copy(joined);
        free(joined);
    }
    return copy;
}

static unsigned capabilities_of(const json_t *chassis)
{
    static const struct {
        const char *type;
        unsigned capability;
    } known[] = {{"Bridge", IMPORT_BRIDGE},
                 {"Router", IMPORT_ROUTER},
                 {"Tel", IMPORT_DEVICE},
                 {"Wlan", IMPORT_DEVICE},
                 {"Docsis", IMPORT_DEVICE}};
    const json_t *list = json_object_get(chassis, "capability");
    unsigned capabilities = json_array_size(list) > 0 ? IMPORT_STATED : 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *capability = json_array_get(list, i);
        const char *type = text_of(capability, "type");
        for (size_t k = 0; type != NULL && k < sizeof(known) / sizeof(known[0]); k++) {
            if (strcmp(type, known[k].type) == 0 &&
                json_is_true(json_object_get(capability, "enabled"))) {
                capabilities |= known[k].capability;
            }
        }
    }
    return capabilities;
}

static uint32_t megabits_of(const json_t *port)
{
    const char *type = value_of(first(port, "auto-negotiation"), "current");
    return type != NULL ? import_mau_megabits(type) : 0;
}

/** What a port is called: its description in the place of an address, where it has one. */
static const char *port_name(const json_t *port)
{
    const char *type = text_of(first(port, "id"), "type"), *description = value_of(port, "descr");
    const bool is_address = type != NULL && strcmp(type, "mac") == 0;
    return is_address && description != NULL ? description : value_of(port, "id");
}

/** Adds the neighbour of an element of "interface". */
static int read_neighbour(const reader_t *r, const json_t *element)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    const char *interface = text_of(element, "name");
    const json_t *chassis = first(element, "chassis"), *port = first(element, "port");
    const char *id = value_of(chassis, "id");
    if (interface == NULL || id == NULL) {
        const char *shown = interface != NULL ? interface : "";
        pb_diag_fault(r->diag, r->table->file, 0,
                      "interface '%s' has a neighbour without %s; is this all that lldpcli has "
                      "printed?",
                      pb_diag_quote(quote, shown, strlen(shown)),
                      interface == NULL ? "the interface's name" : "a chassis ID");
        return PB_SUCCESS;
    }
    import_neighbour_t neighbour = {
        .interface = clean_copy(interface),
        .chassis = typed_id(text_of(first(chassis, "id"), "type"), id),
        .capabilities = capabilities_of(chassis),
        .megabits = megabits_of(port),
    };
    int error =
        neighbour.interface != NULL && neighbour.chassis != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    error = error != PB_SUCCESS ? error : copy_if_there(value_of(chassis, "name"), &neighbour.name);
    error = error != PB_SUCCESS ? error : copy_if_there(port_name(port), &neighbour.port);
    const int added = import_table_add(r->table, &neighbour);
    return error != PB_SUCCESS ? error : added;
}

static bool is_by_lldp(const json_t *element)
{
    const char *via = text_of(element, "via");
    return via == NULL || strcmp(via, "LLDP") == 0;
}

/** Whether some neighbour announces itself by LLDP over the interface of an element. */
static bool has_lldp(const json_t *interfaces, const json_t *element)
{
    const char *name = text_of(element, "name");
    for (size_t i = 0; name != NULL && i < json_array_size(interfaces); i++) {
        const json_t *other = json_array_get(interfaces, i);
        const char *other_name = text_of(other, "name");
        if (other_name != NULL && strcmp(name, other_name) == 0 && is_by_lldp(other)) {
            return true;
        }
    }
    return false;
}

static int read_interfaces(const reader_t *r, const json_t *interfaces)
{
    int error = PB_SUCCESS;
    if (json_array_size(interfaces) > MAX_NEIGHBOURS) {
        pb_diag_fault(r->diag, r->table->file, 0,
                      "has more than %d neighbours, which no switch has; is it one output of "
                      "lldpcli?",
                      MAX_NEIGHBOURS);
        return PB_SUCCESS;
    }
    for (size_t i = 0; i < json_array_size(interfaces) && error == PB_SUCCESS; i++) {
        const json_t *element = json_array_get(interfaces, i);
        if (is_by_lldp(element) || !has_lldp(interfaces, element)) {
            error = read_neighbour(r, element);
        }
    }
    return error;
}

/** Reads the whole output. */
static int read_root(const reader_t *r, const json_t *root)
{
    const json_t *lldp = json_object_get(root, "lldp");
    const json_t *interfaces = json_object_get(first(root, "lldp"), "interface");
    if (lldp == NULL) {
        pb_diag_fault(r->diag, r->table->file, 0,
                      "is JSON, but no table of neighbours; write it by lldpcli -f json0 show "
                      "neighbors details");
        return PB_SUCCESS;
    }
    if (!json_is_array(lldp) || (interfaces != NULL && !json_is_array(interfaces))) {
        pb_diag_fault(r->diag, r->table->file, 0,
                      "is of lldpcli -f json, whose structure depends on the number of interfaces; "
                      "write it by lldpcli -f json0 show neighbors details");
        return PB_SUCCESS;
    }
    return read_interfaces(r, interfaces);
}

int import_lldpcli_parse(const char *text, size_t length, import_table_t *table, pb_diag_t *diag)
{
    const size_t n_before = diag->n_faults;
    const reader_t reader = {.table = table, .diag = diag};
    json_error_t wrong;
    json_t *root = json_loadb(text, length, 0, &wrong);
    if (root == NULL && json_error_code(&wrong) == json_error_out_of_memory) {
        return PB_ERR_NO_MEMORY;
    }
    if (root == NULL) {
        char quote[PB_DIAG_QUOTE_SIZE];
        pb_diag_fault(diag, table->file, wrong.line > 0 ? wrong.line : 0,
                      "is no JSON (%s); write it by lldpcli -f json0 show neighbors details",
                      pb_diag_quote(quote, wrong.text, strlen(wrong.text)));
        return PB_ERR_INPUT;
    }
    const int error = read_root(&reader, root);
    json_decref(root);
    if (error != PB_SUCCESS) {
        return error;
    }
    return diag->n_faults > n_before ? PB_ERR_INPUT : PB_SUCCESS;
}
