/* In the place of json.c where there is no library for JSON: options that need it are refused. */
#include "json.h"
#include "report.h"

const common_library_t common_json_library = {
    .is_here = false, .name = "Jansson", .package = "libjansson-dev"};

static const common_json_t nothing = {NULL, NULL};

common_json_t common_json_begin(const char *program)
{
    (void) program;
    return nothing;
}

void common_json_text(common_json_t to, const char *name, const char *text)
{
    (void) to;
    (void) name;
    (void) text;
}

void common_json_integer(common_json_t to, const char *name, int64_t number)
{
    (void) to;
    (void) name;
    (void) number;
}

void common_json_real(common_json_t to, const char *name, double number, int decimals)
{
    (void) to;
    (void) name;
    (void) number;
    (void) decimals;
}

void common_json_truth(common_json_t to, const char *name, bool truth)
{
    (void) to;
    (void) name;
    (void) truth;
}

void common_json_null(common_json_t to, const char *name)
{
    (void) to;
    (void) name;
}

common_json_t common_json_object(common_json_t to, const char *name)
{
    (void) name;
    return to;
}

common_json_t common_json_array(common_json_t to, const char *name)
{
    (void) name;
    return to;
}

void common_json_file(common_json_t to, const char *name, const char *path)
{
    (void) to;
    (void) name;
    (void) path;
}

bool common_json_end(common_json_t whole, FILE *stream)
{
    (void) whole;
    (void) stream;
    common_report("there is no library for JSON");
    return false;
}
