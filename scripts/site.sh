#!/usr/bin/env bash
# Builds the documentation as a site: scripts/site.sh DIRECTORY. Any static host serves the directory, also below a path,
# and so does python3 -m http.server. A link, an anchor or a picture that is not there fails the build.
set -euo pipefail
cd "$(dirname "$0")/.."
directory=$(realpath -m "${1:?usage: site.sh DIRECTORY}")
tools=$PWD/.cache/site versions=$PWD/site/requirements.txt

if ! python3 -c 'import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
	echo "NOT RUN: the documentation as a site, which needs Python 3.10 or newer with venv (python3-venv)"
	exit "${TRACKGEN_REQUIRE_KERNEL_TOOLS:-0}"
fi
if ! cmp -s "$versions" "$tools/versions.txt"; then
	rm -rf "$tools"
	python3 -m venv "$tools"
	"$tools/bin/pip" install -q --disable-pip-version-check --no-deps --only-binary :all: --requirement "$versions"
	cp "$versions" "$tools/versions.txt"
fi
export NO_MKDOCS_2_WARNING=true PYTHONDONTWRITEBYTECODE=1
# The option --quiet would hide warnings from --strict.
"$tools/bin/mkdocs" build --strict --clean --config-file site/mkdocs.yml --site-dir "$directory" 2>&1 | sed '/^INFO/d'
