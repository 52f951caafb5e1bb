#!/bin/bash
# Runs the tests of the CUDA backend with the shim and the emulated driver compiled for the address and undefined sanitizers.
#
#   scripts/sanitize.sh [ARGUMENT OF go test ...]
#
# LeakSanitizer is off: it takes what Go keeps for the driver for lost. The tests look for leaks themselves. The emulator
# reads structures byte by byte at addresses that need not be aligned, and kernels divide by zero as Go does.
set -euo pipefail

export TRACKGEN_EMULATOR_FLAGS='-fsanitize=address,undefined -fno-sanitize=vptr,alignment,float-divide-by-zero -fno-sanitize-recover=undefined'
export CGO_CFLAGS='-O1 -g -fsanitize=undefined -fno-sanitize-recover=undefined' CGO_LDFLAGS=-fsanitize=undefined
export ASAN_OPTIONS=detect_leaks=0
exec "${GO:-go}" test -asan -timeout 20m "$@" ./backend/cuda/...
