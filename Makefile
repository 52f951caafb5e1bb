# make run       generate a batch of tracks on this machine and show what came out
# make test      everything that CI runs; installs what it needs (as root, Debian)
# make test-slow exhaustive suites and an hour of random programs, about an hour and a half more
# make test-gpu  build the tests of a GPU into out/gpu and run them if this machine has one
# make bench     measure every device for eight minutes: tables here; out/bench.json, .png, and .txt for benchstat
# make kernels   regenerate what kernelgen derives from the kernel sources
# make ledger    write the hashes of the default tracks anew
# make lint      golangci-lint with the repository's configuration
# make pictures  redraw the pictures of the README and of docs/execution.md

SHELL := /bin/bash
GO ?= go
FUZZTIME ?= 5000x
BENCHFLAGS ?=
PICTURE ?= out/tracks.png
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# Packages whose results must not depend on the instruction set.
BITS := ./kernel/... ./kernels/... ./backend/cpu/... ./backend/backendtest/... ./exec/... ./seeds/... ./track/... ./bench/ledger

.PHONY: run test test-slow test-gpu bench kernels ledger lint pictures deps format vet unit fuzz v3 arm64 sanitize clean

run:
	mkdir -p $(dir $(PICTURE))
	$(GO) run ./cmd/trackgen generate --envs 512 --out $(dir $(PICTURE))tracks.npz --plot $(PICTURE)

test: deps format vet unit v3 arm64 fuzz
	@echo "all tests passed"

deps:
	scripts/deps.sh
	$(GO) mod download

format:
	@unformatted=$$(gofmt -l .) || exit 1; \
	if [ -n "$$unformatted" ]; then echo "not gofmt-ed:"; echo "$$unformatted"; exit 1; fi
	$(GO) mod tidy -diff

vet:
	$(GO) vet ./...
	$(GO) vet -tags slow ./...

# Where deps.sh can install everything, a test that lacks something fails instead of being skipped.
REQUIRE := $(shell [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo 1)
unit v3 fuzz bench test-slow: export TRACKGEN_REQUIRE_VULKAN = $(REQUIRE)
unit v3 fuzz bench test-slow: export TRACKGEN_REQUIRE_KERNEL_TOOLS = $(REQUIRE)
# The software Vulkan driver runs in the calling thread: its own threads only cost here.
unit v3 fuzz bench test-slow: export LP_NUM_THREADS = 0

# Where deps.sh has put NVIDIA's assembler, the PTX is checked with it.
PTXAS := $(abspath .cache/ptxas/nvidia/cu13/bin/ptxas)
unit: export TRACKGEN_PTXAS = $(if $(REQUIRE),$(PTXAS))

# Where deps.sh has put Apache Arrow, Parquet files are read back with it.
unit: export TRACKGEN_PYARROW = $(if $(REQUIRE),$(abspath .cache/pyarrow))
unit: export TRACKGEN_PYTHON = $(shell python3 -c 'import numpy' 2>/dev/null && echo python3 || echo /usr/bin/python3)
unit:
	$(GO) test -race -timeout 20m ./...
	@test -f ../shared/data/golden/trackgen_e3.npz || echo "NOT RUN: the comparison with the reference system's output, which is not beside this checkout"
	$(GO) test -timeout 10m $(BITS) ./backend/vulkan
ifeq ($(REQUIRE),1)
	$(GO) run ./backend/cuda/emulator/emulate $(GO) run ./cmd/trackgen verify --devices cpu,vulkan:0,cuda:0 --envs 16 --format text
	$(GO) run ./backend/cuda/emulator/emulate $(GO) run ./cmd/trackgen ledger check --devices cpu,vulkan:0,cuda:0 --format text
else
	@echo "NOT RUN: trackgen verify and ledger check on all three backends, which need root and apt-get for what they use"
endif
	for module in examples/*/go.mod; do (cd $$(dirname $$module) && $(GO) vet ./... && $(GO) test ./...) || exit 1; done

# The same tests where the compiler may fuse products into sums.
v3:
	@if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then \
		echo "GOAMD64=v3 $(GO) test"; GOAMD64=v3 $(GO) test -timeout 10m $(BITS); \
	else echo "NOT RUN: the GOAMD64=v3 leg, because this processor has no AVX2 and FMA"; fi

# The bits of another architecture: a build for arm64 under an emulator of that processor.
arm64:
	GOARCH=arm64 CGO_ENABLED=0 $(GO) build -o out/arm64/trackgen ./cmd/trackgen
	@if command -v qemu-aarch64-static >/dev/null; then \
		qemu-aarch64-static out/arm64/trackgen ledger check --devices cpu --format text; \
	else echo "NOT RUN: the ledger on arm64, because there is no qemu-aarch64-static"; fi

# After a change of the tracks that a seed gives, which the CHANGELOG tells.
ledger:
	$(GO) run ./cmd/trackgen ledger --out bench/ledger/default.json

# C code with sanitizers: here some of what makes, fails and gives back the most, in test-slow all of it.
sanitize:
	scripts/sanitize.sh -run '^(TestCloseWhileOthersWork|TestEveryCallFailsOnceInForeignCapture|TestForeignCapture|TestRecordingAtOnce)$$'

fuzz:
	scripts/fuzz.sh $(FUZZTIME)

test-slow: test
	scripts/sanitize.sh
	$(GO) test -tags slow -timeout 120m ./...

test-gpu:
	scripts/test-gpu.sh build
	@scripts/test-gpu.sh run || { [ $$? = 2 ] && [ ! -e /dev/nvidiactl ] && \
		echo "NOT RUN: there is no NVIDIA GPU here; out/gpu holds what to run on a machine with one"; }

bench:
	mkdir -p out
	$(GO) run ./cmd/trackgen bench $(BENCHFLAGS) --out out/bench.json --plot out/bench.png
	$(GO) run ./cmd/trackgen bench --from out/bench.json --format go > out/bench.txt
	$(GO) run ./cmd/trackgen bench --from out/bench.json --format text

kernels:
	$(GO) generate ./...
	for module in examples/*/go.mod; do (cd $$(dirname $$module) && $(GO) mod tidy && $(GO) generate ./...) || exit 1; done

lint:
	$(GO) run $(GOLANGCI_LINT) run ./...

pictures:
	$(GO) run ./bench/gallery docs/images/tracks.png
	$(GO) run ./cmd/trackgen graph --device cpu --envs 4096 --out docs/images/graph-generate.svg
	$(GO) run ./cmd/trackgen graph --device cpu --envs 4096 --regenerate --out docs/images/graph-regenerate.svg

clean:
	rm -rf out
