#!/usr/bin/env bash
# Runs the examples of data sets on engines that others make: Ray with two workers, one of which is killed, and the readers
# Hugging Face datasets and torch; and checks the manifest for Kubernetes: scripts/engines.sh [TRACKS], 100,000 by default.
#
# It installs 400 MB of Python packages in .cache/engines, and needs Debian's torch: apt-get install python3-torch
set -euo pipefail
cd "$(dirname "$0")/.."
tracks=${1:-100000} environment=$PWD/.cache/engines
if ! /usr/bin/python3 -c 'import torch, venv, ensurepip' 2>/dev/null; then
	echo "NOT RUN: examples/ray and examples/datasets, which need Debian's torch and venv: apt-get install python3-torch python3-venv"
	exit 0
fi
if ! cmp -s scripts/engines.txt "$environment/versions.txt"; then
	rm -rf "$environment"
	/usr/bin/python3 -m venv --system-site-packages "$environment"
	"$environment/bin/pip" install -q --disable-pip-version-check --requirement scripts/engines.txt
	cp scripts/engines.txt "$environment/versions.txt"
fi
"$environment/bin/kubernetes-validate" --strict examples/kubernetes/dataset-job.yaml

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
go build -o "$scratch/bin/trackgen" ./cmd/trackgen
# Ray and datasets keep files in the home of the user, and Ray counts its users, unless told not to.
env -u PYTHONPATH HOME="$scratch" PATH="$scratch/bin:$PATH" RAY_USAGE_STATS_ENABLED=0 HF_HUB_OFFLINE=1 \
	"$environment/bin/python" scripts/engines.py "$scratch" "$tracks"
