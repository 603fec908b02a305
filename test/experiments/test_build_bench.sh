#!/bin/sh
# TAP test: the benchmark can be built without configure, as for another implementation of MPI, and is
# then the same program. BENCH names the one that make has built, MPICC the compiler.
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=test/tap.sh
. "$top/test/tap.sh"

"$top/contrib/experiments/build-bench" "${MPICC:-mpicc}" "$work/pipebcast-bench" >"$out" 2>"$err"
report $? "build-bench makes a program"

for option in --help; do
    "${BENCH:?names the benchmark}" $option >"$work/made" 2>"$err" &&
        "$work/pipebcast-bench" $option >"$out" 2>>"$err" && diff "$work/made" "$out" >"$err"
    report $? "its $option is the same as of the one that make has built"
done
echo "1..$count"
