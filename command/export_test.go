package command

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/kernel"
)

// The help refers to docs/formats.md for the formats, so its table must list all of them.
func TestFormatsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "formats.md"))
	require.NoError(t, err)
	for _, f := range slices.Concat(exportFormats, courseFormats) {
		require.Regexp(t, `(?m)^\| .*\b`+string(f.name)+`\b.* \| (any number|up to 1000|one) \|`, string(text), "%s", f.name)
	}
}

// writeSquares writes a file with this many square tracks, with sides of 2 m and a road 0.5 m wide, after change has
// changed them.
func writeSquares(t *testing.T, envs int, change func(b *trackgen.Batch)) string {
	t.Helper()
	const n = 4
	b := trackgen.NewBatch(envs, n)
	for e := range envs {
		for i, corner := range [n]trackgen.Vec3{kernel.V3(-1, -1, 0), kernel.V3(1, -1, 0), kernel.V3(1, 1, 0),
			kernel.V3(-1, 1, 0)} {
			b.Center[e*n+i], b.Outer[e*n+i], b.Inner[e*n+i] = corner, corner.Scale(1.25), corner.Scale(0.75)
		}
		b.Valid[e], b.Count[e] = 1, n
	}
	b.Tangent, b.Normal = slices.Clone(b.Center), slices.Clone(b.Center)
	change(b)
	path := filepath.Join(t.TempDir(), "squares.npz")
	w, err := export.NewNPZWriter(path, export.ShapeOf(b), export.Metadata{})
	require.NoError(t, err)
	require.NoError(t, w.Append(t.Context(), b))
	require.NoError(t, w.Commit(t.Context()))
	return path
}

func TestExportLimitsFolders(t *testing.T) {
	path := writeSquares(t, maxRoads+1, func(*trackgen.Batch) {})
	out := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct{ arguments, want string }{
		{"--to csv --env 0-", "trackgen: --env chooses 10001 tracks: must be at most 10000 for a folder of csv\n"},
		{"--to ros --env 0- --invalid skip",
			"trackgen: --env chooses 10001 tracks: must be at most 10000 for a folder of ros\n"},
		{"--to ros --env 0-999 --resolution 0.0005", "trackgen: the maps up to that of env "},
	} {
		var stdout, stderr bytes.Buffer
		code := newApp(strings.NewReader(""), &stdout, &stderr).execute(t.Context(),
			append([]string{"export", path, "--out", out}, strings.Fields(c.arguments)...))
		require.Equal(t, exitBadInput, code, stderr.String())
		require.Contains(t, stderr.String(), c.want)
		require.NoDirExists(t, out)
	}
}
