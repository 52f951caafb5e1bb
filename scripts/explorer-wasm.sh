#!/usr/bin/env bash
# Builds the explorer's page as a folder that any static host serves: scripts/explorer-wasm.sh DIRECTORY. Its worker runs
# the CPU backend as WebAssembly. The kernels of GPUs are left out: their files are empty in this build.
set -euo pipefail
cd "$(dirname "$0")/.."
directory=$(realpath -m "${1:?usage: explorer-wasm.sh DIRECTORY}")
go=${GO:-go}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$directory"

: >"$work/empty"
{
	printf '{"Replace":{'
	separator=
	for file in "$PWD"/kernels/*/*.ptx "$PWD"/shaders/*/*.spv "$PWD"/backend/cuda/*.ptx; do
		printf '%s"%s":"%s"' "$separator" "$file" "$work/empty"
		separator=,
	done
	printf '}}'
} >"$work/overlay.json"
GOOS=js GOARCH=wasm "$go" build -overlay "$work/overlay.json" -trimpath -ldflags '-s -w' -o "$work/trackgen.wasm" ./explore/wasm
gzip -9nc "$work/trackgen.wasm" >"$directory/trackgen.wasm.gz"

cp explore/page/*.js explore/page/*.css explore/page/*.svg explore/wasm/worker.js "$("$go" env GOROOT)/lib/wasm/wasm_exec.js" "$directory"
# A static host sends no policy, so the page has it. The name of the worker tells world.js who answers.
policy="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; form-action 'none'; base-uri 'none'"
sed "s|^<meta charset=\"utf-8\">|&\n<meta http-equiv=\"Content-Security-Policy\" content=\"$policy\">\n<meta name=\"trackgen-worker\" content=\"worker.js\">|" \
	explore/page/index.html >"$directory/index.html"
grep -q trackgen-worker "$directory/index.html"

size=$(stat -c %s "$directory/trackgen.wasm.gz") limit=6000000
if [ "$size" -gt "$limit" ]; then
	echo "explorer-wasm.sh: trackgen.wasm.gz has $size bytes: must be at most $limit" >&2
	exit 1
fi
