#!/bin/bash
# Installs what is missing, builds, and runs the tests: those that take minutes, or all. The last line
# counts them.
#
#   contrib/check.sh [OPTION...] [BUILD-DIRECTORY]     (default: build/check in the checkout)
#
# --long     also the long suite: every case, fuzzing, mutants, and the analyses of contrib/analyze but for
#            valgrind
# --minutes N  of the long suite only the parts that end within N minutes of the whole run, as far as
#            can be told; what is left out counts as skipped
# --all-mpi  also builds for Open MPI 5.0 and 6.0 and runs the tests there, in systems of their own
#            (contrib/series/chroot.sh; the first time takes some minutes, 3 GB and root)
# --ci       what ends within 26 minutes: for 5.0 and 6.0 the tests of --quick, if such a system can be made, and
#            of the long suite what there is time for; what is left out counts as skipped. A test program
#            that fails is run once more by itself (PIPEBCAST_TRY_AGAIN=1), and reported as unstable
#            if it passes then; one that hangs is ended after ten minutes
# --packages also makes Debian packages for each of the three and tries them (contrib/package/check;
#            the same systems, and 2 GB more)
# --suite    only builds for the Open MPI that is here and runs the tests, without what looks at the
#            source: a second compiler, formatting, scripts, distribution
# --quick    of --suite only the plugin's tests, and one MPI program for each thing that it does
set -u -o pipefail
# shellcheck source=contrib/prepare.sh
. "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
# shellcheck source=contrib/checks.sh
. "$top/contrib/checks.sh"

long=false
minutes=
all_mpi=false
ci=false
packages=false
suite=false
quick=false
while [[ ${1:-} == -* ]]; do
    case $1 in
    --long) long=true ;;
    --minutes)
        [[ ${2:-} =~ ^[1-9][0-9]{0,3}$ ]] || die "--minutes needs a number of minutes"
        minutes=$2
        shift
        ;;
    --all-mpi) all_mpi=true ;;
    --ci)
        ci=true long=true minutes=26
        export PIPEBCAST_TRY_AGAIN=1 PIPEBCAST_TEST_LIMIT=600
        ;;
    --packages) packages=true ;;
    --suite) suite=true ;;
    --quick) suite=true quick=true ;;
    *) die "unknown option '$1'; known are --long, --minutes N, --all-mpi, --ci, --packages, --suite and --quick" ;;
    esac
    shift
done
[ $# -le 1 ] || die "'$2' comes after the build directory '$1'; give options before it, and one directory"
if $all_mpi || $packages; then [ "$(id -u)" -eq 0 ] || die "--all-mpi and --packages make systems of their own; run them as root"; fi
[ -z "$minutes" ] || $long || die "--minutes bounds the long suite; give --long, too"
build=${1:-$top/build/check}
mkdir -p "$build"
build=$(cd "$build" && pwd)

exports_one_symbol() {
    local symbols
    symbols=$(nm -D --defined-only "$build/inst/plugins/mca_coll_pipebcast.so" | awk '{ print $3 }')
    echo "exported: $symbols"
    [ "$symbols" = mca_coll_pipebcast_component ]
}

# Inside Open MPI's tree components are linked into a library below the bindings.
calls_no_binding() {
    ! nm -D --undefined-only "$build/inst/plugins/mca_coll_pipebcast.so" | grep -E ' P?MPI_'
}

builds_with_clang() {
    mkdir -p "$build/clang" &&
        prepare_configure "$build/clang" CC=clang CFLAGS=-O0 --enable-werror --prefix="$build/clang/inst" \
            --with-plugindir="$build/clang/inst/plugins" &&
        make -C "$build/clang" -j"$(nproc)" all
}

# Without adaptive broadcasts nothing is named after them, and no tool of theirs is built.
builds_without_adaptive() {
    local plain=$build/without-adaptive
    mkdir -p "$plain" &&
        prepare_configure "$plain" CFLAGS=-O0 --enable-werror --disable-adaptive --prefix="$plain/inst" \
            --with-plugindir="$plain/inst/plugins" &&
        make -C "$plain" -j"$(nproc)" install &&
        [ ! -e "$plain/inst/libexec/pipebcast/pipebcast-advisor" ] && [ -e "$plain/inst/libexec/pipebcast/pipebcast-tune" ] &&
        ! nm "$plain/inst/plugins/mca_coll_pipebcast.so" | grep -E 'pb_(adaptive|advice|history)_' &&
        OMPI_MCA_mca_base_component_path="$plain/inst/plugins" ompi_info --parsable --level 9 --param coll pipebcast |
        awk '/param:coll_pipebcast_advice_dir:/ { found = 1 } /param:coll_pipebcast_algorithm:/ { is_there = 1 }
             END { exit found || !is_there }'
}

# In a source of its own whose automake fails: a configure that is there would not be made again.
autogen_leaves_no_part() {
    local room=$build/autogen
    rm -rf "$room"
    mkdir -p "$room/bin" && cp "$top/autogen.sh" "$room" && printf '#!/bin/sh\nexit 1\n' >"$room/bin/automake" &&
        chmod +x "$room/bin/automake" && printf 'AC_INIT([x], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_OUTPUT\n' >"$room/configure.ac" &&
        : >"$room/Makefile.am" && ! PATH="$room/bin:$PATH" "$room/autogen.sh" && [ ! -e "$room/configure" ]
}

# Every source file of the plugin is in the directory for Open MPI's own tree.
packs_ompi_tree() {
    make -C "$build" ompi-tree-dist &&
        LC_ALL=C comm -23 <(cd "$top/ompi_coll_pipebcast" && find . -name '*.[ch]' -printf '%P\n' | LC_ALL=C sort) \
            <(tar -tzf "$build"/pipebcast-ompi-tree-*.tar.gz | sed -n 's|^ompi/mca/coll/pipebcast/||p' | LC_ALL=C sort) |
        { ! grep .; }
}

# clone_into ROOM [OPTION...]: a clone, and a home directory, for which the source may be another user's.
clone_into() {
    local room=$1
    shift
    rm -rf "$room"
    mkdir -p "$room/home" && printf '[safe]\n\tdirectory = *\n' >"$room/home/.gitconfig" &&
        HOME="$room/home" git clone -q "$@" "file://$top" "$room/clone"
}

# The block of README.md's section Install, as a person types it, in a clone and with a home directory of its own.
installs_by_readme() {
    local room=$build/readme
    clone_into "$room" &&
        python3 -B -c 'import sys
sys.path.insert(0, sys.argv[1])
from documents import TOP, blocks
print(next(block.text for block in blocks(TOP / "README.md") if block.text.startswith("apt-get ")))
' "$top/test/doc" >"$room/install" && echo 'APT::Get::Assume-Yes "true";' >"$room/apt.conf" || return
    [ "$(id -u)" -eq 0 ] || sed -i '/^apt-get /d' "$room/install"
    env -C "$room/clone" HOME="$room/home" APT_CONFIG="$room/apt.conf" MAKEFLAGS=-j"$(nproc)" bash -e "$room/install" &&
        "$room/home/.local/bin/pipebcast" --version &&
        HOME=$room/home ompi_info --param coll pipebcast --level 1 | grep coll_pipebcast_topology_file &&
        bash -ec 'top=$1; . "$1/contrib/prepare.sh"; prepare_configured "$1/build/demo"' as-demo.sh "$room/clone"
}

# Its results are of commits that such a clone lacks.
skips_results_of_shallow_clone() {
    local room=$build/shallow
    clone_into "$room" --depth 1 &&
        python3 -B "$room/clone/test/doc/test_results.py" | grep '^ok 1 - results # SKIP'
}

# Files and links that `make install` puts below a directory, and `make uninstall` leaves there.
uninstalls_all() {
    local staged=$build/staged
    rm -rf "$staged"
    make -C "$build" install DESTDIR="$staged" &&
        find "$staged" -name mca_coll_pipebcast.so | grep -q . &&
        make -C "$build" uninstall DESTDIR="$staged" &&
        ! find "$staged" ! -type d | grep .
}

# The distribution that distcheck has made, and that of another build directory and another user's habits.
makes_same_distribution() {
    local name
    name=pipebcast-$(sed -n 's/^PACKAGE_VERSION = //p' "$build/Makefile").tar.xz
    (umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 make -C "$build/clang" dist) && cmp "$build/$name" "$build/clang/$name"
}

# What looks at the source, which is the same for every Open MPI.
check_source() {
    check "clang builds without a warning" builds_with_clang
    check "make without adaptive broadcasts" builds_without_adaptive
    check "the C files are formatted" make -C "$build" format-check
    check "the shell scripts pass shellcheck" \
        shellcheck -x -P "$top" "$top"/contrib/*.sh "$top"/contrib/series/*.sh "$top/contrib/package/build-deb" \
        "$top/contrib/package/check" "$top/contrib/package/ompi-tree/pack" "$top/autogen.sh" "$top/.ci/run" \
        "$top/contrib/analyze" "$top/test/fuzz/run" "$top/contrib/experiments/samples-in" "$top/contrib/experiments/build-bench"
    count_in analyze "$top/contrib/analyze" --build "$build/analyze" cppcheck sanitize-quick
    check "make ompi-tree-dist" packs_ompi_tree
    check "autogen.sh leaves no configure where automake fails" autogen_leaves_no_part
    # distcheck builds beside the source; packages, and who follows the README, build in it.
    check "the documents are tested in the source directory, too" \
        env -C "$top/test/doc" srcdir=. python3 -B ./test_links.py
    if [ -e "$top/.git" ]; then
        check "README.md's lines install a fresh clone in a home directory" installs_by_readme
        check "a clone without its history skips the test of results" skips_results_of_shallow_clone
    fi
    check "make install into a directory, and make uninstall, which leaves nothing there" uninstalls_all
    check "make distcheck" env PIPEBCAST_TESTS=units make -C "$build" -j"$(nproc)" distcheck
    check "make dist makes the same file elsewhere, bit by bit" makes_same_distribution
}

# count_in NAME COMMAND...: tests in a script of their own, whose last line is added up.
count_in() {
    local name=$1 log=$build/$1.log
    shift
    "$@" 2>&1 | tee "$log" | sed '$d'
    if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
        say "$name: ${BASH_REMATCH[0]}"
    else
        tail -n 1 "$log"
        printf 'FAIL: %s did not come to its end; %s\n' "$name" "$log"
        failed=$((failed + 1))
    fi
}

# The whole of it with another series of Open MPI.
check_series() { count_in "series-$1" "$top/contrib/series/check.sh" "$1"; }

# has_time SECONDS: whether a part that takes so long is over within --minutes of the whole run.
has_time() { [ -z "$minutes" ] || [ $((SECONDS + $1)) -le $((60 * minutes)) ]; }

# Seconds that are left.
time_left() { echo $((60 * ${minutes:-10000} - SECONDS)); }

too_late() { skip "$1: this run has taken $((SECONDS / 60)) minutes already"; }

# Seconds that the quick tests of another series take, the making of its system included.
quick_takes=600

# Some of the tests with another series, if there is the time and a system for it.
check_series_in_time() {
    local log=$build/system-$1.log
    if has_time $quick_takes && ! timeout "$(time_left)" "$top/contrib/series/chroot.sh" make "$1" >"$log" 2>&1; then
        skip "Open MPI $1: there is no system with it: $(tail -n 1 "$log")"
    elif has_time $quick_takes; then
        count_in "series-$1" timeout "$(time_left)" "$top/contrib/series/check.sh" --quick "$1"
    else
        too_late "Open MPI $1"
    fi
}

# Breaks one line after the other, in a copy, and counts those that a test notices.
check_mutants() {
    local log=$build/mutants.log
    if "$top/test/mutants/run" "$build/mutants" >"$log" 2>&1 || grep -q '^not ok' "$log"; then
        passed=$((passed + $(grep -c '^ok' "$log")))
        failed=$((failed + $(grep -c '^not ok' "$log")))
    else
        failed=$((failed + 1))
    fi
    grep -A 3 '^not ok' "$log" || tail -n 1 "$log"
}

# The parts of the long suite and the seconds that each takes on two cores; first what finds most. A
# part is a directory of tests, an analysis, or the mutants. --ci has no time for the last two.
long_parts=(
    "test/topo 180" "test/adaptive 120" "test/engine 60" "test/mpi 600" "test/soak 60" "test/tools 120" "test/experiments 480" "sanitize 600"
    "test/fuzz 150" "demo 240" "test/testbed 600" "thread 480" "tidy 480" "sanitize-mpi 1800"
    "mutants 2400"
)

check_long() {
    local part name seconds
    for part in "${long_parts[@]}"; do
        read -r name seconds <<<"$part"
        if ! has_time "$seconds"; then
            too_late "the long suite, $name"
        elif [[ $name == test/* ]]; then
            say "the long suite, $name"
            PIPEBCAST_TESTS=long check_make "$build/$name"
        elif [ "$name" = demo ]; then
            check "the demo" "$top/contrib/demo.sh" "$build"
        elif [ "$name" = mutants ]; then
            say "the long suite, $name"
            check_mutants
        else
            PIPEBCAST_TESTS=long count_in "long-$name" "$top/contrib/analyze" --build "$build/analyze" "$name"
        fi
    done
}

check_quickly() {
    check_make "$build/test/communicator"
    check_make "$build/test/engine"
    check_make "$build/test/mpi" TESTS="${quick_tests[*]/%/.test}"
}
quick_tests=(commands selection bcast communicators datatypes nonblocking arrival counters mixed gate connections transports)

if $suite; then
    prepare_packages "${build_packages[@]}"
else
    prepare_packages "${build_packages[@]}" clang clang-format groff-base mandoc shellcheck strace valgrind \
        libc6-dbg xz-utils
fi
# What the simulator is compared with.
if $long && ! $suite; then prepare_packages g++ libsimgrid-dev; fi
prepare_build "$build" --enable-werror

check "the plugin exports only its component" exports_one_symbol
check "the plugin calls no binding of MPI" calls_no_binding
say "make check"
if $quick; then check_quickly; else check_make "$build"; fi
$suite || check_source
if $all_mpi; then
    check_series 5.0
    check_series 6.0
    check "5.0 starts ranks of 6.0" "$top/contrib/series/mixed.sh" 5.0 6.0
    check "6.0 starts ranks of 5.0" "$top/contrib/series/mixed.sh" 6.0 5.0
fi
if $ci; then
    check_series_in_time 5.0
    check_series_in_time 6.0
fi
if $long; then check_long; fi
if $packages; then
    for series in 4.1 5.0 6.0; do
        check "packages for Open MPI $series" "$top/contrib/package/check" "$series"
    done
fi

checks_end
