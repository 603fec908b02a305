#!/bin/bash
# Shows what pipebcast does, on an Ethernet cluster emulated on this host: installs what is
# missing, builds, and broadcasts on 32 hosts behind four switches (topology (5) of the papers) by
# Open MPI's tuned and by pipebcast, next to each other. It takes the greatest rate of links at which this
# computer keeps up. Building takes two minutes on two cores, measuring less than three. It ends with a table,
# and with bars in multiples of the time of one message, as text and as a picture (results/bars.svg).
#
#   contrib/demo.sh [BUILD-DIRECTORY]     (default: build/demo in the checkout)
set -eu -o pipefail
# shellcheck source=contrib/prepare.sh
. "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
build=${1:-$top/build/demo}
mkdir -p "$build"
build=$(cd "$build" && pwd)

unshare --net true 2>/dev/null || unshare --map-root-user --net true ||
    die "an emulated cluster needs root, or user namespaces (sysctl user.max_user_namespaces)"
prepare_packages "${build_packages[@]}"
prepare_build "$build"

say "broadcasting on 32 emulated hosts, four switches in a line, hosts dealt out in turn, at the rate at which this computer keeps up:"
"$build/inst/libexec/pipebcast/pipebcast-compare" --topology 5 --rate auto --sizes 64K,256K \
    --methods demo --runs 2 --time-limit 4 --iterations 5 --plugin-dir "$build/inst/plugins" --output "$build/results"
