package heightfield_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// vectors reads an array of points of a file.
func vectors(t *testing.T, reference *npz.Reader, name string) []kernel.Vec3 {
	t.Helper()
	list := golden.Array[float32](t, reference, name)
	points := make([]kernel.Vec3, len(list)/3)
	for i := range points {
		points[i] = kernel.V3(list[3*i], list[3*i+1], list[3*i+2])
	}
	return points
}

// TestGolden compares grids with the output of the reference system, from the tracks of the reference system.
func TestGolden(t *testing.T) {
	reference := golden.Open(t, "utilities_flat.npz")
	tracks := &track.Batch{}
	tracks.Outer, tracks.Center = vectors(t, reference, "track/outer"), vectors(t, reference, "track/center")
	tracks.Inner, tracks.Count = vectors(t, reference, "track/inner"), golden.Array[int32](t, reference, "track/count")
	tracks.Valid = golden.Array[int32](t, reference, "track/valid")
	tracks.Envs, tracks.NMax = len(tracks.Count), len(tracks.Center)/len(tracks.Count)
	cases := 0
	for _, key := range reference.Keys() {
		name, isConfig := strings.CutSuffix(key, "/config.npy")
		if !isConfig || !strings.HasPrefix(name, "heightfield/") {
			continue
		}
		cases++
		t.Run(strings.TrimPrefix(name, "heightfield/"), func(t *testing.T) {
			var text string
			require.NoError(t, reference.Read(key, &text))
			c := heightfield.DefaultConfig()
			require.NoError(t, json.Unmarshal([]byte(text), &c)) // the names differ in upper case alone
			grid := bake(t, openCPU(t), tracks, c)
			var corners []float32
			for e := range grid.Low {
				corners = append(corners, grid.Low[e].X, grid.Low[e].Y, grid.High[e].X, grid.High[e].Y)
			}
			low, high := golden.Array[float32](t, reference, name+"/lo"), golden.Array[float32](t, reference, name+"/hi")
			for e := range grid.Low {
				assert.Equal(t, append(low[2*e:2*e+2:2*e+2], high[2*e:2*e+2]...), corners[4*e:4*e+4], "env %d", e)
			}
			want := golden.Array[float32](t, reference, name+"/height")
			require.Len(t, grid.Height, len(want))
			for i := range want {
				require.Equal(t, math.Float32bits(want[i]), math.Float32bits(grid.Height[i]), "cell %d", i)
			}
		})
	}
	assert.Equal(t, 2, cases)
}
