#!/bin/sh
# TAP test of pipebcast-advisor and pipebcast-probe on this host alone: names stand for hosts.
# ADVISOR, PROBE, BENCH, PLUGINDIR and MPIEXEC name the programs; `make check` sets them.
ADVISOR=${ADVISOR:-pipebcast-advisor}
PROBE=${PROBE:-pipebcast-probe}
BENCH=${BENCH:-pipebcast-bench}
# shellcheck source=test/tap.sh
. "$(dirname "$0")/../../tap.sh"
service=
# shellcheck disable=SC2317  # called by the trap
clear_up() {
    [ -n "$service" ] && kill "$service" 2>/dev/null
    rm -rf "$work" "${memory:-$work}"
}
trap clear_up EXIT
dir=$work/advice
mkdir "$dir"

# advisor ARGUMENT...: runs the program; output in $out and $err, status in $code.
advisor() {
    timeout 60 "$ADVISOR" "$@" >"$out" 2>"$err" </dev/null
    code=$?
}

# refuses STATUS PATTERN ARGUMENT...: a message, and no advice.
refuses() {
    status=$1 pattern=$2
    shift 2
    rm -f "$dir"/advice-*
    advisor "$@"
    [ "$code" -eq "$status" ] && grep -q -e "^[a-z-]*pipebcast.advis[a-z]*: .*$pattern" "$err" &&
        [ "$(find "$dir" -name 'advice-*' | wc -l)" -eq 0 ]
    report $? "refuses: $*"
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
    tries=$(($1 * 10))
    shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.1
    done
}

# advisor_works: whether an advisor works in the directory.
# shellcheck disable=SC2317  # called by wait_for
advisor_works() {
    advisor status --dir "$dir"
    [ $code -eq 0 ]
}

topology=$work/grid.conf
cat >"$topology" <<CONF
SwitchName=c1 Nodes=n[0-1]
SwitchName=c2 Nodes=n[2-3]
SwitchName=west Switches=c[1-2]
SwitchName=c3 Nodes=n[4-5]
SwitchName=top Switches=west,c3
CONF
links=$work/links
cat >"$links" <<LINKS
pipebcast-links 1
site west
site east
cluster c1 site west latency 50000 bandwidth 10000000
cluster c2 site west latency 50000 bandwidth 10000000
cluster c3 site east latency 50000 bandwidth 10000000
node n0 cluster c1 startup 20000
node n1 cluster c1 startup 20000
node n2 cluster c2 startup 20000
node n3 cluster c2 startup 20000
node n4 cluster c3 startup 20000
node n5 cluster c3 startup 20000
link c1 c2 latency 1000000 bandwidth 2000000
link c1 c3 latency 9000000 bandwidth 1000000
link c2 c1 latency 1000000 bandwidth 2000000
link c2 c3 latency 9000000 bandwidth 1000000
link c3 c1 latency 9000000 bandwidth 1000000
link c3 c2 latency 9000000 bandwidth 1000000
end 17
LINKS

# ---- refusals ----

refuses 2 "name the directory" --links "$links"
refuses 2 "no command" stat --dir "$dir"
refuses 2 "no option" --dir "$dir" more
refuses 2 "needs a value" --dir
refuses 2 "is unknown" --dir "$dir" --frobnicate
refuses 2 "known are annealed" --dir "$dir" --tree oak
refuses 2 "not a size" --dir "$dir" --segment 0
refuses 2 "not a whole number" --dir "$dir" --max-age 1.5
refuses 2 "not a number from" --dir "$dir" --budget nan
refuses 2 "name its hosts" --dir "$dir" --root n0
refuses 1 "cannot be used" --dir "$work/nowhere" --once --links "$links"
refuses 1 "nothing.conf" --dir "$dir" --once --topology "$work/nothing.conf"
refuses 1 "no hosts are known" --dir "$dir" --once
refuses 1 "not among the hosts" --dir "$dir" --once --links "$links" --root zebra
refuses 1 "hosts: " --dir "$dir" --once --hosts 'a['
advisor --version
[ $code -eq 0 ] && grep -q '^pipebcast-advisor [0-9]' "$out"
report $? "--version"
advisor --help
[ $code -eq 0 ] && grep -q '^Usage' "$out"
report $? "--help"

# ---- one pass, no program ----

advisor --dir "$dir" --once --links "$links" --topology "$topology" --budget 0.05
[ $code -eq 0 ] && [ "$(grep -c '^idle: ' "$out")" -eq 12 ] && grep -q '^idle: 1024 bytes' "$out" &&
    grep -q '^idle: 2097152 bytes' "$out"
report $? "--once: all sizes from 1 KB to 2 MB"
advice=$(find "$dir" -name 'advice-*')
[ "$(grep -c '^tree n0 ' "$advice")" -eq 12 ] && [ "$(grep -c '^edge' "$advice")" -eq 60 ] &&
    [ "$(grep -c '^host' "$advice")" -eq 6 ]
report $? "a tree over all hosts for each"
cp "$advice" "$work/kept"
advisor --dir "$dir" --once --links "$links" --tree multilevel --segment 4K --root n5 --max-age 77
grep -qx 'max-age 77' "$advice" && grep -q '^tree n5 from 786432 to 1572863 segment 4096' "$advice" &&
    [ "$(grep -c '^tree n0 ' "$advice")" -eq 12 ]
report $? "trees of another kind, root and age; those of other roots stay"
advisor --dir "$dir" --once --links "$links" --topology "$topology" --budget 0.02 --segment 4K
[ "$(grep -c '^tree n0 ' "$advice")" -eq 12 ] && [ "$(grep '^tree n0 ' "$advice" | grep -c 'segment 4096')" -eq 12 ]
report $? "--segment holds for trees that are in use, too"
advisor --dir "$dir" --once --hosts 'x[0-4]' --root x3 --budget 0.02
[ $code -eq 0 ] && [ "$(find "$dir" -name 'advice-*' | wc -l)" -eq 2 ]
report $? "hosts without measurements"

printf 'SwitchName=s0 Nodes=y[0-4].example.net\n' >"$work/full.conf"
advisor --dir "$dir" --once --topology "$work/full.conf" --hosts 'y[0-4]' --root y3 --budget 0.02
[ $code -eq 0 ] && grep -q '^tree y3.example.net ' "$dir"/advice-*
report $? "hosts and the root are called as the topology calls them"

(umask 077 && advisor --dir "$dir" --once --hosts 'x[0-4]' --root x3 --budget 0.02)
[ "$(stat -c %a "$dir/advisor-lock")" -eq 664 ]
report $? "with any umask another member of the directory's group can be the next advisor"

# ---- the unit of systemd ----

# The user is `nobody` where this one can give directories away.
user=nobody
: >"$work/given"
chown "$user" "$work/given" 2>/dev/null || user=$(id -un)
# shellcheck disable=SC2016 # systemd's
sed -n 's/\$\$/$/g; s/^ExecStartPre=[-+]*.bin.sh -c .\(.*\). sh .*/\1/p' \
    "$(dirname "$0")/../../../contrib/package/systemd/pipebcast-advisor@.service.in" >"$work/command"
sh -c "$(cat "$work/command")" sh "$work/user" "$user" >"$out" 2>"$err"
[ "$(stat -c '%a %U' "$work/user")" = "700 $user" ]
report $? "the unit makes the user's directory"
mkdir -m 0755 "$work/elsewhere"
ln -s "$work/elsewhere" "$work/link"
sh -c "$(cat "$work/command")" sh "$work/link" "$user" >"$out" 2>"$err"
[ -s "$work/command" ] && [ "$(stat -c '%a %U' "$work/elsewhere")" = "755 $(id -un)" ]
report $? "a directory that a link leads to stays as it is"

# ---- invalid links ----

sed '$d' "$links" >"$work/half"
advisor --dir "$dir" --once --links "$work/half" --topology "$topology" --budget 0.02
[ $code -eq 0 ] && grep -q 'half.*not written to its end' "$err" && grep -q 'are assumed' "$err"
report $? "links that are half written are reported, and assumed"
cp "$links" "$work/old"
touch -d '1 hour ago' "$work/old"
advisor --dir "$dir" --once --links "$work/old" --links-age 60 --budget 0.02
[ $code -eq 0 ]
report $? "links that are too old"

# ---- the service ----

rm -f "$dir"/advice-*
"$ADVISOR" --dir "$dir" --links "$links" --topology "$topology" --budget 0.02 >"$work/log" 2>&1 &
service=$!
wait_for 20 grep -q '2097152' "$work/log"
report $? "the service goes through all sizes"
advisor status --dir "$dir"
[ $code -eq 0 ] && grep -q '^an advisor is at work' "$out" && grep -q "^process  *$service\$" "$out" &&
    grep -q '^mode  *idle' "$out" && grep -q '^predicted_ms  *[0-9]' "$out"
report $? "status reports what it does"
# After each look for programs it sleeps.
sleeps() {
    sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$service/status"
}
first=$(sleeps)
sleep 1
[ $(($(sleeps) - first)) -le 20 ]
report $? "while no program runs it looks for one a few times in a second"
if [ -w /dev/full ]; then
    "$ADVISOR" status --dir "$dir" --json >/dev/full 2>"$err"
    [ $? -eq 1 ] && grep -q 'standard output cannot be written' "$err"
    report $? "status 1 if its report cannot be written"
else
    skip "status 1 if its report cannot be written" "there is no /dev/full"
fi
advisor --dir "$dir" --once --links "$links"
[ $code -eq 1 ] && grep -q 'works in .* already' "$err"
report $? "one advisor for a directory"
lines=$(wc -l <"$work/log")
sed 's/bandwidth 1000000/bandwidth 1500000/' "$links" >"$links.new" && mv "$links.new" "$links"
wait_for 20 sh -c "[ \$(grep -c '2097152' '$work/log') -ge 2 ]"
report $? "new links: it goes through them again"
printf 'pipebcast-history rubbish' >"$dir/history-0123456789abcdef-x"
: >"$dir/rates-0123456789abcdef-y"
sleep 0.8
kill -0 "$service"
report $? "rubbish in the directory does not stop it (after $lines lines)"
kill -TERM "$service"
wait "$service"
code=$?
service=
[ $code -eq 0 ] && [ ! -e "$dir/advisor-status.json" ]
report $? "SIGTERM ends it cleanly"
advisor status --dir "$dir"
[ $code -eq 1 ] && grep -q '^no advisor is at work' "$out"
report $? "status reports it"
advisor status --dir "$work/nowhere"
[ $code -eq 1 ] && grep -q -e '--dir: .*/nowhere: No such file' "$err"
report $? "status of a directory that is not there"
# A log of its own: the shell empties a file after it has gone on, and the last one's lines would do.
"$ADVISOR" --dir "$dir" --links "$links" --budget 0.02 >"$work/killed-log" 2>&1 &
service=$!
wait_for 20 grep -q '2097152' "$work/killed-log"
kill -KILL "$service"
wait "$service" 2>/dev/null
service=
advisor status --dir "$dir"
[ $code -eq 1 ] && grep -q 'did not end cleanly' "$out"
report $? "one that was killed is known to be gone"
touch -d '8 days ago' "$dir/history-0123456789abcdef-x"
advisor --dir "$dir" --once --links "$links" --budget 0.02
[ $code -eq 0 ]
report $? "and another one can begin immediately"
[ ! -e "$dir/history-0123456789abcdef-x" ] && [ -e "$dir/rates-0123456789abcdef-y" ]
report $? "it removes what crashed programs left a week ago, and nothing newer"

# A program's files. Rates count by the numbers of its hosts, and say nothing where they are of others.
rm -f "$dir"/advice-* "$dir"/history-* "$dir"/rates-*
python3 "$(dirname "$0")/write_history.py" "$dir" n0,n1,n2,n3,n4,n5
advisor --dir "$dir" --once --links "$links" --topology "$topology" --budget 0.02
[ $code -eq 0 ] && grep -q '^running: .* from n0 to 6 hosts.* 2 ways loaded, as c1 -> c3' "$out"
report $? "a program's rates show a way that is loaded"
python3 "$(dirname "$0")/write_history.py" "$dir" "$(seq -s , -f m%g 0 1023)"
advisor --dir "$dir" --once --links "$links" --topology "$topology" --budget 0.02
[ $code -eq 0 ] && grep -q '^running: .* from n0 to 6 hosts.* 0 ways loaded' "$out"
report $? "those of other hosts do not"
rm -f "$dir"/advice-* "$dir"/history-* "$dir"/rates-*

# rests_after COMMUNICATORS: whether the service finds at most four trees for each, and then no more.
# shellcheck disable=SC2317  # called by wait_for
is_still() {
    trees=$(grep -c '^running: ' "$work/log")
    sleep 0.7
    [ "$trees" -gt 0 ] && [ "$(grep -c '^running: ' "$work/log")" -eq "$trees" ]
}
rests_after() {
    : >"$work/log"
    python3 "$(dirname "$0")/write_history.py" "$dir" n0 "$1"
    wait_for 3 is_still && [ "$(grep -c '^running: ' "$work/log")" -le $((4 * $1)) ]
}
: >"$work/log"
"$ADVISOR" --dir "$dir" --topology "$topology" --tree multilevel --max-age 1 >>"$work/log" 2>&1 &
service=$!
wait_for 20 advisor_works
rests_after 1
report $? "it rests after the broadcasts of two ranks of a host that were both root"
rests_after 300
report $? "and after those of many communicators"
for name in history-0-x rates-0-x advice-0 advice-0.Ab1Cd2 advisor-status.json.Ab1Cd2; do
    : >"$dir/$name-new"
    touch -d '8 days ago' "$dir/$name"
done
# shellcheck disable=SC2317  # called by wait_for
is_removed() {
    [ "$(find "$dir" -mtime +6 | wc -l)" -eq 0 ]
}
wait_for 20 is_removed && [ "$(find "$dir" -name '*-new' | wc -l)" -eq 5 ]
report $? "while it works it removes files of last week, advice too, and nothing newer"
kill -TERM "$service"
wait "$service"
service=
rm -f "$dir"/*-new "$dir"/history-*

# Links with full names of hosts. Programs and the topology have the short ones.
sed 's/^node \(n[0-9]\)/node \1.cluster.example/' "$links" >"$work/full"
python3 "$(dirname "$0")/write_history.py" "$dir" n0 1
for names in "$links" "$work/full"; do
    advisor --dir "$dir" --once --links "$names" --topology "$topology" --tree multilevel
    sed 's/.*running: \(1048576 .*\)/\1/' "$out" >"$work/${names##*/}.said"
done
[ $code -eq 0 ] && grep -q '^1048576 bytes from n0 to 6 hosts' "$work/full.said" && [ ! -s "$err" ] &&
    cmp -s "$work/links.said" "$work/full.said"
report $? "links of hosts with full names are those of the short names"
rm -f "$dir"/advice-*
advisor --dir "$dir" --once --idle --links "$work/full" --topology "$topology" --tree multilevel
[ $code -eq 0 ] && cat "$dir"/advice-* | grep -qx 'host n5'
report $? "and while no program runs, advice is for the names of the topology"
sed -e '/^node n5/d' -e 's/^end 17/end 16/' "$links" >"$work/fewer"
advisor --dir "$dir" --once --links "$work/fewer" --topology "$topology" --tree multilevel
[ $code -eq 0 ] && [ "$(wc -l <"$err")" -eq 1 ] && grep -q "fewer has no host 'n5'; links are assumed" "$err"
report $? "links that lack a host of a program are reported once"
rm -f "$dir"/advice-* "$dir"/history-*

# A program on a host that the topology lacks.
sed 's/n\[4-5\]/n4/' "$topology" >"$work/less.conf"
python3 "$(dirname "$0")/write_history.py" "$dir" n0 2
advisor --dir "$dir" --once --topology "$work/less.conf" --budget 0.02
[ $code -eq 0 ] && [ "$(grep -c '^running: .* from n0 to 6 hosts' "$out")" -ge 6 ] && [ "$(wc -l <"$err")" -eq 1 ] &&
    grep -q "no switch of host 'n5' is known" "$err"
report $? "a host that the topology lacks is reported once, and its program is advised"
rm -f "$dir"/advice-* "$dir"/history-*

# A cluster that is too large for the idle mode: it waits for programs.
printf 'SwitchName=s Nodes=n[0-1099]\n' >"$work/large.conf"
"$ADVISOR" --dir "$dir" --topology "$work/large.conf" >"$work/log" 2>&1 &
service=$!
waits() {
    advisor status --dir "$dir"
    grep -q '^mode  *waiting for a program, as there are too many hosts' "$out"
}
wait_for 20 waits
sleep 0.8
[ "$(grep -c 'more than 1024 hosts.*--hosts' "$work/log")" -eq 1 ] && kill -0 "$service"
report $? "more hosts than it can advise: it says so once, and waits for a program"
mv "$dir" "$work/away"
wait_for 20 grep -q 'cannot be read' "$work/log"
sleep 2.5
mv "$work/away" "$dir"
[ "$(grep -c 'cannot be read' "$work/log")" -eq 1 ]
report $? "a directory that is lost is reported once"
kill -TERM "$service"
wait "$service"
code=$?
service=
[ $code -eq 0 ]
report $? "and it serves on until SIGTERM"

# ---- with MPI ----

finish() {
    echo "1..$count"
    exit 0
}
if [ "${PIPEBCAST_TESTS:-}" = units ]; then
    skip "with programs" "only tests that need no MPI job are wanted"
    finish
fi
mpi_here
trap clear_up EXIT

# probe NP ARGUMENT...
probe() {
    np=$1
    shift
    timeout -k 10 120 "$MPIEXEC" -np "$np" "$PROBE" "$@" >"$out" 2>"$err" </dev/null
    code=$?
}

probe 6 --pretend-hosts 'n[0-5]' --topology "$topology" --output "$work/probed" --train 16K
[ $code -eq 0 ] && grep -q '^6 hosts in 3 clusters at 2 sites; sends 200\.6 KB of messages, 98\.2 KB of' "$out" &&
    [ "$(grep -c '^link ' "$work/probed")" -eq 6 ] && grep -qx 'end 17' "$work/probed"
report $? "the probe: a file of links"
probe 4 --pretend-hosts n0,n0,n4,n4 --topology "$topology" --output "$work/probed" --quiet
[ $code -eq 0 ] && [ ! -s "$out" ] && grep -qx 'end 8' "$work/probed"
report $? "hosts of two ranks"
probe 2 --pretend-hosts n0 --output "$work/none"
[ $code -eq 1 ] && [ "$(grep -c 'less than two hosts' "$err")" -eq 1 ] && [ ! -e "$work/none" ]
report $? "the probe wants two hosts"
probe 2 --pretend-hosts n0,zebra --topology "$topology" --output "$work/none"
[ $code -eq 0 ] && grep -q "no switch of host 'zebra' is known" "$err" && grep -q '^2 hosts in 2 clusters' "$out"
report $? "a host that the topology lacks is reported, and is a cluster of its own"
printf 'SwitchName="c 1" Nodes=n[0-1]\nSwitchName="c_1" Nodes=n[2-3]\n' >"$work/blank.conf"
probe 2 --pretend-hosts n0,n2 --topology "$work/blank.conf" --output "$work/blank"
[ $code -eq 0 ] && grep -q '^link 0_c_1 c_1 latency' "$work/blank" && advisor --dir "$dir" --once --links "$work/blank" &&
    [ $code -eq 0 ] && [ ! -s "$err" ]
report $? "the name of a switch has a blank: the advisor can read it"
mkdir "$work/own"
printf 'SwitchName=1_c_1 Nodes=n[0-1]\nSwitchName="c 1" Nodes=n[2-3]\n' >"$work/blank.conf"
probe 2 --pretend-hosts n0,n2 --topology "$work/blank.conf" --output "$work/own/links"
[ $code -eq 1 ] && grep -q "'1_c_1' is defined already" "$err" && [ "$(ls -A "$work/own")" = '' ]
report $? "a file that it could not read is not left"
probe 2 --pretend-hosts n0,n4 --topology "$topology" --output "$work/no/where"
[ $code -eq 1 ] && grep -q 'cannot be written' "$err"
report $? "a directory for the file"

if [ ! -f "${PLUGINDIR:-}/mca_coll_pipebcast.so" ]; then
    skip "with programs" "the plugin is not built"
    finish
fi

# A program of ten broadcasts; the advisor learns of it and answers, and the program takes that.
rm -f "$dir"/advice-* "$dir"/history-* "$dir"/rates-*
"$ADVISOR" --dir "$dir" --topology "$topology" --budget 0.05 --root n0 >"$work/log" 2>&1 &
service=$!
wait_for 20 advisor_works
own=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
for i in 0 1 2 3 4 5 6 7 8 9; do
    echo "0.$i $((200000 - 10000 * i))"
done >"$work/schedule"
broadcasts() {
    timeout -k 10 120 "$MPIEXEC" -np 6 --mca mca_base_component_path "$PLUGINDIR:$own" \
        --mca coll pipebcast,tuned --mca coll_pipebcast_hosts 'n[0-5]' \
        --mca coll_pipebcast_topology_file "$topology" \
        --mca coll_pipebcast_advice_dir "$dir" --mca coll_pipebcast_arrival off \
        --mca coll_pipebcast_verbose 1 \
        "$BENCH" --schedule "$work/schedule" --check --clock shared --csv >"$out" 2>"$err" </dev/null
    code=$?
}
broadcasts
[ $code -eq 0 ] && [ "$(wc -l <"$out")" -eq 11 ]
report $? "a program broadcasts while it is advised, every byte verified"
grep -q '^running: ' "$work/log"
report $? "the advisor saw its broadcasts"
grep -q '^running: [0-9]* bytes from n0 to 6 hosts: predicted' "$work/log"
report $? "and predicted their size"
# A second of broadcasts on a busy host may have none that says anything of a rate.
uses_rates() {
    advisor status --dir "$dir"
    grep -q '^rates_used  *[1-9]' "$out"
}
for _ in 1 2 3 4; do
    if uses_rates; then break; fi
    broadcasts
done
uses_rates
report $? "and used what it measured"
kill -TERM "$service"
wait "$service"
code=$?
service=
[ $code -eq 0 ]
report $? "the advisor ended"

# The same with an advisor that goes by the file of links alone.
rm -f "$dir"/advice-* "$dir"/history-* "$dir"/rates-*
"$ADVISOR" --dir "$dir" --topology "$topology" --budget 0.05 --root n0 --ignore-rates >"$work/log" 2>&1 &
service=$!
wait_for 20 advisor_works
broadcasts
[ $code -eq 0 ] && wait_for 20 grep -q '^running: [0-9]* bytes from n0 to 6 hosts: predicted' "$work/log"
report $? "--ignore-rates: the advisor saw the broadcasts"
advisor status --dir "$dir"
grep -qx 'rates_used  *0' "$out"
report $? "and used nothing that they measured"
kill -TERM "$service"
wait "$service"
service=

# A gap that is longer than advice holds: the search is for its end, so that what it finds is fresh then.
rm -f "$dir"/advice-* "$dir"/history-* "$dir"/rates-*
"$ADVISOR" --dir "$dir" --topology "$topology" --root n0 --max-age 4 >"$work/log" 2>&1 &
service=$!
wait_for 20 advisor_works
printf '0 100000\n6 100000\n12 100000\n' >"$work/schedule"
broadcasts
[ $code -eq 0 ] && [ "$(grep -c '^running: ' "$work/log")" -ge 13 ]
report $? "a tree is found anew before the next broadcast"
kill -TERM "$service"
wait "$service"
service=
finish
