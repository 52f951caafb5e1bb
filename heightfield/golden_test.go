package heightfield_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// openGolden opens a file with output of the reference system. The files lie beside the checkout and are not part of
// it.
func openGolden(t *testing.T, name string) *npz.Reader {
	t.Helper()
	path := filepath.Join("..", "..", "shared", "data", "golden", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("NOT TESTED, the golden data is not beside this checkout: %v", err)
	}
	golden, err := npz.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, golden.Close()) })
	return golden
}

// values reads an array of a file.
func values[T int32 | float32](t *testing.T, golden *npz.Reader, name string) (list []T) {
	t.Helper()
	require.NoError(t, golden.Read(name+".npy", &list))
	return list
}

// vectors reads an array of points of a file.
func vectors(t *testing.T, golden *npz.Reader, name string) []kernel.Vec3 {
	t.Helper()
	list := values[float32](t, golden, name)
	points := make([]kernel.Vec3, len(list)/3)
	for i := range points {
		points[i] = kernel.V3(list[3*i], list[3*i+1], list[3*i+2])
	}
	return points
}

// TestGolden compares grids with the output of the reference system, from the tracks of the reference system.
func TestGolden(t *testing.T) {
	golden := openGolden(t, "utilities_flat.npz")
	tracks := &track.Batch{}
	tracks.Outer, tracks.Center = vectors(t, golden, "track/outer"), vectors(t, golden, "track/center")
	tracks.Inner, tracks.Count = vectors(t, golden, "track/inner"), values[int32](t, golden, "track/count")
	tracks.Valid = values[int32](t, golden, "track/valid")
	tracks.Envs, tracks.NMax = len(tracks.Count), len(tracks.Center)/len(tracks.Count)
	cases := 0
	for _, key := range golden.Keys() {
		name, isConfig := strings.CutSuffix(key, "/config.npy")
		if !isConfig || !strings.HasPrefix(name, "heightfield/") {
			continue
		}
		cases++
		t.Run(strings.TrimPrefix(name, "heightfield/"), func(t *testing.T) {
			var text string
			require.NoError(t, golden.Read(key, &text))
			c := heightfield.DefaultConfig()
			require.NoError(t, json.Unmarshal([]byte(text), &c)) // the names differ in upper case alone
			grid := bake(t, openCPU(t), tracks, c)
			var corners []float32
			for e := range grid.Low {
				corners = append(corners, grid.Low[e].X, grid.Low[e].Y, grid.High[e].X, grid.High[e].Y)
			}
			low, high := values[float32](t, golden, name+"/lo"), values[float32](t, golden, name+"/hi")
			for e := range grid.Low {
				assert.Equal(t, append(low[2*e:2*e+2:2*e+2], high[2*e:2*e+2]...), corners[4*e:4*e+4], "env %d", e)
			}
			want := values[float32](t, golden, name+"/height")
			require.Len(t, grid.Height, len(want))
			for i := range want {
				require.Equal(t, math.Float32bits(want[i]), math.Float32bits(grid.Height[i]), "cell %d", i)
			}
		})
	}
	assert.Equal(t, 2, cases)
}
