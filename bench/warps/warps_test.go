//go:build cgo && linux

package main

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const golden = "testdata/figures.txt"

var update = flag.Bool("update", false, "write the table of figures anew")

// tolerance is by how many percent a figure may differ from the table.
const tolerance = 5

// No kernel costs much more or less than in the table, which a change of a kernel has to update.
func TestFigures(t *testing.T) {
	rows, err := measure(t.Context(), "../..")
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(table(rows)), 0o600))
	}
	text, err := os.ReadFile(golden)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	require.Len(t, rows, len(lines), "the table has other kernels; go test ./bench/warps -update writes it anew")
	for i, r := range rows {
		fields := strings.Fields(lines[i])
		require.Equal(t, r.kernel, fields[0]+" "+fields[1])
		for column, got := range map[int]int64{4: r.instructions, 9: r.cycles} {
			want, err := strconv.ParseInt(fields[column], 10, 64)
			require.NoError(t, err)
			require.InDelta(t, want, got, float64(want)*tolerance/100,
				"%s costs other than in the table; go test ./bench/warps -update writes it anew", r.kernel)
		}
	}
}

// A directory without kernels is an error, not an empty table.
func TestOutsideTheModule(t *testing.T) {
	_, err := measure(t.Context(), "testdata")
	require.ErrorContains(t, err, "testdata has no kernels/*/kernel_generated.ptx: must be the root of the module")
}
