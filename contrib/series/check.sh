#!/bin/bash
# Builds this checkout, as it is now, for another series of Open MPI and runs its tests there, in
# the system that chroot.sh makes. The last line counts them. Needs root.
#
#   check.sh [--quick] 5.0|6.0       --quick: some of the tests, see contrib/check.sh
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=contrib/prepare.sh
. "$here/../prepare.sh"
# shellcheck source=contrib/series/copy.sh
. "$here/copy.sh"

which=--suite
if [ "${1:-}" = --quick ]; then
    which=--quick
    shift
fi
[ $# -eq 1 ] || die "name a series: $0 5.0, or $0 6.0"
directory=$("$here/chroot.sh" make "$1")
hold_system "$directory"
copy_checkout "$directory/kept/source"
say "Open MPI $1 in $directory"
"$here/chroot.sh" enter "$1" -- /kept/source/contrib/check.sh "$which" /kept/build
