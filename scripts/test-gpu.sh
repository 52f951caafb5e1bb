#!/bin/bash
# Builds the tests of the CUDA backend that run on a GPU and runs them. A machine with a GPU needs the built directory and
# this script alone: no Go, no CUDA toolkit.
#
#   scripts/test-gpu.sh build [DIRECTORY]   build into DIRECTORY (default out/gpu)
#   scripts/test-gpu.sh run [DIRECTORY]     run what was built there; the table is in gpu.log, the numbers in gpu.json
set -euo pipefail

directory=${2:-out/gpu}
tests='^(TestConformance|TestProducers|TestCapturesAgainstTheCPU|TestForeignCapture|TestJoinForeignCapture|TestForeignCaptureIsLeftAlone|TestReplayInForeignCapture|TestReplayInCaptureHasAllEnds|TestLegacyStream|TestAllocations|TestGPUTimes)$'

case ${1:-} in
build)
	mkdir -p "$directory"
	go test -c -trimpath -ldflags='-s -w' -o "$directory/cuda.test" ./backend/cuda
	go build -trimpath -ldflags='-s -w' -o "$directory/trackgen" ./cmd/trackgen
	cp "$0" "$directory/test-gpu.sh"
	;;
run)
	cd "$directory"
	export TRACKGEN_TEST_GPU=1 TRACKGEN_GPU_REPORT=gpu.json
	./trackgen devices | tee devices.json
	status=0
	./cuda.test -test.v -test.timeout 200s -test.run "$tests" >gpu.log 2>&1 || status=$?
	grep -E '^( *)--- (FAIL|SKIP)|^(ok|FAIL|PASS)|panic:' gpu.log || true
	sed -n '/generator .* envs/,/^ *--- /p' gpu.log
	if grep -q '"backend": "vulkan"' devices.json; then
		timeout 60 ./trackgen verify --devices cpu,cuda:0,vulkan:0 --envs 512 || status=$?
	else
		timeout 60 ./trackgen verify --devices cpu,cuda:0 --envs 512 || status=$?
	fi
	exit $status
	;;
*)
	sed -n '2,7s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
