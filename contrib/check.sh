#!/bin/bash
# Installs what is missing, builds, and runs every test. The last line counts them.
#
#   contrib/check.sh [BUILD-FOLDER]     (default: build/check in the checkout)
set -u -o pipefail
# shellcheck source=contrib/prepare.sh
. "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

build=${1:-$top/build/check}
mkdir -p "$build"
build=$(cd "$build" && pwd)
passed=0
failed=0
skipped=0

# One test that is a command: quiet if it passes.
check() {
    local what=$1 log=$build/check.log
    shift
    if "$@" >"$log" 2>&1; then
        printf 'PASS: %s\n' "$what"
        passed=$((passed + 1))
    else
        printf 'FAIL: %s\n' "$what"
        tail -n 40 "$log"
        failed=$((failed + 1))
    fi
}

# `make check`, whose programs print TAP; every line of it counts.
check_make() {
    make -C "$build" -k check 2>&1 | grep -E '^(FAIL|XPASS|ERROR|SKIP)|Testsuite summary' || true
    local results
    results=$(find "$build/test" "$build/contrib" -name '*.trs' -exec cat {} +)
    passed=$((passed + $(grep -c '^:test-result: \(PASS\|XFAIL\)' <<<"$results")))
    failed=$((failed + $(grep -c '^:test-result: \(FAIL\|XPASS\|ERROR\)' <<<"$results")))
    skipped=$((skipped + $(grep -c '^:test-result: SKIP' <<<"$results")))
    grep '^:test-result: SKIP' <<<"$results" | sed 's/^:test-result: //'
    local trs
    find "$build/test" "$build/contrib" -name '*.trs' | sort | while read -r trs; do
        grep -q '^:global-test-result: \(FAIL\|ERROR\)' "$trs" || continue
        printf -- '---- %s\n' "${trs%.trs}.log"
        grep -A 5 -E '^not ok|^Bail|^# failed' "${trs%.trs}.log" | tail -n 60
    done
}

exports_one_symbol() {
    local symbols
    symbols=$(nm -D --defined-only "$build/inst/plugins/mca_coll_pipebcast.so" | awk '{ print $3 }')
    echo "exported: $symbols"
    [ "$symbols" = mca_coll_pipebcast_component ]
}

builds_with_clang() {
    mkdir -p "$build/clang" &&
        prepare_configure "$build/clang" CC=clang --enable-werror --prefix="$build/clang/inst" \
            --with-plugindir="$build/clang/inst/plugins" &&
        make -C "$build/clang" -j"$(nproc)" all
}

prepare_packages "${build_packages[@]}" clang clang-format shellcheck xz-utils
prepare_build "$build" --enable-werror

check "the plugin exports only its component" exports_one_symbol
check "clang builds without a warning" builds_with_clang
check "the C files are formatted" make -C "$build" format-check
check "the shell scripts pass shellcheck" shellcheck -x -P "$top" "$top"/contrib/*.sh "$top/autogen.sh" "$top/.ci/run"
say "make check"
check_make
check "make distcheck" env PIPEBCAST_TESTS=units make -C "$build" distcheck

if [ "$skipped" -gt 0 ]; then
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
else
    printf '%d passed, %d failed\n' "$passed" "$failed"
fi
[ "$failed" -eq 0 ]
