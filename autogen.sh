#!/bin/sh
# Makes configure from configure.ac. Needs autoconf, automake and pkg-config.
set -e
cd "$(dirname "$0")"
for tool in autoreconf automake pkg-config; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "autogen.sh: $tool is missing; on Debian: apt-get install autoconf automake pkg-config" >&2
        exit 1
    fi
done
mkdir -p build-aux m4
# A configure without the files beside it would not be made again.
trap 'rm -f configure; exit 1' HUP INT TERM
autoreconf --force --install --warnings=all,no-obsolete || { rm -f configure; exit 1; }
