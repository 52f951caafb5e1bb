package measured

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
)

// Two segments that meet on a line are split by it exactly once, wherever they meet.
func TestSplits(t *testing.T) {
	a, b := kernel.V2(-1, 0), kernel.V2(1, 0)
	rapid.Check(t, func(t *rapid.T) {
		joint := kernel.V2(rapid.Float32Range(-1, 1).Draw(t, "x"),
			rapid.SampledFrom([]float32{0, 1e-30, -1e-30, 0.1, -0.1}).Draw(t, "y"))
		above, below := kernel.V2(0.3, 1), kernel.V2(0.2, -1)
		if splits(a, b, above, joint) == splits(a, b, joint, below) {
			t.Fatal("twice or never")
		}
	})
}

func TestApart(t *testing.T) {
	assert.Equal(t, int32(0), apart(3, 3, 10))
	assert.Equal(t, int32(1), apart(9, 0, 10))
	assert.Equal(t, int32(5), apart(0, 5, 10))
	assert.Equal(t, int32(4), apart(7, 1, 10))
}

// The part of a road's width that counts against another place is the one on the side of that place.
func TestWidthTowards(t *testing.T) {
	north := kernel.V3(0, 1, 0) // driving east: left is north
	assert.Equal(t, float32(7), widthTowards(kernel.V2(3, 1), north, 2, 7))
	assert.Equal(t, float32(2), widthTowards(kernel.V2(3, -1), north, 2, 7))
	assert.Equal(t, float32(5), along(kernel.V2(3, -5), north))
}
