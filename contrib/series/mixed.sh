#!/bin/bash
# Two series of Open MPI meet in a job, and the plugin of one in the other, each with the programs
# that check.sh has built: what doc/troubleshooting.md says of hosts that differ. TAP. Needs root.
#
#   mixed.sh SERIES OTHER      mpirun is that of SERIES; 5.0 and 6.0 are known
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=contrib/prepare.sh
. "$here/../prepare.sh"

[ $# -eq 2 ] || die "name two series: $0 5.0 6.0"
exec "$here/chroot.sh" enter "$1" --beside "$2" -- env srcdir=/src/test/mpi \
    builddir=/kept/build/test/mpi MPIEXEC=mpirun OMPI_INFO=ompi_info sh /src/contrib/series/mixed.test
