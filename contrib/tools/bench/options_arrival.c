#include "options_arrival.h"

#include <stdlib.h>
#include <string.h>

#include "options.h"

enum { UNSET = BENCH_UNSET, DEFAULT_PATTERNS = 20, DEFAULT_SEED = 1 };
static const double default_late_share = 0.2;

void bench_arrival_options_clear(struct bench_arrival_options *options)
{
    memset(options, 0, sizeof *options);
    options->kind = BENCH_ARRIVAL_NONE;
    options->late_share = options->patterns = options->per_pattern = UNSET;
    options->seed = UNSET;
}

static bool take_late_share(void *options, const char *value, common_complaint_t complaint)
{
    struct bench_arrival_options *arrival = &((struct bench_options *) options)->arrival;
    char *end;
    const double percent = strtod(value, &end);
    if (end == value || strcmp(end, "%") != 0 || !(percent >= 0 && percent <= 100)) {
        return common_wrong(complaint, "--late-share: '%s' is not a share; write for example 20%%",
                            value);
    }
    arrival->late_share = percent / 100;
    return true;
}

/** Those that a person can ask for, by their names, from BENCH_ARRIVAL_RANDOM on. */
static const char *const kinds[] = {"random", "root-first", "late", NULL};

#define VALUE(member) COMMON_VALUE(struct bench_options, arrival.member)

const common_option_t bench_arrival_rows[] = {
    {"arrival", COMMON_CHOICE, VALUE(kind), .choices = kinds, .least = BENCH_ARRIVAL_RANDOM,
     .argument = "PATTERN",
     .help = "in place of --mode: each broadcast with delays of the ranks.\n"
             "random: 0 to MAX_IF - 1 times T(M), the root too\n"
             "root-first: likewise, but none for the root\n"
             "late: MAX_IF times T(M) for some receivers, none for others"},
    {"max-if", COMMON_NUMBERS, VALUE(max_ifs), .least = 1, .most = BENCH_MOST_MAX_IF,
     .argument = "LIST", .missing = "the number of ranks",
     .help = "MAX_IF, one result for each number"},
    {"late-share", COMMON_OWN, .take = take_late_share, .argument = "P%", .missing = "20%",
     .help = "probability of a receiver to be late"},
    {"patterns", COMMON_NUMBER, VALUE(patterns), .least = 1, .argument = "N", .missing = "20",
     .help = "random patterns of each MAX_IF"},
    {"per-pattern", COMMON_NUMBER, VALUE(per_pattern), .least = 1, .argument = "N", .missing = "1",
     .help = "broadcasts of each pattern"},
    {"seed", COMMON_NUMBER, VALUE(seed), .argument = "N", .missing = "1",
     .help = "the same number makes the same patterns"},
    {"record", COMMON_TEXT, VALUE(record), .least = 1, .argument = "FILE",
     .help = "write all arrivals that were measured"},
    {"replay", COMMON_TEXT, VALUE(replay), .least = 1, .argument = "FILE",
     .help = "arrivals, sizes and roots as such a file has them"},
    {0},
};

/** The first option given that only makes random patterns; NULL if there is none. */
static const char *made_up_by(const struct bench_arrival_options *options)
{
    return options->max_ifs.n > 0         ? "--max-if"
           : options->late_share != UNSET ? "--late-share"
           : options->patterns != UNSET   ? "--patterns"
           : options->seed != UNSET       ? "--seed"
                                          : NULL;
}

static bool finish_replay(struct bench_arrival_options *options, common_complaint_t complaint)
{
    const char *other = options->kind != BENCH_ARRIVAL_NONE ? "--arrival" : made_up_by(options);
    if (other) {
        return common_wrong(complaint, "--replay takes arrivals from its file; leave out %s",
                            other);
    }
    options->kind = BENCH_ARRIVAL_REPLAY;
    return true;
}

static bool check_unused(const struct bench_arrival_options *options, common_complaint_t complaint)
{
    const char *unused = made_up_by(options);
    unused = unused ? unused : *options->record ? "--record" : NULL;
    unused = unused ? unused : options->per_pattern != UNSET ? "--per-pattern" : NULL;
    return !unused || common_wrong(complaint,
                                   "%s is for arrival patterns; add --arrival random, --arrival "
                                   "late or --replay",
                                   unused);
}

bool bench_arrival_options_finish(struct bench_arrival_options *options,
                                  common_complaint_t complaint)
{
    if (*options->replay && !finish_replay(options, complaint)) {
        return false;
    }
    if (options->kind == BENCH_ARRIVAL_NONE && !check_unused(options, complaint)) {
        return false;
    }
    if (options->kind != BENCH_ARRIVAL_LATE && options->late_share != UNSET) {
        return common_wrong(complaint, "--late-share is for --arrival late, not %s",
                            bench_arrival_name(options->kind));
    }
    options->late_share = options->late_share == UNSET ? default_late_share : options->late_share;
    options->patterns = options->patterns == UNSET ? DEFAULT_PATTERNS : options->patterns;
    options->seed = options->seed == UNSET ? DEFAULT_SEED : options->seed;
    options->per_pattern = options->per_pattern == UNSET ? 1 : options->per_pattern;
    return true;
}
