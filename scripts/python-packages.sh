#!/usr/bin/env bash
# Installs Python packages in a folder of their own, which is emptied before, and pip if it is missing.
#
#   scripts/python-packages.sh FOLDER [ARGUMENT OF pip install ...]
set -euo pipefail
folder=${1:?usage: python-packages.sh FOLDER ARGUMENT...}
shift
python3 -m pip --version >/dev/null 2>&1 || apt-get install -q -y --no-install-recommends python3-pip
rm -rf "$folder"
python3 -m pip install -q --disable-pip-version-check --root-user-action ignore --no-deps --target "$folder" "$@"
