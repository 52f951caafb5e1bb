#!/usr/bin/env bash
# Drives laps on maps that trackgen exports for the simulators of F1TENTH, as docs/f1tenth.md describes it. Arguments
# are folders of maps, such as Monza/; without any, circuits and tracks are made and exported here. What is installed,
# 90 MB, and these maps stay in .cache/f1tenth.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
readers=$repository/.cache/f1tenth/readers versions=$repository/scripts/check-f1tenth.txt
files=$repository/.cache/f1tenth/files

if ! python3 -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))'; then
	echo "NOT RUN: laps on maps for F1TENTH, which need Python 3.11 or 3.12"
	exit 0
fi
if ! cmp -s "$versions" "$readers/versions.txt"; then
	"$repository/scripts/python-packages.sh" "$readers" --only-binary :all: --requirement "$versions"
	cp "$versions" "$readers/versions.txt"
fi
export PYTHONPATH=$readers
if [ $# -gt 0 ]; then
	exec python3 "$repository/scripts/check-f1tenth.py" "$@"
fi

rm -rf "$files"
mkdir -p "$files"
cd "$files"
(cd "$repository" && go build -o "$files/trackgen" ./cmd/trackgen)
trackgen() { "$files/trackgen" "$@"; }

# circuit NAME DIRECTION FORM: a circuit at full size, 9 m wide, or, if its form is hairpin, an ellipse at 1:10, 2.2 m
# wide, whose ends have a radius of 0.9 m. An eight has a bridge.
circuit() {
	awk -v direction="$2" -v form="$3" 'BEGIN {
		print "# x_m,y_m,w_tr_right_m,w_tr_left_m"
		for (k = 0; k < 96; k++) {
			t = direction * k * 6.283185307179586 / 96
			d = 1 + sin(t) ^ 2
			if (form == "ring")
				printf "%.4f,%.4f,%.3f,%.3f\n", 90 * cos(t) + 9 * cos(3 * t), 60 * sin(t), 4 + cos(t) / 2, 5 + sin(2 * t) / 2
			else if (form == "eight")
				printf "%.4f,%.4f,4,5\n", 120 * cos(t) / d, 170 * sin(t) * cos(t) / d
			else
				printf "%.4f,%.4f,1.1,1.1\n", 8 * sin(t), 2.683 * cos(t)
		}
	}' >"$1.csv"
}
circuit Ring 1 ring
circuit Clockwise -1 ring
circuit Eight 1 eight
circuit Hairpin 1 hairpin

for name in Ring Clockwise Eight; do
	trackgen import -q $name.csv --out $name.npz
	trackgen export -q $name.npz --to ros --scale 0.1 --level-crossings --out $name/
done
trackgen import -q Ring.csv --half-width 11 --out Wide.npz
trackgen export -q Wide.npz --to ros --scale 0.1 --out Wide/
trackgen import -q Hairpin.csv --trim-inner --out Trimmed.npz
trackgen import -q Hairpin.csv --half-width 0.6 --out Narrow.npz
trackgen import -q Hairpin.csv --relax --out Relaxed.npz
for name in Trimmed Narrow Relaxed; do
	trackgen export -q $name.npz --to ros --out $name/
done
trackgen generate -q --envs 4 --seed 3 --out training.npz
trackgen export -q training.npz --to ros --env 0- --scale 10 --out maps
python3 "$repository/scripts/check-f1tenth.py" Ring Clockwise Eight Wide Trimmed Narrow Relaxed maps/*
