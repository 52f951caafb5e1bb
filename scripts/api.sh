#!/usr/bin/env bash
# Compares the exported API of the module with that of a commit, the last tag if none is given: make api BASE=COMMIT.
# Prints what a program that compiles with the commit may have to change. Exits with 1 if there is any such change that
# the changelog does not announce (CONTRIBUTING.md, Compatibility), with 2 if the comparison fails. With --released and no
# tag, it says that there is nothing to compare with.
set -euo pipefail
trap 'exit 2' ERR
cd "$(dirname "$0")/.."

base=${1:-}
if [ -z "$base" ] || [ "$base" = --released ]; then
	tag=$(git describe --tags --abbrev=0 2>/dev/null || true)
	if [ "$base" = --released ] && [ -z "$tag" ]; then
		echo "NOT RUN: the comparison of the API with the last release, because there is no tag of one"
		exit 0
	fi
	base=$tag
fi
if [ -z "$base" ] || ! git rev-parse --quiet --verify "$base^{commit}" >/dev/null; then
	echo "make api: there is no commit \"$base\": name one, for example make api BASE=HEAD~20" >&2
	exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/base"
git archive "$base" | tar -x -C "$work/base"
go build -o "$work/apidiff" golang.org/x/exp/cmd/apidiff
module=$(go list -m)
# export_api FOLDER FILE writes the API of the module in a folder. What apidiff says on the way names internal packages.
export_api() { (cd "$1" && "$work/apidiff" -m -w "$2" "$module" 2>"$work/messages") || { cat "$work/messages" >&2; exit 2; }; }
export_api "$work/base" "$work/base.api"
export_api . "$work/now.api"
"$work/apidiff" -m -incompatible "$work/base.api" "$work/now.api" >"$work/incompatible" 2>/dev/null
"$work/apidiff" -m "$work/base.api" "$work/now.api" >"$work/all" 2>/dev/null
echo "the API since $(git rev-parse --short "$base"): $(grep -c '^- ' "$work/incompatible" || true) incompatible changes," \
	"$(grep -c '^- ' "$work/all" || true) changes"
cat "$work/incompatible"
if ! [ -s "$work/incompatible" ]; then exit 0; fi
# What stands under [Unreleased], up to the next release.
if sed -n '/^## \[Unreleased\]/,/^## \[[0-9]/p' CHANGELOG.md | grep '^- Incompatible: '; then exit 0; fi
echo "make api: these changes may break programs; if they are meant, CHANGELOG.md must say so under [Unreleased]:" \
	"- Incompatible: WHAT A PROGRAM MUST CHANGE" >&2
exit 1
