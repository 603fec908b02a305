#!/bin/sh
# TAP test of pipebcast-bench and compare with ranks of this host alone. BENCH, COMPARE and MPIEXEC name
# the programs; `make check` sets them.
# shellcheck disable=SC2086  # $quick is split into words on purpose
BENCH=${BENCH:-pipebcast-bench}
COMPARE=${COMPARE:-$(dirname "$0")/../../../contrib/experiments/compare}
# shellcheck source=test/tap.sh
. "$(dirname "$0")/../../tap.sh"
run_mpi_here
# The plugin may be installed for all.
export OMPI_MCA_coll=^pipebcast

# bench NP ARGUMENT...: runs the benchmark; output in $out and $err, status in $code.
bench() {
    n_ranks=$1
    shift
    start_job "$n_ranks" "$BENCH" "$@" >"$out" 2>"$err" </dev/null
    code=$?
}

# refuses NP PATTERN ARGUMENT...: wrong options end the job with status 2 and one message.
refuses() {
    np=$1 pattern=$2
    shift 2
    if [ "$np" = alone ]; then
        timeout 60 "$BENCH" "$@" >"$out" 2>"$err" </dev/null
        code=$?
    else
        bench "$np" "$@"
    fi
    [ "$code" -eq 2 ] && grep -q -e "$pattern" "$err" && [ "$(grep -c 'pipebcast.bench: ' "$err")" -eq 1 ]
    report $? "refuses: $*"
}

quick='--iterations 3 --warmup 1'
bench 3 -i 3 -x 1 -m 1,1000,64K -c
[ $code -eq 0 ] && [ "$(grep -c '^  *[0-9]' "$out")" -eq 3 ] && grep -q 'every byte verified' "$out"
report $? "three sizes, every byte verified, by the short options"
tail -n 1 "$out" | grep -q '^# 65536 bytes to 3 ranks take .* served by .*: pipebcast is not loaded$'
report $? "the last line says how fast and by whom"
for op in ibcast bcast_init; do
    bench 3 $quick --op $op --sizes 1000,64K --check --root rotate
    report $code "$op: every byte verified, rotating root"
done
bench 2 $quick --sizes 4K --check --root "$(hostname)"
[ $code -eq 0 ] && grep -q "^# MPI_Bcast, 2 ranks on 1 host, root 0" "$out"
report $? "--root HOST: its first rank"
bench 3 $quick --sizes 4K --check --root 2 --pingpong 2,1 --clock shared
report $code "root 2, ping-pong between 2 and 1, shared clock"

bench 3 $quick --sizes 1K:4K --json --mode both --label 'a "quoted" \ label'
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import json, sys
run = json.load(open(sys.argv[1]))
assert run["label"] == 'a "quoted" \\ label', run["label"]
assert run["ranks"] == 3 and run["checked"] is False and run["component"]
assert [r["bytes"] for r in run["results"]] == [1024, 2048, 4096]
for r in run["results"]:
    assert r["pingpong_us"] > 0 and r["loop_us"] > 0
    assert 0 < r["sync_min_us"] <= r["sync_median_us"] <= r["sync_max_us"]
    assert abs(r["sync_ratio"] - r["sync_median_us"] / r["pingpong_us"]) < 0.02 * r["sync_ratio"]
    assert r["sync_iterations"] == 3 and r["warmup"] == 1 and r["limited"] == 0 and r["served_by"] is None
PYTHON
report $? "--json is one object with the label, the sizes and consistent figures"
bench 1 $quick --sizes 1K,2K --csv --label 'x,"y"'
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [r["bytes"] for r in rows] == ["1024", "2048"]
assert all(r["label"] == 'x,"y"' and None not in r and None not in r.values() for r in rows)
assert all(r["pingpong_us"] == r["loop_us"] == r["sync_ratio"] == "" for r in rows)
PYTHON
report $? "--csv has a header and a line for each size, with nothing where nothing was measured"
bench 2 --sizes 64K --iterations 1000000 --time-per-size 1
[ $code -eq 0 ] && grep -q ' \*$' "$out" && grep -q '^# \* ' "$out"
report $? "--time-per-size ends a long run and marks it"
bench 3 --sizes 1K --iterations 2 --warmup 0 --no-pingpong --mode loop --root rotate --root-late 20000 --csv
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import csv, sys
[row] = csv.DictReader(open(sys.argv[1]))
assert float(row["loop_us"]) >= 10000
PYTHON
report $? "--root-late: no broadcast but the first begins earlier"
bench 2 --version
[ $code -eq 0 ] && [ "$(grep -c '^pipebcast-bench [0-9.]* (built for Open MPI [0-9.]*)$' "$out")" -eq 1 ]
report $? "--version is printed once, with the series"
"$BENCH" --help >"$out" 2>"$err"
[ $? -eq 0 ] && [ "$(grep -c '^Usage' "$out")" -eq 1 ] && ! grep -q '.\{100\}' "$out"
report $? "--help without a launcher fits a terminal"

# The columns of other benchmarks, as scripts made for them read them.
bench 2 --iterations 1 --warmup 0 --osu
[ $code -eq 0 ] && [ "$(grep -c '^[1-9]' "$out")" -eq 21 ] && grep -q '^1048576  *[0-9.]*$' "$out" &&
    grep -q '^# Size       Avg Latency(us)$' "$out"
report $? "--osu: its sizes and columns"
bench 3 --sizes 4K,1M --iterations 3 --warmup 1 --imb
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import re, sys
text = open(sys.argv[1]).read()
part = re.search(r"^#-{64}\n# Benchmarking Bcast \n# #processes = 3 \n#-{64}\n(.*?)\n\n\n# All processes entering MPI_Finalize",
                 text, re.MULTILINE | re.DOTALL).group(1)
head, *rows = part.splitlines()
assert head == "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]", head
assert all(re.fullmatch(r"[ \d]{13}[ \d]{13}( *\d+\.\d\d){3}", row) and len(row) == 65 for row in rows), rows
PYTHON
report $? "--imb: the columns of IMB-MPI1 Bcast"

# A schedule: each broadcast once, at its time, and a command before them.
printf '# at, size\n0 64K\n0.2 1000 # small\n0.2 32K\n' >"$work/schedule"
bench 3 --schedule "$work/schedule" --check --clock shared --begin "echo begun >'$work/begun'"
[ $code -eq 0 ] && [ "$(cat "$work/begun")" = begun ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [int(row["bytes"]) for row in rows] == [65536, 1000, 32768]
assert [float(row["at_s"]) for row in rows] == [0, 0.2, 0.2]
assert all(float(row["begun_s"]) >= float(row["at_s"]) for row in rows)
PYTHON
report $? "a schedule: sizes and times, every byte verified"
for line in '0' '0 64Q' '-1 64K' '0 64K more'; do
    printf '0 1K\n%s\n' "$line" >"$work/faulty"
    bench 1 --schedule "$work/faulty"
    [ $code -eq 1 ] && [ "$(grep -c "faulty:2: " "$err")" -eq 1 ]
    report $? "a schedule with a line '$line' is refused"
done
bench 2 --schedule "$work/schedule" --begin false
[ $code -eq 1 ] && grep -q "'false' failed" "$err"
report $? "a command that fails ends it"

# Arrival patterns. Delays are in units of T(M).
bench 4 --sizes 4K,64K --iterations 3 --warmup 1 --arrival random --max-if 1,8 --patterns 3 --check --clock shared
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [(r["bytes"], r["max_if"], r["pattern"]) for r in rows] == [
    (size, max_if, str(n)) for size in ("4096", "65536") for max_if in ("1", "8") for n in range(3)]
for r in rows:
    assert 0 < float(r["average_us"]) and 0 <= float(r["waiting_us"])
    assert 0 < float(r["opt_nonblocking_us"]) <= float(r["opt_blocking_us"])
PYTHON
report $? "--arrival random: two sizes, two MAX_IF, three patterns"
bench 2 --sizes 4K --iterations 3 --warmup 1 --arrival late --patterns 100000000 --time-per-size 1
[ $code -eq 0 ] && [ "$(wc -l <"$out")" -gt 1 ]
report $? "--time-per-size ends arrival patterns"
bench 3 --sizes 4K --iterations 3 --warmup 1 --arrival root-first --max-if 50 --patterns 4 --root rotate
[ $code -eq 0 ] && [ "$(tail -n +2 "$out" | cut -d, -f13 | tr '\n' ' ')" = "0 1 2 0 " ]
report $? "--arrival root-first, rotating root"
bench 4 --sizes 1M --iterations 3 --warmup 1 --arrival late --late-ranks 0,3 --max-if 300 --patterns 3 --clock shared
[ $code -eq 0 ] && python3 - "$out" <<'PYTHON' 2>>"$err"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 3
for r in rows:  # the root is there first, so that the bounds differ by a fourth of the last one's delay
    late = 4 * (float(r["opt_blocking_us"]) - float(r["opt_nonblocking_us"]))
    assert late > 240 * float(r["pingpong_us"]), r
PYTHON
report $? "--late-ranks: these are late, but for the root"

# The verification sees a byte that is flipped after a broadcast of the run, warm-up included.
# corrupting BROADCAST,RANK,OFFSET NP ARGUMENT...: as bench
corrupting() {
    honest=$BENCH BENCH=$CORRUPT_BENCH CORRUPT=$1
    export CORRUPT
    shift
    bench "$@"
    BENCH=$honest
}
# detects BROADCAST PHASE ITERATION RANK OFFSET ARGUMENT...
detects() {
    broadcast=$1 phase=$2 iteration=$3 rank=$4 offset=$5
    shift 5
    corrupting "$broadcast,$rank,$offset" 3 $quick --check "$@"
    [ "$code" -eq 1 ] &&
        grep -q "$phase iteration $iteration .*rank $rank has at byte offset $offset 0x" "$err" &&
        grep -q '1 bytes are wrong here; 1 of 3 ranks' "$err"
    report $? "flipped byte found: $phase iteration $iteration, rank $rank, offset $offset $*"
}
detects 0 warm-up 0 2 0 --sizes 1K
detects 0 sync 0 1 65535 --sizes 64K --warmup 0
detects 2 loop 2 0 77 --sizes 4K --mode loop --warmup 0
corrupting 1,1,5 2 $quick --sizes 1K
report $code "without --check nothing is verified"

refuses 2 "'--iteratons' is unknown; see pipebcast bench --help" --iteratons 3
refuses 2 'no rank 2 among 2' --root 2
refuses 2 'no rank 5 among 2' --pingpong 0,5
refuses alone 'not a size' -m 1Q
refuses alone 'not a size' --sizes 0
refuses alone 'ends before it begins' --sizes 8K:4K
refuses alone 'not a whole number' -i 0
refuses alone 'not a whole number' -i +2
refuses alone 'needs a value' --sizes
refuses alone 'no pair' --pingpong 1,1
refuses 2 "no rank is on a host 'first'" --root first
refuses alone "'fast' is unknown; known are loop, sync, both" --mode fast
refuses alone 'is empty' --label ''
refuses alone 'is no option' 64K
refuses alone 'mode loop alone' --root-late 5
refuses alone 'for --arrival late' --arrival random --late-ranks 1
refuses 2 'there is no rank 2 among 2' --arrival late --late-ranks 1,2
refuses alone 'for schedules' --begin true
refuses alone 'have one time of blocking broadcasts' --imb --op ibcast
refuses alone 'judges by the warm-up' --time-per-size 1 --warmup 0
refuses alone 'more than 64 numbers' --sizes "$(seq -s , 1 65)"
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
    "$COMPARE" --bench "$BENCH" --testbed "$work/testbed" --output "$work/results" "$@" \
        >"$out" 2>"$err" </dev/null
    code=$?
}
# In the place of a testbed: ranks are on this host.
cat >"$work/testbed" <<'SH'
#!/bin/sh
case $1 in
status)
    echo '{"testbed": {"hosts": ["n0"]}, "fabric": null,' \
        '"links": [{"from": "n0", "to": "s0", "drops": 0, "bytes": 1}]}'
    ;;
mpirun)
    shift 4
    exec mpirun "$@"
    ;;
esac
SH
chmod +x "$work/testbed"
: >"$work/cluster.conf"
on="--topology $work/cluster.conf --np"
case $MPIEXEC in
*/*) PATH=$(dirname "$MPIEXEC"):$PATH ;;
esac
compare $on 3 --sizes 4K,16K --methods tuned,tuned:pipeline:1400,adapt --runs 2 --iterations 3
[ $code -eq 0 ] && python3 - "$work/results" <<'PYTHON' 2>>"$err"
import csv, json, os, sys
directory = sys.argv[1]
run = json.load(open(os.path.join(directory, "results.json")))
assert [m["name"] for m in run["methods"]] == ["tuned", "tuned:pipeline:1400", "adapt"]
assert all(m["failure"] is None and len(m["runs"]) == 2 for m in run["methods"])
assert all(s["median_us"] > 0 for m in run["methods"] for s in m["sizes"])
rows = list(csv.DictReader(open(os.path.join(directory, "results.csv"))))
assert len(rows) == 3 * 2 * 2, len(rows)
assert os.path.exists(os.path.join(directory, "bars.svg"))
PYTHON
report $? "compare: three methods, two rounds; table, CSV and JSON agree"
grep -q 'round 2 of 2: tuned, .* left' "$err"
report $? "compare: shows progress and the time left"
compare $on 2 --sizes 4K --methods pipebcast:no_such_algorithm,tuned --runs 1 --iterations 2 \
    --mpirun-arg=--mca --mpirun-arg=pml --mpirun-arg=nothing
[ $code -eq 1 ] && grep -q 'FAILED: tuned: exit code' "$out"
report $? "compare: methods that fail are reported, and the exit status shows it"
CORRUPT=3,1,9
export CORRUPT
compare --bench "$CORRUPT_BENCH" $on 2 --sizes 4K,8K --methods tuned --runs 1 --iterations 2
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
compare $on 2 --bench "$work/stuck" --sizes 4K --methods tuned --patience 1 --time-limit 0.5
[ $code -eq 1 ] && grep -q 'FAILED: tuned: stopped: no end after' "$out" && gone
report $? "compare: a run that hangs is stopped"
: >"$work/pids"
"$COMPARE" --bench "$work/stuck" --testbed "$work/testbed" --output "$work/results" $on 2 \
    --methods tuned >"$out" 2>"$err" </dev/null &
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
compare $on 2 --testbed false --methods tuned
[ $code -eq 1 ] && grep -q 'false up .* failed' "$err"
report $? "compare: a testbed that does not come up is reported"

for arguments in '--sizes 4K' "$on 2 --methods tuned:nothing" "$on 2 --methods x" \
    "$on 2 --sizes 4Q" "$on 0" "$on 2 --rate auto --name x" "$on 2 --nonsense"; do
    compare $arguments
    [ $code -eq 2 ] && [ -s "$err" ]
    report $? "compare refuses: ${arguments##*cluster.conf }"
done
echo "1..$count"
