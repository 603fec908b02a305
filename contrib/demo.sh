#!/bin/bash
# Shows what pipebcast does, on an Ethernet cluster emulated on this host: installs what is
# missing, builds, and broadcasts on 32 hosts behind four switches (topology (5) of the papers) by
# Open MPI's tuned and by pipebcast, side by side. Building takes a minute or two on two cores, measuring
# less than three. It ends with a table, bars, and the names of a picture of the times and a graph of the trees.
#
#   contrib/demo.sh [BUILD-DIRECTORY]     (default: build/demo in the checkout)
set -eu -o pipefail
# shellcheck source=contrib/prepare.sh
. "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

build=${1:-$top/build/demo}
mkdir -p "$build"
build=$(cd "$build" && pwd)

prepare_packages "${build_packages[@]}"
prepare_build "$build"

say "broadcasting on 32 emulated hosts at 10 Mbit/s, four switches in a line, hosts dealt out in turn: two to three minutes"
"$build/inst/bin/pipebcast-compare" --topology 5 --rate 10mbit --sizes 64K,256K \
    --methods demo --runs 2 --time-limit 4 --iterations 5 --plugin-dir "$build/inst/plugins" --output "$build/results"

"$build/inst/libexec/pipebcast/pipebcast-topo" tree "$build/inst/share/pipebcast/topology5.conf" --algorithm twotree --root n0 \
    --format dot >"$build/results/twotree.dot"
say "the network and the two trees are in $build/results/twotree.dot; dot -Tsvg draws them"
