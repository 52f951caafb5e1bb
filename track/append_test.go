package track

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
)

// filled returns a batch in which all elements of all arrays are different numbers, from first on.
func filled(envs, nMax int, first float32) *Batch {
	b := &Batch{Envs: envs, NMax: nMax}
	for _, c := range Schema.Host(&b.HostColumns) {
		c.Resize(envs * c.Stride(nMax))
		for k := range c.Len() {
			first++
			switch c.Type {
			case kernel.TypeVec3:
				c.Vectors()[k] = kernel.V3(first, first, first)
			case kernel.Float32:
				c.Numbers()[k] = first
			default:
				c.Integers()[k] = int32(first)
			}
		}
	}
	return b
}

// Append copies every array of a batch. The test fails for a field that is added to Batch and forgotten in Append.
func TestAppendCopiesEveryArray(t *testing.T) {
	a := filled(3, 2, 0)
	var all Batch
	require.NoError(t, all.Append(a, 0, 1))
	require.NoError(t, all.Append(a, 2))
	require.Equal(t, a, &all)

	var swapped, back Batch
	require.NoError(t, swapped.Append(a, 2, 0, 1))
	require.NotEqual(t, a, &swapped)
	require.NoError(t, back.Append(&swapped, 1, 2, 0))
	require.Equal(t, a, &back)

	swapped.Center[0].X = -1
	require.Equal(t, a, &back, "values are copies")
}

func TestAppendOfBatchesWithOtherArrays(t *testing.T) {
	measured, generated := filled(1, 2, 0), filled(2, 2, 100)
	generated.Candidate, generated.WidthRight, generated.WidthLeft, generated.Crossings = nil, nil, nil, nil
	var b Batch
	require.NoError(t, b.Append(generated, 1))
	require.Nil(t, b.WidthLeft)
	require.NoError(t, b.Append(measured, 0))
	require.NoError(t, b.Append(generated, 0))
	require.Equal(t, 3, b.Envs)
	require.Equal(t, []float32{0, 0, measured.WidthLeft[0], measured.WidthLeft[1], 0, 0}, b.WidthLeft)
	require.Equal(t, []int32{0, measured.Candidate[0], 0}, b.Candidate)
}

func TestAppendRefuses(t *testing.T) {
	b, a := filled(1, 2, 0), filled(2, 3, 0)
	require.ErrorContains(t, b.Append(a, 0), "batch of 2 points per track: the other batch stores 3")
	require.ErrorContains(t, new(Batch).Append(a, 0, 2), "append env 2: must be 0 to 1")
	require.ErrorContains(t, new(Batch).Append(a, -1), "append env -1")
	require.Equal(t, filled(1, 2, 0), b)
}

// Names go with their envs.
func TestAppendNames(t *testing.T) {
	named, unnamed := filled(2, 2, 0), filled(2, 2, 100)
	named.Names = []string{"a", "b"}
	var all Batch
	require.NoError(t, all.Append(unnamed, 0))
	require.Nil(t, all.Names)
	require.NoError(t, all.Append(named, 1, 0))
	require.NoError(t, all.Append(unnamed, 1))
	require.Equal(t, []string{"", "b", "a", ""}, all.Names)
	require.Equal(t, []string{"b", "", ""}, []string{all.Name(1), all.Name(3), unnamed.Name(0)})
}
