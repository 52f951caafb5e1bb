#!/usr/bin/env bash
# Checks that other programs can drive round in the OpenDRIVE files that trackgen writes: CARLA, Scenic, SUMO and ASAM's
# checker. Arguments are further circuits to check, as CSV files. What is installed, 1.4 GB, and the files that are
# checked stay in .cache/opendrive.
set -euo pipefail
cd "$(dirname "$0")/.."

readers=.cache/opendrive/readers versions=scripts/check-opendrive.txt files=.cache/opendrive/files
if ! python3 -c 'import platform, sys
sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)) or sys.platform != "linux" or platform.machine() != "x86_64")'; then
	echo "NOT RUN: the readers of OpenDRIVE, which need Python 3.11 or 3.12 on Linux and x86-64"
	exit 0
fi
if ! cmp -s "$versions" "$readers/versions.txt"; then
	scripts/python-packages.sh "$readers" --only-binary :all: --requirement "$versions"
	cp "$versions" "$readers/versions.txt"
fi

rm -rf "$files"
mkdir -p "$files"
go build -o "$files/trackgen" ./cmd/trackgen
trackgen() { "$files/trackgen" "$@"; }

# circuit NAME DIRECTION ROW: a circuit with widths that vary; ROW (x, y, right, left) is that of the angle t, and hills
# have heights too.
circuit() {
	awk -v direction="$2" -v row="$3" 'BEGIN {
		print "# x_m,y_m,w_tr_right_m,w_tr_left_m" (row == "hills" ? ",z_m" : "")
		for (k = 0; k < 72; k++) {
			t = direction * k * 6.283185307179586 / 72
			if (row == "hills") printf "%.4f,%.4f,4,5,%.3f\n", 90 * cos(t) + 9 * cos(3 * t), 70 * sin(t), 300 + 5 * sin(t) + cos(3 * t)
			else if (row == "ring") printf "%.4f,%.4f,%.3f,%.3f\n", 60 * cos(t) + 6 * cos(3 * t), 45 * sin(t), 4 + cos(t), 5 + sin(2 * t)
			else { d = 1 + sin(t) ^ 2; printf "%.4f,%.4f,4,5\n", 90 * cos(t) / d, 126 * sin(t) * cos(t) / d }
		}
	}' >"$files/$1.csv"
}
circuit counter-clockwise 1 ring
circuit clockwise -1 ring
circuit eight 1 eight
circuit reversed-eight -1 eight
trackgen import -q "$files"/*.csv "$@" --out "$files/circuits.npz"
trackgen export -q "$files/circuits.npz" --to xodr --env 0- --out "$files/circuits"
mkdir "$files/hills"
circuit hills 1 hills
trackgen import -q "$files/hills.csv" --out "$files/hills.npz"
trackgen export -q "$files/hills.npz" --to xodr --out "$files/hills/hills.xodr"
trackgen import -q "$files/hills.csv" "$files/counter-clockwise.csv" --bank-factor 10 --out "$files/banked.npz"
trackgen export -q "$files/banked.npz" --to xodr --env 0- --out "$files/banked"
trackgen generate -q --envs 2 --seed 11 --set banking.profile=curvature --set elevation.profile=noise \
	--set elevation.noise_amplitude=0.1 --set elevation.min=-1 --set elevation.max=1 --out "$files/bends.npz"
trackgen export -q "$files/bends.npz" --to xodr --env 0- --scale 50 --out "$files/bends"
trackgen export -q "$files/circuits.npz" --to xodr --env 0-3 --scale 0.1 --out "$files/models"
trackgen generate -q --envs 4 --seed 11 --out "$files/generated.npz"
trackgen export -q "$files/generated.npz" --to xodr --env 0- --scale 50 --out "$files/generated"
trackgen export -q "$files/generated.npz" --to xodr --env 0-1 --out "$files/tiny"

PYTHONPATH=$PWD/$readers python3 scripts/check-opendrive.py "$files"/{circuits,hills,banked,bends,models,generated,tiny}/*.xodr
