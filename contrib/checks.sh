# shellcheck shell=bash
# Sourced by check.sh and analyze, after prepare.sh: tests that are commands, counted.
#
#   check WHAT COMMAND...   one test that is a command: quiet if it passes
#   skip WHAT               one that cannot be run here
#   check_make DIR [ARGUMENT...]  `make check` in DIR, whose programs print TAP; every line of it counts
#   checks_end              prints "N passed, N failed[, N skipped]"; whether all passed
#
# Variables: build (the directory, for logs), passed, failed, skipped (counts), unstable (the names of
# programs that passed when they were run again). With PIPEBCAST_TRY_AGAIN set, a test program that
# failed in check_make is run once more, see try_again().

passed=0
failed=0
skipped=0
unstable=()

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

# The files with results, below directories, of programs that failed.
failed_results() { find "$@" -name '*.trs' -exec grep -lE '^:global-test-result: (FAIL|ERROR)' {} + | sort; }

# What failed, of a program whose result is in the file.
show_failures() {
    printf -- '---- %s\n' "${1%.trs}.log"
    grep -A 5 -E '^not ok|^Bail|^# failed|ERROR: |runtime error|^==[0-9]+==' "${1%.trs}.log" | tail -n 60
}

# try_again [ARGUMENT-OF-MAKE...], in the directories of check_make's `places`. A busy machine, or a test
# beside another, may let one fail that passes by itself. So a program that failed is run once more, with
# nothing beside it. If it passes then, it is reported as unstable, after what had failed, and its second
# results count: it is to be looked into, but says nothing against the change under test. What is wrong by
# itself fails twice.
try_again() {
    local trs directory name
    for trs in $(failed_results "${places[@]}"); do
        show_failures "$trs"
        directory=${trs%/*}
        while [ ! -f "$directory/Makefile" ]; do directory=${directory%/*}; done
        name=${trs#"$directory"/}
        name=${name%.trs}
        make -C "$directory" -j1 "$@" recheck TEST_LOGS="$name.log" >"$build/check.again" 2>&1 || true
        if [ -n "$(failed_results "$trs")" ]; then
            printf 'AGAIN: %s failed twice\n' "${trs%.trs}"
        else
            printf 'UNSTABLE: %s failed, and passed when it was run again\n' "${trs%.trs}"
            unstable+=("${directory##*/}/$name")
        fi
    done
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
    if [ -n "${PIPEBCAST_TRY_AGAIN:-}" ] && [ -n "$(failed_results "${places[@]}")" ]; then
        try_again "$@"
        # What could not be built still cannot.
        if make -C "$directory" -k check "$@" TESTS= >"$build/check.again" 2>&1; then : >"$good"; fi
    fi
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
    for trs in $(failed_results "${places[@]}"); do show_failures "$trs"; done
}

checks_end() {
    if [ ${#unstable[@]} -gt 0 ]; then
        printf 'unstable, passed when run again: %s\n' "${unstable[*]}"
    fi
    if [ "$skipped" -gt 0 ]; then
        printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    else
        printf '%d passed, %d failed\n' "$passed" "$failed"
    fi
    [ "$failed" -eq 0 ]
}
