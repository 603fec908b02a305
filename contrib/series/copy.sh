# shellcheck shell=bash
# Sourced by what builds the checkout in another system; needs prepare.sh.

# hold_system DIRECTORY: waits until no other run uses the system, and has it until this one ends. Else two
# checkouts would mix in it. Who holds chroot.sh's lock of the cache never waits for this one.
hold_system() {
    exec 8>"$1.lock"
    flock -n 8 || { say "waiting for another run that uses $1" && flock 8; }
}

# The checkout's files, without what was built in it, into DIRECTORY. Only what differs is written, so
# that what was built from the others need not be built again. Its time is now, not that in the
# checkout: another checkout may have been copied, and built, since that.
copy_checkout() {
    local list=$1.list
    : "${top:?is set by prepare.sh}"
    mkdir -p "$1"
    git -C "$top" -c safe.directory="$top" ls-files -co --exclude-standard |
        (cd "$top" && while read -r file; do [ ! -e "$file" ] || echo "$file"; done) |
        LC_ALL=C sort >"$list.new" || die "$top is no checkout of git: clone the repository"
    if [ -f "$list" ]; then
        LC_ALL=C comm -23 "$list" "$list.new" | (cd "$1" && xargs -r -d '\n' rm -f)
    fi
    LC_ALL=C comm -23 <(contents "$top" "$list.new") <(contents "$1" "$list.new") | sed 's/^[^ ]*  *//' | sort -u |
        tar -C "$top" -c -T - | tar -C "$1" -x -m --no-same-owner
    mv "$list.new" "$list"
}

# contents DIRECTORY LIST: the checksum and the mode of each file of the list that the directory has.
# A program for all files: one for each takes minutes on a busy host.
contents() {
    (cd "$1" && xargs -d '\n' sha256sum <"$2"; xargs -d '\n' stat -c '%a %n' <"$2") 2>/dev/null | LC_ALL=C sort
}
