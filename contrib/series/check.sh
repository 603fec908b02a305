#!/bin/bash
# Builds this checkout, as it is now, for another series of Open MPI and runs its tests there, in
# the system that chroot.sh makes. The last line counts them. Needs root.
#
#   check.sh 5.0|6.0
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=contrib/prepare.sh
. "$here/../prepare.sh"

# The checkout's files, without what was built in it, into FOLDER; files keep their times, so that
# what was built from them before need not be built again.
copy_checkout() {
    local list=$1.list
    mkdir -p "$1"
    git -C "$top" -c safe.directory="$top" ls-files -co --exclude-standard |
        (cd "$top" && while read -r file; do [ ! -e "$file" ] || echo "$file"; done) |
        LC_ALL=C sort >"$list.new" || die "$top is no checkout of git: clone the repository"
    if [ -f "$list" ]; then
        LC_ALL=C comm -23 "$list" "$list.new" | (cd "$1" && xargs -r -d '\n' rm -f)
    fi
    tar -C "$top" -cf - -T "$list.new" | tar -C "$1" -xf -
    mv "$list.new" "$list"
}

[ $# -eq 1 ] || die "name a series: $0 5.0, or $0 6.0"
folder=$("$here/chroot.sh" make "$1")
copy_checkout "$folder/work/source"
say "Open MPI $1 in $folder"
"$here/chroot.sh" enter "$1" -- /work/source/contrib/check.sh --suite /work/build
