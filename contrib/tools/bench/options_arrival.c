#include "options_arrival.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNSET = -1, DEFAULT_PATTERNS = 20, DEFAULT_SEED = 1 };
static const double default_late_share = 0.2;

void bench_arrival_options_clear(struct bench_arrival_options *options)
{
    memset(options, 0, sizeof *options);
    options->kind = BENCH_ARRIVAL_NONE;
    options->late_share = options->patterns = options->per_pattern = UNSET;
    options->seed = UNSET;
}

static bool read_kind(struct bench_arrival_options *options, const char *text,
                      struct bench_complaint complaint)
{
    static const enum bench_arrival_kind kinds[] = {BENCH_ARRIVAL_RANDOM, BENCH_ARRIVAL_ROOT_FIRST,
                                                    BENCH_ARRIVAL_LATE};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(text, bench_arrival_name(kinds[i])) == 0) {
            options->kind = kinds[i];
            return true;
        }
    }
    return bench_wrong(complaint, "--arrival: '%s' is unknown; known are random, root-first, late",
                       text);
}

static bool add_max_if(struct bench_arrival_options *options, const char *text,
                       struct bench_complaint complaint)
{
    long long max_if;
    if (!bench_read_number(text, 1, BENCH_MOST_MAX_IF, &max_if)) {
        return bench_wrong(complaint,
                           "--max-if: '%s' is no number from 1 to %d; write for example 16, or "
                           "4,16,64",
                           text, BENCH_MOST_MAX_IF);
    }
    if (options->n_max_ifs == BENCH_MAX_MAX_IFS) {
        return bench_wrong(complaint, "--max-if: more than %d values; give fewer",
                           BENCH_MAX_MAX_IFS);
    }
    options->max_ifs[options->n_max_ifs++] = (int) max_if;
    return true;
}

static bool read_max_ifs(struct bench_arrival_options *options, const char *text,
                         struct bench_complaint complaint)
{
    char *copy = strdup(text), *rest = copy;
    bool good = copy != NULL || bench_wrong(complaint, "--max-if: out of memory");
    options->n_max_ifs = 0;
    while (good && rest) {
        good = add_max_if(options, strsep(&rest, ","), complaint);
    }
    free(copy);
    return good;
}

static bool read_late_share(struct bench_arrival_options *options, const char *text,
                            struct bench_complaint complaint)
{
    char *end;
    double percent = strtod(text, &end);
    if (end == text || strcmp(end, "%") != 0 || !isfinite(percent) || percent < 0 ||
        percent > 100) {
        return bench_wrong(complaint, "--late-share: '%s' is no share; write for example 20%%",
                           text);
    }
    options->late_share = percent / 100;
    return true;
}

bool bench_arrival_options_take(struct bench_arrival_options *options,
                                enum bench_arrival_option option, const char *value,
                                struct bench_complaint complaint)
{
    switch (option) {
    case BENCH_OPT_ARRIVAL:
        return read_kind(options, value, complaint);
    case BENCH_OPT_MAX_IF:
        return read_max_ifs(options, value, complaint);
    case BENCH_OPT_LATE_SHARE:
        return read_late_share(options, value, complaint);
    case BENCH_OPT_PATTERNS:
        return bench_read_int(value, 1, &options->patterns) ||
               bench_wrong(complaint, "--patterns: '%s' is no number from 1", value);
    case BENCH_OPT_SEED:
        return bench_read_number(value, 0, LLONG_MAX, &options->seed) ||
               bench_wrong(complaint, "--seed: '%s' is no number from 0", value);
    case BENCH_OPT_PER_PATTERN:
        return bench_read_int(value, 1, &options->per_pattern) ||
               bench_wrong(complaint, "--per-pattern: '%s' is no number from 1", value);
    case BENCH_OPT_RECORD:
        return bench_read_text("--record", value, options->record, sizeof options->record,
                               complaint) &&
               (*value || bench_wrong(complaint, "--record: names no file"));
    case BENCH_OPT_REPLAY:
        return bench_read_text("--replay", value, options->replay, sizeof options->replay,
                               complaint) &&
               (*value || bench_wrong(complaint, "--replay: names no file"));
    }
    return bench_wrong(complaint, "option %d is not handled", (int) option);
}

/** The first option given that only makes random patterns; NULL if there is none. */
static const char *made_up_by(const struct bench_arrival_options *options)
{
    return options->n_max_ifs > 0         ? "--max-if"
           : options->late_share != UNSET ? "--late-share"
           : options->patterns != UNSET   ? "--patterns"
           : options->seed != UNSET       ? "--seed"
                                          : NULL;
}

static bool finish_replay(struct bench_arrival_options *options, struct bench_complaint complaint)
{
    const char *other = options->kind != BENCH_ARRIVAL_NONE ? "--arrival" : made_up_by(options);
    if (other) {
        return bench_wrong(complaint, "--replay takes arrivals from its file; leave out %s", other);
    }
    options->kind = BENCH_ARRIVAL_REPLAY;
    return true;
}

static bool check_unused(const struct bench_arrival_options *options,
                         struct bench_complaint complaint)
{
    const char *unused = made_up_by(options);
    unused = unused ? unused : *options->record ? "--record" : NULL;
    unused = unused ? unused : options->per_pattern != UNSET ? "--per-pattern" : NULL;
    return !unused || bench_wrong(complaint,
                                  "%s is for arrival patterns; add --arrival random, --arrival "
                                  "late or --replay",
                                  unused);
}

bool bench_arrival_options_finish(struct bench_arrival_options *options,
                                  struct bench_complaint complaint)
{
    if (*options->replay && !finish_replay(options, complaint)) {
        return false;
    }
    if (options->kind == BENCH_ARRIVAL_NONE && !check_unused(options, complaint)) {
        return false;
    }
    if (options->kind != BENCH_ARRIVAL_LATE && options->late_share != UNSET) {
        return bench_wrong(complaint, "--late-share is for --arrival late, not %s",
                           bench_arrival_name(options->kind));
    }
    options->late_share = options->late_share == UNSET ? default_late_share : options->late_share;
    options->patterns = options->patterns == UNSET ? DEFAULT_PATTERNS : options->patterns;
    options->seed = options->seed == UNSET ? DEFAULT_SEED : options->seed;
    options->per_pattern = options->per_pattern == UNSET ? 1 : options->per_pattern;
    return true;
}

void bench_arrival_options_help(FILE *out)
{
    fputs("\
When ranks arrive\n\
  --arrival PATTERN   in place of --mode: each broadcast with delays of the ranks.\n\
                      random: 0 to MAX_IF - 1 times T(M), the root too\n\
                      root-first: likewise, but none for the root\n\
                      late: MAX_IF times T(M) for some receivers, none for others\n\
  --max-if LIST       MAX_IF, one result for each       [the number of ranks]\n\
  --late-share P%     probability of a receiver to be late               [20%]\n\
  --patterns N        random patterns of each MAX_IF                      [20]\n\
  --per-pattern N     broadcasts of each pattern                           [1]\n\
  --seed N            the same number makes the same patterns              [1]\n\
  --record FILE       write all arrivals that were measured\n\
  --replay FILE       arrivals, sizes and roots as such a file has them\n",
          out);
}
