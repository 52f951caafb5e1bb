#!/bin/bash
# Runs the tests of the CUDA backend with the shim and the emulated driver compiled with the address and undefined
# behaviour sanitizers.
#
#   scripts/sanitize.sh [ARGUMENT OF go test ...]
#
# LeakSanitizer is off, because it reports memory as leaked that Go keeps for the driver; the tests detect leaks
# themselves. The check of alignment is off, because the emulator reads structures at unaligned addresses. The check of
# float division is off, because kernels divide floats by zero, as Go does.
set -euo pipefail

TRACKGEN_EMULATOR_FLAGS='-fsanitize=address,undefined -fno-sanitize=vptr,alignment,float-divide-by-zero'
export TRACKGEN_EMULATOR_FLAGS+=' -fno-sanitize-recover=undefined'
export CGO_CFLAGS='-O1 -g -fsanitize=undefined -fno-sanitize-recover=undefined' CGO_LDFLAGS=-fsanitize=undefined
export ASAN_OPTIONS=detect_leaks=0
exec "${GO:-go}" test -asan -timeout 20m "$@" ./backend/cuda/...
