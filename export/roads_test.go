package export

import (
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// unequalBatch holds one counter-clockwise and one clockwise track at height 2. To the left, the road is 1.5 times as
// wide as in the other tests; to the right, 0.5 to 1 times.
func unequalBatch() *track.Batch {
	b := newBatch(2, 96)
	setTrack(b, 0, 80, 0.1, wavy(0.8, 0.1, 3, 0.2))
	setTrack(b, 1, 90, 0.1, func(u float64) (float64, float64) { return wavy(0.8, 0.1, 3, 0.2)(-u) })
	for e := range b.Envs {
		for i := range int(b.Count[e]) {
			k := e*b.NMax + i
			c, n := b.Center[k], b.Normal[k]
			left, right := b.Inner, b.Outer
			if b.Winding[e] < 0 {
				left, right = b.Outer, b.Inner
			}
			wl := float32(0.15)
			wr := float32(0.075 + 0.025*math.Cos(2*math.Pi*float64(i)/float64(b.Count[e])))
			left[k], right[k] = c.Add(n.Scale(wl)), c.Sub(n.Scale(wr))
			for _, line := range [][]kernel.Vec3{b.Center, b.Outer, b.Inner} {
				line[k].Z = 2
			}
		}
		b.Seed[e], b.Epoch[e] = int32(50+e), 3
	}
	return b
}

func mustRoad(t testing.TB, b *track.Batch, e int, scale float64) *Road {
	t.Helper()
	r, err := RoadOf(b, e, scale)
	require.NoError(t, err)
	return r
}

func TestRoadOf(t *testing.T) {
	b := unequalBatch()
	require.Equal(t, []float32{-1, 1}, b.Winding)
	for e := range b.Envs {
		r := mustRoad(t, b, e, 10)
		require.Len(t, r.Center, int(b.Count[e]))
		require.Equal(t, int(b.Winding[e]), r.Winding)
		require.InDelta(t, float64(b.Length[e])*10, r.Length, 1e-9)
		require.Equal(t, []int32{int32(50 + e), 3}, []int32{r.Seed, r.Epoch})
		for i := range r.Center {
			right, left := r.Widths(i)
			require.InDelta(t, 1.5, left, 1e-5)
			require.InDelta(t, 0.75+0.25*math.Cos(2*math.Pi*float64(i)/float64(b.Count[e])), right, 1e-5)
			require.InDelta(t, 20, r.Left[i].Z, 1e-9)
		}
		narrowest, widest := r.widthRange()
		require.InDelta(t, 2, narrowest, 0.01)
		require.InDelta(t, 2.5, widest, 0.01)
	}
	// The result does not depend on the winding number: with winding 0, a track has the same sides.
	b.Winding[0] = 0
	right, _ := mustRoad(t, b, 0, 10).Widths(0)
	require.InDelta(t, 1, right, 1e-5)
}

func TestNoRoad(t *testing.T) {
	b := sampleBatch()
	for e, want := range map[int]string{3: "env 3 is no road: it has 0 points",
		4: "env 4 is no road: its length is -Inf"} {
		_, err := RoadOf(b, e, 1)
		require.ErrorIs(t, err, ErrNoRoad)
		require.ErrorContains(t, err, want)
	}
	b.Length[4] = 1
	_, err := RoadOf(b, 4, 1)
	require.ErrorContains(t, err, "point 3 of its centreline is (NaN, ")
	b.Center[3].X = 1e30
	_, err = RoadOf(b, 0, 1e9)
	require.ErrorIs(t, err, ErrNoRoad, "more than a file's numbers can hold")
	b.Center[3].X = 0.5
	for _, scale := range []float64{0, -1, math.NaN(), math.Inf(1), 1e10} {
		_, err := RoadOf(b, 0, scale)
		require.ErrorContains(t, err, "scale is ", "%v", scale)
		require.NotErrorIs(t, err, ErrNoRoad)
	}
	_, err = RoadOf(b, 7, 1)
	require.ErrorContains(t, err, "there is no env 7: must be 0 to 6")
	_, err = RoadOf(nil, 0, 1)
	require.Error(t, err)
	r := mustRoad(t, b, 2, 1)
	require.False(t, r.Valid)
	require.Equal(t, []string{"turning", "separation"}, r.Reasons)
}

func TestCircuit(t *testing.T) {
	b := unequalBatch()
	r := mustRoad(t, b, 1, 10)
	var out bytes.Buffer
	require.NoError(t, WriteCircuit(&out, r))
	require.True(t, strings.HasPrefix(out.String(), "# x_m,y_m,w_tr_right_m,w_tr_left_m\n"))
	reader := csv.NewReader(bytes.NewReader(out.Bytes()))
	reader.Comment = '#'
	reader.FieldsPerRecord = 4
	rows, err := reader.ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, len(r.Center))
	for i, row := range rows {
		var numbers [4]float64
		for k, text := range row {
			require.NotContains(t, text, "e")
			numbers[k], err = strconv.ParseFloat(text, 64)
			require.NoError(t, err)
		}
		right, left := r.Widths(i)
		require.InDelta(t, r.Center[i].X, numbers[0], 1e-6)
		require.InDelta(t, r.Center[i].Y, numbers[1], 1e-6)
		require.InEpsilon(t, right, numbers[2], 1e-5)
		require.InEpsilon(t, left, numbers[3], 1e-5)
	}
	// Unscaled coordinates are exactly those of the batch, and widths have no noise in their last digits.
	out.Reset()
	require.NoError(t, WriteCircuit(&out, mustRoad(t, sampleBatch(), 0, 1)))
	require.Contains(t, out.String(), "\n0.5,0,0.1,0.1\n")
}

func TestNumPyReadsCircuit(t *testing.T) {
	r := mustRoad(t, unequalBatch(), 0, 10)
	path := filepath.Join(t.TempDir(), "track.csv")
	require.NoError(t, WriteFile(path, func(w io.Writer) error { return WriteCircuit(w, r) }))
	const script = `
import sys
import numpy as np
x, y, right, left = np.loadtxt(sys.argv[1], delimiter=",", unpack=True)
assert len(x) == 80 and np.isfinite(x).all()
assert np.allclose(left, 1.5, atol=1e-4) and right.min() > 0.49 and right.max() < 1.01
# The track is clockwise, so its left border encloses the other: move along the normal and compare areas.
tx, ty = np.roll(x, -1) - np.roll(x, 1), np.roll(y, -1) - np.roll(y, 1)
n = np.hypot(tx, ty)
area = lambda x, y: 0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)
assert area(x, y) < 0
assert abs(area(x - left * ty / n, y + left * tx / n)) > abs(area(x, y)) > abs(area(x + right * ty / n, y - right * tx / n))
`
	required.Python(t, "numpy", script, path)
}

// Both roads of a circuit with a bridge are free in its map.
func TestRoadThatCrossesItself(t *testing.T) {
	b := newBatch(1, 96)
	setTrack(b, 0, 96, 0.05, lemniscate(1))
	r := mustRoad(t, b, 0, 10)
	require.True(t, crossesItself(r))
	require.False(t, crossesItself(mustRoad(t, unequalBatch(), 0, 10)))
	folder := filepath.Join(t.TempDir(), "eight")
	_, err := OccupancyMap{Resolution: 0.05}.Cells(r)
	require.ErrorIs(t, err, ErrLevelCrossing)
	require.ErrorIs(t, err, ErrMap)
	writeMap(t, folder, "eight", r, OccupancyMap{Resolution: 0.05, LevelCrossings: true})
	m := readMap(t, folder, "eight")
	for _, c := range r.Center {
		require.Equal(t, "free", m.at(c.X, c.Y))
	}
	require.Equal(t, []string{"occupied", "occupied"}, []string{m.at(6, 0), m.at(-6, 0)}, "the two infields")
}

func TestAtomicFolder(t *testing.T) {
	parent := t.TempDir()
	write := func(text string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	}
	target := filepath.Join(parent, "maps")
	require.NoError(t, ProbeFolder(target+"/"))
	requireFiles(t, parent)
	f, err := CreateAtomicFolder(target + "/")
	require.NoError(t, err)
	require.NoError(t, f.WriteFile("a.txt", write("A")))
	require.NoError(t, f.WriteFile("deep/er/b.txt", write("B")))
	require.NoDirExists(t, target, "nothing shows before Commit")
	require.NoError(t, f.Commit())
	require.NoError(t, f.Abort())
	require.ErrorIs(t, f.Commit(), os.ErrClosed)
	require.ErrorIs(t, f.WriteFile("c", write("")), os.ErrClosed)
	require.Equal(t, "B", string(readFile(t, filepath.Join(target, "deep", "er", "b.txt"))))
	requireFiles(t, parent, "maps")

	// Existing targets are never replaced, except empty folders.
	_, err = CreateAtomicFolder(target)
	require.ErrorContains(t, err, `maps": the folder is not empty`)
	_, err = CreateAtomicFolder(filepath.Join(target, "a.txt"))
	require.ErrorContains(t, err, "it exists and is not a folder")
	_, err = CreateAtomicFolder(filepath.Join(parent, "none", "maps"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = CreateAtomicFolder("")
	require.ErrorContains(t, err, "no folder name given")
	empty := filepath.Join(parent, "empty")
	require.NoError(t, os.Mkdir(empty, 0o755))
	f, err = CreateAtomicFolder(empty)
	require.NoError(t, err)
	require.NoError(t, f.WriteFile("a", write("A")))
	require.NoError(t, f.Commit())
	requireFiles(t, empty, "a")

	// An error leaves nothing behind.
	f, err = CreateAtomicFolder(filepath.Join(parent, "failed"))
	require.NoError(t, err)
	require.ErrorIs(t, f.WriteFile("a", func(io.Writer) error { return errFull }), errFull)
	require.ErrorContains(t, f.WriteFile("../a", write("")), "leads out of the folder")
	require.NoError(t, f.WriteFile("b", write("")))
	require.ErrorIs(t, f.WriteFile("b", write("")), os.ErrExist)
	require.NoError(t, f.Abort())
	require.NoError(t, f.Abort())
	requireFiles(t, parent, "maps", "empty")

	// Another process may have filled the target in the meantime.
	late := filepath.Join(parent, "late")
	f, err = CreateAtomicFolder(late)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(late, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(late, "theirs"), nil, 0o600))
	require.Error(t, f.Commit())
	requireFiles(t, late, "theirs")
	names := []string{}
	entries, err := os.ReadDir(parent)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.False(t, slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, ".trackgen") }))
}
