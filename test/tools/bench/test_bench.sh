#!/bin/sh
# TAP test of pipebcast-bench and compare on this host alone. BENCH, COMPARE and MPIEXEC name
# the programs; `make check` sets them.
# shellcheck disable=SC2086  # $quick and $arguments are split into words on purpose
BENCH=${BENCH:-pipebcast-bench}
COMPARE=${COMPARE:-$(dirname "$0")/../../../contrib/experiments/compare}
# shellcheck source=test/tap.sh
. "$(dirname "$0")/../../tap.sh"
run_mpi_here
unset PIPEBCAST_BENCH_CORRUPT

# bench NP ARGUMENT...: runs the benchmark; output in $out and $err, status in $code.
bench() {
    n_ranks=$1
    shift
    start_job "$n_ranks" "$BENCH" "$@" >"$out" 2>"$err" </dev/null
    code=$?
}

# refuses NP PATTERN ARGUMENT...: wrong options end all ranks with status 2 and one message. Rank 0 reads
# them for all ranks, so any number of ranks will do where the message does not depend on it.
refuses() {
    np=$(np_of "$1") pattern=$2
    shift 2
    bench "$np" "$@"
    [ "$code" -eq 2 ] && grep -q -e "$pattern" "$err" && [ "$(grep -c 'pipebcast-bench: ' "$err")" -eq 1 ]
    report $? "np $np refuses: $*"
}

quick='--iterations 3 --warmup 1'
for np in 1 2 3 4; do
    bench $np $quick --sizes 1,1000,64K --check
    [ $code -eq 0 ] && [ "$(grep -c '^ ' "$out")" -eq 3 ]
    report $? "np $np: three sizes, every byte verified"
done
for datatype in int double vector struct mixed; do
    bench 4 $quick --sizes 32,4K,64K --check --datatype $datatype --root rotate
    report $code "np 4: datatype $datatype, rotating root"
done
# A schedule: each broadcast once, at its time, and a command before them.
printf '# at, size\n0 64K\n0.2 1000 # small\n0.2 32K\n' >"$work/schedule"
bench 3 --schedule "$work/schedule" --check --csv --clock shared --begin "echo begun >'$work/begun'"
[ $code -eq 0 ] && [ "$(cat "$work/begun")" = begun ] && python3 - "$out" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [int(row["bytes"]) for row in rows] == [65536, 1000, 32768]
assert [float(row["at_s"]) for row in rows] == [0, 0.2, 0.2]
assert all(float(row["begun_s"]) >= float(row["at_s"]) for row in rows)
END
report $? "a schedule: sizes and times, every byte verified"
bench 2 --schedule "$work/schedule" --json && python3 -m json.tool "$out" >/dev/null
report $? "a schedule as JSON"
for line in '0' 'x 64K' '0 64Q' '0 64K more' '-1 64K' 'nan 1K'; do
    printf '0 1K\n%s\n' "$line" >"$work/faulty"
    bench "$(np_of any)" --schedule "$work/faulty"
    [ $code -eq 1 ] && [ "$(grep -c "faulty:2: " "$err")" -eq 1 ]
    report $? "a schedule with a line '$line' is refused"
done
printf '1 1K\n0 1K\n' >"$work/faulty"
bench "$(np_of any)" --schedule "$work/faulty"
[ $code -eq 1 ] && grep -q 'faulty:2: .*before' "$err"
report $? "times must not fall"
bench "$(np_of any)" --schedule "$work/nowhere"
[ $code -eq 1 ] && grep -q 'cannot be opened' "$err"
report $? "a schedule that is not there"
bench 2 --schedule "$work/schedule" --begin false
[ $code -eq 1 ] && grep -q "'false' failed" "$err"
report $? "a command that fails ends it"
refuses 2 "leave out" --schedule "$work/schedule" --sizes 4K
refuses 2 "is for schedules" --begin true
for op in ibcast bcast_init; do
    bench 3 $quick --op $op --sizes 1000,64K --check --root rotate --overlap --test-every 50 --csv
    [ $code -eq 0 ] && python3 - "$out" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 2
for row in rows:
    assert float(row["overlap_us"]) >= float(row["sync_median_us"])
    share = 1 - float(row["exposed_us"]) / float(row["sync_median_us"])
    assert abs(float(row["overlap_percent"]) - 100 * min(1, max(0, share))) < 0.1
END
    report $? "$op: every byte verified, the overlap measured"
done
bench 6 $quick --sizes 4K --check --datatype mixed --mode loop
report $code "np 6: five ways of writing one signature"
for way in '' --strided; do
    bench 6 $quick --sizes 1000,64K --check --groups 3 $way --root rotate --mode sync --clock shared
    [ $code -eq 0 ] && [ "$(grep -c '^ ' "$out")" -eq 2 ] && grep -q '^# groups of 3 ranks' "$out"
    report $? "groups of 3 of 6 ranks at once, rotating root ${way:-consecutive}"
    PIPEBCAST_BENCH_CORRUPT=1,4,10 bench 6 $quick --sizes 1000 --check --groups 3 $way --mode sync
    [ $code -eq 1 ] && grep -q 'rank 4 has at byte offset 10' "$err" && grep -q '1 of 6 ranks' "$err"
    report $? "a wrong byte in one of the groups ${way:-consecutive}"
done
refuses 2 '--groups is for mode sync alone' --groups 2
refuses 2 '--strided is for groups' --strided
refuses 4 '4 ranks are no groups of 3' --groups 3 --mode sync
refuses 4 'no rank 2 among 2' --groups 2 --root 2 --mode sync
bench 3 $quick --sizes 4K --check --root 2 --pingpong 2,1 --clock shared
report $code "root 2, ping-pong between 2 and 1, shared clock"

bench 3 $quick --sizes 1K:4K --json --label 'a "quoted" \ label'
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import json, sys
run = json.load(open(sys.argv[1]))
assert run["label"] == 'a "quoted" \\ label', run["label"]
assert run["ranks"] == 3 and run["checked"] is False
assert [r["bytes"] for r in run["results"]] == [1024, 2048, 4096]
for r in run["results"]:
    assert r["pingpong_us"] > 0 and r["loop_us"] > 0
    assert 0 < r["sync_min_us"] <= r["sync_median_us"] <= r["sync_max_us"]
    assert abs(r["sync_ratio"] - r["sync_median_us"] / r["pingpong_us"]) < 0.02 * r["sync_ratio"]
    assert r["sync_iterations"] == 3 and r["warmup"] == 1 and r["limited"] is False
PYTHON
report $? "--json is one object with the label, the sizes and consistent figures"
bench 1 $quick --sizes 1K --json --mode sync
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import json, sys
result = json.load(open(sys.argv[1]))["results"][0]
assert result["pingpong_us"] is None and result["loop_us"] is None and result["sync_ratio"] is None
PYTHON
report $? "values that are not measured are null"
bench 2 $quick --sizes 1K,2K --csv --label 'x,"y"'
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [r["bytes"] for r in rows] == ["1024", "2048"]
assert all(r["label"] == 'x,"y"' and None not in r and None not in r.values() for r in rows)
PYTHON
report $? "--csv has a header and a line for each size"
bench 2 --sizes 64K --iterations 1000000 --time-limit 1
[ $code -eq 0 ] && grep -q '\*$' "$out"
report $? "--time-limit ends a long run and marks it"
bench 2 --sizes 1K --iterations 2 --no-pingpong
[ $code -eq 0 ] && ! grep -q 'T(M) between' "$out"
report $? "--no-pingpong"
bench 3 --sizes 1K --iterations 2 --warmup 0 --no-pingpong --mode loop --root rotate --root-late 20000 --csv
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import csv, sys
[row] = csv.DictReader(open(sys.argv[1]))
assert float(row["loop_us"]) >= 10000
PYTHON
report $? "--root-late: no broadcast but the first begins earlier"
bench 2 --version
[ $code -eq 0 ] && [ "$(grep -c '^pipebcast-bench [0-9]' "$out")" -eq 1 ]
report $? "--version is printed once"
bench 2 --help
[ $code -eq 0 ] && [ "$(grep -c '^Usage' "$out")" -eq 1 ]
report $? "--help is printed once"

# The columns of other benchmarks, as scripts made for them take them apart.
bench 3 --sizes 1,4K,1M --iterations 3 --warmup 1 --osu
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import re, sys
text = open(sys.argv[1]).read()
assert re.search(r"^# OSU MPI Broadcast Latency Test", text, re.MULTILINE), text
head = [line for line in text.splitlines() if line.startswith("# Size")]
assert head == ["# Size       Avg Latency(us)"], head
rows = [line for line in text.splitlines() if line and line[0] != "#"]
assert [row.split()[0] for row in rows] == ["1", "4096", "1048576"], rows
assert all(re.fullmatch(r"\d+ +\d+\.\d\d", row) and len(row) == 28 for row in rows), rows
PYTHON
report $? "--osu: the columns of osu_bcast"
bench 3 --sizes 4K,1M --iterations 3 --warmup 1 --osu-full --check
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import re, sys
text = open(sys.argv[1]).read()
head = [line for line in text.splitlines() if line.startswith("# Size")]
assert head == ["# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations"], head
rows = [line.split() for line in text.splitlines() if line and line[0] != "#"]
assert [row[0] for row in rows] == ["4096", "1048576"] and all(row[4] == "3" for row in rows), rows
assert all(0 < float(row[2]) <= float(row[1]) <= float(row[3]) for row in rows), rows
PYTHON
report $? "--osu-full: those of osu_bcast -f, with the least and the greatest of the ranks"
bench 3 --sizes 4K,1M --iterations 3 --warmup 1 --imb
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import re, sys
text = open(sys.argv[1]).read()
part = re.search(r"^#-{64}\n# Benchmarking Bcast \n# #processes = 3 \n#-{64}\n(.*?)\n\n\n# All processes entering MPI_Finalize",
                 text, re.MULTILINE | re.DOTALL).group(1)
head, *rows = part.splitlines()
assert head == "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]", head
assert all(re.fullmatch(r"[ \d]{13}[ \d]{13}( *\d+\.\d\d){3}", row) and len(row) == 65 for row in rows), rows
rows = [row.split() for row in rows]
assert [row[:2] for row in rows] == [["4096", "3"], ["1048576", "3"]], rows
assert all(0 < float(row[2]) <= float(row[4]) <= float(row[3]) for row in rows), rows
PYTHON
report $? "--imb: the columns of IMB-MPI1 Bcast"
bench 2 --iterations 1 --warmup 0 --osu
[ $code -eq 0 ] && [ "$(grep -c '^[1-9]' "$out")" -eq 21 ] && grep -q '^1048576 ' "$out"
report $? "--osu: its sizes"
refuses 2 '--osu and --imb have one time of blocking broadcasts' --osu --mode loop
refuses 2 '--osu and --imb have one time of blocking broadcasts' --imb --op ibcast
refuses 2 '--osu and --imb have one time of blocking broadcasts' --osu --arrival random

# Arrival patterns. Delays are in units of T(M), which is short here.
bench 4 --sizes 4K,64K --iterations 3 --warmup 1 --arrival random --max-if 1,8 --patterns 3 --check \
    --clock shared --record "$work/arrivals"
[ $code -eq 0 ] && [ "$(grep -c '^ mean ' "$out")" -eq 4 ] &&
    [ "$(grep -c '^ *[0-2]  *0 ' "$out")" -eq 12 ] && [ "$(tail -n 1 "$work/arrivals")" = 'end 12' ]
report $? "--arrival random: two sizes, two MAX_IF, three patterns; text and record"
bench 4 --iterations 3 --warmup 1 --replay "$work/arrivals" --clock shared --json \
    --record "$work/again" --check
[ $code -eq 0 ] && python3 - "$out" "$work/arrivals" "$work/again" <<'PYTHON' 2>>"$err"
import json, sys
run = json.load(open(sys.argv[1]))
def read(name):
    lines = [list(map(int, l.split())) for l in open(name) if l[0].isdigit()]
    return [[l[1:] for l in lines if l[0] == b] for b in range(lines[-1][0] + 1)]
first, again = read(sys.argv[2]), read(sys.argv[3])
assert run["arrival"]["kind"] == "replay", run["arrival"]
assert [r["point"]["bytes"] for r in run["results"]] == [4096, 65536]
assert [len(r["patterns"]) for r in run["results"]] == [6, 6]
assert len(first) == len(again) == 12
for one, other in zip(first, again):
    assert [l[:3] for l in one] == [l[:3] for l in other], "sizes, roots, ranks"
    earliest = min(l[3] for l in one)
    # Nobody arrives before its time; how much later is a matter of the host.
    assert all(b[3] >= a[3] - earliest for a, b in zip(one, other)), (one, other)
# The figures are those of the recorded times.
for result in run["results"]:
    unit = result["point"]["pingpong_us"]
    of_size = [b for b in again if b[0][0] == result["point"]["bytes"]]
    for pattern, times in zip(result["patterns"], of_size):
        arrive, leave = [l[3] / 1e3 for l in times], [l[4] / 1e3 for l in times]
        root, n = arrive[times[0][1]], len(times)
        opt = ((n - 1) * unit + sum(max(0, root - a) for a in arrive)) / n
        wanted = {"average_us": sum(leave) / n - sum(arrive) / n,
                  "worst_us": max(f - a for a, f in zip(arrive, leave)),
                  "worst_imbalance_factor": (max(arrive) - min(arrive)) / unit,
                  "waiting_us": sum(max(0, root - a) for a in arrive) / n,
                  "opt_nonblocking_us": opt, "opt_blocking_us": opt + (max(arrive) - root) / n}
        for name, value in wanted.items():
            assert abs(pattern[name] - value) <= 0.001 + 1e-3 * value, (name, value, pattern)
        # Times are printed to the nanosecond, so a ratio of short times is known to some digits only.
        ratio = pattern["average_us"] / pattern["opt_blocking_us"]
        assert abs(pattern["ratio_blocking"] - ratio) < 0.001 * (1 + ratio), (ratio, pattern)
        net = (pattern["average_us"] - pattern["waiting_us"]) \
            / (pattern["opt_blocking_us"] - pattern["waiting_us"])
        assert abs(pattern["ratio_net_blocking"] - net) < 0.001 * (1 + net)
    assert result["greatest"]["ratio_blocking"] == max(p["ratio_blocking"]
                                                       for p in result["patterns"])
PYTHON
report $? "--replay: the recorded sizes, roots and arrivals; figures follow from the new record"
bench 3 --sizes 4K --iterations 3 --warmup 1 --arrival late --late-share 100% --max-if 5 --seed 9 \
    --patterns 4 --per-pattern 2 --root rotate --csv --clock shared --record "$work/late"
[ $code -eq 0 ] && python3 - "$out" "$work/late" <<'PYTHON' 2>>"$err"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [(r["pattern"], r["pattern_root"], r["broadcasts"]) for r in rows] == [
    ("0", "0", "2"), ("1", "1", "2"), ("2", "2", "2"), ("3", "0", "2")], rows
assert all(r["max_if"] == "5" and r["late_share"] == "1" and r["seed"] == "9" for r in rows)
assert all(None not in r and None not in r.values() for r in rows)
unit = float(rows[0]["pingpong_us"]) * 1e3
for line in open(sys.argv[2]):
    if line[0].isdigit():
        broadcast, _, root, rank, arrival, _ = map(int, line.split())
        assert root == broadcast // 2 % 3
        assert rank == root or arrival >= 5 * unit - 1, line
PYTHON
report $? "--arrival late: rotating roots on time, all others MAX_IF units late; CSV"
bench 2 --sizes 4K --iterations 3 --warmup 1 --arrival random --patterns 100000000 --time-limit 1
[ $code -eq 0 ] && grep -q '^ mean \*' "$out"
report $? "--time-limit ends arrival patterns and marks them"
bench 3 --sizes 4K --iterations 3 --warmup 1 --arrival root-first --max-if 50 --patterns 4 \
    --root rotate --json --clock shared
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import json, sys
run = json.load(open(sys.argv[1]))
patterns = run["results"][0]["patterns"]
assert run["arrival"]["kind"] == "root-first", run["arrival"]
assert [p["pattern_root"] for p in patterns] == [0, 1, 2, 0], patterns
PYTHON
report $? "--arrival root-first"
# Of the first broadcasts some warm up; how many is a matter of time.
PIPEBCAST_BENCH_CORRUPT=100,2,77
export PIPEBCAST_BENCH_CORRUPT
bench 3 --sizes 4K --warmup 1 --arrival random --patterns 120 --check --record "$work/cut"
unset PIPEBCAST_BENCH_CORRUPT
[ $code -eq 1 ] && grep -q 'arrival iteration .*rank 2 has at byte offset 77 0x' "$err" &&
    ! grep -q '^end' "$work/cut"
report $? "flipped byte found in an arrival pattern; the record has no end"
bench 3 --replay "$work/cut"
[ $code -eq 1 ] && grep -q 'cut:[0-9]*: the file ends without' "$err" && [ ! -s "$out" ]
report $? "a record that was not written to its end is refused"
bench 3 --replay "$work/arrivals"
[ $code -eq 1 ] && grep -q 'holds arrivals of 4 ranks, this run has 3' "$err"
report $? "a record of other ranks is refused"
bench 4 --replay "$work/arrivals" --datatype mixed --iterations 1 --warmup 0
report $code "a record replayed with another datatype"
sed 's/ 4096 / 4100 /' "$work/arrivals" >"$work/odd"
bench 4 --replay "$work/odd" --datatype mixed
[ $code -eq 1 ] && grep -q 'odd: 4100 bytes is no multiple of 32' "$err"
report $? "a record whose sizes do not fit the datatype is refused"
bench 2 --replay "$work/nothing"
[ $code -eq 1 ] && grep -q 'nothing cannot be read: ' "$err"
report $? "a record that is not there is reported"
bench 2 --sizes 4K --arrival random --record "$work/no/such"
[ $code -eq 1 ] && grep -q 'such cannot be written: ' "$err" && [ ! -s "$out" ]
report $? "a record that cannot be written is reported before anything is measured"

# The verification sees a byte that a test hook flips after the broadcast. The hook counts all
# broadcasts of the run. Only in mode loop are these the iterations for certain, as mode sync
# repeats an iteration that started late.
# detects BROADCAST PHASE ITERATION RANK OFFSET ARGUMENT...
detects() {
    broadcast=$1 phase=$2 iteration=$3 rank=$4 offset=$5
    shift 5
    PIPEBCAST_BENCH_CORRUPT=$broadcast,$rank,$offset
    export PIPEBCAST_BENCH_CORRUPT
    bench 3 $quick --check "$@"
    unset PIPEBCAST_BENCH_CORRUPT
    [ "$code" -eq 1 ] &&
        grep -q "$phase iteration $iteration .*rank $rank has at byte offset $offset 0x" "$err" &&
        grep -q '1 bytes are wrong here; 1 of 3 ranks' "$err"
    report $? "flipped byte found: $phase iteration $iteration, rank $rank, offset $offset $*"
}
detects 0 warm-up 0 2 0 --sizes 1K
detects 0 sync 0 1 65535 --sizes 64K --mode sync --warmup 0
detects 2 loop 2 0 77 --sizes 4K --mode loop --warmup 0
detects 4 loop 1 2 4000 --sizes 4K,8K --mode loop --warmup 0 --datatype vector
detects 1 loop 1 1 15 --sizes 4K --mode loop --warmup 0 --datatype struct
PIPEBCAST_BENCH_CORRUPT=1,1,5
export PIPEBCAST_BENCH_CORRUPT
bench 2 $quick --sizes 1K
report $code "without --check nothing is verified"
unset PIPEBCAST_BENCH_CORRUPT
for hook in 1,1,-5 1,2,5 1,1 x; do
    PIPEBCAST_BENCH_CORRUPT=$hook
    export PIPEBCAST_BENCH_CORRUPT
    refuses any PIPEBCAST_BENCH_CORRUPT $quick --sizes 1K --check
done
unset PIPEBCAST_BENCH_CORRUPT

refuses 3 'not a size' --sizes 12x
refuses any 'not a size' --sizes 0
refuses any 'not a size' --sizes 1K,,2K
refuses any 'not a size' --sizes 99999999999G
refuses any 'ends before' --sizes 4K:1K
refuses 2 'no multiple of 32' --sizes 1000 --datatype mixed
refuses any 'int count' --sizes 2G
refuses 3 'no rank 3 among 3' --root 3
refuses any 'no rank' --root first
refuses any 'no rank 7' --pingpong 0,7
refuses 3 'one rank' --pingpong 1,1
refuses any 'no pair' --pingpong 1
refuses any 'is unknown' --datatype float
refuses any 'is unknown' --mode never
refuses any 'is unknown' --op reduce
refuses any 'nothing overlaps with a blocking' --overlap
refuses any 'goes with mode sync' --overlap --op ibcast --mode loop
refuses any 'is unknown' --compute gpu
refuses any 'not a whole number of microseconds' --test-every 0
refuses any 'not a whole number of microseconds' --root-late 0 --mode loop
refuses any 'is for mode loop alone' --root-late 100
refuses any 'is for mode loop alone' --root-late 100 --arrival random
refuses any 'is unknown' --clock sundial
refuses any 'not a whole number' --iterations 0
refuses any 'not a whole number' --iterations 5x
refuses any 'not a whole number' --warmup -1
refuses any 'not a number of seconds' --time-limit nan
refuses any 'leaves none' --time-limit 5 --warmup 0
refuses any 'is unknown' --arrival never
refuses any 'not a whole number from 1' --arrival random --max-if 0
refuses any 'not a whole number from 1' --arrival random --max-if 4,,8
refuses any 'not a whole number from 1' --arrival random --patterns 0
refuses any 'not a whole number from 0' --arrival random --seed -1
refuses any 'not a whole number from 1' --arrival random --per-pattern x
refuses any 'not a share' --arrival late --late-share 20
refuses any 'not a share' --arrival late --late-share 120%
refuses any 'is for --arrival late' --arrival random --late-share 20%
refuses any 'is for --arrival late' --arrival root-first --late-share 20%
refuses any 'is for arrival patterns' --max-if 4
refuses any 'is for arrival patterns' --record arrivals
refuses any 'is empty' --arrival random --record ''
refuses any 'leave out --no-pingpong' --arrival random --no-pingpong
refuses any 'leave it out' --arrival random --mode sync
refuses 2 'leave out --seed' --replay arrivals --seed 4
refuses any 'leave out --arrival' --replay arrivals --arrival random
refuses any 'leave out --sizes and --root' --replay arrivals --sizes 4K
refuses any 'leave out --sizes and --root' --replay arrivals --root 0
refuses 1 'at least two ranks' --arrival random
refuses any 'needs a value' --sizes
refuses 2 'unknown' --frobnicate
refuses any 'no option' 64K

# Ranks whose clocks are 1000 and 5000 seconds ahead: time namespaces. An estimate that failed would
# be off by as much.
if unshare -T --monotonic 1000 -f true 2>/dev/null; then
    # One command line for all ranks: Debian 13's mpirun crashes at several, separated by ':'.
    cat >"$work/ahead" <<'END'
#!/bin/sh
# ahead PROGRAM...: with this rank's clock
case $OMPI_COMM_WORLD_RANK in
0) exec "$@" ;;
1) exec unshare -T --monotonic 1000 -f "$@" ;;
*) exec unshare -T --monotonic 5000 -f "$@" ;;
esac
END
    chmod +x "$work/ahead"
    timeout -k 10 120 "$MPIEXEC" -np 3 "$work/ahead" "$BENCH" $quick --sizes 64K --json \
        >"$out" 2>"$err" </dev/null &&
        python3 - "$out" <<'PYTHON' 2>>"$err"
import json, sys
result = json.load(open(sys.argv[1]))["results"][0]
assert 0 < result["sync_min_us"] <= result["sync_max_us"] < 900e6, result
assert 0 < result["clock_error_us"] < 900e6, result
PYTHON
    report $? "clocks far apart are reconciled"
else
    skip "clocks far apart" "time namespaces cannot be made here"
fi

# compare ARGUMENT...: output in $out and $err, status in $code.
compare() {
    "$COMPARE" --bench "$BENCH" --output "$work/results" "$@" >"$out" 2>"$err" </dev/null
    code=$?
}
case $MPIEXEC in
*/*) PATH=$(dirname "$MPIEXEC"):$PATH ;;
esac
compare --local 3 --sizes 4K,16K --methods tuned,tuned:pipeline:1400,adapt --runs 2 --iterations 3
[ $code -eq 0 ] && python3 - "$work/results" <<'PYTHON' 2>>"$err"
import csv, json, os, sys
directory = sys.argv[1]
run = json.load(open(os.path.join(directory, "results.json")))
assert [m["name"] for m in run["methods"]] == ["tuned", "tuned:pipeline:1400", "adapt"]
assert all(m["failure"] is None and len(m["runs"]) == 2 for m in run["methods"])
assert all(s["median_us"] > 0 for m in run["methods"] for s in m["sizes"])
rows = list(csv.DictReader(open(os.path.join(directory, "results.csv"))))
assert len(rows) == 3 * 2 * 2, len(rows)
assert os.path.exists(os.path.join(directory, "plot.dat"))
PYTHON
report $? "compare: three methods, two rounds; table, CSV and JSON agree"
grep -q 'round 2 of 2: tuned, .* left' "$err"
report $? "compare: shows progress and the time left"
compare --local 2 --sizes 4K --methods pipebcast:no_such_algorithm,tuned --runs 1 --iterations 2 \
    --mpirun-arg=--mca --mpirun-arg=pml --mpirun-arg=nothing
[ $code -eq 1 ] && grep -q 'FAILED: tuned: exit code' "$out"
report $? "compare: methods that fail are reported, and the exit status shows it"
PIPEBCAST_BENCH_CORRUPT=3,1,9
export PIPEBCAST_BENCH_CORRUPT
compare --local 2 --sizes 4K,8K --methods tuned --runs 1 --iterations 2
unset PIPEBCAST_BENCH_CORRUPT
[ $code -eq 1 ] && grep -q 'FAILED: tuned: .*wrong bytes' "$out"
report $? "compare: wrong bytes are a failure"
# A program that never ends, in place of the benchmark.
cat >"$work/stuck" <<SH
#!/bin/sh
echo \$\$ >>"$work/pids"
exec sleep 300
SH
chmod +x "$work/stuck"
# gone: all programs of that kind have ended, by now or within ten seconds.
# shellcheck disable=SC2013  # a pid is a word
gone() {
    for pid in $(cat "$work/pids"); do
        tries=0
        while kill -0 "$pid" 2>/dev/null && [ $tries -lt 100 ]; do
            tries=$((tries + 1))
            sleep 0.1
        done
        kill -0 "$pid" 2>/dev/null && return 1
    done
    return 0
}
: >"$work/pids"
compare --local 2 --bench "$work/stuck" --sizes 4K --methods tuned --patience 1 --time-limit 0.5
[ $code -eq 1 ] && grep -q 'FAILED: tuned: stopped: no end after' "$out" && gone
report $? "compare: a run that hangs is stopped"
: >"$work/pids"
"$COMPARE" --bench "$work/stuck" --output "$work/results" --local 2 --methods tuned \
    >"$out" 2>"$err" </dev/null &
compare_pid=$!
tries=0
while [ "$(wc -l <"$work/pids")" -lt 2 ] && [ $tries -lt 300 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
kill -TERM $compare_pid
wait $compare_pid
[ $? -eq 130 ] && [ -s "$work/pids" ] && gone
report $? "compare: interrupted, it ends what it started"
compare --topology 9 --testbed false --methods tuned
[ $code -eq 2 ] && grep -q 'no topology of' "$err"
report $? "compare: an unknown topology is refused"
: >"$work/cluster.conf"
compare --topology "$work/cluster.conf" --testbed false --methods tuned
[ $code -eq 1 ] && grep -q 'false up .* failed' "$err"
report $? "compare: a testbed that does not come up is reported"

for arguments in '--sizes 4K' '--local 2 --methods tuned:nothing' '--local 2 --methods x' \
    '--local 2 --sizes 4Q' '--local 0' '--topology 1 --local 2' '--local 2 --nonsense'; do
    compare $arguments
    [ $code -eq 2 ] && [ -s "$err" ]
    report $? "compare refuses: $arguments"
done
echo "1..$count"
