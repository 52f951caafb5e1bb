#!/usr/bin/env bash
# Makes the parts of a release that are not programs: scripts/release-parts.sh VERSION UNIX-TIME. Goreleaser calls it.
# out/release-parts then holds the notices, completions and manual pages for the archives, and in files, what is published
# beside them: the C library and the wheel, for Linux and the processor of this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1
export SOURCE_DATE_EPOCH=$2

header=$(sed -n 's/^#define TRACKGEN_VERSION "\(.*\)"$/\1/p' interop/cabi/trackgen.h)
if [ "$header" != "$version" ]; then
	echo "release: the tag says $version, and TRACKGEN_VERSION in interop/cabi/trackgen.h says $header" >&2
	exit 1
fi
parts=$PWD/out/release-parts
rm -rf "$parts"
mkdir -p "$parts/completions" "$parts/man1" "$parts/files"
cp internal/notices/notices.txt "$parts/NOTICE.txt"

program=$(mktemp -d)
trap 'rm -rf "$program"' EXIT
# What this program prints does not depend on how it is compiled.
"${GO:-go}" build -buildvcs=false -ldflags="-X github.com/trackgen-go/trackgen/command.released=v$version" -o "$program/trackgen" \
	./cmd/trackgen
"$program/trackgen" completion bash >"$parts/completions/trackgen.bash"
"$program/trackgen" completion zsh >"$parts/completions/_trackgen"
"$program/trackgen" completion fish >"$parts/completions/trackgen.fish"
"$program/trackgen" completion powershell >"$parts/completions/trackgen.ps1"
"$program/trackgen" man --out "$parts/man1"

name=libtrackgen_${version}_linux_$(go env GOARCH)
mkdir "$program/$name"
scripts/library.sh "$program/$name"
cp LICENSE "$parts/NOTICE.txt" "$program/$name/"
tar -C "$program" --sort=name --owner=root:0 --group=root:0 --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" \
	-cf - "$name" | gzip -9n >"$parts/files/$name.tar.gz"
scripts/wheel.sh "$parts/files" >/dev/null
