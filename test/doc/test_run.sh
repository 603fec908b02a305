#!/bin/sh
# Runs the commands of README.md and doc/*.md, as a person types them (run_blocks.py).
# shellcheck source=test/mpi/lib.sh
. "${srcdir:-.}/../mpi/lib.sh"
if ! command -v python3 >/dev/null 2>&1; then
    echo "1..0 # SKIP python3 is missing"
    exit 0
fi
for name in $(env | sed -n 's/^\(OMPI_MCA_coll_pipebcast_[a-z_]*\)=.*/\1/p'); do
    unset "$name"
done
# Two ranks of this host stand for two hosts on two switches. They send as hosts do.
export OMPI_MCA_btl=self,tcp
echo "localhost slots=2" >"$work/hostfile"
export OMPI_MCA_coll_pipebcast_hosts='n[0,16]'
WORK=$work python3 -B "${srcdir:-.}/run_blocks.py"
