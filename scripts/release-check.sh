#!/usr/bin/env bash
# Rehearses a release of HEAD: builds it twice as scripts/release.sh does, in two clones in different folders, and checks
# what came out: make release-check. The second build compiles one program with an empty cache. Leaves the release in
# out/release. Needs the Go module proxy and PyPI; what else is missing is named, and with TRACKGEN_REQUIRE_KERNEL_TOOLS=1
# a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD required=${TRACKGEN_REQUIRE_KERNEL_TOOLS:-0}

if ! python3 -c 'import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
	echo "NOT RUN: the rehearsal of a release, which needs Python 3.10 or newer with venv (python3-venv)"
	exit "$required"
fi
if [ -n "$(git status --porcelain)" ]; then
	echo "release-check: the rehearsal is of HEAD, without what is not committed:" >&2
	git status --short >&2
fi
missing() {
	echo "NOT RUN: $1"
	((required == 0)) || exit 1
}
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
version=$(git show HEAD:interop/cabi/trackgen.h | sed -n 's/^#define TRACKGEN_VERSION "\(.*\)"$/\1/p')
commit=$(git rev-parse HEAD)

scripts/release-tools.sh
.cache/release/bin/goreleaser check --quiet
# The file of the citation, with what its format's own tool says.
if ! cmp -s scripts/cffconvert.txt .cache/cffconvert/versions.txt; then
	rm -rf .cache/cffconvert
	python3 -m venv .cache/cffconvert
	.cache/cffconvert/bin/pip install -q --disable-pip-version-check --requirement scripts/cffconvert.txt
	cp scripts/cffconvert.txt .cache/cffconvert/versions.txt
fi
.cache/cffconvert/bin/cffconvert --validate --infile CITATION.cff

# A clone shares the tools, which git does not know.
build() {
	git clone -q --no-tags "$repository" "$1"
	ln -s "$repository/.cache" "$1/.cache"
	echo /.cache >>"$1/.git/info/exclude"
	git -C "$1" checkout -q --detach "$commit"
	git -C "$1" tag "v$version"
	echo "the release of $commit as v$version in $1:"
	(cd "$1" && time TRACKGEN_REHEARSAL=1 scripts/release.sh >"$scratch/log" 2>&1) || { cat "$scratch/log" >&2; exit 1; }
}
build "$scratch/first"
mkdir -p "$scratch/a/longer/path"
build "$scratch/a/longer/path/second"

# The files to publish are those of SHA256SUMS, and SHA256SUMS.
published() { (cd "$1/out" && sha256sum release/SHA256SUMS release/*.tar.gz release/*.zip release/*.json release-parts/files/*); }
if ! diff <(published "$scratch/first") <(published "$scratch/a/longer/path/second"); then
	echo "release-check: two builds of one commit differ" >&2
	exit 1
fi
echo "two builds in two folders have the same bytes: $(published "$scratch/first" | wc -l) files"
# Files that are compiled need not be compiled again, so one program is, with a cache of its own.
(cd "$scratch/a/longer/path/second" && GOCACHE=$scratch/cache GOFLAGS='' GOOS=linux GOARCH=amd64 \
	"$repository/.cache/release/bin/goreleaser" build --single-target --clean --quiet --output "$scratch/again" &&
	rm -rf "$scratch/cache")

rm -rf out/release
mkdir -p out/release
cp "$scratch"/first/out/release/{SHA256SUMS,*.tar.gz,*.zip,*.cdx.json} "$scratch"/first/out/release-parts/files/* out/release/
(cd out/release && sha256sum --check --strict --quiet SHA256SUMS)
sums=$(wc -l <out/release/SHA256SUMS) files=$(find out/release -type f ! -name SHA256SUMS | wc -l)
if [ "$sums" != "$files" ]; then
	echo "release-check: SHA256SUMS has $sums of $files files" >&2
	exit 1
fi
mkdir "$scratch/unpacked"
python3 scripts/release-check.py out/release "$scratch/unpacked" "$version"

# The programs run. Those of other systems cannot run here.
says() {
	local got
	got=$("$@" version --format json | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["version"], r["revision"], r["platform"])')
	echo "$got"
}
expect() {
	if [ "$1" != "$2" ]; then
		echo "release-check: $3 says \"$1\" instead of \"$2\"" >&2
		exit 1
	fi
}
linux=$scratch/unpacked/trackgen_${version}_linux_amd64
cmp "$linux/trackgen" "$scratch/again"
echo "a build with an empty cache has the same bytes"
if [ "$(uname -m)" = x86_64 ]; then
	expect "$(says "$linux/trackgen")" "v$version $commit linux/amd64" "the program for amd64"
	"$linux/trackgen" generate --quiet --device cpu --envs 4 --out "$scratch/tracks.npz"
	"$linux/trackgen" version --licences | cmp - "$linux/NOTICE.txt"
	mkdir "$scratch/pages"
	"$linux/trackgen" man --out "$scratch/pages"
	diff <(ls "$scratch/pages") <(ls "$linux/man/man1")
	bash -n "$linux/completions/trackgen.bash"
fi
if command -v qemu-aarch64-static >/dev/null; then
	expect "$(says qemu-aarch64-static "$scratch/unpacked/trackgen_${version}_linux_arm64/trackgen")" \
		"v$version $commit linux/arm64" "the program for arm64"
else
	missing "the program for arm64, because there is no qemu-aarch64-static"
fi
if command -v mandoc >/dev/null; then
	mandoc -T lint -W warning "$linux"/man/man1/*.1
else
	missing "the manual pages, because there is no mandoc"
fi
# The wheel in an environment of its own, and the library without Python's package.
python3 -m venv "$scratch/python"
"$scratch/python/bin/pip" install -q --disable-pip-version-check out/release/trackgen-*.whl
expect "$(cd "$scratch" && python/bin/python -c 'import trackgen; print(trackgen.__version__)')" "$version" "the wheel"
library=$(echo "$scratch"/unpacked/libtrackgen_*)
expect "$(python3 -c 'import ctypes, sys; f = ctypes.CDLL(sys.argv[1]).tg_version; f.restype = ctypes.c_char_p; print(f().decode())' \
	"$library/libtrackgen.so")" "$version" "the C library"
du -sh out/release | sed 's/\t/ in /'
echo "the release of v$version holds what it should"
