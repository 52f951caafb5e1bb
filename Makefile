# make run       generate a batch of tracks on this machine and draw them
# make test      everything that CI runs; installs what it needs (as root, Debian)
# make test-fast before each commit: format, vet, and the quick tests; at most two minutes on two cores
# make test-slow exhaustive suites, an hour of random programs, all tests in every kind of build: three hours more
# make test-gpu  build the tests for a GPU into out/gpu, and run them if this machine has one
# make bench     measure every device for ten minutes: prints tables, writes out/bench.txt, out/bench.{json,png} of tracks and
#                out/bench-gates.{json,png} of gate courses
# make kernels   regenerate what kernelgen derives from the kernel sources
# make ledger    write new hashes of the default tracks
# make api       compare the exported API with that of a commit, make api BASE=COMMIT, by default the last tag
# make library   build the C library into dist, with its header
# make train     train a car from Python, and let it drive tracks that it has not seen (a quarter of an hour: docs/training.md)
# make wheel     build the Python package into dist: one wheel for all versions of Python 3, with the library in it
# make explore   tests of the explorer's page that take longer: types, accessibility, widths; needs npm (a minute)
# make site      build the documentation, and the explorer as WebAssembly, into out/site, which any static host serves; needs
#                Python and PyPI (some minutes the first time)
# make notices   write the licences of what trackgen consists of anew, after a change of go.mod
# make release-check rehearse a release: build it twice by goreleaser, and check it; needs the Go module proxy and PyPI (docs/releasing.md)
# make lint      golangci-lint with the repository's configuration
# make pictures  redraw the pictures of the README and of docs

SHELL := /bin/bash
GO ?= go
FUZZTIME ?= 5000x
BENCHFLAGS ?=
PICTURE ?= out/tracks.png
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# The race detector slows arithmetic down five to ten times, and finds nothing in code that runs on one goroutine. RACE
# are the packages that run goroutines. RACE_SOME are packages with few concurrent tests, whose names match CONCURRENT;
# only these run with the race detector. RACE_SKIP are tests of RACE that wait for other programs, or for the interpreter
# of PTX. Races between the items of a kernel are found by its instrumented twin, which the tests run for every kernel.
# race_test.go compares these lists with the sources; make test-slow runs every test with the race detector.
RACE := ./backend/... ./exec/... ./interop ./pipeline ./generation ./kernel ./internal/... ./bench ./bench/gpucheck
RACE_SOME := ./track ./heightfield ./course/... ./race/... ./export ./export/parquet ./dataset/... ./command ./explore/...
CONCURRENT := Concurrent|AtOnce|WorkersDoNotChangeBits
RACE_SKIP := OnTheEmulator|Interpret|OnSwiftShader|ShadersAreCompiled|PTXAssembles|^TestModesAreValid$$|^TestProducers$$/^(corrected|offset alignment)$$

# The bits must not depend on whether the compiler fuses multiplications and additions. V3 are the packages where all
# tests compare bits; in V3_SOME, only the tests that match FROZEN do.
V3 := ./kernel/... ./kernels/... ./seeds ./bench/ledger
V3_SOME := ./backend/cpu ./track ./gate ./heightfield ./course/... ./race/...
FROZEN := Frozen|Golden|Conformance$$

.PHONY: run release-check compatible notices library wheel train explore site engines python python-config test test-fast test-slow test-gpu bench kernels ledger api lint pictures deps format vet unit race backends modules fuzz v3 arm64 sanitize clean

run:
	mkdir -p $(dir $(PICTURE))
	$(GO) run ./cmd/trackgen generate --envs 512 --out $(dir $(PICTURE))tracks.npz --plot $(PICTURE)

library:
	GO='$(GO)' scripts/library.sh dist

wheel:
	scripts/wheel.sh dist

notices:
	GO='$(GO)' scripts/notices.sh

train:
	scripts/train.sh out/training

site:
	scripts/site.sh out/site
	GO='$(GO)' scripts/explorer-wasm.sh out/site/try

# The release of HEAD into out/release, without publishing it.
release-check:
	GO='$(GO)' scripts/release-check.sh

test: deps format vet compatible unit race backends modules v3 arm64 python
	@echo "all tests passed"

deps:
	scripts/deps.sh
	$(GO) mod download

format:
	@unformatted=$$(gofmt -l .) || exit 1; \
	if [ -n "$$unformatted" ]; then echo "not gofmt-ed:"; echo "$$unformatted"; exit 1; fi
	$(GO) mod tidy -diff

# With the tag slow, vet checks all files except a few, so a second run without the tag would mostly repeat it. The
# tests below run with -vet=off, because go test would repeat a part of vet for each kind of build.
vet:
	$(GO) vet -tags slow ./...

# Programs that compile with the last release must compile with this one.
compatible:
	scripts/api.sh --released

# If deps.sh can install everything, a test that lacks something fails; otherwise it is skipped.
REQUIRE := $(shell [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo 1)
unit race backends v3 fuzz bench test-slow: export TRACKGEN_REQUIRE_VULKAN = $(REQUIRE)
unit race backends v3 python fuzz bench test-slow release-check: export TRACKGEN_REQUIRE_KERNEL_TOOLS = $(REQUIRE)
# The software Vulkan driver runs in the calling thread, because its own threads make these tests slower.
test-fast unit race backends v3 fuzz bench test-slow: export LP_NUM_THREADS = 0

# If deps.sh has installed NVIDIA's assembler, the PTX is checked with it.
PTXAS := $(abspath .cache/ptxas/nvidia/cu13/bin/ptxas)
unit test-slow: export TRACKGEN_PTXAS = $(if $(REQUIRE),$(PTXAS))

# If deps.sh has installed SwiftShader, it is a second driver of Vulkan, beside lavapipe.
SWIFTSHADER := $(abspath .cache/swiftshader/vk_swiftshader_icd.json)
unit race test-slow: export TRACKGEN_SWIFTSHADER = $(if $(REQUIRE),$(SWIFTSHADER))

# If deps.sh has installed Python packages, the files that the tests write are read back with them.
unit test-slow: export TRACKGEN_READERS = $(if $(REQUIRE),$(abspath .cache/readers))
unit test-slow: export TRACKGEN_PYTHON = $(shell python3 -c 'import numpy' 2>/dev/null && echo python3 || echo /usr/bin/python3)
unit:
	$(GO) test -vet=off -timeout 15m ./...
	@test -f ../shared/data/golden/trackgen_e3.npz || echo "NOT RUN: the comparison with the reference system's output, which is not beside this checkout"

# By default, the race detector makes each test program wait for a second before it exits.
race test-slow: export GORACE = atexit_sleep_ms=10
race:
	$(GO) test -race -vet=off -timeout 15m -skip '$(RACE_SKIP)' $(RACE)
	$(GO) test -race -vet=off -timeout 15m -run '$(CONCURRENT)' $(RACE_SOME)

# A whole repulsive track takes a second on the software Vulkan driver, so these commands make only a few tracks. The
# tests of bench/ledger make the whole ledger on the CPU. SwiftShader, vulkan:1, takes ten times as long, so its repulsive
# tracks are small.
EMULATED := $(GO) run ./backend/cuda/emulator/emulate
TWO_DRIVERS = VK_DRIVER_FILES=$$(echo /usr/share/vulkan/icd.d/lvp_icd.*.json):$(SWIFTSHADER)
SMALL := --set output.loop_points=64 --set repulsive.min_growth=1.2 --set repulsive.max_growth=2.5 \
	--set repulsive.growth_rate=0.1 --set repulsive.settle_iterations=13 --set repulsive.stall_window=4
backends:
ifeq ($(REQUIRE),1)
	$(EMULATED) $(GO) run ./cmd/trackgen verify --devices cpu,vulkan:0,cuda:0 --envs 4 --format text
	TRACKGEN_EMULATE=ptx $(EMULATED) $(GO) run ./cmd/trackgen verify --devices cpu,cuda:0 --envs 2 --format text
	$(EMULATED) $(GO) run ./cmd/trackgen ledger check --devices cpu,vulkan:0,cuda:0 --envs 16 --format text
	$(TWO_DRIVERS) $(EMULATED) $(GO) run ./cmd/trackgen verify --devices cpu,vulkan:0,vulkan:1,cuda:0 --envs 2 $(SMALL) --format text
else
	@echo "NOT RUN: trackgen verify and ledger check on all backends and on two drivers of Vulkan, which need root and apt-get for what they use"
endif

modules:
	for module in examples/*/go.mod; do (cd $$(dirname $$module) && $(GO) vet ./... && $(GO) test -vet=off ./...) || exit 1; done

python:
	scripts/test-python.sh

# After a change of the settings of any kind of producer.
python-config:
	scripts/library.sh out/library
	TRACKGEN_LIBRARY=$(abspath out/library/libtrackgen.so) python3 python/generate_config.py

# The bits must be the same if the compiler may fuse multiplications and additions.
v3:
	@if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then \
		echo "GOAMD64=v3 $(GO) test"; export GOAMD64=v3; \
		$(GO) test -vet=off -timeout 10m $(V3) && $(GO) test -vet=off -timeout 10m -run '$(FROZEN)' $(V3_SOME); \
	else echo "NOT RUN: the GOAMD64=v3 leg, because this processor has no AVX2 and FMA"; fi

# The bits must be the same on another architecture: a build for arm64 runs on an emulated processor, ten times as slow.
arm64:
	GOARCH=arm64 CGO_ENABLED=0 $(GO) build -o out/arm64/check ./bench/ledger/check
	@if command -v qemu-aarch64-static >/dev/null; then \
		qemu-aarch64-static out/arm64/check -envs 8; \
	else echo "NOT RUN: the ledger on arm64, because there is no qemu-aarch64-static"; fi

# For a change of the tracks that a seed gives. The CHANGELOG must mention it.
ledger:
	$(GO) run ./cmd/trackgen ledger --out bench/ledger/default.json
	$(GO) test ./bench/ledger -run TestGates -update-gates

# C code with sanitizers: here only the tests that allocate, fail and free most; test-slow runs all.
sanitize:
	scripts/sanitize.sh -run '^(TestCloseWhileOthersWork|TestEveryCallFailsOnceInForeignCapture|TestForeignCapture|TestRecordingAtOnce)$$'

# In test-slow: go test -fuzz compiles everything once more, which takes as long as all tests of the leg unit. That leg
# runs the inputs that the fuzz targets start from.
fuzz:
	scripts/fuzz.sh $(FUZZTIME)

# In addition, test runs the tests that testing.Short skips, all targets other than unit, and tests with other programs.
test-fast: format vet
	$(GO) test -short -vet=off -timeout 5m ./...

# Complete runs of what test runs in part: every test with the race detector and with fused multiplications; the ledger
# on every backend, and on arm64 with the trackgen command; all tests with sanitizers; new inputs for the fuzz targets.
# Also the files with the tag slow.
test-slow: test fuzz
	scripts/test-python.sh --slow
	scripts/explorer.sh
	$(MAKE) site
	$(MAKE) release-check
	scripts/sanitize.sh
	$(GO) test -race -vet=off -timeout 60m ./...
	if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then GOAMD64=v3 $(GO) test -vet=off -timeout 60m ./...; fi
	GOARCH=arm64 CGO_ENABLED=0 $(GO) build -o out/arm64/trackgen ./cmd/trackgen
	if command -v qemu-aarch64-static >/dev/null; then qemu-aarch64-static out/arm64/trackgen ledger check --devices cpu --format text; fi
ifeq ($(REQUIRE),1)
	$(EMULATED) $(GO) run ./cmd/trackgen ledger check --devices cpu,vulkan:0,cuda:0 --format text
	TRACKGEN_EMULATE=ptx $(EMULATED) $(GO) run ./cmd/trackgen ledger check --devices cuda:0 --envs 64 --format text
	$(TWO_DRIVERS) $(EMULATED) $(GO) test -tags slow -vet=off -timeout 60m ./bench/randomconfig -run Many -for 10m
	scripts/check-opendrive.sh
	scripts/check-f1tenth.sh
	scripts/engines.sh
endif
	$(GO) test -tags slow -vet=off -timeout 120m ./...

test-gpu:
	scripts/test-gpu.sh build
	@scripts/test-gpu.sh run || { [ $$? = 2 ] && [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ] && \
		echo "NOT RUN: there is no NVIDIA GPU here; out/gpu holds what to run on a machine with one"; }

explore:
	scripts/explorer.sh

# Ray, Hugging Face datasets and torch, with 100,000 tracks.
engines:
	scripts/engines.sh

bench:
	mkdir -p out
	$(GO) run ./cmd/trackgen bench $(BENCHFLAGS) --out out/bench.json --plot out/bench.png
	$(GO) run ./cmd/trackgen bench --from out/bench.json --format go > out/bench.txt
	$(GO) run ./cmd/trackgen bench --from out/bench.json --format text
	$(GO) run ./cmd/trackgen bench --course gates --limit 2m $(BENCHFLAGS) --out out/bench-gates.json --plot out/bench-gates.png
	$(GO) run ./cmd/trackgen bench --from out/bench-gates.json --format go >> out/bench.txt
	$(GO) run ./cmd/trackgen bench --from out/bench-gates.json --format text
	$(GO) run ./bench/warps

kernels:
	$(GO) generate ./...
	for module in examples/*/go.mod; do (cd $$(dirname $$module) && $(GO) mod tidy && $(GO) generate ./...) || exit 1; done

api:
	scripts/api.sh $(BASE)

lint:
	$(GO) run $(GOLANGCI_LINT) run ./...

pictures:
	$(GO) run ./bench/gallery docs/images
	$(GO) test ./command -run 'TestPicturesOfTheCoursePage$$' -update-pictures
	$(GO) run ./cmd/trackgen graph --device cpu --envs 4096 --out docs/images/graph-generate.svg
	$(GO) run ./cmd/trackgen graph --device cpu --envs 4096 --regenerate --out docs/images/graph-regenerate.svg

clean:
	rm -rf out
