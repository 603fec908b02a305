#!/bin/sh
# TAP test of pipebcast-bench and compare on this machine alone. BENCH, COMPARE and MPIEXEC name
# the programs; `make check` sets them.
# shellcheck disable=SC2086  # $quick and $arguments are split into words on purpose
if [ "${PIPEBCAST_TESTS:-}" = units ]; then
    echo "1..0 # SKIP only tests that need no MPI job are wanted"
    exit 0
fi
BENCH=${BENCH:-./pipebcast-bench}
COMPARE=${COMPARE:-$(dirname "$0")/compare}
MPIEXEC=${MPIEXEC:-mpirun}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo
export OMPI_MCA_mpi_yield_when_idle=1
# 5.0's prte reads its own names for the same.
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
unset PIPEBCAST_BENCH_CORRUPT

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
out=$work/out err=$work/err
count=0

# report STATUS DESCRIPTION: one TAP line; shows the last command's output if it failed.
report() {
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        head -n 20 "$out" "$err" | sed 's/^/# /'
    fi
}

# bench NP ARGUMENT...: runs the benchmark; output in $out and $err, status in $code.
bench() {
    np=$1
    shift
    timeout 120 "$MPIEXEC" -np "$np" "$BENCH" "$@" >"$out" 2>"$err" </dev/null
    code=$?
}

# refuses NP PATTERN ARGUMENT...: wrong options end all ranks with status 2 and a message.
refuses() {
    np=$1 pattern=$2
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
bench 6 $quick --sizes 4K --check --datatype mixed --mode loop
report $code "np 6: five ways of saying one signature"
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
report $? "what is not measured is null"
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
bench 2 --version
[ $code -eq 0 ] && [ "$(grep -c '^pipebcast-bench [0-9]' "$out")" -eq 1 ]
report $? "--version is printed once"
bench 2 --help
[ $code -eq 0 ] && [ "$(grep -c '^Usage' "$out")" -eq 1 ]
report $? "--help is printed once"

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
    refuses 2 PIPEBCAST_BENCH_CORRUPT $quick --sizes 1K --check
done
unset PIPEBCAST_BENCH_CORRUPT

refuses 3 'no size' --sizes 12x
refuses 3 'no size' --sizes 0
refuses 2 'no size' --sizes 1K,,2K
refuses 2 'no size' --sizes 99999999999G
refuses 2 'ends before' --sizes 4K:1K
refuses 2 'no multiple of 32' --sizes 1000 --datatype mixed
refuses 2 'int count' --sizes 2G
refuses 3 'no rank 3 among 3' --root 3
refuses 3 'no rank' --root first
refuses 3 'no rank 7' --pingpong 0,7
refuses 3 'one rank' --pingpong 1,1
refuses 3 'no pair' --pingpong 1
refuses 2 'is unknown' --datatype float
refuses 2 'is unknown' --mode never
refuses 2 'is unknown' --op reduce
refuses 2 'is unknown' --clock sundial
refuses 2 'no number' --iterations 0
refuses 2 'no number' --iterations 5x
refuses 2 'no number' --warmup -1
refuses 2 'no number of seconds' --time-limit nan
refuses 2 'leaves none' --time-limit 5 --warmup 0
refuses 2 'needs a value' --sizes
refuses 2 'unknown' --frobnicate
refuses 2 'no option' 64K

# Ranks whose clocks are 1000 and 5000 seconds ahead: time namespaces. An estimate that failed would
# be off by as much.
if unshare -T --monotonic 1000 -f true 2>/dev/null; then
    timeout 120 "$MPIEXEC" -np 1 "$BENCH" $quick --sizes 64K --json : \
        -np 1 unshare -T --monotonic 1000 -f "$BENCH" : \
        -np 1 unshare -T --monotonic 5000 -f "$BENCH" >"$out" 2>"$err" </dev/null &&
        python3 - "$out" <<'PYTHON' 2>>"$err"
import json, sys
result = json.load(open(sys.argv[1]))["results"][0]
assert 0 < result["sync_min_us"] <= result["sync_max_us"] < 900e6, result
assert 0 < result["clock_error_us"] < 900e6, result
PYTHON
    report $? "clocks far apart are reconciled"
else
    echo "ok $((count += 1)) - clocks far apart # SKIP time namespaces cannot be made here"
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
folder = sys.argv[1]
run = json.load(open(os.path.join(folder, "results.json")))
assert [m["name"] for m in run["methods"]] == ["tuned", "tuned:pipeline:1400", "adapt"]
assert all(m["failure"] is None and len(m["runs"]) == 2 for m in run["methods"])
assert all(s["median_us"] > 0 for m in run["methods"] for s in m["sizes"])
rows = list(csv.DictReader(open(os.path.join(folder, "results.csv"))))
assert len(rows) == 3 * 2 * 2, len(rows)
assert os.path.exists(os.path.join(folder, "plot.dat"))
PYTHON
report $? "compare: three methods, two rounds; table, CSV and JSON agree"
grep -q 'round 2 of 2: tuned, .* left' "$err"
report $? "compare: shows progress and the time left"
compare --local 2 --sizes 4K --methods pipebcast:no_such_algorithm,tuned --runs 1 --iterations 2 \
    --mpirun-arg=--mca --mpirun-arg=pml --mpirun-arg=nothing
[ $code -eq 1 ] && grep -q 'FAILED: tuned: exit code' "$out"
report $? "compare: methods that fail are told, and the exit status says so"
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
report $? "compare: a testbed that does not come up is told"

for arguments in '--sizes 4K' '--local 2 --methods tuned:nothing' '--local 2 --methods x' \
    '--local 2 --sizes 4Q' '--local 0' '--topology 1 --local 2' '--local 2 --nonsense'; do
    compare $arguments
    [ $code -eq 2 ] && [ -s "$err" ]
    report $? "compare refuses: $arguments"
done
echo "1..$count"
