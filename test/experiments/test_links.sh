#!/bin/sh
# TAP test: on a testbed of 8 hosts the counters of all links agree with the loads that the plans
# promise. Counts of bytes, no times. PAPER, BENCH and PIPEBCAST_BUILDDIR name the programs;
# `make check` sets them.
PAPER=${PAPER:-$(dirname "$0")/../../contrib/experiments/paper}
BUILD=${PIPEBCAST_BUILDDIR:?the build directory}
if [ "${PIPEBCAST_TESTS:-}" = units ]; then
    echo "1..0 # SKIP only tests that need no emulated cluster are wanted"
    exit 0
fi
case ${MPIEXEC:-} in
*/*) PATH=$(dirname "$MPIEXEC"):$PATH ;;
esac
for program in python3 ip mpirun; do
    if ! command -v $program >/dev/null 2>&1; then
        echo "1..0 # SKIP $program is missing"
        exit 0
    fi
done

# A directory of its own for the states of testbeds. Its path is short: sockets live below it.
work=$(mktemp -d /tmp/pbcXXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR
mkdir "$work/plugin"
cp "$BUILD/ompi_coll_pipebcast/mca_coll_pipebcast.so" "$work/plugin/" || exit 1

# The hosts are mentioned in another order than that of their names.
cat >"$work/eight.conf" <<CONF
SwitchName=s0 Nodes=n[0,3,6] Switches=s1,s2
SwitchName=s1 Nodes=n[1,4,7]
SwitchName=s2 Nodes=n[2,5]
CONF

testbed=$BUILD/contrib/testbed/pipebcast-testbed
"$testbed" up --topology "$work/eight.conf" --name probe >"$work/out" 2>&1
code=$?
if [ $code -eq 126 ]; then
    echo "1..0 # SKIP $(head -n 1 "$work/out")"
    exit 0
fi
[ $code -eq 0 ] && "$testbed" down --name probe >/dev/null

paper() {
    timeout 300 "$PAPER" links --topologies "$work/eight.conf" --testbed "$testbed" \
        --topo "$BUILD/contrib/tools/topo/pipebcast-topo" --bench "$BENCH" --plugin-dir "$work/plugin" \
        --iterations 5 --rate 50mbit --output "$work/results" "$@" >"$work/out" 2>"$work/err" \
        </dev/null
    code=$?
}

# All kinds on one testbed; the short suite has one of each way of making trees.
case ${PIPEBCAST_TESTS:-} in
long) kinds="chain binary kary twotree flat binomial rank_chain rank_binary" ;;
*) kinds="chain binary twotree rank_binary" ;;
esac
# shellcheck disable=SC2086 # a kind is a word
n_kinds=$(echo $kinds | wc -w)
paper --kinds "$(echo "$kinds" | tr ' ' ',')"
count=0
for kind in $kinds; do
    count=$((count + 1))
    if [ $code -eq 0 ] && grep -q "^eight.conf *$kind  *20 " "$work/out" &&
        grep -q "^AGREE: $((20 * n_kinds)) counters of $n_kinds plans" "$work/out"; then
        echo "ok $count - $kind: 20 counters agree with the plan"
    else
        echo "not ok $count - $kind: 20 counters agree with the plan"
        head -n 20 "$work/out" "$work/err" | sed 's/^/# /'
    fi
done

# One kind's plan beside another's bytes.
cat >"$work/topo" <<SH
#!/bin/sh
exec "$BUILD/contrib/tools/topo/pipebcast-topo" load "\$2" --algorithm rank_chain --root n0 --hosts "n[0-7]"
SH
chmod +x "$work/topo"
paper --kinds chain --topo "$work/topo"
count=$((count + 1))
if [ $code -eq 1 ] && grep -q '^DISAGREE' "$work/out"; then
    echo "ok $count - a wrong plan is seen"
else
    echo "not ok $count - a wrong plan is seen"
    head -n 20 "$work/out" "$work/err" | sed 's/^/# /'
fi
echo "1..$count"
