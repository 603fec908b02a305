# Sourced by the test scripts: TAP, and mpirun with the plugin of the build tree
# on this one host. Needs builddir, MPIEXEC and OMPI_INFO (AM_TESTS_ENVIRONMENT).

# PIPEBCAST_TESTS says which cases are wanted: units (those that start no job), short or long.
case ${PIPEBCAST_TESTS:=short} in
units)
    echo "1..0 # SKIP only tests that need no MPI job are wanted"
    exit 0
    ;;
short | long) ;;
*)
    echo "Bail out! PIPEBCAST_TESTS is '$PIPEBCAST_TESTS', but must be units, short or long"
    exit 1
    ;;
esac

is_long() { [ "$PIPEBCAST_TESTS" = long ]; }

# long COMMAND...: a case of the long suite alone.
long() { ! is_long || "$@"; }

# either SHORT LONG: what the suite that is wanted goes through.
either() { if is_long; then echo "$2"; else echo "$1"; fi; }

# repeated N: how often something random is tried, N times in the long suite.
repeated() { either $(($1 / 10)) "$1"; }

: "${builddir:?is set by make check}" "${MPIEXEC:?}" "${OMPI_INFO:?}"
here=$(cd "$builddir" && pwd)
plugin=$(cd "$builddir/../../ompi_coll_pipebcast" && pwd)/mca_coll_pipebcast.so

# Everything that a person's own settings could change is in a directory of our own.
work=$(mktemp -d "${TMPDIR:-/tmp}/pipebcast-test.XXXXXX") || exit 99
mkdir "$work/plugins"
ln -s "$plugin" "$work/plugins/mca_coll_pipebcast.so"
# shellcheck source=test/jobs.sh
. "${srcdir:-.}/../jobs.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
system=$("$OMPI_INFO" --path pkglibdir --parsable | sed -n 's/^path:pkglibdir://p')
export OMPI_MCA_mca_base_component_path="$work/plugins:$system"
export OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo
echo "localhost slots=64" >"$work/hostfile"
case $("$OMPI_INFO" --version) in
*" v4."*)
    no_eager="--mca btl_vader_eager_limit 56"
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_oob_tcp_if_include=lo
    ;;
*" v5."*)
    export PRTE_MCA_hwloc_default_binding_policy=none
    # Debian 13's mpirun gives the ranks PMIx's directory as Open MPI's, unless one is named.
    names_no_folder=true
    ;;
*)
    export PRTE_MCA_bindto=none
    # 6.0.0rc2 loses messages between threads in the fast boxes of its shared memory, with tuned
    # alone too: in one run of ten all threads of a job wait without end. Without them it does not.
    for_threads="--mca btl_sm_fbox_max 0"
    ;;
esac
: "${for_threads:=}" "${names_no_folder:=false}"
# no_eager: nothing is sent that no one waits for; the least limit is the size of ob1's headers.
: "${no_eager:=--mca btl_vader_eager_limit 80}"
# From 5.0 on the launcher is PRRTE. It warns of parameters that it knows by another name.
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_MCA_prte_default_hostfile="$work/hostfile"
# PMIx looks for its own components in Open MPI's directories too, and complains of what else is there.
export PMIX_MCA_mca_base_component_show_load_errors=none

# The ranks of this host stand for eight hosts on two of three switches.
two_switches='SwitchName=s0 Nodes=n[0-3];SwitchName=s1 Nodes=n[4-7];SwitchName=s2 Switches=s[0-1]'
one_switch='SwitchName=s0 Nodes=n[0-7]'
pretend() {
    export OMPI_MCA_coll_pipebcast_hosts='n[0-7]'
    export OMPI_MCA_coll_pipebcast_topology="$two_switches"
    export OMPI_MCA_coll_pipebcast_min_size=64
    export OMPI_MCA_coll_pipebcast_segment_size=100
    # Left to itself, the component passes short messages on where that is predicted faster.
    export OMPI_MCA_coll_pipebcast_algorithm=twotree
    export OMPI_MCA_coll_pipebcast_arrival="${usual_arrival:-auto}"
    # Between these hosts messages go over shared memory, which auto would not serve.
    export OMPI_MCA_coll_pipebcast_transport=any
    export OMPI_MCA_coll_pipebcast_verbose=1
}
pretend

n_run=0
n_failed=0

# is STATUS DESCRIPTION: one TAP line; what the last program said follows a failure.
is() {
    n_run=$((n_run + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $n_run - $2"
    else
        n_failed=$((n_failed + 1))
        echo "not ok $n_run - $2"
        echo "# the last mpirun ended with status ${launched:-unknown} (124 and 137: not within $limit s)"
        [ -f "$work/out" ] && head -40 "$work/out" | sed 's/^/# /'
    fi
}

# is_or_skips STATUS DESCRIPTION: the same of a program that may print SKIP and why, as a skipped line.
is_or_skips() {
    reason=$(sed -n 's/^SKIP //p' "$work/out" | head -1)
    if [ "$1" -eq 0 ] && [ -n "$reason" ]; then
        n_run=$((n_run + 1))
        echo "ok $n_run - $2 # SKIP $reason"
    else
        is "$@"
    fi
}

done_testing() {
    echo "1..$n_run"
    [ "$n_failed" -eq 0 ]
}

# may_take SECONDS: of the jobs that follow each, or $PIPEBCAST_TEST_TIMEOUT, whichever is more: on a
# busy host, in a sanitizer or in valgrind everything takes longer.
may_take() {
    limit=${PIPEBCAST_TEST_TIMEOUT:-0}
    [ "$limit" -ge "$1" ] || limit=$1
}
may_take 120

# launch ARGUMENT...: mpirun, its output in $work/out. A hang is status 124, 137 beyond. On a busy host mpirun of 4.1
# may lose a message of ours, and logs that (coll_pipebcast_show_once() says why): the job runs again then.
launch() {
    for _ in 1 2 3 4 5; do
        timeout -k 10 "$limit" "$MPIEXEC" "$@" >"$work/out" 2>"$work/stderr"
        launched=$?
        cat "$work/stderr" >>"$work/out" # together, one would begin in the middle of the other's line
        grep -q 'ORTE_ERROR_LOG: .*/show_help\.c' "$work/out" || break
    done
    return $launched
}

# Runs a program with the variables of first.env on the ranks below one, with last.env's on the
# others. (mpirun could do it, but Debian 13's crashes at a command line of two programs.)
cat >"$work/apart" <<'END'
#!/bin/sh
# apart DIRECTORY RANK PROGRAM...
if [ "$OMPI_COMM_WORLD_RANK" -lt "$2" ]; then . "$1/first.env"; else . "$1/last.env"; fi
shift 2
exec "$@"
END
chmod +x "$work/apart"

# launch_apart RANK FIRST LAST [ARGUMENT...]: four ranks of run_bcast; those below RANK get FIRST's
# variables, the others LAST's. Both are shell words NAME=VALUE. The arguments are mpirun's.
launch_apart() {
    echo "${2:+export $2}" >"$work/first.env"
    echo "${3:+export $3}" >"$work/last.env"
    rank=$1
    shift 3
    launch -n 4 "$@" "$work/apart" "$work" "$rank" "$here/run_bcast"
}

# The variable that names the directories of plugins, for launch_apart.
path=OMPI_MCA_mca_base_component_path

# says PATTERN...: whether the output has a line with each.
says() {
    for pattern; do
        grep -q -e "$pattern" "$work/out" || return 1
    done
}

# says_times N PATTERN
says_times() {
    [ "$(grep -c -e "$2" "$work/out")" -eq "$1" ]
}

served='pipebcast: communicator MPI_COMM_WORLD: [0-9]* ranks on [0-9]* hosts'

# without RANK: the job is right without pipebcast, and rank RANK is named, once.
without() {
    says '^PASS' "pipebcast: .*: rank $1 on host .* is without pipebcast" \
        'Until then the fallback component serves' && says_times 1 '^pipebcast:' && ! says "$served"
}

# passes DESCRIPTION ARGUMENT...: the program passes and our code served it.
passes() {
    description=$1
    shift
    launch "$@" && says '^PASS' "$served" && ! says 'does not fit'
    is $? "$description"
}

# passes_elsewhere DESCRIPTION ARGUMENT...: it passes, and our code did not serve it.
passes_elsewhere() {
    description=$1
    shift
    launch "$@" && says '^PASS' && ! says "$served"
    is $? "$description"
}

# way ALGORITHM: sets OMPI_MCA_coll_pipebcast_algorithm to a tree; or, where it is the name by which
# other broadcasts are counted, the parameters that make them so. (Advice also needs its directory.)
way() {
    case $1 in
    arrival_b) OMPI_MCA_coll_pipebcast_algorithm=auto OMPI_MCA_coll_pipebcast_arrival=b ;;
    arrival_nb) OMPI_MCA_coll_pipebcast_algorithm=auto OMPI_MCA_coll_pipebcast_arrival=nb ;;
    flat_nb) OMPI_MCA_coll_pipebcast_algorithm=flat OMPI_MCA_coll_pipebcast_arrival=nb ;;
    adaptive) OMPI_MCA_coll_pipebcast_algorithm=auto ;;
    *) OMPI_MCA_coll_pipebcast_algorithm=$1 ;;
    esac
    export OMPI_MCA_coll_pipebcast_algorithm OMPI_MCA_coll_pipebcast_arrival
}

# suit ALGORITHM: pretends the usual network, and sets the algorithm, as above.
suit() {
    pretend
    way "$1"
}
