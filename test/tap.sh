# shellcheck shell=sh
# Sourced by test scripts: TAP, and a directory of the script's own.
#
#   run_mpi_here              for scripts that start MPI jobs: as mpi_here; ends the script where only
#                             tests without jobs are wanted
#   mpi_here                  mpirun over this host alone, also as root
#   np_of NP                  of a job for which any number of ranks will do: NP is "any", and the answer 2 in
#                             the long suite, else 0: one process, without mpirun; or NP itself
#   start_job NP PROGRAM...   mpirun with NP ranks; 0: as above
#   report STATUS DESCRIPTION one TAP line; shows $out and $err if it failed
#   report_empty DESCRIPTION TEXT   the same; passes if TEXT, a list of what is wrong, is empty
#   skip DESCRIPTION REASON   one TAP line
#   host_is_busy              whether other programs take half of the processors' time, in the next two seconds
#
# Variables: work (the directory, removed at the end), out and err (files for the outputs of what is
# tested), count (TAP lines so far; the script prints the plan, "1..$count").

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# A shell that a signal ends does nothing at its EXIT.
trap 'exit 143' HUP INT TERM
out=$work/out err=$work/err
count=0

report() {
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        head -n 20 "$out" "$err" | sed 's/^/# /'
    fi
}

report_empty() {
    printf '%s\n' "$2" >"$out"
    : >"$err"
    [ -z "$2" ]
    report $? "$1"
}

skip() {
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

host_is_busy() {
    { head -1 /proc/stat && sleep 2 && head -1 /proc/stat; } | awk '
        { idle = $5 + $6 - idle; all = -all; for (i = 2; i <= 9; i++) all += $i }
        END { exit all <= 0 || 2 * idle > all }'
}

np_of() {
    case $1,${PIPEBCAST_TESTS:-short} in
    any,long) echo 2 ;;
    any,*) echo 0 ;;
    *) echo "$1" ;;
    esac
}

start_job() {
    np=$1
    shift
    if [ "$np" -eq 0 ]; then
        OMPI_MCA_ess_singleton_isolated=1 timeout -k 10 120 "$@"
    else
        timeout -k 10 120 "$MPIEXEC" -np "$np" "$@"
    fi
}

run_mpi_here() {
    if [ "${PIPEBCAST_TESTS:-}" = units ]; then
        echo "1..0 # SKIP only tests that need no MPI job are wanted"
        exit 0
    fi
    mpi_here
}

mpi_here() {
    # Scripts that start jobs are two directories below this one.
    # shellcheck source=test/jobs.sh
    . "$(dirname "$0")/../../jobs.sh"
    MPIEXEC=${MPIEXEC:-mpirun}
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo
    export OMPI_MCA_mpi_yield_when_idle=1
    # 5.0's prte reads its own names for the same.
    export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
}
