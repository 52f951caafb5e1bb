package command

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/kernel"
)

// A track that is marked as valid but has a point that is not finite has no ground, which is an error of the input. It
// names the track by its number in the file.
func TestTerrainRefusesPointsThatAreNotFinite(t *testing.T) {
	path := writeSquares(t, 3, func(b *trackgen.Batch) {
		b.Center[2*b.NMax+1].Z = kernel.NaN()
		b.Outer[1*b.NMax+3].X = float32(math.Inf(1))
	})
	for _, c := range []struct{ format, env, want string }{
		{"obj", "2", "env 2 has no road: point 1 of its centreline is [1 -1 NaN] m"},
		{"glb", "2", "env 2 has no road: point 1 of its centreline is [1 -1 NaN] m"},
		{"png", "2", "env 2 has no image of heights: that of cell ("},
		{"obj", "1", "env 1 has no road: point 3 of its outer border is [+Inf 1.25 0] m"},
		{"png", "1", "env 1 has no image of heights: a corner of the grid is ("},
	} {
		var stdout, stderr bytes.Buffer
		out := filepath.Join(t.TempDir(), "ground."+c.format)
		code := newApp(strings.NewReader(""), &stdout, &stderr).execute(t.Context(),
			[]string{"terrain", path, "--device", "cpu", "--resolution", "8", "--env", c.env, "--out", out})
		require.Equal(t, exitBadInput, code, stderr.String())
		require.Contains(t, stderr.String(), c.want)
		require.NoFileExists(t, out)
	}
}
