#!/usr/bin/env bash
# Builds the Python wheel: scripts/wheel.sh DIRECTORY. It contains the C library, and nothing is compiled at install. Its tag,
# which auditwheel finds, says which versions of the C library of Linux it runs with.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
directory=$(cd "$1" && pwd)
repository=$PWD tools=$PWD/.cache/wheel versions=$PWD/scripts/wheel.txt

if ! cmp -s "$versions" "$tools/versions.txt"; then
	rm -rf "$tools"
	python3 -m venv "$tools"
	"$tools/bin/pip" install -q --disable-pip-version-check --requirement "$versions"
	cp "$versions" "$tools/versions.txt"
fi
export PATH=$tools/bin:$PATH

# Setuptools leaves files in the folder that it builds, so it builds a copy.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/interop/cabi" "$scratch/wheel"
cp -r python "$scratch/python"
rm -rf "$scratch/python/build" "$scratch/python/trackgen/_lib"
cp interop/cabi/trackgen.h "$scratch/interop/cabi/"
cp LICENSE "$scratch/python/"
cp internal/notices/notices.txt "$scratch/python/NOTICE.txt" # setuptools takes both into the wheel
"$repository/scripts/library.sh" "$scratch/python/trackgen/_lib"
rm "$scratch/python/trackgen/_lib/trackgen.h"
cd "$scratch/python"
python -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$scratch/wheel" .
rm -f "$directory"/trackgen-*.whl
auditwheel -q repair --wheel-dir "$directory" "$scratch"/wheel/trackgen-*.whl 2>/dev/null ||
	auditwheel repair --wheel-dir "$directory" "$scratch"/wheel/trackgen-*.whl
ls "$directory"/trackgen-*.whl
