# shellcheck shell=bash
# Sourced by what builds the checkout in another system; needs prepare.sh.

# The checkout's files, without what was built in it, into FOLDER; files keep their times, so that
# what was built from them before need not be built again.
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
    tar -C "$top" -cf - -T "$list.new" | tar -C "$1" -xf -
    mv "$list.new" "$list"
}
