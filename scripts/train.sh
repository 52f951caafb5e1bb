#!/usr/bin/env bash
# Trains the car of docs/training.md with examples/python/ppo.py: scripts/train.sh DIRECTORY [ARGUMENT OF ppo.py ...]. It
# takes about a quarter of an hour on two cores.
#
# It needs Debian's torch, and a BLAS that is faster than the reference one: apt-get install python3-torch libopenblas0-pthread
set -euo pipefail
cd "$(dirname "$0")/.."
directory=${1:?usage: train.sh DIRECTORY [ARGUMENT...]}
shift
if ! /usr/bin/python3 -c 'import torch, venv, ensurepip' 2>/dev/null; then
	echo "train.sh needs Debian's torch and venv: apt-get install python3-torch libopenblas0-pthread python3-venv" >&2
	exit 1
fi
scripts/wheel.sh dist
environment=.cache/training
rm -rf "$environment"
/usr/bin/python3 -m venv --system-site-packages "$environment"
"$environment/bin/pip" install -q --disable-pip-version-check dist/trackgen-*.whl gymnasium==1.4.0 matplotlib 'numpy<2'
unset PYTHONPATH TRACKGEN_LIBRARY
"$environment/bin/python" examples/python/ppo.py --out "$directory" "$@"
