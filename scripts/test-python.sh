#!/usr/bin/env bash
# Tests the Python package: builds its wheel, installs it into fresh environments and runs the tests of python/tests there,
# from outside of the checkout. With --slow, also with JAX, which takes 640 MB, and the slow tests.
#
# The environments are: one with NumPy of PyPI; one of Debian's Python with its torch; and one with JAX. What is missing is
# skipped by its name; with TRACKGEN_REQUIRE_KERNEL_TOOLS=1, it is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
slow=0 required=${TRACKGEN_REQUIRE_KERNEL_TOOLS:-0}
[[ ${1:-} == --slow ]] && slow=1

if ! python3 -c 'import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
	echo "NOT RUN: the tests of the Python package, which need Python 3.10 or newer with venv (python3-venv)"
	exit "$required"
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
go build -o "$scratch/trackgen" ./cmd/trackgen
scripts/wheel.sh "$scratch/dist"
cp -r python/tests "$scratch/tests"
cp python/pyproject.toml python/generate_config.py README.md "$scratch/"
cp docs/python.md "$scratch/" 2>/dev/null || true
mkdir "$scratch/examples"
cp -r examples/python "$scratch/examples/"
export TRACKGEN_COMMAND=$scratch/trackgen TRACKGEN_REQUIRE_COMMAND=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
unset PYTHONPATH TRACKGEN_LIBRARY

# environment NAME INTERPRETER OPTION-OF-VENV PACKAGE...: a fresh environment with the wheel.
environment() {
	local name=$1 interpreter=$2 option=$3
	shift 3
	"$interpreter" -m venv $option "$scratch/$name"
	"$scratch/$name/bin/pip" install -q "$@" "$scratch"/dist/trackgen-*.whl
}
# tests NAME ARGUMENT...: runs pytest in an environment.
tests() {
	local name=$1
	shift
	echo "the Python package, $name:"
	(cd "$scratch" && "$scratch/$name/bin/python" -m pytest --rootdir "$scratch" "$@")
}

environment numpy python3 "" numpy pytest==9.2.0 mypy==2.4.1 gymnasium==1.4.0 pettingzoo==1.27.0
marks="not slow"
((slow)) && marks=""
tests numpy -m "$marks" tests
(cd "$scratch" && numpy/bin/mypy --config-file pyproject.toml -p trackgen && numpy/bin/mypy --strict tests/typed.py)

if /usr/bin/python3 -c 'import torch, venv, ensurepip' 2>/dev/null; then
	environment torch /usr/bin/python3 --system-site-packages pytest==9.2.0 gymnasium==1.4.0
	TRACKGEN_REQUIRE_TORCH=1 tests torch tests/test_torch.py tests/test_arrays.py tests/test_readme.py \
		tests/test_gym.py tests/test_gym_training.py
else
	echo "NOT RUN: the Python package with torch, which needs python3-torch of Debian"
	((required == 0)) || exit 1
fi

# Captures of another library, on the emulated CUDA driver. The command runs where the sources of the kernels are.
if command -v g++ >/dev/null; then
	echo "the Python package on an emulated CUDA device:"
	TRACKGEN_REQUIRE_CUDA=1 go run ./backend/cuda/emulator/emulate "$scratch/numpy/bin/python" -m pytest \
		--rootdir "$scratch" -c "$scratch/pyproject.toml" "$scratch/tests/test_capture.py" \
		"$scratch/tests/test_gym_devices.py"
else
	echo "NOT RUN: the Python package on an emulated CUDA device, which needs g++"
	((required == 0)) || exit 1
fi

if ((slow)); then
	environment jax python3 "" jax==0.10.2 pytest==9.2.0
	TRACKGEN_REQUIRE_JAX=1 tests jax tests/test_jax.py
else
	echo "NOT RUN: the Python package with JAX, which takes 640 MB; make test-slow runs it"
fi
