package circuit

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/npy"
)

// readText reads a file with this content.
func readText(t *testing.T, content string) []*File {
	t.Helper()
	files, err := ReadAll("folder/two.txt", strings.NewReader(content), Options{})
	require.NoError(t, err)
	return files
}

// requireTwo checks that files are the two circuits of the tests of this file: a square with widths 1 and 2, called
// Spa, and a triangle with widths from 0.5 to 0.7 and 3 without a name.
func requireTwo(t *testing.T, files []*File) {
	t.Helper()
	require.Len(t, files, 2)
	assert.Equal(t, []string{"Spa", "two 2"}, []string{files[0].Name, files[1].Name})
	assert.Equal(t, []float64{0, 20, 20, 0}, files[0].X)
	assert.Equal(t, []float64{0, 0, 20, 20}, files[0].Y)
	assert.Equal(t, []float64{1, 1, 1, 1}, files[0].Right)
	assert.Equal(t, []float64{2, 2, 2, 2}, files[0].Left)
	assert.Equal(t, []float64{5, 35.5, 20}, files[1].X)
	assert.InDeltaSlice(t, []float64{0.5, 0.6, 0.7}, files[1].Right, 1e-7)
	assert.Equal(t, []float64{3, 3, 3}, files[1].Left)
}

const twoJSON = `{"made_by": {"format":1}, "n_max": 8,
"tracks": [
{"env": 0, "name": "Spa", "valid": true, "center": [[0,0,0],[20,0,0],[20,20,0],[0,20,0]],
 "width_right": [1,1,1,1], "width_left": [2,2,2,2]},
{"env": 7, "valid": false, "count": 2, "center": [[0,null,0],[null,0,0]], "width_right": [1,1], "width_left": [null,2]},
{"env": 9, "valid": false, "center": [[5,0],[35.5,0],[20,30]], "width_right": [0.5,0.6,0.7], "width_left": [3,3,3]}
],
"summary": {}}`

func TestTracksJSON(t *testing.T) {
	t.Parallel()
	files := readText(t, twoJSON)
	requireTwo(t, files)
	assert.Equal(t, "JSON of TrackGen", files[0].Kind)
	assert.Equal(t, []string{"1 tracks that are not valid and have no line are left out: 7"}, files[0].Notes)
	assert.Empty(t, files[1].Notes)

	files = readText(t, `{"tracks": [{"center": [[0,0,5],[20,0,5],[20,0,5],[20,20,5]]}]}`)
	assert.Equal(t, "two", files[0].Name)
	assert.False(t, files[0].Widths())
	assert.Equal(t, 1, files[0].Repeated)
	assert.Equal(t, []float64{5, 5, 5}, files[0].Z)
	assert.Empty(t, files[0].Notes)
}

const twoPoints = `env,name,point,valid,center_x,center_y,center_z,outer_x,width_right,width_left
0,Spa,0,1,0,0,0,9,1,2
0,Spa,1,1,20,0,0,9,1,2
0,Spa,2,1,20,20,0,9,1,2
0,Spa,3,1,0,20,0,9,1,2
7,,0,0,NaN,0,0,9,1,2
9,,0,0,5,0,0,9,0.5,3
9,,1,0,35.5,0,0,9,0.6,3
9,,2,0,20,30,0,9,0.7,3
`

func TestPointsCSV(t *testing.T) {
	t.Parallel()
	files := readText(t, twoPoints)
	requireTwo(t, files)
	assert.Equal(t, "points CSV of TrackGen", files[0].Kind)
	requireTwo(t, readText(t, strings.ReplaceAll(twoPoints, "\n", "\r\n")))
	quoted := strings.ReplaceAll(twoPoints, "Spa", `"a ""b"", c"`)
	assert.Equal(t, `a "b", c`, readText(t, quoted)[0].Name)
}

// npzOf returns an archive of arrays.
func npzOf(t testing.TB, arrays map[string]any, shapes map[string][]int64) string {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, name := range []string{"center", "count", "valid", "width_right", "width_left", "name", "metadata"} {
		values, has := arrays[name]
		if !has {
			continue
		}
		header := npy.Header{Descr: "<f4", Shape: shapes[name]}
		switch values := values.(type) {
		case []int32:
			header.Descr = "<i4"
		case string:
			header.Descr = values[:3] // "<U3"
			words := []uint32{}
			for _, r := range values[3:] {
				words = append(words, uint32(r))
			}
			arrays[name] = words
		}
		w, err := archive.Create(name + ".npy")
		require.NoError(t, err)
		_, err = w.Write(header.Encode())
		require.NoError(t, err)
		require.NoError(t, binary.Write(w, binary.LittleEndian, arrays[name]))
	}
	require.NoError(t, archive.Close())
	return out.String()
}

func twoArrays() (map[string]any, map[string][]int64) {
	nan := float32(math.NaN())
	return map[string]any{
			"center": []float32{0, 0, 0, 20, 0, 0, 20, 20, 0, 0, 20, 0, nan, nan, 0, nan, nan, 0, nan, nan, 0, nan, nan, 0,
				5, 0, 0, 35.5, 0, 0, 20, 30, 0, nan, nan, 0},
			"count": []int32{4, 0, 3}, "valid": []int32{1, 0, 0},
			"width_right": []float32{1, 1, 1, 1, nan, nan, nan, nan, 0.5, 0.6, 0.7, nan},
			"width_left":  []float32{2, 2, 2, 2, nan, nan, nan, nan, 3, 3, 3, nan},
		}, map[string][]int64{"center": {3, 4, 3}, "count": {3}, "valid": {3}, "width_right": {3, 4}, "width_left": {3, 4},
			"name": {3}}
}

func TestTracksNPZ(t *testing.T) {
	t.Parallel()
	arrays, shapes := twoArrays()
	arrays["name"] = "<U3Spa\x00\x00\x00\x00\x00\x00"
	files := readText(t, npzOf(t, arrays, shapes))
	requireTwo(t, files)
	assert.Equal(t, "NumPy archive of TrackGen", files[0].Kind)
	assert.Equal(t, []string{"1 tracks that are not valid and have no line are left out: 1"}, files[0].Notes)
	assert.False(t, files[0].Heights())
	delete(arrays, "name")
	assert.Equal(t, "two 1", readText(t, npzOf(t, arrays, shapes))[0].Name)
	center, isFloats := arrays["center"].([]float32)
	require.True(t, isFloats)
	for i := range 4 {
		center[3*i+2] = float32(i) - 1.5
	}
	assert.Equal(t, []float64{-1.5, -0.5, 0.5, 1.5}, readText(t, npzOf(t, arrays, shapes))[0].Z)
}

func TestTracksAreRefused(t *testing.T) {
	t.Parallel()
	npzWith := func(change func(map[string]any, map[string][]int64)) string {
		arrays, shapes := twoArrays()
		change(arrays, shapes)
		return npzOf(t, arrays, shapes)
	}
	triangle := func(widths string) string {
		return `{"tracks": [{"center": [[0,0],[9,0],[9,9]], ` + widths + "}]}"
	}
	whole := npzWith(func(map[string]any, map[string][]int64) {})
	for want, content := range map[string]string{
		"the JSON is wrong: ":                                 twoJSON[:len(twoJSON)-9],
		"0, beside 1 that are not valid":                      `{"tracks": [{"env": 3, "valid": false, "center": []}]}`,
		"must be [x, y, z] or [x, y]":                         `{"tracks": [{"center": [[1],[2],[3]]}]}`,
		`"x" is no number`:                                    `{"tracks": [{"center": [["x",0],[2,1],[3,3]]}]}`,
		"3 to the right and 2 to the left":                    triangle(`"width_right":[1,1,1],"width_left":[1,1]`),
		"is only to one side":                                 triangle(`"width_right":[1,1,1]`),
		"x of point 2 is NaN":                                 `{"tracks": [{"valid":true,"center": [[0,0],[null,0],[9,9]]}]}`,
		"width_left of point 1 is -2":                         strings.Replace(twoPoints, ",1,2\n", ",1,-2\n", 1),
		"the name of the column is \"env\"":                   "env,env,center_x,center_y\n",
		"center_x is \"zero\"":                                strings.Replace(twoPoints, "1,0,0,0,9", "1,zero,0,0,9", 1),
		"two.txt:3: the CSV is wrong: wrong number of fields": strings.Replace(twoPoints, "0,Spa,1,", "0,1,", 1),
		"the points of a track are together":                  twoPoints + "0,Spa,9,1,0,9,0,9,1,2\n",
		"the archive is wrong":                                whole[:len(whole)-30],
		"the array center or count is missing": npzWith(func(a map[string]any, _ map[string][]int64) {
			delete(a, "count")
		}),
		"the array count is 5 for env 0": npzWith(func(a map[string]any, _ map[string][]int64) {
			a["count"] = []int32{5, 0, 3}
		}),
		"the array width_left is of type": npzWith(func(_ map[string]any, s map[string][]int64) {
			s["width_left"] = []int64{4, 3}
		}),
		"do not hold its shape": npzWith(func(_ map[string]any, s map[string][]int64) {
			s["center"] = []int64{3, 1 << 60, 3}
		}),
	} {
		_, err := ReadAll("two.txt", strings.NewReader(content), Options{})
		require.ErrorIs(t, err, ErrFormat, want)
		assert.ErrorContains(t, err, want)
	}
}

// The error of one of several circuits names it.
func TestErrorsNameTheCircuit(t *testing.T) {
	t.Parallel()
	short := strings.Replace(twoJSON, "[[5,0],[35.5,0],[20,30]]", "[[5,0],[5.1,0],[5,0.1]]", 1)
	_, err := ReadAll("two.json", strings.NewReader(short), Options{})
	require.ErrorIs(t, err, ErrFormat)
	require.ErrorContains(t, err, `two.json: circuit 2, "two 2": the length of the closed line is 0.341421 m: must be`)
	files, err := ReadAll("a\x1b[2J.csv", strings.NewReader("0,0\n9,0\n9,9\n"), Options{})
	require.NoError(t, err)
	require.Equal(t, "a[2J", files[0].Name)
}

func TestCleanName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Spa": "Spa", " a\n\tb ": "a b", "x\x1b[2J": "x[2J", "\u202eabc": "abc", "Z\u00fcrich": "Z\u00fcrich",
		"a\xffb": "a\uFFFDb", strings.Repeat("é", 101): strings.Repeat("é", 100), "\x00": "",
	} {
		assert.Equal(t, want, cleanName(name))
	}
}

// No file of tracks causes a panic, and the results are valid circuits.
func FuzzTracks(f *testing.F) {
	arrays, shapes := twoArrays()
	arrays["name"] = "<U3Spa\x00\x00\x00\x00\x00\x00"
	for _, seed := range []string{twoJSON, twoPoints, npzOf(f, arrays, shapes), `{"tracks": [{"center": [[0,0],[9,0],null]}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := ReadAll("fuzz", bytes.NewReader(data), Options{})
		if err != nil {
			require.ErrorIs(t, err, ErrFormat)
			return
		}
		for _, c := range files {
			require.Len(t, c.Y, len(c.X))
			require.True(t, !c.Widths() || len(c.Right) == len(c.X) && len(c.Left) == len(c.X))
		}
	})
}
