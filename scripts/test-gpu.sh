#!/bin/bash
# Builds the checks for a machine with a GPU, and runs them. That machine needs only the built directory and bash: no Go
# and no CUDA toolkit. bench/gpucheck documents the checks and the environment variables.
#
#   scripts/test-gpu.sh build [DIRECTORY [FLAG...]]   build into DIRECTORY (default out/gpu), with more flags of go build
#   DIRECTORY/test-gpu.sh run               run the checks built there; the table comes last, then one line of JSON, which is also in gpu.json
#   scripts/test-gpu.sh run [DIRECTORY]     the same from here
set -euo pipefail

here=${BASH_SOURCE[0]%/*}
directory=${2:-out/gpu}

case ${1:-} in
build)
	mkdir -p "$directory"
	flags=(-trimpath -ldflags='-s -w' "${@:3}")
	go test -c "${flags[@]}" -o "$directory/cuda.test" ./backend/cuda
	go test -c "${flags[@]}" -o "$directory/vulkan.test" ./backend/vulkan
	go build "${flags[@]}" -o "$directory/trackgen" ./cmd/trackgen
	CGO_ENABLED=0 go build "${flags[@]}" -o "$directory/gpucheck" ./bench/gpucheck
	cp "$0" "$directory/test-gpu.sh"
	;;
run)
	if [ -z "${2:-}" ] && [ -x "$here/gpucheck" ]; then directory=$here; fi
	"$directory/gpucheck" "$directory"
	;;
*)
	while read -r line; do
		case $line in '#!'*) ;; '#'*) echo "${line#"#"}" ;; *) break ;; esac
	done <"${BASH_SOURCE[0]}"
	exit 2
	;;
esac
