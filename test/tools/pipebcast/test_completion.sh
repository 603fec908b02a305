#!/bin/sh
# TAP test of the completion for bash. COMPLETION names the script, TOPO and other variables the programs whose options
# it has, TOPOLOGIES the directory of the five topologies; `make check` sets them.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
LC_ALL=C
export LC_ALL

# shellcheck source=test/tap.sh
. "$here/../../tap.sh"

if ! command -v bash >/dev/null; then
    echo "1..0 # SKIP there is no bash"
    exit 0
fi
cat >"$work/complete" <<'END'
# complete WORD...: what bash would offer for the last of the words, as bash takes them apart, in order of the alphabet
source "$COMPLETION"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_pipebcast 2>>"$ERRORS"
printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
END
export ERRORS="$err"
cd "$TOPOLOGIES" || exit 1

# offers EXPECTED WORD...
offers() {
    expected=$1
    shift
    : >"$err"
    bash "$work/complete" "$@" >"$out"
    [ "$(cat "$out")" = "$expected " ] && [ ! -s "$err" ]
    report $? "$*: $expected"
}

bash -n "$COMPLETION" 2>"$err"
report $? "the script is one of bash"
offers 'check' pipebcast che
offers 'testbed tree tune' pipebcast t
offers '--help --version' pipebcast -
offers 'explain' pipebcast help ex
offers '--simulation' pipebcast simulate topology1.conf --si
offers 'links slot' pipebcast simulate topology1.conf --simulation ''
offers 'links' pipebcast simulate --simulation = l
offers 'links slot' pipebcast simulate --simulation =
offers 'annealed' pipebcast advise --tree an
offers 'binary binary_paper binomial' pipebcast tree topology1.conf --algorithm bin
offers 'status' pipebcast advise s
offers 'topology1.conf topology2.conf topology3.conf topology4.conf topology5.conf' pipebcast check topology
offers 'topology3.conf' pipebcast bench --schedule topology3
offers 'lldp' pipebcast import lld
offers '--model --mtu --multicast' pipebcast-topo explain --m
offers 'heights help' pipebcast-topo he
offers '--tree' pipebcast-advisor --tr
offers '--patterns --per-pattern --pingpong' pipebcast-bench --p
offers '' pipebcast bench --iterations 1

# Every option that --help shows is offered, and no other one.
for command in check show tree load simulate explain import heights plan-times anneal advise bench counters doctor probe tune; do
    case $command in
    advise) program=$ADVISOR ;;
    bench) program=$BENCH ;;
    counters) program=$COUNTERS ;;
    doctor) program=$DOCTOR ;;
    probe) program=$PROBE ;;
    tune) program=$TUNE ;;
    *) program="$TOPO $command" ;;
    esac
    # shellcheck disable=SC2086
    $program --help 2>"$err" </dev/null | sed -n 's/^  \(--[a-z-]*\)\( .*\)\{0,1\}$/\1/p; s/^  --help, --version$/--help\n--version/p' |
        sort | tr '\n' ' ' >"$work/shown"
    bash "$work/complete" pipebcast $command -- >"$out"
    [ "$(wc -w <"$work/shown")" -ge 2 ] && cmp -s "$work/shown" "$out"
    report $? "$command: the options of --help"
done

# Programs without a table here are asked.
mkdir "$work/bin"
ln -s "$TESTBED" "$work/bin/pipebcast-testbed"
PATH=$work/bin:$PATH
export PATH
offers 'set shell status' pipebcast testbed s
offers '--hash-seed --help --host --host-queue' pipebcast testbed run --h
echo "1..$count"
