#!/usr/bin/env bash
# Writes internal/notices/notices.txt, the licences of what trackgen consists of. Run it after a change of go.mod or of
# the version of Go; a test in internal/notices says when it is needed. Fails if a licence is not among those that
# scripts/notices/main.go allows.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
(cd scripts/notices && "${GO:-go}" build -o "$tool/notices" .)
"$tool/notices" ./cmd/trackgen >"$tool/notices.txt"
cp "$tool/notices.txt" internal/notices/notices.txt
