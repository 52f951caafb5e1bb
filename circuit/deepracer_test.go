package circuit_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/internal/npy"
)

// array encodes rows of numbers as a NumPy array.
func array(header npy.Header, order binary.ByteOrder, rows [][6]float64) []byte {
	out := bytes.NewBuffer(header.Encode())
	put := func(v float64) {
		if strings.HasSuffix(header.Descr, "f4") {
			_ = binary.Write(out, order, float32(v))
			return
		}
		_ = binary.Write(out, order, v)
	}
	if header.Fortran {
		for k := range 6 {
			for _, row := range rows {
				put(row[k])
			}
		}
		return out.Bytes()
	}
	for _, row := range rows {
		for _, v := range row {
			put(v)
		}
	}
	return out.Bytes()
}

// deepRacerRows returns n points of a road, and the first again. Its inner border is the left one.
func deepRacerRows(r road, n int) [][6]float64 {
	left, right := r.border(n, true), r.border(n, false)
	var rows [][6]float64
	for i := range n + 1 {
		x, y, _ := r.at(r.length * float64(i%n) / float64(n))
		rows = append(rows, [6]float64{x, y, left[i%n][0], left[i%n][1], right[i%n][0], right[i%n][1]})
	}
	return rows
}

func TestDeepRacer(t *testing.T) {
	t.Parallel()
	r := stadium(4, 1.2, func(s float64) (float64, float64) { return 0.35, 0.5 })
	rows := deepRacerRows(r, 150)
	for name, form := range map[string]struct {
		header npy.Header
		order  binary.ByteOrder
	}{
		"float64": {npy.Header{Descr: "<f8"}, binary.LittleEndian},
		"float32": {npy.Header{Descr: "<f4"}, binary.LittleEndian},
		"big":     {npy.Header{Descr: ">f8"}, binary.BigEndian},
		"Fortran": {npy.Header{Descr: "<f8", Fortran: true}, binary.LittleEndian},
	} {
		t.Run(name, func(t *testing.T) {
			form.header.Shape = []int64{151, 6}
			c := readAll(t, "track.npy", string(array(form.header, form.order, rows)), circuit.Options{})[0]
			assert.Equal(t, "DeepRacer .npy", c.Kind)
			assert.Equal(t, "track", c.Name)
			assert.Equal(t, 1, c.Repeated)
			require.Len(t, c.X, 150)
			for i := range c.X {
				require.InDelta(t, rows[i][0], c.X[i], 1e-6)
				require.InDelta(t, rows[i][1], c.Y[i], 1e-6)
				require.InDelta(t, 0.35, c.Left[i], 0.002)
				require.InDelta(t, 0.5, c.Right[i], 0.002)
			}
			assert.Equal(t, []string{"the inner border is on the left, in the order of the rows"}, c.Notes)
		})
	}
	// The other way round, the inner border is on the right.
	header := npy.Header{Descr: "<f8", Shape: []int64{151, 6}}
	var backward [][6]float64
	for i := range rows {
		backward = append(backward, rows[len(rows)-1-i])
	}
	c := readAll(t, "track.npy", string(array(header, binary.LittleEndian, backward)), circuit.Options{})[0]
	assert.InDelta(t, 0.35, c.Right[40], 0.002)
	assert.InDelta(t, 0.5, c.Left[40], 0.002)
	c = readAll(t, "track.npy", string(array(header, binary.LittleEndian, backward)), circuit.Options{Reverse: true})[0]
	assert.InDelta(t, 0.35, c.Left[40], 0.002)
}

// Rows that go on past the start are removed before the widths are measured.
func TestDeepRacerPastItsStart(t *testing.T) {
	t.Parallel()
	rows := deepRacerRows(stadium(4, 1.2, constant(0.35, 0.35)), 150)
	for _, row := range rows[1:6] {
		for k := range row {
			row[k] += 0.004
		}
		rows = append(rows, row)
	}
	header := npy.Header{Descr: "<f8", Shape: []int64{int64(len(rows)), 6}}
	c := readAll(t, "track.npy", string(array(header, binary.LittleEndian, rows)), circuit.Options{})[0]
	require.Len(t, c.X, 150)
	for i := range c.X {
		require.InDelta(t, 0.35, c.Left[i], 0.002, i)
		require.InDelta(t, 0.35, c.Right[i], 0.002, i)
	}
}

func TestDeepRacerRefused(t *testing.T) {
	t.Parallel()
	r := stadium(4, 1.2, constant(0.4, 0.4))
	rows := deepRacerRows(r, 20)
	header := func(descr string, shape ...int64) npy.Header { return npy.Header{Descr: descr, Shape: shape} }
	good := array(header("<f8", 21, 6), binary.LittleEndian, rows)
	with := func(change func(rows [][6]float64)) []byte {
		rows := append([][6]float64{}, rows...)
		change(rows)
		return array(header("<f8", 21, 6), binary.LittleEndian, rows)
	}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"cut":       {good[:300], "the size of the elements of the NumPy array is 172 bytes: must be 1008 for shape [21 6]"},
		"no header": {good[:9], "the NumPy array is damaged: reading the array header: unexpected EOF: must be complete"},
		"columns": {header("<f8", 42, 3).Encode(),
			"the shape of the NumPy array is [42 3]: must be [N 6] as in tracks of DeepRacer"},
		"huge":    {header("<f8", 1<<40, 6).Encode(), "the shape of the NumPy array is [1099511627776 6]"},
		"objects": {header("|O", 21, 6).Encode(), `the element type of the NumPy array is "|O": must be float64 (<f8)`},
		"NaN": {with(func(rows [][6]float64) { rows[3][4] = math.NaN() }),
			"row 3, column 4 of the NumPy array is NaN: must be a number of metres"},
		"one side": {with(func(rows [][6]float64) {
			for i := range rows {
				rows[i][4], rows[i][5] = rows[i][2], rows[i][3]
			}
		}), "the inner border (columns 2 and 3) is on the left of 20 of 20 points, and the outer border (columns 4 and 5) " +
			"of 20"},
		"two points": {array(header("<f8", 2, 6), binary.LittleEndian, rows[:2]), "the number of different points is 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := circuit.ReadAll("track.npy", bytes.NewReader(test.data), circuit.Options{})
			require.ErrorIs(t, err, circuit.ErrFormat)
			assert.ErrorContains(t, err, test.want)
		})
	}
}
