#include "topo/model/predict.h"

#include "topo/model/piece.h"
#include "topo/util/kit.h"
#include "topo/util/times.h"

pb_segment_cost_t pb_segment_cost(const pb_model_t *model, uint64_t segment)
{
    pb_segment_cost_t cost = {.segment = segment};
    cost.link = pb_model_cost(model, 2, segment);
    cost.further = (pb_model_cost(model, 3, segment).rtt - cost.link.rtt) / 2;
    cost.host = pb_model_cost(model, 0, segment);
    cost.inside = cost.host;
    return cost;
}

pb_segment_cost_t pb_segment_cost_in(const pb_profile_t *profile, const pb_model_t *model,
                                     uint64_t segment)
{
    if (!profile->copies) {
        return pb_segment_cost(model, segment);
    }
    pb_segment_cost_t cost = pb_segment_cost(model, segment);
    cost.link = pb_model_datagram(model, segment);
    cost.further = pb_model_further_datagram(model, segment);
    return cost;
}

/** time * count / PB_PROFILE_UNIT, also of negative numbers. */
static int64_t times_units(int64_t time, int64_t count)
{
    return count < 0 ? -pb_time_scale(time, (uint64_t) -count, PB_PROFILE_UNIT)
                     : pb_time_scale(time, (uint64_t) count, PB_PROFILE_UNIT);
}

static int64_t times(int64_t time, int64_t count)
{
    return pb_time_scale(time, (uint64_t) count, 1);
}

/**
 * L(m) in the formulas. It is negative where a processor is the bottleneck. A single message then
 * takes less than g(m), which includes the time until the next can start. A L + B g is right all
 * the same, since B >= A.
 */
static int64_t latency(const pb_cost_t *cost)
{
    return cost->rtt / 2 - cost->gap;
}

static int64_t path_time(const pb_profile_path_t *path, const pb_segment_cost_t *cost)
{
    return pb_time_limited(times(latency(&cost->link), path->hops) +
                           times_units(cost->further, path->further) +
                           times_units(cost->link.gap, path->sends) +
                           times(latency(&cost->inside), path->memory_hops) +
                           times_units(cost->inside.gap, path->memory_sends));
}

/** Time of segments that go both ways: each costs the gap, and a pair of them what `both` has more.
 */
static int64_t both_ways(const pb_cost_t *cost, int64_t most, int64_t least)
{
    return times_units(cost->gap, most) + times_units(cost->both - cost->gap, least);
}

static int64_t duty_time(const pb_profile_duty_t *duty, const pb_segment_cost_t *cost)
{
    const int64_t most = pb_max64(duty->memory_sends, duty->memory_receives);
    const int64_t least = duty->memory_sends + duty->memory_receives - most;
    const int64_t link = both_ways(&cost->link, duty->most, duty->least);
    const int64_t memory = both_ways(&cost->host, most * PB_PROFILE_UNIT, least * PB_PROFILE_UNIT);
    const int64_t processor = times(cost->link.send, duty->sends) +
                              times(cost->link.receive, duty->receives) +
                              times(cost->host.send, duty->memory_sends) +
                              times(cost->host.receive, duty->memory_receives);
    return pb_time_limited(pb_max64(pb_max64(link, memory), processor));
}

/** A round of all the broadcasts that share links between switches; alone it is among the duties.
 */
static int64_t crossing_time(const pb_profile_t *profile, const pb_segment_cost_t *cost,
                             int n_alike)
{
    const int64_t load = pb_time_scale(pb_time_limited(profile->crossing), (uint64_t) n_alike, 2);
    return n_alike > 1 ? pb_time_limited(both_ways(&cost->link, load, load)) : 0;
}

static int64_t period(const pb_profile_t *profile, const pb_segment_cost_t *cost, int n_alike)
{
    int64_t longest = crossing_time(profile, cost, n_alike);
    for (int i = 0; i < profile->n_duties; i++) {
        longest = pb_max64(longest, duty_time(&profile->duties[i], cost));
    }
    return longest;
}

/** The rounds of all segments of all the broadcasts that share links between switches. */
static int64_t crossing_time_of_all(const pb_profile_t *profile, const pb_segment_cost_t *cost,
                                    const pb_segment_cost_t *of_rest, uint64_t n_segments,
                                    int n_alike)
{
    const uint64_t n_streams = (uint64_t) profile->n_streams;
    return pb_time_limited(
        pb_time_scale(crossing_time(profile, cost, n_alike), n_segments - 1, n_streams) +
        pb_time_scale(crossing_time(profile, of_rest, n_alike), 1, n_streams));
}

/** A segment's part of the costs of a piece. */
static pb_cost_t part_of(const pb_cost_t *piece, uint64_t segment, uint64_t bytes)
{
    return (pb_cost_t){.bytes = segment,
                       .gap = pb_time_scale(piece->gap, segment, bytes),
                       .rtt = pb_time_scale(piece->rtt, segment, bytes),
                       .both = pb_time_scale(piece->both, segment, bytes),
                       .send = pb_time_scale(piece->send, segment, bytes),
                       .receive = pb_time_scale(piece->receive, segment, bytes)};
}

/** The costs of segments of a message of `bytes`, where pieces travel inside hosts. */
static pb_segment_cost_t with_pieces(const pb_profile_t *profile, const pb_model_t *model,
                                     const pb_segment_cost_t *cost, uint64_t bytes)
{
    pb_segment_cost_t with = *cost;
    if (profile->height_inside > 0) {
        const uint64_t piece = pb_piece_size(model, profile->height_inside, bytes);
        with.inside = pb_model_cost(model, 0, piece);
        with.host = part_of(&with.inside, cost->segment, piece);
    }
    return with;
}

int64_t pb_predict(const pb_profile_t *profile, const pb_model_t *model,
                   const pb_segment_cost_t *of_segment, uint64_t bytes, int n_alike)
{
    const pb_segment_cost_t of_whole = with_pieces(profile, model, of_segment, bytes);
    const pb_segment_cost_t *cost = &of_whole;
    const uint64_t n_streams = (uint64_t) profile->n_streams;
    const uint64_t n_segments = (bytes - 1) / cost->segment + 1;
    const uint64_t last_stream = (n_segments - 1) % n_streams;
    const uint64_t rest = bytes - (n_segments - 1) * cost->segment;
    pb_segment_cost_t rest_cost = of_whole;
    if (rest < cost->segment) {
        rest_cost = pb_segment_cost_in(profile, model, rest);
        rest_cost = with_pieces(profile, model, &rest_cost, bytes);
    }
    const int64_t whole = period(profile, cost, n_alike);
    const int64_t of_rest = period(profile, &rest_cost, n_alike);
    int64_t longest = crossing_time_of_all(profile, cost, &rest_cost, n_segments, n_alike);
    for (int i = 0; i < profile->n_paths; i++) {
        const pb_profile_path_t *path = &profile->paths[i];
        const uint64_t stream = (uint64_t) -path->before;
        if (stream >= n_segments) {
            continue;
        }
        const uint64_t n = (n_segments - 1 - stream) / n_streams + 1; /* the stream's segments */
        const bool has_rest = stream == last_stream;
        int64_t time = path_time(path, n == 1 && has_rest ? &rest_cost : cost);
        if (n > 1) {
            time += pb_time_scale(whole, n - 1 - has_rest, 1) + (has_rest ? of_rest : 0);
        }
        longest = pb_max64(longest, pb_time_limited(time));
    }
    return longest;
}
