#!/bin/sh
# TAP test of pipebcast-topo. TOPO and FAULTY_TOPO name the programs, TOPOLOGIES the directory of the
# five topologies; `make check` sets them. With UPDATE_GOLDEN=1 the golden files are written anew;
# read what changed before you keep it.
TOPO=${TOPO:-pipebcast-topo}
here=$(cd "$(dirname "$0")" && pwd) || exit 1
golden=$here/golden
TOPOLOGIES=${TOPOLOGIES:-$here/../../../contrib/testbed}
FAULTY_TOPO=${FAULTY_TOPO:-./faulty_topo}
LC_ALL=C
export LC_ALL

# shellcheck source=test/tap.sh
. "$here/../../tap.sh"

# Files are named relative to where they are, as their names are printed.
cd "$TOPOLOGIES" || exit 1

# topo ARGUMENT...: runs the tool; outputs in $out and $err, status in $code.
topo() {
    timeout 120 "$TOPO" "$@" >"$out" 2>"$err"
    code=$?
}

# as_golden NAME STATUS ARGUMENT...: the output is that of golden/NAME.expected.
as_golden() {
    name=$1 status=$2
    shift 2
    topo "$@"
    if [ -n "$UPDATE_GOLDEN" ]; then
        cp "$out" "$golden/$name.expected"
    fi
    echo "status $code, expected $status" >>"$err"
    diff "$golden/$name.expected" "$out" >>"$err" 2>&1 && [ "$code" -eq "$status" ]
    report $? "$name: $*"
}

# ends STATUS PATTERN ARGUMENT...: the tool ends so, with a message that matches.
ends() {
    status=$1 pattern=$2
    shift 2
    topo "$@"
    [ "$code" -eq "$status" ] && grep -q -e "$pattern" "$err"
    report $? "status $status, '$pattern': $*"
}

# ---- help and the command line ----

topo --help
[ $code -eq 0 ] && grep -q '^usage: ' "$out" && [ ! -s "$err" ]
report $? "--help"
topo --version
[ $code -eq 0 ] && grep -q '^pipebcast-topo [0-9]' "$out"
report $? "--version"
for command in check show tree load simulate heights explain import; do
    topo $command --help
    [ $code -eq 0 ] && grep -q "^usage: pipebcast-topo $command" "$out" &&
        grep -q '^examples:' "$out" && grep -q '^exit status:' "$out" && [ ! -s "$err" ]
    report $? "$command --help"
    awk 'length > 100 { exit 1 }' "$out"
    report $? "$command --help fits a terminal"
done
# Every option that a command takes is in its help.
for command in tree load simulate heights explain import; do
    topo $command --help
    sed -n 's/^  \(--[a-z-]*\).*/\1/p' "$out" | grep -v -e '--help' >"$work/named"
    refused=0
    while read -r option; do
        "$TOPO" $command "$option" >"$work/refusal" 2>&1 </dev/null
        ! grep -q 'is unknown, ambiguous' "$work/refusal" || refused=$((refused + 1))
    done <"$work/named"
    [ $refused -eq 0 ] && [ "$(wc -l <"$work/named")" -ge 5 ]
    report $? "$command takes the options of its help"
done

ends 2 "usage:"
ends 2 "'frobnicate' is no command" frobnicate
ends 2 "'--colour' is unknown" tree topology1.conf --colour
ends 2 "'-x' is unknown" check -x topology1.conf
ends 2 "'--format' is unknown" load topology1.conf --format
ends 2 "--root needs a value" tree topology1.conf --algorithm chain --root
ends 2 "check takes one FILE" check
ends 2 "check takes one FILE" check topology1.conf topology2.conf
ends 2 "heights takes no FILE" heights topology1.conf
ends 2 "tree needs one --algorithm" tree topology1.conf
ends 2 "tree needs one --algorithm" tree topology1.conf --algorithm chain,binary
ends 2 "'oak' is unknown; known are chain, " tree topology1.conf --algorithm oak
ends 2 "'' is unknown; known are chain, " simulate topology1.conf --algorithm chain,
ends 2 "'png' is unknown; known are text" tree topology1.conf --algorithm chain --format png
ends 2 "'n99' is no host of topology1.conf" tree topology1.conf --algorithm chain --root n99
ends 2 "'s0' is no host" tree topology1.conf --algorithm chain --root s0
ends 2 "'n3' is not among the --hosts" tree topology1.conf --algorithm chain --root n3 --hosts 'n[0-2]'
ends 2 "no host of the topology is called 'n17'" load topology1.conf --algorithm chain --hosts n1,n17
ends 2 "'n1' is there twice" load topology1.conf --algorithm chain --hosts n1,n1
ends 2 "bracket is not closed" load topology1.conf --algorithm chain --hosts 'n[0-'
ends 2 "the list is empty" load topology1.conf --algorithm chain --hosts ''
ends 2 "'0' is not a whole number from 1" load topology1.conf --algorithm chain --ppn 0
ends 2 "'two' is not a whole number" load topology1.conf --algorithm kary --fanout two
ends 2 "'+2' is not a whole number" load topology1.conf --algorithm kary --fanout +2
ends 2 "'cubic' is unknown; known are slot, links" simulate topology1.conf --model cubic
ends 2 "'--colouring' is unknown" simulate topology1.conf --colouring no
ends 2 "--segments: '0' is not a whole number from 1" simulate topology1.conf --segments 0
ends 2 "--segments: '16:8' ends before it begins" simulate topology1.conf --segments 16:8
ends 2 "--segments: '' is not a whole number" simulate topology1.conf --segments 16,,32
ends 2 "the list is longer" simulate topology1.conf --segments "$(printf '%01500d' 1)"
ends 2 "more than 64 numbers" simulate topology1.conf --segments "$(printf '1,%.0s' 1 2 3 4 5 6 7 8 9 10 \
    11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 \
    43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)1"
ends 2 "--sizes must rise" heights --sizes 32,16
ends 2 "'-1' is not a whole number" heights --seed=-1
ends 2 "'99999999999999999999' is not a whole number" heights --seed 99999999999999999999

ends 2 "import takes lldp" import
ends 2 "import takes lldp" import lldp
ends 2 "import takes lldp" import snmp topology1.conf

ends 2 "--bytes is missing" explain topology1.conf
ends 2 "explain takes one FILE" explain --bytes 1M
ends 2 "explain takes one FILE" explain topology1.conf --topology topology2.conf --bytes 1M
ends 2 "'0' is not a size" explain topology1.conf --bytes 0
ends 2 "'1T' is not a size" explain topology1.conf --bytes 1T
ends 2 "'2048G' is not a size" explain topology1.conf --bytes 2048G
ends 2 "'-1' is not a size" explain topology1.conf --bytes=-1
ends 2 "--segment: '2G' is not a size" explain topology1.conf --bytes 1 --segment 2G
ends 2 "'fast' is not a whole number" explain topology1.conf --bytes 1 --speed fast
ends 2 "--algorithm takes one name" explain topology1.conf --bytes 1 --algorithm chain,binary

# ---- files ----

ends 5 "nowhere.conf: cannot be opened" check nowhere.conf
ends 5 "nowhere.conf: cannot be opened" tree nowhere.conf --algorithm chain
ends 5 "cannot be read" show .
if [ -w /dev/full ]; then
    timeout 60 "$TOPO" show topology1.conf >/dev/full 2>"$err"
    [ $? -eq 5 ] && grep -q 'standard output cannot be written' "$err"
    report $? "status 5 if the output cannot be written"
else
    skip "status 5 if the output cannot be written" "there is no /dev/full"
fi

ends 5 "nowhere.model: cannot be opened" explain topology1.conf --bytes 1M --model nowhere.model
ends 1 "topology1.conf:[12]: begins with 'SwitchName=s0'" explain topology1.conf --bytes 1M --model topology1.conf
sed 's/any/5/' "$golden/explain.model" >"$work/other.model"
ends 1 "other.model: was measured on another topology than that of topology1.conf" \
    explain topology1.conf --bytes 1M --model "$work/other.model"
sed 's/^cost *256 */cost 256 -/' "$golden/explain.model" >"$work/faulty.model"
ends 1 "faulty.model:[0-9]*: the gap is '-" explain topology1.conf --bytes 1M --model "$work/faulty.model"

for n in 1 2 3 4 5; do
    as_golden check$n 0 check topology$n.conf
    as_golden show$n 0 show topology$n.conf
done
cd "$golden" || exit 1
as_golden faulty 1 check faulty.conf
as_golden speeds_show 0 show speeds.conf
as_golden bundles_show 0 show bundles.conf
as_golden fabric_check 0 check fabric.conf
as_golden fabric_show 0 show fabric.conf
as_golden names_check 0 check names.conf
topo check several.yaml
if grep -q "built without libyaml" "$out"; then
    echo "# the tool was built without libyaml, so no topology.yaml is read"
else
    as_golden several_check 0 check several.yaml
    as_golden several_named 0 check several.yaml --topology-name cloud
    as_golden several_show 0 show several.yaml --topology-name=fabric
    as_golden several_flat 0 load several.yaml --topology-name cloud --hosts 'n[0-2]' --algorithm chain
    ends 2 'several.yaml is flat: .* name them by --hosts' tree several.yaml --algorithm chain \
        --topology-name cloud
    ends 2 '^--hosts:1: Nodes: ' tree several.yaml --algorithm chain --topology-name cloud --hosts 'n['
    ends 1 "several.yaml: there is no topology 'x'; there are fabric, cloud" show several.yaml \
        --topology-name x
fi
mkdir "$work/slurm"
cp names.conf "$work/slurm/topology.conf"
: >"$work/slurm/topology.yaml"
ends 0 '^warning: .*/topology.conf: Slurm reads .*/topology.yaml and ignores this file' \
    show "$work/slurm/topology.conf"
topo show faulty.conf
[ $code -eq 1 ] && [ ! -s "$out" ] && [ "$(wc -l <"$err")" -eq 6 ]
report $? "other commands print all faults of a file as errors"
awk 'BEGIN { for (i = 0; i < 250; i++) print "SwitchName=s" i " Color=red" }' >"$work/many.conf"
topo check "$work/many.conf"
[ $code -eq 1 ] && [ "$(wc -l <"$out")" -eq 102 ] && grep -q '^(150 more)$' "$out" &&
    grep -q ': 250 faults$' "$out"
report $? "faults beyond those that are kept are counted"
cd "$TOPOLOGIES" || exit 1

topo show - <topology3.conf
[ $code -eq 0 ] && cmp -s "$out" "$golden/show3.expected"
report $? "standard input is read for -"
echo 'SwitchName=s0 Nodes=a Switches=b' | timeout 60 "$TOPO" check - >"$out" 2>"$err"
[ $? -eq 1 ] && grep -q '^standard input:1: ' "$out"
report $? "faults of standard input are reported under its name"
: | timeout 60 "$TOPO" check - >"$out" 2>"$err"
[ $? -eq 1 ]
report $? "an empty input has a fault"

# ---- trees and loads, whose constructions are those of the papers ----

as_golden chain5_text 0 tree topology5.conf --algorithm chain
as_golden chain5_root_text 0 tree topology5.conf --algorithm chain --root n30
as_golden paper3_json 0 tree topology3.conf --algorithm binary_paper --format json
as_golden chain2_dot 0 tree topology2.conf --algorithm chain --format dot --hosts 'n[0-1,30-31]'
as_golden flat1_text 0 tree topology1.conf --algorithm flat --root n3 --hosts 'n[2-5]'
as_golden ppn_text 0 tree topology2.conf --algorithm chain --hosts n16,n0 --ppn 3 --root n0:1
as_golden load5_rank_chain 0 load topology5.conf --algorithm rank_chain
as_golden load4_chain 0 load topology4.conf --algorithm chain --root n9
as_golden load_ppn 0 load topology2.conf --algorithm binary_paper --hosts 'n[0-2,16]' --ppn 2
as_golden load1_kary 0 load topology1.conf --algorithm kary --fanout 2 --hosts 'n[0-6]'
as_golden simulate4 0 simulate topology4.conf --algorithm chain,flat,rank_chain --segments 1,16:64
as_golden simulate5_links 0 simulate topology5.conf --algorithm rank_chain --model links \
    --links --hosts 'n[0-7]' --segments 8
as_golden one_host 0 tree topology1.conf --algorithm chain --hosts n7 --format json
as_golden heights 0 heights --sizes 16:64 --topologies 5 --seed 7 \
    --algorithm chain,binary_paper,flat,rank_chain,rank_binary
cd "$golden" || exit 1
as_golden speeds_load 0 load speeds.conf --algorithm rank_chain
for format in text json dot svg; do
    as_golden names_$format 0 tree names.conf --algorithm chain --format $format
done
cd "$TOPOLOGIES" || exit 1

# ---- choices ----

for n in 1 5; do
    as_golden explain$n 0 explain topology$n.conf --bytes 256K --speed 100
done
cp "$golden/explain.model" "$work" && cp topology5.conf "$work" && cd "$work" || exit 1
as_golden explain_model 0 explain --topology topology5.conf --model explain.model --bytes 5000
as_golden explain_all 0 explain topology5.conf --model explain.model --bytes 64K --all --root n9 \
    --algorithm twotree
as_golden explain_segment 0 explain topology5.conf --model explain.model --bytes 1M --segment 8K \
    --hosts 'n[0-7]' --ppn 2
cd "$TOPOLOGIES" || exit 1
ends 4 "circulant does not serve this network" explain topology5.conf --bytes 1M --algorithm circulant

# The trunks are four times as fast as hosts: several may send over one.
topo load "$golden/speeds.conf" --algorithm binary
[ $code -eq 0 ] && ! grep -v '^#' "$out" | grep -q contention
report $? "fast trunks are judged by their speed"

ends 4 "circulant does not serve the network of topology2.conf" tree topology2.conf --algorithm circulant
ends 4 "circulant does not serve" load topology2.conf --algorithm circulant
ends 4 "circulant does not serve" simulate topology2.conf --algorithm chain,circulant
[ "$(grep -c '^chain ' "$out")" -eq 1 ]
report $? "the other algorithms are simulated nevertheless"
topo simulate topology2.conf --algorithm all --segments 4
[ $code -eq 0 ] && grep -q '^# circulant does not serve' "$out" && grep -q '^twotree ' "$out"
report $? "among all algorithms one that does not fit is no error"

# ---- plans that break their promise ----

if [ -x "$FAULTY_TOPO" ]; then
    honest=$TOPO TOPO=$FAULTY_TOPO
    FAULTY_PLAN=contention
    export FAULTY_PLAN
    ends 3 'chain breaks its promise' tree topology5.conf --algorithm chain
    grep -q 'contention on 6 directed links' "$out"
    report $? "the tree is shown with its fault"
    ends 3 'together of speed' load topology5.conf --algorithm binary
    [ "$(grep -c ' contention$' "$out")" -eq 6 ]
    report $? "the faulty links are marked"
    ends 3 'binary breaks its promise' simulate topology5.conf --algorithm binary
    ends 3 'binary breaks its promise' simulate topology5.conf
    ends 3 'breaks its promise on a random cluster' heights --sizes 64
    topo load topology5.conf --algorithm rank_binary
    [ $code -eq 0 ] && [ ! -s "$err" ]
    report $? "who promises nothing breaks no promise"
    FAULTY_PLAN=orphan
    for command in tree load simulate; do
        ends 3 'is never reached' $command topology1.conf --algorithm rank_chain
        ! grep -q '^n' "$out"
        report $? "$command shows nothing of a plan that is no broadcast"
    done
    unset FAULTY_PLAN
    TOPO=$honest
else
    skip "plans that break their promise" "$FAULTY_TOPO was not built"
fi

# ---- formats for other programs ----

# Judges a JSON tree: argv[1] is the number of hosts that must be reached.
cat >"$work/judge.py" <<'END'
import json, sys

tree = json.load(sys.stdin)
assert set(tree) >= {"root", "algorithm", "height", "streams"}, tree.keys()
highest = 0
for stream in tree["streams"]:
    level = {tree["root"]: 0}
    senders = []
    for parent, child in stream["edges"]:
        assert child not in level, child + " receives twice"
        level[child] = level[parent] + 1
        if not senders or senders[-1] != parent:
            senders.append(parent)
    assert len(level) == int(sys.argv[1]), len(level)
    assert len(senders) == len(set(senders)), "edges of one sender are apart"
    assert stream["height"] == max(level.values()), stream["height"]
    highest = max(highest, stream["height"])
assert tree["height"] == highest
END
kinds="chain binary_paper binary kary twotree circulant flat binomial rank_chain rank_binary"
if python3 -c '' 2>/dev/null; then
    for n in 1 2 3 4 5; do
        hosts=32
        [ $n -gt 1 ] || hosts=16
        for kind in $kinds; do
            topo tree topology$n.conf --algorithm "$kind" --format json --root n5
            if [ $code -eq 4 ]; then
                [ "$kind" = circulant ] && [ $n -gt 1 ] && [ ! -s "$out" ]
                report $? "topology$n.conf, $kind: prints nothing where it does not serve"
                continue
            fi
            [ $code -eq 0 ] && python3 -m json.tool <"$out" >"$work/json" 2>>"$err" &&
                python3 "$work/judge.py" $hosts <"$out" 2>>"$err"
            report $? "topology$n.conf, $kind: the JSON is a broadcast to $hosts hosts"
            topo tree topology$n.conf --algorithm "$kind" --format svg --root n5
            [ $code -eq 0 ] && python3 -c 'import sys, xml.etree.ElementTree as e
root = e.parse(sys.stdin).getroot()
assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
paths = [p for p in root.iter("{http://www.w3.org/2000/svg}path")]
assert len(paths) % (int(sys.argv[1]) - 1) == 0 and paths, len(paths)' $hosts <"$out" 2>>"$err"
            report $? "topology$n.conf, $kind: the SVG is well-formed and has an edge for each"
        done
    done
    printf 'SwitchName=x Nodes=b\377,\303\251\n' >"$work/bytes.conf"
    for format in json svg dot; do
        topo tree "$work/bytes.conf" --algorithm chain --format $format
        [ $code -eq 0 ] && python3 -c 'import sys; sys.stdin.buffer.read().decode("utf-8")' <"$out" 2>>"$err"
        report $? "names that are no UTF-8 leave $format valid"
    done
else
    skip "JSON and SVG are parsed" "there is no python3"
fi
topo heights --sizes 16:128 --topologies 3
cp "$out" "$work/first"
topo heights --sizes 16:128 --topologies 3
cmp -s "$out" "$work/first" && [ "$(grep -c '^ ' "$work/first")" -eq 10 ]
report $? "the same seed gives the same study"
topo heights --sizes 128 --topologies 3
grep '^ *128 ' "$out" >"$work/alone"
grep '^ *128 ' "$work/first" | cmp -s - "$work/alone"
report $? "a size does not depend on the others"
if dot -V >/dev/null 2>&1; then
    topo tree topology5.conf --algorithm twotree --format dot
    dot -Tsvg "$out" >"$work/dot.svg" 2>"$err" && [ ! -s "$err" ]
    report $? "Graphviz draws the DOT"
else
    skip "Graphviz draws the DOT" "there is no Graphviz"
fi
if man --version >/dev/null 2>&1 && [ -f "$here/../../../contrib/tools/topo/pipebcast-topo.1" ]; then
    MANWIDTH=100 man --warnings -l "$here/../../../contrib/tools/topo/pipebcast-topo.1" >"$out" 2>"$err" &&
        [ ! -s "$err" ]
    report $? "the manual page has no warnings"
else
    skip "the manual page has no warnings" "there is no man"
fi

echo "1..$count"
