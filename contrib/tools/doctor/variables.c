#include "variables.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/report.h"

enum { NAME_SIZE = 256 };

static const char prefix[] = "coll_pipebcast_";

/** Parameters of Open MPI that decide by what messages go, and who broadcasts. */
static const char *const others[] = {
    "coll",
    "pml",
    "mtl",
    "btl",
    "btl_tcp_if_include",
    "btl_tcp_if_exclude",
    "btl_tcp_sndbuf",
    "btl_tcp_rcvbuf",
    "btl_tcp_links",
    "btl_tcp_disable_family",
    "mpi_leave_pinned",
};

/** Reports of the plugin on itself. */
static const char *const texts[] = {"status_topology", "status_costs", "status_why"};
static const char *const numbers[] = {"status_switches", "status_connections"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool doctor_variables_open(void)
{
    int provided;
    return MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
}

void doctor_variables_close(void)
{
    MPI_T_finalize();
}

bool doctor_variables_is_plugins(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

/** Tells whether a variable is a part of a component's version, which Open MPI itself registers. */
static bool is_of_version(const char *name)
{
    static const char end[] = "_version";
    const size_t length = strlen(name);
    return length >= strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

/** Tells whether a name is one of `others`. */
static bool is_other(const char *name)
{
    for (size_t i = 0; i < COUNT(others); i++) {
        if (strcmp(name, others[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool doctor_variables_is_parameter(const char *name)
{
    return is_other(name) || (doctor_variables_is_plugins(name) && !is_of_version(name));
}

/* ---- control variables ---- */

/** A value of one element. */
typedef union value {
    int i;
    unsigned u;
    unsigned long ul;
    unsigned long long ull;
    double d;
    bool b;
} value_t;

/** The text of a value: its name, if it has one. */
static void print_value(const value_t *value, MPI_Datatype type, MPI_T_enum names, char *text,
                        size_t size)
{
    int n_names = 0, number;
    char of_names[NAME_SIZE];
    int of_names_size = sizeof of_names;
    if (type == MPI_INT) {
        snprintf(text, size, "%d", value->i);
    } else if (type == MPI_UNSIGNED) {
        snprintf(text, size, "%u", value->u);
    } else if (type == MPI_UNSIGNED_LONG) {
        snprintf(text, size, "%lu", value->ul);
    } else if (type == MPI_UNSIGNED_LONG_LONG) {
        snprintf(text, size, "%llu", value->ull);
    } else if (type == MPI_DOUBLE) {
        snprintf(text, size, "%g", value->d);
    } else {
        snprintf(text, size, "%d", value->b);
    }
    if (type != MPI_INT || names == MPI_T_ENUM_NULL ||
        MPI_T_enum_get_info(names, &n_names, of_names, &of_names_size) != MPI_SUCCESS) {
        return;
    }
    for (int i = 0; i < n_names; i++) {
        char name[NAME_SIZE];
        int name_size = sizeof name;
        if (MPI_T_enum_get_item(names, i, &number, name, &name_size) == MPI_SUCCESS &&
            number == value->i) {
            snprintf(text, size, "%s", name);
            return;
        }
    }
}

/** Adds the value behind a handle of `count` elements. */
static void add_value(json_t *record, const char *name, MPI_T_cvar_handle handle, int count,
                      MPI_Datatype type, MPI_T_enum names)
{
    char text[NAME_SIZE] = "";
    value_t value = {.ull = 0};
    if (type == MPI_CHAR) {
        char *string = common_alloc((size_t) count + 1, 1);
        if (MPI_T_cvar_read(handle, string) == MPI_SUCCESS) {
            doctor_record_add(record, name, "%s", string);
        }
        free(string);
    } else if (count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS) {
        print_value(&value, type, names, text, sizeof text);
        doctor_record_add(record, name, "%s", text);
    }
}

/** Finds the name of variable `index`, its type and how its values are called. */
static bool find_parameter(int index, char name[NAME_SIZE], MPI_Datatype *type_p,
                           MPI_T_enum *names_p)
{
    int name_size = NAME_SIZE, verbosity, bind, scope;
    return MPI_T_cvar_get_info(index, name, &name_size, &verbosity, type_p, names_p, NULL, NULL,
                               &bind, &scope) == MPI_SUCCESS;
}

void doctor_variables_add_parameters(json_t *record)
{
    int n_variables = 0, count;
    MPI_T_cvar_get_num(&n_variables);
    for (int i = 0; i < n_variables; i++) {
        char name[NAME_SIZE] = "";
        MPI_Datatype type;
        MPI_T_enum names;
        MPI_T_cvar_handle handle;
        if (find_parameter(i, name, &type, &names) &&
            (doctor_variables_is_plugins(name) || is_other(name)) &&
            MPI_T_cvar_handle_alloc(i, NULL, &handle, &count) == MPI_SUCCESS) {
            add_value(record, name, handle, count, type, names);
            MPI_T_cvar_handle_free(&handle);
        }
    }
}

bool doctor_variables_set(const char *name, int value, int *old_p)
{
    int index, count;
    char found[NAME_SIZE];
    MPI_Datatype type;
    MPI_T_enum names;
    MPI_T_cvar_handle handle;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        !find_parameter(index, found, &type, &names) ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) {
        return false;
    }
    const bool good = type == MPI_INT && count == 1 &&
                      MPI_T_cvar_read(handle, old_p) == MPI_SUCCESS &&
                      MPI_T_cvar_write(handle, &value) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    return good;
}

void doctor_variables_add_version(json_t *record)
{
    static const char *const parts[] = {"major", "minor", "release"};
    char text[64] = "", name[64];
    for (size_t i = 0; i < COUNT(parts); i++) {
        const size_t used = strlen(text);
        snprintf(name, sizeof name, "%s%s_version", prefix, parts[i]);
        const char *part = doctor_record_find(record, name);
        if (part == NULL) {
            return;
        }
        snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? "." : "", part);
    }
    doctor_record_add(record, "plugin", "%s", text);
}

/* ---- performance variables ---- */

/** A handle of a performance variable of the plugin; false if there is none. */
static bool open_status(MPI_T_pvar_session session, const char *name, int class,
                        MPI_T_pvar_handle *handle_p, int *count_p)
{
    char full[NAME_SIZE];
    int index;
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return MPI_T_pvar_get_index(full, class, &index) == MPI_SUCCESS &&
           MPI_T_pvar_handle_alloc(session, index, NULL, handle_p, count_p) == MPI_SUCCESS;
}

static void add_text(json_t *record, MPI_T_pvar_session session, const char *name)
{
    MPI_T_pvar_handle handle;
    int count;
    if (!open_status(session, name, MPI_T_PVAR_CLASS_GENERIC, &handle, &count)) {
        return;
    }
    char *text = common_alloc((size_t) count + 1, 1);
    if (MPI_T_pvar_read(session, handle, text) == MPI_SUCCESS) {
        doctor_record_add(record, name, "%s", text);
    }
    free(text);
    MPI_T_pvar_handle_free(session, &handle);
}

static void add_number(json_t *record, MPI_T_pvar_session session, const char *name)
{
    MPI_T_pvar_handle handle;
    int count;
    unsigned long long value;
    if (!open_status(session, name, MPI_T_PVAR_CLASS_LEVEL, &handle, &count)) {
        return;
    }
    if (count == 1 && MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS) {
        doctor_record_add(record, name, "%llu", value);
    }
    MPI_T_pvar_handle_free(session, &handle);
}

void doctor_variables_add_status(json_t *record)
{
    MPI_T_pvar_session session;
    if (MPI_T_pvar_session_create(&session) != MPI_SUCCESS) {
        return;
    }
    for (size_t i = 0; i < COUNT(texts); i++) {
        add_text(record, session, texts[i]);
    }
    for (size_t i = 0; i < COUNT(numbers); i++) {
        add_number(record, session, numbers[i]);
    }
    MPI_T_pvar_session_free(&session);
}
