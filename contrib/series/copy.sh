# shellcheck shell=bash
# Sourced by what builds the checkout in another system; needs prepare.sh.

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
        (cd "$top" && while read -r file; do copy_if_other "$file" "$1/$file" || exit 1; done) <"$list.new"
    else # all at a time: a program for each file takes minutes on a busy host
        tar -C "$top" -c -T "$list.new" | tar -C "$1" -x -m --no-same-owner
    fi
    mv "$list.new" "$list"
}

copy_if_other() {
    if cmp -s "$1" "$2" && [[ -x $2 || ! -x $1 ]]; then return; fi
    mkdir -p "$(dirname "$2")" && cp --no-dereference --preserve=mode "$1" "$2"
}
