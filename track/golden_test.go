package track_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// goldenFile has the output of the reference system for base seed 1234, envs 0 to 2, in its default configuration. It
// lies beside the checkout and is not part of it.
var goldenFile = filepath.Join("..", "..", "shared", "data", "golden", "trackgen_e3.npz")

// TestGolden compares tracks with the output of the reference system.
func TestGolden(t *testing.T) {
	if _, err := os.Stat(goldenFile); err != nil {
		t.Skipf("the golden data is not beside this checkout: %v", err)
	}
	golden, err := npz.Open(goldenFile)
	require.NoError(t, err)
	defer golden.Close()

	for _, name := range track.Generators() {
		if name == track.Repulsive {
			continue // the reference has no output for it: its tracks depend on the others of their batch
		}
		t.Run(name, func(t *testing.T) {
			batch := generate(t, open(t), tracktest.Config(name, 3), track.WithSeed(1234))
			var center, length, winding []float32
			var count, valid []int32
			prefix := "track/" + name + "/"
			require.NoError(t, golden.Read(prefix+"center.npy", &center))
			require.NoError(t, golden.Read(prefix+"length.npy", &length))
			require.NoError(t, golden.Read(prefix+"winding.npy", &winding))
			require.NoError(t, golden.Read(prefix+"count.npy", &count))
			require.NoError(t, golden.Read(prefix+"valid.npy", &valid))

			assert.Equal(t, count, batch.Count)
			assert.Equal(t, valid, batch.Valid)
			assert.Equal(t, winding, batch.Winding)
			for e := range length {
				assert.InDelta(t, length[e], batch.Length[e], 2e-4, "length of env %d", e)
			}
			var differences []float64
			for e := range batch.Envs {
				for i, p := range batch.Points(batch.Center, e) {
					at := 2 * (e*batch.NMax + i)
					differences = append(differences,
						math.Max(math.Abs(float64(p.X-center[at])), math.Abs(float64(p.Y-center[at+1]))))
				}
			}
			slices.Sort(differences)
			assert.LessOrEqual(t, differences[len(differences)/2], 2e-6, "median difference of the centreline")
			assert.LessOrEqual(t, differences[len(differences)-1], 5e-3, "largest difference of the centreline")
			t.Logf("centreline: median %.2g, largest %.2g", differences[len(differences)/2], differences[len(differences)-1])
		})
	}
}

// generate makes a batch and copies it to host memory.
func generate(t testing.TB, device device, config track.Config, options ...track.Option) *track.Batch {
	t.Helper()
	generator, err := track.NewGenerator(device, config, options...)
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	result, err := generator.Generate(context.Background())
	require.NoError(t, err)
	batch, err := result.Batch(context.Background())
	require.NoError(t, err)
	return batch
}
