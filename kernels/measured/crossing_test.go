package measured

import (
	"testing"

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
