#!/usr/bin/env bash
# Installs what makes a release into .cache/release/bin, in fixed versions from the Go module proxy.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=(
	github.com/goreleaser/goreleaser/v2@v2.15.0
	github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0 # the list of parts of a program, from the program
)
folder=$PWD/.cache/release
wanted="$(printf '%s\n' "${tools[@]}")"
if [ "$(cat "$folder/versions.txt" 2>/dev/null)" != "$wanted" ]; then
	for tool in "${tools[@]}"; do GOBIN=$folder/bin "${GO:-go}" install "$tool"; done
	echo "$wanted" >"$folder/versions.txt"
fi
