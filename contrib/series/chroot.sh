#!/bin/bash
# Other series of Open MPI, each in a Debian system of its own that debootstrap unpacks into a
# directory. Needs root.
#
#   chroot.sh make SERIES              makes what is missing of it, and prints the directory
#   chroot.sh fresh SERIES             makes SERIES-fresh anew: the release's least system, with
#                                      nothing of Open MPI, and prints the directory
#   chroot.sh install SERIES PACKAGE...  Debian packages that one lacks yet
#   chroot.sh enter SERIES [--beside OTHER] -- COMMAND
#                                      runs a command in one, as root; see below for its directories
#   chroot.sh remove SERIES            what was made of it, SERIES-fresh too
#
# SERIES is 4.1 (Debian 12), 5.0 (Debian 13) or 6.0 (Debian unstable); to enter, also SERIES-fresh.
# The systems are kept for the next run in $PIPEBCAST_CACHE, or ${XDG_CACHE_HOME:-~/.cache}/pipebcast,
# as they are until they are removed; each takes about 1.2 GB. They come from the mirror that this host's
# apt uses for Debian, or from $PIPEBCAST_DEBIAN_MIRROR. Where apt refuses the mirror because it is
# old (it says that a Release file is expired), PIPEBCAST_EXPIRED_MIRROR=1 takes it nevertheless;
# signatures are checked all the same.
#
# Inside, /src is this checkout, read-only, and /kept is kept with the system; /tmp and /run are
# empty at each entry, and the network is the host's. /other is the system of the series OTHER,
# for chroot(1), with the same /tmp. A command's processes end with it.
set -eu -o pipefail
# shellcheck source=contrib/prepare.sh
. "$(dirname "${BASH_SOURCE[0]}")/../prepare.sh"

usage() {
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
    exit 2
}

# Debian's release that has a series.
release_of() {
    case ${1%-fresh} in
    4.1) echo bookworm ;;
    5.0) echo trixie ;;
    6.0) echo sid ;;
    *) die "there is no chroot for Open MPI '$1': 4.1, 5.0 and 6.0 can be had" ;;
    esac
}

cache_directory() {
    echo "${PIPEBCAST_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set; name a directory by PIPEBCAST_CACHE}/.cache}/pipebcast}"
}

# Where this host has Debian from, as apt itself says.
mirror() {
    local found
    if [ -n "${PIPEBCAST_DEBIAN_MIRROR:-}" ]; then
        echo "$PIPEBCAST_DEBIAN_MIRROR"
        return
    fi
    # shellcheck disable=SC2016
    found=$(apt-get indextargets --format '$(ORIGIN)/$(LABEL)/$(COMPONENT) $(REPO_URI)' \
        'Created-By: Packages' 2>/dev/null | sed -n 's,^Debian/Debian/main ,,p' | head -n 1)
    [ -n "$found" ] ||
        die "apt knows no mirror of Debian here: run apt-get update, or name one by PIPEBCAST_DEBIAN_MIRROR"
    echo "$found"
}

# Downloads go through the proxy that apt uses, if any.
use_proxy_of_apt() {
    local proxy=
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    if [ -n "$proxy" ] && [ "$proxy" != DIRECT ]; then
        export http_proxy=${http_proxy:-$proxy}
    fi
}

needs_root() {
    [ "$(id -u)" -eq 0 ] || die "a chroot can be made and entered by root only"
}

enough_space() {
    local free
    free=$(df --output=avail -m "$1" | tail -n 1)
    [ "$free" -ge 2500 ] || die "$1 has $free MB free; a chroot needs 2500 until it stands"
}

# The version of Open MPI inside must be the one that was asked for: unstable moves on.
holds_series() {
    local version
    version=$(enter "$2" ompi_info --parsable --version | sed -n 's/.*[ :]v\{0,1\}\([0-9][0-9.]*\).*/\1/p' | head -n 1)
    case $version in
    "$1".*) ;;
    *) die "Debian's $(release_of "$1") has Open MPI '$version' now, not $1; update release_of in $0" ;;
    esac
}

# install_packages DIRECTORY NAME...: installs in a system what is not there.
install_packages() {
    # shellcheck disable=SC2016
    enter "$1" sh -ec '
        all=$(dpkg-query -W -f "\${db:Status-Status}\n" "$@" 2>/dev/null | grep -cx installed) || :
        [ "$all" -lt $# ] || exit 0
        apt-get update
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
        apt-get clean' sh "${@:2}"
}

# bootstrap SERIES DIRECTORY LOG: the release's least system, in DIRECTORY.
bootstrap() {
    local part=$2.part release source
    release=$(release_of "$1")
    source=$(mirror)
    use_proxy_of_apt
    rm -rf --one-file-system "$part"
    enough_space "$(dirname "$2")"
    quietly "unpacking Debian's $release into $2" "$3" \
        debootstrap --variant=minbase "$release" "$part" "$source"
    mkdir -p "$part/kept" "$part/src"
    if [ "${PIPEBCAST_EXPIRED_MIRROR:-0}" = 1 ]; then
        echo 'Acquire::Check-Valid-Until "false";' >"$part/etc/apt/apt.conf.d/expired-mirror"
    fi
    mv "$part" "$2"
}

# least_system SERIES: makes DIRECTORY.least, which the others are copies of, if it is not there.
least_system() {
    local least
    least=$(cache_directory)/ompi-$1.least
    [ -d "$least" ] || {
        prepare_packages debootstrap util-linux
        : >"$least.log"
        bootstrap "$1" "$least" "$least.log"
    }
}

# hold_cache: one run at a time makes something in the cache; until the end of this one, or fd 9's.
hold_cache() {
    local cache
    cache=$(cache_directory)
    mkdir -p "$cache"
    exec 9>"$cache/lock"
    flock -n 9 || { say "waiting for another run that uses $cache" >&2 && flock 9; }
}

# copy_least SERIES DIRECTORY
copy_least() {
    rm -rf --one-file-system "$2.part"
    least_system "$1"
    enough_space "$(dirname "$2")"
    cp -a "$(cache_directory)/ompi-$1.least" "$2.part"
}

# make SERIES: the directory is printed last; what is being done goes to standard error. A system that
# was not finished lies in DIRECTORY.part and is made again from the start.
make_system() {
    local directory
    directory=$(cache_directory)/ompi-$1
    hold_cache
    if [ -d "$directory" ]; then
        quietly "looking for what building needs in $directory" "$directory.log" install_packages "$directory" "${build_packages[@]}" >&2
    else
        : >"$directory.log"
        copy_least "$1" "$directory" >&2
        quietly "installing what building needs" "$directory.log" install_packages "$directory.part" \
            "${build_packages[@]}" >&2
        holds_series "$1" "$directory.part"
        mv "$directory.part" "$directory"
    fi
    exec 9>&-
    echo "$directory"
}

# fresh SERIES
fresh_system() {
    local directory
    directory=$(cache_directory)/ompi-$1-fresh
    hold_cache
    rm -rf --one-file-system "$directory"
    copy_least "$1" "$directory" >&2
    mv "$directory.part" "$directory"
    exec 9>&-
    echo "$directory"
}

enter() { enter_beside "" "$@"; }

# enter_beside OTHER-DIRECTORY DIRECTORY COMMAND...: in a mount namespace whose root is the directory.
# chroot() would not do: who joins another mount namespace, as the testbed does, is back in that
# namespace's root, and who is in a chroot may make no user namespace.
enter_beside() {
    local other=$1 directory=$2
    shift 2
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child --propagation private sh -euc '
        root=$1 src=$2 other=$3
        shift 3
        mount --bind "$root" "$root"
        cd "$root"
        mount -t proc proc proc
        mount --rbind /sys sys
        mount --rbind /dev dev
        mount -t tmpfs -o mode=1777 tmpfs dev/shm
        mount -t tmpfs -o mode=1777 tmpfs tmp
        mount -t tmpfs -o mode=755 tmpfs run
        mount --bind "$src" src
        mount -o remount,bind,ro src
        if [ -n "$other" ]; then
            mkdir -p other
            mount --bind "$other" other
            mount -t proc proc other/proc
            mount --rbind /sys other/sys
            mount --rbind dev other/dev
            mount --bind tmp other/tmp
        fi
        cat /etc/resolv.conf >run/resolv.conf
        touch etc/resolv.conf
        mount --bind run/resolv.conf etc/resolv.conf
        mkdir run/old
        pivot_root . run/old
        cd /
        umount -l run/old
        rmdir run/old
        hash -r
        exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            LANG=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} \
            ${TERM:+TERM="$TERM"} ${PIPEBCAST_TESTS:+PIPEBCAST_TESTS="$PIPEBCAST_TESTS"} \
            ${PIPEBCAST_TRY_AGAIN:+PIPEBCAST_TRY_AGAIN="$PIPEBCAST_TRY_AGAIN"} \
            ${PIPEBCAST_TEST_TIMEOUT:+PIPEBCAST_TEST_TIMEOUT="$PIPEBCAST_TEST_TIMEOUT"} \
            ${PIPEBCAST_LATE:+PIPEBCAST_LATE="$PIPEBCAST_LATE"} "$@"
    ' sh "$directory" "$top" "$other" "$@"
}

# standing_system SERIES: its directory, which must have been made.
standing_system() {
    local directory
    directory=$(cache_directory)/ompi-$1
    [ -d "$directory" ] || die "$directory is not made yet: $0 make $1, or fresh for a SERIES-fresh"
    echo "$directory"
}

[ $# -ge 2 ] || usage
action=$1
series=$2
shift 2
release_of "$series" >/dev/null
needs_root
case $action in
make)
    [ $# -eq 0 ] || usage
    make_system "$series"
    ;;
fresh)
    [ $# -eq 0 ] || usage
    fresh_system "$series"
    ;;
install)
    [ $# -ge 1 ] || usage
    install_packages "$(standing_system "$series")" "$@"
    ;;
enter)
    other=
    if [ "${1:-}" = --beside ] && [ $# -ge 2 ]; then
        other=$(standing_system "$2")
        shift 2
    fi
    if [ "${1:-}" != -- ] || [ $# -lt 2 ]; then
        usage
    fi
    shift
    enter_beside "$other" "$(standing_system "$series")" "$@"
    ;;
remove)
    [ $# -eq 0 ] || usage
    rm -rf --one-file-system "$(cache_directory)/ompi-$series" "$(cache_directory)/ompi-$series"[.-]*
    ;;
*) usage ;;
esac
