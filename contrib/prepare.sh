# shellcheck shell=bash
# Sourced by demo.sh and check.sh: installs what is missing and builds.
#
#   prepare_packages NAME...  installs the Debian packages that are missing, saying which first
#   prepare_configured DIR [CONFIGURE-ARGUMENTS...]  configures in DIR, where that is to be done
#   prepare_build DIR [CONFIGURE-ARGUMENTS...]  that, and builds in DIR and installs into
#                             DIR/inst, plugin and all; nothing outside DIR is touched
#
# Variables: top (the checkout), build_packages (an array: what building and the testbed need).

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# shellcheck disable=SC2034
build_packages=(gcc libc6-dev make autoconf automake pkg-config openmpi-bin libopenmpi-dev
    libhwloc-dev libjansson-dev libpmix-dev libyaml-dev iproute2 ethtool iputils-ping procps util-linux python3)

say() { printf '== %s\n' "$*"; }

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

[[ $top != *[[:space:]]* ]] || die "'$top' has a space in its name, and configure takes no such directory"

# Runs a command as root: directly, or by sudo.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

can_be_root() { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null 2>&1; }

# The packages of the arguments that are not installed.
missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            printf '%s ' "$package"
    done
}

prepare_packages() {
    local missing log
    command -v dpkg-query >/dev/null 2>&1 ||
        die "this script installs Debian packages; elsewhere install by hand what $* are on Debian," \
            "and follow the section Install of README.md"
    missing=$(missing_packages "$@")
    [ -z "$missing" ] && return 0
    say "to be installed from Debian: $missing"
    can_be_root || die "installing needs root or sudo; run as root: apt-get update && apt-get install $missing"
    log=$(mktemp)
    # shellcheck disable=SC2086
    if ! as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y --no-install-recommends $missing >"$log" 2>&1; then
        # A fresh host has no package lists yet.
        if ! { as_root apt-get update >>"$log" 2>&1 &&
               as_root env DEBIAN_FRONTEND=noninteractive \
                   apt-get install -y --no-install-recommends $missing >>"$log" 2>&1; }; then
            tail -n 20 "$log" >&2
            rm -f "$log"
            die "the packages could not be installed; the last lines above say why"
        fi
    fi
    rm -f "$log"
}

# Runs a step quietly; its output is shown only if it fails.
quietly() {
    local what=$1 log=$2
    shift 2
    say "$what"
    if ! "$@" >>"$log" 2>&1; then
        tail -n 30 "$log" >&2
        die "$what failed; the whole output is in $log"
    fi
}

prepare_configured() {
    local build=$1 log=$1/build.log
    shift
    mkdir -p "$build"
    : >"$log"
    exec 7<"$top/autogen.sh"
    flock 7 # another script may make it, too
    if [ ! -x "$top/configure" ] || [ "$top/configure.ac" -nt "$top/configure" ]; then
        quietly "making configure" "$log" "$top/autogen.sh"
    fi
    exec 7<&-
    if [ ! -f "$build/configured" ] || [ "$top/configure" -nt "$build/configured" ]; then
        quietly "configuring in $build" "$log" \
            prepare_configure "$build" --prefix="$build/inst" --with-plugindir="$build/inst/plugins" "$@"
        : >"$build/configured" # config.status is there before the files that it makes
    fi
}

prepare_build() {
    prepare_configured "$@"
    quietly "building" "$1/build.log" make -C "$1" -j"$(nproc)" install
}

prepare_configure() { (cd "$1" && shift && "$top/configure" "$@"); }
