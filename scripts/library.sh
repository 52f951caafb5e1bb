#!/bin/sh
# Builds the C library and copies its header: scripts/library.sh DIRECTORY. The functions of the header are its only symbols.
# The bytes do not depend on the folder of the checkout or on its commit. There is no debug information.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
directory=$(cd "$1" && pwd)
CGO_ENABLED=1 ${GO:-go} build -buildmode=c-shared -trimpath -buildvcs=false \
	-ldflags="-s -w -buildid= -extldflags=-Wl,--version-script=$PWD/interop/cabi/trackgen.map" \
	-o "$directory/libtrackgen.so" ./interop/cabi
rm -f "$directory/libtrackgen.h" # which cgo writes: it declares what is in the library for itself
cp interop/cabi/trackgen.h "$directory/"
