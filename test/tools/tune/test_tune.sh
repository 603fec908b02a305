#!/bin/sh
# TAP test of pipebcast-tune on this host alone: --pretend-hosts lets its ranks pass for hosts. TUNE,
# TOPOLOGIES, PLUGINDIR and MPIEXEC name the programs and files; `make check` sets them.
# shellcheck disable=SC2086  # $quick is split into words on purpose
TUNE=${TUNE:-pipebcast-tune}
TOPOLOGIES=${TOPOLOGIES:-$(dirname "$0")/../../../contrib/testbed}
# shellcheck source=test/tap.sh
. "$(dirname "$0")/../../tap.sh"
run_mpi_here

model=$work/model

# tune NP ARGUMENT...: runs the program; output in $out and $err, status in $code.
tune() {
    np=$1
    shift
    timeout -k 10 120 "$MPIEXEC" -np "$np" "$TUNE" "$@" >"$out" 2>"$err" </dev/null
    code=$?
}

# measure NP ARGUMENT...: the same with few sizes, for a model. Where other programs keep the processors busy, times
# may not settle: it writes none, and gets more time. Where that is not enough, there is nothing more to test, which
# is right on a busy host alone.
measure() {
    np=$1
    shift
    for seconds in 1 4 16 64; do
        tune "$np" --sizes 256,1426,4K --precision 50 --time-limit "$seconds" "$@"
        grep -q 'no model was written' "$err" || return 0
    done
    if host_is_busy; then
        skip "what needs a model" "the host is busy, and times do not settle"
    else
        report 1 "times settle on a host that is not busy: $*"
    fi
    finish
}

finish() {
    echo "1..$count"
    exit 0
}

# refuses NP STATUS PATTERN ARGUMENT...: a message, printed once, and no model, nor a part of one.
refuses() {
    np=$1 status=$2 pattern=$3
    shift 3
    rm -f "$model"*
    tune "$np" "$@"
    [ "$code" -eq "$status" ] && [ "$(grep -c -e "^pipebcast.tune: .*$pattern" "$err")" -eq 1 ] &&
        [ "$(find "$work" -name 'model*' | wc -l)" -eq 0 ]
    report $? "np $np refuses: $*"
}

# refuses_alone PATTERN ARGUMENT...: a wrong command line, which needs no job.
refuses_alone() {
    pattern=$1
    shift
    timeout 60 "$TUNE" "$@" >"$out" 2>"$err" </dev/null
    [ $? -eq 2 ] && [ "$(grep -c -e "^pipebcast.tune: .*$pattern" "$err")" -eq 1 ]
    report $? "refuses: $*"
}

# rows PLACE: the number of sizes that the model has at a place.
rows() {
    awk -v place="$1" '$1 == "place" { at = $2 } $1 == "cost" && at == place { n++ }
        END { print n + 0 }' "$model"
}

quick="--sizes 256,1426,4K --time-limit 1 --precision 50"

# ---- refusals ----

refuses 1 1 "all ranks are on the host" $quick --output "$model"
refuses 3 1 "all ranks are on the host 'a'" $quick --pretend-hosts a --output "$model"
refuses 2 1 "all ranks are on the host 'n1.a'" $quick --pretend-hosts n1.a,n1.b --topology "$TOPOLOGIES/topology5.conf" --output "$model"
refuses 2 1 "model/nowhere.* cannot be written" $quick --pretend-hosts a,b --output "$work/model/nowhere"
refuses 2 1 "cannot be written" $quick --pretend-hosts a,b --output "$work"
mkfifo "$work/pipe"
refuses 2 1 "cannot be written" $quick --pretend-hosts a,b --output "$work/pipe"
[ -p "$work/pipe" ]
report $? "a pipe is not replaced"
refuses 2 1 "nothing.conf: " $quick --pretend-hosts a,b --topology "$work/nothing.conf" --output "$model"
refuses 2 1 "hosts: " $quick --pretend-hosts 'a[' --output "$model"
: >"$HOME/.openmpi"
refuses 2 1 "openmpi.* cannot be" $quick --pretend-hosts a,b --install
rm "$HOME/.openmpi"
refuses_alone "not a size" --sizes 1K,2Q
refuses_alone "not a size" --sizes 0,4K
refuses_alone "not a size" --sizes 4K,65M
refuses_alone "not more than" --sizes 4K,4096
refuses_alone "16 times" --sizes 100,4K
refuses_alone "two sizes or more" --sizes 8K,16K
refuses_alone "two sizes or more" --sizes 1K,2K
refuses_alone "time-limit" --time-limit 0
refuses_alone "time-limit" --time-limit nan
refuses_alone "precision" --precision 99
refuses_alone "is empty" --output ""
refuses_alone "needs a value" --output
refuses_alone "unknown" --frobnicate
refuses_alone "no option" 64K
refuses_alone "--install out" --discover "$work/found" --install
refuses_alone "would be read as YAML" --discover "$work/found.YML"
refuses_alone "by --discover alone" --discover "$work/found" --output "$model"
refuses_alone "--install out" --verify --topology "$work/found" --install
refuses_alone "--output out" --verify --topology "$work/found" --output "$model"

tune 2 --version
[ $code -eq 0 ] && [ "$(grep -c '^pipebcast-tune [0-9]' "$out")" -eq 1 ]
report $? "--version is printed once"
tune 2 --help
[ $code -eq 0 ] && [ "$(grep -c '^Usage' "$out")" -eq 1 ]
report $? "--help is printed once"

# ---- measurements ----

measure 2 --pretend-hosts a,b --output "$model"
[ $code -eq 0 ] && [ "$(rows switch)" -eq 3 ] && [ "$(rows far)" -eq 0 ] &&
    [ "$(rows machine)" -eq 0 ] && grep -qx 'topology any' "$model"
report $? "np 2: one switch"
grep -q '^payload [0-9]' "$model" && grep -qx 'overhead 22' "$model"
report $? "Open MPI's headers are counted"
grep -q '^ *1426B .*ms' "$out" && grep -q "^coll_pipebcast_model_file = $model\$" "$out"
report $? "the table and the line for mca-params.conf are printed"
! grep -q 's left' "$err"
report $? "no progress where no terminal is"
if command -v script >/dev/null; then
    timeout -k 10 120 script -qec "$MPIEXEC -np 2 '$TUNE' --sizes 256,4K,64K,1M --precision 0.001 --time-limit 6 --pretend-hosts a,b --output '$work/shown'" /dev/null \
        >"$work/screen" 2>&1 </dev/null
    grep -q ' %, about [0-9]* s left' "$work/screen"
    report $? "progress and time left on a terminal"
    # To its end: there is a model, or why there is none.
    rm -f "$work/shown"
    timeout -k 10 120 script -qec "$MPIEXEC -np 2 '$TUNE' $quick --pretend-hosts a,b --quiet --output '$work/shown'" /dev/null \
        >"$work/screen" 2>&1 </dev/null
    { [ -s "$work/shown" ] || grep -q 'no model was written' "$work/screen"; } && ! grep -q 's left' "$work/screen"
    report $? "--quiet: no progress there either"
    rm -f "$work/shown"
    timeout -k 10 120 script -qec "$MPIEXEC -np 2 '$TUNE' $quick --pretend-hosts a,b --output '$work/shown' 2>'$work/screen.err'" /dev/null \
        >"$work/screen" </dev/null
    { [ -s "$work/shown" ] || grep -q 'no model was written' "$work/screen.err"; } &&
        ! grep -q 's left' "$work/screen" "$work/screen.err"
    report $? "no progress where the launcher's standard error is a file"
else
    skip "progress and time left on a terminal" "there is no program script"
fi
measure 8 --pretend-hosts n0,n1,n2,n3,n4,n5,n4,n5 --topology "$TOPOLOGIES/topology5.conf" \
    --output "$model" --quiet
[ $code -eq 0 ] && [ "$(rows switch)" -eq 3 ] && [ "$(rows far)" -eq 3 ] &&
    [ "$(rows machine)" -eq 3 ] && grep -qx 'place far links 5 ring 6' "$model" &&
    grep -q '^topology [0-9a-f]*$' "$model" &&
    grep -Eq '^# Made by pipebcast-tune [^,]+, 20[0-9]{2}-[0-9]{2}-[0-9]{2} ' "$model"
report $? "np 8: all three places of topology (5)"
! grep -q 's left$' "$err" && [ ! -s "$out" ]
report $? "--quiet: no progress, and nothing on standard output"

measure 2 --pretend-hosts n0,n1 --topology "$TOPOLOGIES/topology5.conf" --output "$model"
[ $code -eq 0 ] && grep -q '^# None of the slowest hosts' "$model" && grep -q 'none of the slowest hosts' "$err"
report $? "no two hosts on one switch: the nearest stand for that, and it is reported"

measure 2 --pretend-hosts n0,zebra --topology "$TOPOLOGIES/topology1.conf" --output "$model"
[ $code -eq 0 ] && [ "$(rows switch)" -eq 3 ] && grep -q "no switch of host 'zebra' is known" "$err"
report $? "a host that the topology lacks is reported, and taken to be at the top"

rm -f "$model"
tune 2 --sizes 256,4K,64K --time-limit 0.001 --pretend-hosts a,b --output "$model"
# The mpirun of Debian 13 (5.0) now and then takes a part of a long warning for standard output.
case $("$MPIEXEC" --version 2>&1) in
*" 5."*) cat "$out" >>"$err" ;;
esac
[ $code -eq 1 ] && [ ! -e "$model" ] && grep -q 'did not settle' "$err" && grep -q 'no model was written' "$err"
report $? "no time: what did not settle makes no model"

# with_plugin LIST: the plugin may be loaded, and LIST names components. Where it is not built, no list names it.
with_plugin() {
    [ -n "${PLUGINDIR:-}" ] && [ -f "$PLUGINDIR/mca_coll_pipebcast.so" ] || return 1
    OMPI_MCA_mca_base_component_path=$PLUGINDIR:$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
    OMPI_MCA_coll=$1
    export OMPI_MCA_mca_base_component_path OMPI_MCA_coll
}

# Installing keeps what others have written.
with_plugin tuned,pipebcast
mkdir "$HOME/.openmpi"
printf 'btl = tcp,self\ncoll_pipebcast_model_file = old\n# end' >"$HOME/.openmpi/mca-params.conf"
for round in 1 2; do
    measure 2 --pretend-hosts a,b --install
    cat >"$work/wanted" <<CONF
btl = tcp,self
# end
coll_pipebcast_model_file = $HOME/.openmpi/pipebcast-model.txt
CONF
    [ $code -eq 0 ] && [ -s "$HOME/.openmpi/pipebcast-model.txt" ] &&
        cmp "$work/wanted" "$HOME/.openmpi/mca-params.conf" >>"$err" 2>&1
    report $? "--install, time $round: entered once, the rest kept"
done
unset OMPI_MCA_coll OMPI_MCA_mca_base_component_path
rm -r "$HOME/.openmpi"

# pipebcast is kept out of the job where it is installed, also where a list of components names it.
# It says there what it has loaded that the list leaves out.
if with_plugin ''; then
    OMPI_MCA_coll_pipebcast_verbose=1
    export OMPI_MCA_coll_pipebcast_verbose
    for list in '' pipebcast,tuned '^han'; do
        with_plugin "$list"
        measure 4 --pretend-hosts a,b,c,d --output "$model"
        [ $code -eq 0 ] && ! grep -v 'leaves out .*: loaded' "$err" | grep -q 'coll:pipebcast\|pipebcast: '
        report $? "pipebcast is kept out of the job, coll = '$list'"
    done
    unset OMPI_MCA_coll OMPI_MCA_mca_base_component_path OMPI_MCA_coll_pipebcast_verbose
else
    skip "pipebcast is kept out" "the plugin is not built"
fi
finish
