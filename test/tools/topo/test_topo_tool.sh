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

# as_golden NAME STATUS ARGUMENT...: the output is golden/NAME.expected.
as_golden() {
    name=$1 status=$2
    shift 2
    topo "$@"
    sed -i 's/^  "version": ".*",$/  "version": "VERSION",/' "$out"
    if [ -n "$UPDATE_GOLDEN" ]; then
        cp "$out" "$golden/$name.expected"
    fi
    echo "status $code, expected $status" >>"$err"
    diff "$golden/$name.expected" "$out" >>"$err" 2>&1 && [ "$code" -eq "$status" ]
    report $? "$name: $*"
}

# as_formed NAME ARGUMENT...: the output is golden/NAME.expected, but for times and means, for
# which the file has '#': they are computed, and what they must obey is tested where they are printed.
as_formed() {
    name=$1
    shift
    topo "$@"
    masked=$work/masked
    sed -E '/^#/!s/ +[0-9]+\.[0-9]+/ #/g' "$out" >"$masked"
    if [ -n "$UPDATE_GOLDEN" ]; then
        cp "$masked" "$golden/$name.expected"
    fi
    diff "$golden/$name.expected" "$masked" >>"$err" 2>&1 && [ "$code" -eq 0 ]
    report $? "$name: $*"
}

# chooses_least WHAT COLUMN: in each table of explain the chosen row has the least time of those that have one
# in this column; a row has as many segments as it takes for the message.
chooses_least() {
    awk -v column="$2" '
        function check() {
            if (!chosen || chosen > least || !first) { print "# chosen " chosen ", least " least; wrong = 1 }
        }
        /^# [0-9]+ bytes/ { if (n++) check(); bytes = $2; least = 1e18; chosen = rows = 0 }
        /^#/ || /^algorithm/ || NF < 4 { next }
        $2 != "-" && $3 != int((bytes - 1) / $2) + 1 { print "# segments: " $0; wrong = 1 }
        $column !~ /^[0-9]+[.][0-9]+$/ { next }
        / chosen$/ { chosen = $column; first = rows == 0 }
        { rows++ }
        $column < least { least = $column }
        END { check(); exit wrong || !n }
    ' "$out" >>"$err"
    report $? "$1: the chosen row has the least time"
}

# ends STATUS PATTERN ARGUMENT...: the tool ends so, with a message that matches.
ends() {
    status=$1 pattern=$2
    shift 2
    topo "$@"
    [ "$code" -eq "$status" ] && grep -q -e "$pattern" "$err"
    report $? "status $status, '$pattern': $*"
}

# A person is told what comes next, and a program is not.
if command -v script >/dev/null; then
    cp topology1.conf "$work/next.conf"
    script -q -e -c "'$TOPO' check '$work/next.conf'" /dev/null >"$out" 2>"$err" </dev/null
    [ $? -eq 0 ] && grep -q "^Next: export OMPI_MCA_coll_pipebcast_topology_file='/.*/next.conf'" "$out"
    report $? "on a terminal check says what comes next"
    "$TOPO" check "$work/next.conf" >"$out" 2>"$err"
    [ $? -eq 0 ] && ! grep -q '^Next' "$out"
    report $? "and else it does not"
else
    skip "on a terminal check says what comes next" "there is no script"
fi

# ---- help and the command line ----

topo --help
[ $code -eq 0 ] && grep -q '^Usage: ' "$out" && [ ! -s "$err" ]
report $? "--help"
topo --version
[ $code -eq 0 ] && grep -q '^pipebcast-topo [0-9]' "$out"
report $? "--version"
for command in check show tree simulate explain; do
    topo $command --help
    [ $code -eq 0 ] && grep -q "^Usage: pipebcast\(-topo\)\{0,1\} $command" "$out" &&
        grep -q '^Examples:' "$out" && grep -q '^Exit status:' "$out" && [ ! -s "$err" ]
    report $? "$command --help"
    awk 'length > 100 { exit 1 }' "$out"
    report $? "$command --help fits a terminal"
done
# Every option that a command takes is in its help.
for command in tree simulate explain; do
    topo $command --help
    sed -n 's/^  \(-., \)\{0,1\} *\(--[a-z-]*\).*/\2/p' "$out" | grep -v -e '--help' >"$work/named"
    refused=0
    while read -r option; do
        # A value, or a file that is not there: what needs no value must not begin to compute.
        "$TOPO" $command "$option" "$work/nothing" >"$work/refusal" 2>&1 </dev/null
        ! grep -q "'$option' is unknown" "$work/refusal" || refused=$((refused + 1))
    done <"$work/named"
    [ $refused -eq 0 ] && [ "$(wc -l <"$work/named")" -ge 5 ]
    report $? "$command takes the options of its help"
done

ends 2 "Usage:"
ends 2 "'frobnicate' is no command" frobnicate
ends 2 "'--fan-out' is unknown; see pipebcast-topo tree --help" tree topology1.conf --fan-out
ends 2 "'-x' is unknown" check -x topology1.conf
ends 2 "'-v' is unknown" check topology1.conf -vv
ends 2 "'-s' is unknown" explain topology1.conf -ss
ends 2 "'--s' is ambiguous" explain --s 1 topology1.conf
ends 2 "json takes no value" check --json=1 topology1.conf
ends 2 "'--format' is unknown" simulate topology1.conf --format
ends 2 "--root needs a value" tree topology1.conf --algorithm chain --root
ends 2 "give one FILE, or - .* see pipebcast check --help" check
ends 2 "give one FILE, or - .* see pipebcast check --help" check topology1.conf topology2.conf
ends 2 "tree needs one --algorithm" tree topology1.conf
ends 2 "tree needs one --algorithm" tree topology1.conf --algorithm chain,binary
ends 2 "'twotre' is unknown; known are chain" tree topology1.conf --algorithm twotre
ends 2 "'oak' is unknown; known are chain, " tree topology1.conf --algorithm oak
ends 2 "'' is unknown; known are chain, " simulate topology1.conf --algorithm chain,
ends 2 "'png' is unknown; known are text" tree topology1.conf --algorithm chain --format png
ends 2 "'n99' is no host of topology1.conf" tree topology1.conf --algorithm chain --root n99
ends 2 "'s0' is no host" tree topology1.conf --algorithm chain --root s0
ends 2 "'n3' is not among the --hosts" tree topology1.conf --algorithm chain --root n3 --hosts 'n[0-2]'
ends 2 "no host of the topology is called 'n17'" tree topology1.conf --algorithm chain --hosts n1,n17
ends 2 "'n1' is there twice" tree topology1.conf --algorithm chain --hosts n1,n1
ends 2 "bracket is not closed" tree topology1.conf --algorithm chain --hosts 'n[0-'
ends 2 "the list is empty" tree topology1.conf --algorithm chain --hosts ''
ends 2 "'0' is not a whole number from 1" tree topology1.conf --algorithm chain --ppn 0
ends 2 "'two' is not a whole number" tree topology1.conf --algorithm kary --fanout two
ends 2 "'+2' is not a whole number" tree topology1.conf --algorithm kary --fanout +2
ends 2 "'--colouring' is unknown" simulate topology1.conf --colouring no
ends 2 "--segment-counts: '0' is not a whole number from 1" simulate topology1.conf --segment-counts 0
ends 2 "--segment-counts: '16:8' ends before it begins" simulate topology1.conf --segment-counts 16:8
ends 2 "--segment-counts: '' is not a whole number" simulate topology1.conf --segment-counts 16,,32
ends 2 "the list is longer" simulate topology1.conf --segment-counts "$(printf '%01500d' 1)"
ends 2 "more than 64 numbers" simulate topology1.conf --segment-counts "$(printf '1,%.0s' 1 2 3 4 5 6 7 8 9 10 \
    11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 \
    43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)1"


ends 2 "--alike: '0' is not" explain topology1.conf --sizes 1 --alike 0
ends 2 "how fast are the hosts.* links" explain topology1.conf
ends 2 "give one FILE, or - .* see pipebcast explain --help" explain -m 1M
ends 2 "'0' is not a size" explain topology1.conf --sizes 0
ends 2 "'1T' is not a size" explain topology1.conf --sizes 1T
ends 2 "'2048G' is not a size" explain topology1.conf --sizes 2048G
ends 2 "'-1' is not a size" explain topology1.conf --sizes=-1
ends 2 "--segment: '2G' is not a size" explain topology1.conf --sizes 1 --segment 2G
ends 2 "'fast' is not a whole number" explain topology1.conf --sizes 1 --speed fast
ends 2 "--algorithm takes one name" explain topology1.conf --sizes 1 --algorithm chain,binary

# ---- files ----

ends 1 "nowhere.conf: cannot be opened" check nowhere.conf
ends 1 "nowhere.conf: cannot be opened" tree nowhere.conf --algorithm chain
ends 1 "cannot be read" show .
if [ -w /dev/full ]; then
    timeout 60 "$TOPO" show topology1.conf >/dev/full 2>"$err"
    [ $? -eq 1 ] && grep -q 'standard output cannot be written' "$err"
    report $? "status 1 if the output cannot be written"
else
    skip "status 1 if the output cannot be written" "there is no /dev/full"
fi

ends 1 "nowhere.model: cannot be opened" explain topology1.conf --sizes 1M --model nowhere.model
ends 1 "topology1.conf:[12]: begins with 'SwitchName=s0'" explain topology1.conf --sizes 1M --model topology1.conf
sed 's/any/5/' "$golden/explain.model" >"$work/other.model"
ends 1 "other.model: was measured on another topology than topology1.conf" \
    explain topology1.conf --sizes 1M --model "$work/other.model"
# The largest model file that is read: 4 MiB, by a last line that is a comment.
size=$(stat -c %s "$golden/explain.model")
(cat "$golden/explain.model"; printf '#'; head -c $((4194303 - size)) /dev/zero | tr '\0' x) >"$work/large.model"
topo explain topology5.conf --sizes 5000 --model "$work/large.model"
report $code "a model file of 4 MiB"
echo >>"$work/large.model"
ends 1 "large.model: is larger than 4194304 bytes; is this a model file?" explain topology5.conf --sizes 5000 --model "$work/large.model"
sed 's/^cost *256 */cost 256 -/' "$golden/explain.model" >"$work/faulty.model"
ends 1 "faulty.model:[0-9]*: the gap is '-" explain topology1.conf --sizes 1M --model "$work/faulty.model"


for n in 1 2 3 4 5; do
    as_golden check$n 0 check topology$n.conf
    as_golden show$n 0 show topology$n.conf
done
cd "$golden" || exit 1
as_golden faulty 0 check faulty.conf
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
    as_golden several_flat 0 tree several.yaml --topology-name cloud --hosts 'n[0-2]' --algorithm chain
    ends 2 'several.yaml names no hosts: .* name them by --hosts' tree several.yaml --algorithm chain \
        --topology-name cloud
    topo show several.yaml --topology-name cloud
    [ $code -eq 0 ] && grep -q '^0 hosts on 1 switch;' "$out"
    report $? "a topology that names no hosts is shown"
    ends 2 '[-]-hosts: .*bracket is not closed' tree several.yaml --algorithm chain --topology-name cloud --hosts 'n['
    ends 1 "several.yaml: there is no topology 'x'; there are fabric, cloud" show several.yaml \
        --topology-name x
fi
mkdir "$work/slurm"
cp names.conf "$work/slurm/topology.conf"
: >"$work/slurm/topology.yaml"
ends 0 '^warning: .*/topology.conf: Slurm reads .*/topology.yaml and ignores this file' \
    show "$work/slurm/topology.conf"
topo show faulty.conf
[ $code -eq 0 ] && grep -q '^5 hosts' "$out" && [ "$(grep -c '^warning: ' "$err")" -ge 6 ]
report $? "other commands print all warnings of a file on standard error"
awk 'BEGIN { for (i = 0; i < 250; i++) print "SwitchName=s" i " Color=red" }' >"$work/many.conf"
topo check "$work/many.conf"
[ $code -eq 0 ] && [ "$(wc -l <"$out")" -eq 103 ] && grep -q '^(150 more)$' "$out"
report $? "warnings beyond those that are kept are counted"
cd "$TOPOLOGIES" || exit 1

topo show - <topology3.conf
[ $code -eq 0 ] && cmp -s "$out" "$golden/show3.expected"
report $? "standard input is read for -"
echo 'SwitchName=s0 Nodes=a Switches=b' | timeout 60 "$TOPO" check - >"$out" 2>"$err"
[ $? -eq 0 ] && grep -q '^warning: standard input:1: ' "$out"
report $? "warnings of standard input are reported under its name"
: | timeout 60 "$TOPO" check - >"$out" 2>"$err"
[ $? -eq 1 ]
report $? "an empty input has an error"

# ---- trees and loads, whose constructions are those of the papers ----

as_golden chain5_text 0 tree topology5.conf --algorithm chain
as_golden chain5_root_text 0 tree topology5.conf --algorithm chain --root n30
as_golden paper3_json 0 tree topology3.conf --algorithm binary --format json
as_golden chain2_dot 0 tree topology2.conf --algorithm chain --format dot --hosts 'n[0-1,30-31]'
as_golden flat1_text 0 tree topology1.conf --algorithm flat --root n3 --hosts 'n[2-5]'
as_golden ppn_text 0 tree topology2.conf --algorithm chain --hosts n16,n0 --ppn 3 --root n0:1
as_golden simulate4 0 simulate topology4.conf --algorithm chain,flat,rank_chain --segment-counts 1,16:64
# Switches copy frames: over four switches in a line three further links, and one frame a segment time.
as_golden simulate5_multicast 0 simulate topology5.conf --algorithm multicast,chain --segment-counts 1,46
as_golden simulate2_multicast 0 simulate topology2.conf --algorithm multicast --ppn 2 --hosts n16,n0 --segment-counts 10
as_golden tree2_multicast 0 tree topology2.conf --algorithm multicast --hosts 'n[0-3,16-19]'
as_golden one_host 0 tree topology1.conf --algorithm chain --hosts n7 --format json
# What is chosen next to other communicators is not what is best alone.
for alike in 1 4; do
    topo explain topology5.conf --sizes 64K --root n8 --hosts n0,n8,n16,n24,n9,n17 --speed 1 --alike $alike
    sed -n 's/^\([a-z]*\) .* chosen$/\1/p' "$out"
done >"$work/begun"
[ "$(tr '\n' ' ' <"$work/begun")" = "twotree chain " ]
report $? "explain --alike: chains where communicators share links"
cd "$golden" || exit 1
as_golden names_network 0 show names.conf --dot
for format in text json dot; do
    as_golden names_$format 0 tree names.conf --algorithm chain --format $format
done
cd "$TOPOLOGIES" || exit 1

# ---- choices ----

for n in 1 5; do
    as_formed explain$n explain topology$n.conf --sizes 256K --speed 100
done
cp "$golden/explain.model" "$work" && cp topology5.conf "$work" && cd "$work" || exit 1
as_formed explain_model explain topology5.conf --model explain.model --sizes 5000
chooses_least explain_model 4
as_formed explain_all explain topology5.conf --model explain.model --sizes 64K --all --root n9 \
    --algorithm twotree
chooses_least explain_all 4
as_formed explain_segment explain topology5.conf --model explain.model --sizes 1M --segment 8K \
    --hosts 'n[0-7]' --ppn 2
chooses_least explain_segment 4
for overhead in 723 724 1000; do
    sed "s/^overhead 22/overhead $overhead/" explain.model >headers.model
    topo explain topology5.conf --model headers.model --sizes 64K
    [ "$code" -eq 0 ] && grep -q ' chosen$' "$out"
    report $? "explain where headers are $overhead bytes, about half a frame or more"
done
as_formed explain_multicast explain topology5.conf --sizes 64K --speed 2 --multicast
as_formed explain_multicast_fast explain topology5.conf --sizes 1K --speed 40000 --multicast
as_formed explain_multicast_alone explain topology5.conf --sizes 1K --speed 40000 --algorithm multicast
cd "$TOPOLOGIES" || exit 1

topo simulate topology2.conf --algorithm all --segment-counts 4
[ $code -eq 0 ] && grep -q '^twotree ' "$out" && grep -q '^chain ' "$out"
report $? "all algorithms are simulated"

# ---- plans that break their promise ----

if [ -x "$FAULTY_TOPO" ]; then
    honest=$TOPO TOPO=$FAULTY_TOPO
    FAULTY_PLAN=contention
    export FAULTY_PLAN
    ends 1 'chain breaks its promise' tree topology5.conf --algorithm chain
    grep -q 'contention on 6 directed links' "$out"
    report $? "the tree is shown with its error"
    ends 1 'binary breaks its promise' simulate topology5.conf --algorithm binary
    ends 1 'binary breaks its promise' simulate topology5.conf
    topo tree topology5.conf --algorithm rank_binary
    [ $code -eq 0 ] && [ ! -s "$err" ]
    report $? "who promises nothing breaks no promise"
    FAULTY_PLAN=orphan
    for command in tree simulate; do
        ends 1 'is never reached' $command topology1.conf --algorithm rank_chain
        ! grep -q '^n' "$out"
        report $? "$command shows nothing of a plan that is no broadcast"
    done
    unset FAULTY_PLAN
    TOPO=$honest
else
    skip "plans that break their promise" "$FAULTY_TOPO was not built"
fi

# ---- formats for other programs ----

# Judges all trees together, as Python takes longer to start than to judge them: argv has the number of hosts
# that must be reached and a file's name, in turn. Errors of NAME are written to NAME.error.
cat >"$work/judge.py" <<'END'
import json, sys, traceback


def judge_json(file, n_hosts):
    tree = json.load(file)
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
        assert len(level) == n_hosts, len(level)
        assert len(senders) == len(set(senders)), "edges of one sender are apart"
        assert stream["height"] == max(level.values()), stream["height"]
        highest = max(highest, stream["height"])
    assert tree["height"] == highest



for n_hosts, name in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        with open(name, "rb") as file:
            judge_json(file, int(n_hosts))
    except Exception:
        with open(name + ".error", "w") as fault:
            traceback.print_exc(file=fault)
print("judged")
END
# good NAME: the tool has ended with status 0, and nothing was found in what it printed.
good() {
    cat "$1" >"$out"
    cat "$1.err" >"$err"
    [ ! -e "$1.error" ] || cat "$1.error" >>"$err"
    [ "$(cat "$1.status")" -eq 0 ] && [ ! -e "$1.error" ] && [ "$(tail -n 1 "$work/judged")" = judged ]
}
kinds="chain binary kary twotree flat binomial rank_chain rank_binary multicast"
if python3 -c '' 2>/dev/null; then
    set --
    for n in 1 2 3 4 5; do
        hosts=32
        [ $n -gt 1 ] || hosts=16
        for kind in $kinds; do
            name=$work/$n.$kind.json
            timeout 120 "$TOPO" tree topology$n.conf --algorithm "$kind" --format json --root n5 \
                >"$name" 2>"$name.err"
            code=$?
            echo $code >"$name.status"
            [ $code -eq 1 ] || set -- "$@" $hosts "$name"
        done
    done
    python3 "$work/judge.py" "$@" >"$work/judged" 2>&1
    for n in 1 2 3 4 5; do
        hosts=32
        [ $n -gt 1 ] || hosts=16
        for kind in $kinds; do
            name=$work/$n.$kind
            good "$name.json"
            report $? "topology$n.conf, $kind: the JSON is a broadcast to $hosts hosts"
        done
    done
    printf 'SwitchName=x Nodes=b\377,\303\251\n' >"$work/bytes.conf"
    topo tree "$work/bytes.conf" --algorithm chain --format json
    [ $code -eq 0 ] && python3 -c 'import sys; sys.stdin.buffer.read().decode("utf-8")' <"$out" 2>>"$err"
    report $? "names that are no UTF-8 leave JSON valid"
else
    skip "JSON is parsed" "there is no python3"
fi
if dot -V >/dev/null 2>&1; then
    topo tree topology5.conf --algorithm twotree --format dot
    dot -Tsvg "$out" >"$work/dot.svg" 2>"$err" && [ ! -s "$err" ]
    report $? "Graphviz draws a tree"
    topo show topology5.conf --dot
    dot -Tsvg "$out" >"$work/dot.svg" 2>"$err" && [ ! -s "$err" ]
    report $? "Graphviz draws a network"
else
    skip "Graphviz draws the DOT" "there is no Graphviz"
fi
echo "1..$count"
