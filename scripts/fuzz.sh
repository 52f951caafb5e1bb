#!/usr/bin/env bash
# Runs every fuzz target of the module, one after another, for the given time (a Go duration) or number of inputs (such
# as 5000x). On a busy machine, give a number: with a time, go test may report its own deadline as a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:?usage: fuzz.sh DURATION|NUMBERx}
GO=${GO:-go}
targets=0
# The targets are found in the sources, because go test -list would build the tests of every package.
while IFS=: read -r file target; do
	package=./$(dirname "$file")
	echo "fuzz $package $target for $time"
	"$GO" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
	targets=$((targets + 1))
done < <(grep -ro --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's/^\.\///; s/func //' | sort)
if ((targets == 0)); then
	echo "no fuzz target found" >&2
	exit 1
fi
echo "$targets fuzz targets passed"
