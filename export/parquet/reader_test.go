package parquet_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// circuits holds a square of 20 m called Spa, a track without a line, and a triangle at a height of 3 m without a name.
func circuits() *track.Batch {
	b := track.NewBatch(3, 4)
	b.WidthRight, b.WidthLeft = make([]float32, 12), make([]float32, 12)
	b.Names = []string{"Spa", "", ""}
	lines := [][]kernel.Vec3{
		{kernel.V3(0, 0, 0), kernel.V3(20, 0, 0), kernel.V3(20, 20, 0), kernel.V3(0, 20, 0)}, nil,
		{kernel.V3(5, 0, 3), kernel.V3(35.5, 0, 3), kernel.V3(20, 30, 3)},
	}
	for e, line := range lines {
		b.Count[e], b.Valid[e] = int32(len(line)), int32(min(len(line), 1))
		for i, p := range line {
			k := e*b.NMax + i
			b.Center[k], b.WidthRight[k], b.WidthLeft[k] = p, 1, float32(i)+2
		}
	}
	return b
}

func TestCircuitsReadBack(t *testing.T) {
	text := encode(t, circuits())
	files, err := circuit.ReadAll("folder/three.parquet", bytes.NewReader(text), circuit.Options{})
	require.NoError(t, err)
	require.Len(t, files, 2)
	assert.Equal(t, []string{"Spa", "three 2"}, []string{files[0].Name, files[1].Name})
	assert.Equal(t, "parquet", files[0].Kind)
	assert.Equal(t, []float64{0, 20, 20, 0}, files[0].X)
	assert.Equal(t, []float64{0, 0, 20, 20}, files[0].Y)
	assert.Equal(t, []float64{1, 1, 1, 1}, files[0].Right)
	assert.Equal(t, []float64{2, 3, 4, 5}, files[0].Left)
	assert.Equal(t, []float64{5, 35.5, 20}, files[1].X)
	assert.Equal(t, []float64{2, 3, 4}, files[1].Left)
	assert.Equal(t, []float64{3, 3, 3}, files[1].Z)
	assert.Equal(t, []string{"1 tracks that are not valid and have no line are left out: 1"}, files[0].Notes)
}

// A damaged file is an error or is read as other numbers. Nothing panics.
func TestDamagedFiles(t *testing.T) {
	text := encode(t, circuits())
	read := func(data []byte) error {
		_, err := circuit.ReadAll("three.parquet", bytes.NewReader(data), circuit.Options{})
		return err
	}
	for n := 4; n < len(text); n += 61 {
		require.ErrorIs(t, read(text[:n]), circuit.ErrFormat, "the first %d bytes", n)
	}
	for i := 4; i < len(text); i += 11 {
		damaged := bytes.Clone(text)
		damaged[i] ^= 0x41
		if err := read(damaged); err != nil {
			require.ErrorIs(t, err, circuit.ErrFormat, "byte %d", i)
		}
	}
}
