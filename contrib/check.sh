#!/bin/bash
# Installs what is missing, builds, and runs every test. The last line counts them.
#
#   contrib/check.sh [OPTION...] [BUILD-FOLDER]     (default: build/check in the checkout)
#
# --all-mpi  also builds for Open MPI 5.0 and 6.0 and runs the tests there, in systems of their own
#            (contrib/series/chroot.sh; the first time takes some minutes, 3 GB and root)
# --ci       for an hour of CI: for 5.0 and 6.0 the tests of --quick, if such a system can be had and there
#            is time for it; what is left out counts as skipped
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

all_mpi=false
ci=false
packages=false
suite=false
quick=false
while [[ ${1:-} == -* ]]; do
    case $1 in
    --all-mpi) all_mpi=true ;;
    --ci) ci=true ;;
    --packages) packages=true ;;
    --suite) suite=true ;;
    --quick) suite=true quick=true ;;
    *) die "unknown option '$1': --all-mpi, --ci, --packages, --suite and --quick are known" ;;
    esac
    shift
done
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
        prepare_configure "$build/clang" CC=clang --enable-werror --prefix="$build/clang/inst" \
            --with-plugindir="$build/clang/inst/plugins" &&
        make -C "$build/clang" -j"$(nproc)" all
}

# Every source file of the plugin is in the directory for Open MPI's own tree.
packs_ompi_tree() {
    make -C "$build" ompi-tree-dist &&
        LC_ALL=C comm -23 <(cd "$top/ompi_coll_pipebcast" && find . -name '*.[ch]' -printf '%P\n' | LC_ALL=C sort) \
            <(tar -tzf "$build"/pipebcast-ompi-tree-*.tar.gz | sed -n 's|^ompi/mca/coll/pipebcast/||p' | LC_ALL=C sort) |
        { ! grep .; }
}

# What looks at the source, which is the same for every Open MPI.
check_source() {
    check "clang builds without a warning" builds_with_clang
    check "the C files are formatted" make -C "$build" format-check
    check "the shell scripts pass shellcheck" \
        shellcheck -x -P "$top" "$top"/contrib/*.sh "$top"/contrib/series/*.sh "$top/contrib/package/build-deb" \
        "$top/contrib/package/check" "$top/contrib/package/ompi-tree/pack" "$top/autogen.sh" "$top/.ci/run" \
        "$top/contrib/analyze" "$top/test/fuzz/run"
    count_in analyze "$top/contrib/analyze" --build "$build/analyze" cppcheck sanitize-quick
    check "make ompi-tree-dist" packs_ompi_tree
    # distcheck builds beside the source; packages, and who follows the README, build in it.
    check "the documents are tested in the source directory, too" \
        env -C "$top/test/doc" srcdir=. python3 -B ./test_messages.py
    check "make distcheck" env PIPEBCAST_TESTS=units make -C "$build" distcheck
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

# Seconds that the whole run may take, and that the tests of another series do.
longest_run=3300
quick_takes=600

has_time() { [ $((SECONDS + quick_takes)) -le $longest_run ]; }

# Some of the tests with another series, if there is the time and a system for it.
check_series_in_time() {
    local log=$build/system-$1.log
    if has_time && ! timeout $((longest_run - SECONDS)) "$top/contrib/series/chroot.sh" make "$1" >"$log" 2>&1; then
        skip "Open MPI $1: there is no system with it: $(tail -n 1 "$log")"
    elif has_time; then
        count_in "series-$1" timeout $((longest_run - SECONDS)) "$top/contrib/series/check.sh" --quick "$1"
    else
        skip "Open MPI $1: this run has taken $((SECONDS / 60)) minutes already"
    fi
}

check_quickly() {
    check_make "$build/test/plugin"
    check_make "$build/test/mpi" TESTS="${quick_tests[*]/%/.test}"
}
quick_tests=(commands selection bcast communicators datatypes nonblocking arrival counters mixed)

if $suite; then
    prepare_packages "${build_packages[@]}"
else
    prepare_packages "${build_packages[@]}" clang clang-format groff-base mandoc shellcheck strace valgrind \
        libc6-dbg xz-utils
fi
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
if $packages; then
    for series in 4.1 5.0 6.0; do
        check "packages for Open MPI $series" "$top/contrib/package/check" "$series"
    done
fi

checks_end
