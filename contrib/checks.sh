# shellcheck shell=bash
# Sourced by check.sh and analyze, after prepare.sh: tests that are commands, counted.
#
#   check WHAT COMMAND...   one test that is a command: quiet if it passes
#   skip WHAT               one that cannot be run here
#   check_make DIR [ARGUMENT...]  `make check` in DIR, whose programs print TAP; every line of it counts
#   checks_end              prints "N passed, N failed[, N skipped]"; whether all passed
#
# Variables: build (the directory, for logs), passed, failed, skipped (counts).

passed=0
failed=0
skipped=0

check() {
    # shellcheck disable=SC2154 # build is the sourcing script's
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

skip() {
    printf 'SKIP: %s\n' "$1"
    skipped=$((skipped + 1))
}

check_make() {
    local directory=$1 places=("$1") good=$build/check.good results trs n_failed
    shift
    # A whole build may have others inside it.
    [ -d "$directory/contrib" ] && places=("$directory/contrib" "$directory/test")
    find "${places[@]}" -name '*.trs' -exec rm -f {} +
    rm -f "$good"
    { if make -C "$directory" -k check "$@" 2>&1; then : >"$good"; fi; } |
        grep -E '^(FAIL|XPASS|ERROR|SKIP)|Testsuite summary|error:' || true
    results=$(find "${places[@]}" -name '*.trs' -exec cat {} +)
    if [ -z "$results" ]; then
        echo "FAIL: no test of $directory has run"
        failed=$((failed + 1))
    fi
    passed=$((passed + $(grep -c '^:test-result: \(PASS\|XFAIL\)' <<<"$results")))
    n_failed=$(grep -c '^:test-result: \(FAIL\|XPASS\|ERROR\)' <<<"$results") || true
    if [ -n "$results" ] && [ ! -e "$good" ] && [ "$n_failed" -eq 0 ]; then
        echo "FAIL: not all tests of $directory could be built"
        n_failed=1
    fi
    failed=$((failed + n_failed))
    skipped=$((skipped + $(grep -c '^:test-result: SKIP' <<<"$results")))
    sed -n 's/^:test-result: SKIP/SKIP/p' <<<"$results"
    find "${places[@]}" -name '*.trs' | sort | while read -r trs; do
        grep -q '^:global-test-result: \(FAIL\|ERROR\)' "$trs" || continue
        printf -- '---- %s\n' "${trs%.trs}.log"
        grep -A 5 -E '^not ok|^Bail|^# failed|ERROR: |runtime error|^==[0-9]+==' "${trs%.trs}.log" |
            tail -n 60
    done
}

checks_end() {
    if [ "$skipped" -gt 0 ]; then
        printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    else
        printf '%d passed, %d failed\n' "$passed" "$failed"
    fi
    [ "$failed" -eq 0 ]
}
