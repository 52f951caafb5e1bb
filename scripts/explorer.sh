#!/usr/bin/env bash
# Checks the types of the explorer's page with the TypeScript compiler, and the page itself in Debian's Chromium: its
# widths, and accessibility with axe-core. Both come from npm, into .cache, and are needed for nothing else.
#
#	scripts/explorer.sh            # all checks
#	scripts/explorer.sh pictures   # also draw the page, into out/explorer, and copy what docs/explorer.md shows
set -euo pipefail
cd "$(dirname "$0")/.."
folder=.cache/explorer typescript=7.0.2 axe=4.14.1

if ! command -v npm >/dev/null; then
	echo "NOT RUN: the checks of the explorer's page, which need npm"
	exit 0
fi
if [[ ! -s $folder/versions || $(<"$folder/versions") != "$typescript $axe" ]]; then
	rm -rf "$folder"
	mkdir -p "$folder"
	npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$folder" "typescript@$typescript" "axe-core@$axe"
	echo "$typescript $axe" >"$folder/versions"
fi
"$folder/node_modules/.bin/tsc" --project explore/page
export TRACKGEN_AXE=$PWD/$folder/node_modules/axe-core
go test -vet=off -tags slow -count=1 ./explore
if [[ ${1:-} == pictures ]]; then
	go test -vet=off -count=1 ./explore -run TestPictures -pictures "$PWD/out/explorer"
	grep -o 'explorer-[a-z0-9-]*\.png' docs/explorer.md | sort -u | while read -r name; do
		cp "out/explorer/$name" docs/images/
	done
fi
