# shellcheck shell=sh disable=SC2154 # work is the sourcing script's
# Sourced by test scripts that start MPI jobs, when they have made their directory $work, and before they set
# parameters: jobs without a person's own, and what makes them start in less time. Sets `memory`, another directory of the script's own, which is removed with $work.

# What a person has installed or set must not decide.
for name in $(env | sed -n 's/^\(\(OMPI\|PRTE\|PMIX\)_MCA_[A-Za-z0-9_]*\)=.*/\1/p'); do
    unset "$name"
done
unset XDG_CACHE_HOME
HOME=$work/home
mkdir "$HOME"
export HOME

# What jobs share and leave behind, megabytes for each, is kept in memory where there is room: a container
# may have little.
memory=$work
if [ "$(df -Pk /dev/shm 2>/dev/null | awk 'END { print $4 + 0 }')" -gt 500000 ]; then
    memory=$(mktemp -d /dev/shm/pipebcast-test.XXXXXX 2>/dev/null) || memory=$work
fi
trap 'rm -rf "$work" "$memory"' EXIT
trap 'exit 143' HUP INT TERM
export OMPI_MCA_btl_vader_backing_directory="$memory" OMPI_MCA_btl_sm_backing_directory="$memory"
export OMPI_MCA_orte_tmpdir_base="$memory" PRTE_MCA_prte_tmpdir_base="$memory"
# Every rank looks at the host by hwloc, whose plugins for graphics cards and PCI take as long as the rest
# of MPI_Init. An empty directory has none.
mkdir "$work/hwloc"
export HWLOC_PLUGINS_PATH="$work/hwloc"
# A job that fails is killed immediately: its ranks are not given seconds to end by themselves.
export OMPI_MCA_odls_base_sigkill_timeout=0 PRTE_MCA_odls_base_sigkill_timeout=0
# ob1 would be taken anyway; looking for other networks first takes each job 0.2 s.
export OMPI_MCA_pml=ob1
