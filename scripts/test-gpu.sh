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

# torch_of_this_machine checks the Python package with the torch that is installed here, whichever that is.
torch_of_this_machine() {
	local wheels=("$directory"/trackgen-*.whl) packages
	if ! [ -f "${wheels[0]}" ] || ! python3 -c 'import torch, numpy' 2>/dev/null; then
		echo "NOT RUN: the Python package with torch, which needs the wheel and a python3 with torch and numpy"
		return
	fi
	packages=$(mktemp -d)
	python3 -m zipfile -e "${wheels[0]}" "$packages" # as pip does, which may be missing
	local status=0
	PYTHONPATH=$packages python3 "$directory/gpu_torch.py" || status=1
	rm -rf "$packages"
	return "$status"
}

case ${1:-} in
build)
	mkdir -p "$directory"
	flags=(-trimpath -ldflags='-s -w' "${@:3}")
	go test -c "${flags[@]}" -o "$directory/cuda.test" ./backend/cuda
	go test -c "${flags[@]}" -o "$directory/vulkan.test" ./backend/vulkan
	go build "${flags[@]}" -o "$directory/trackgen" ./cmd/trackgen
	CGO_ENABLED=0 go build "${flags[@]}" -o "$directory/gpucheck" ./bench/gpucheck
	cp "$0" "$directory/test-gpu.sh"
	cp python/tests/gpu_torch.py "$directory/"
	if python3 -c 'import ensurepip, venv' 2>/dev/null; then
		scripts/wheel.sh "$directory" >/dev/null
	else
		echo "NOT BUILT: the Python package, which needs python3-venv"
	fi
	;;
run)
	if [ -z "${2:-}" ] && [ -x "$here/gpucheck" ]; then directory=$here; fi
	status=0
	torch_of_this_machine || status=1
	"$directory/gpucheck" "$directory" || exit
	exit "$status"
	;;
*)
	while read -r line; do
		case $line in '#!'*) ;; '#'*) echo "${line#"#"}" ;; *) break ;; esac
	done <"${BASH_SOURCE[0]}"
	exit 2
	;;
esac
