#!/usr/bin/env bash
# Builds the release of the tag at HEAD into out/release: scripts/release.sh. With --publish, it also uploads it as a draft;
# this needs a token of the repository's host (docs/releasing.md).
set -euo pipefail
cd "$(dirname "$0")/.."
publish=(--skip=publish)
case "$*" in
"") ;;
--publish) publish=() ;;
*)
	echo "usage: release.sh [--publish]" >&2
	exit 2
	;;
esac
if ! tag=$(git describe --tags --exact-match 2>/dev/null); then
	echo "release: HEAD has no tag; make one, for example git tag -a v0.1.0 -m v0.1.0" >&2
	exit 1
fi
# The notes are the section of the changelog. A rehearsal has what is not released yet.
section() {
	awk -v heading="## [$1]" 'index($0, "## [") == 1 { inside = index($0, heading) == 1; next } inside' CHANGELOG.md
}
notes=$(section "${tag#v}")
if [ -z "$notes" ] && [ "${TRACKGEN_REHEARSAL:-}" = 1 ]; then notes=$(section Unreleased); fi
if [ -z "$notes" ]; then
	echo "release: CHANGELOG.md has no section \"## [${tag#v}] - $(date -u +%F)\"" >&2
	exit 1
fi
scripts/release-tools.sh
mkdir -p out
echo "$notes" >out/release-notes.md
# -buildvcs=false or other flags of this machine would be part of the build.
PATH=$PWD/.cache/release/bin:$PATH GOFLAGS='' .cache/release/bin/goreleaser release --clean \
	--release-notes out/release-notes.md "${publish[@]}"
