package track_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// CheckNumbers finds each number that no track may have, and accepts the tracks of a generation.
func TestCheckNumbers(t *testing.T) {
	device := open(t)
	other := math.Float32frombits(0xffc00000)
	for want, change := range map[string]func(b *track.Batch, row int){
		"": func(*track.Batch, int) {},
		"env 1, point 3 of 85: center has the bits 0x7fc00000, which is NaN": func(b *track.Batch, row int) {
			b.Center[row+3].X = kernel.NaN()
		},
		"env 1, point 380 of 85: arclen has the bits 0xffc00000, which is NaN": func(b *track.Batch, row int) {
			b.Arclen[row+380] = other
		},
		"env 1, point 380 of 85: normal has the bits 0x7f800000, which is +Inf": func(b *track.Batch, row int) {
			b.Normal[row+380].Z = kernel.Inf()
		},
		"env 1, point 0 of 1: length has the bits 0x7fc00000, which is NaN": func(b *track.Batch, _ int) {
			b.Length[1] = kernel.NaN()
		},
		"env 1: valid is 1 and reason is 8":                 func(b *track.Batch, _ int) { b.Reason[1] = 8 },
		"env 1: valid is 0 and reason is 0":                 func(b *track.Batch, _ int) { b.Valid[1] = 0 },
		"env 1: count is 0 of 384 points, and valid is 1":   func(b *track.Batch, _ int) { b.Count[1] = 0 },
		"env 1: count is 385 of 384 points, and valid is 1": func(b *track.Batch, _ int) { b.Count[1] = 385 },
	} {
		batch := checked(t, device, tracktest.Config(track.Polar, 2))
		require.EqualValues(t, 85, batch.Count[1])
		change(batch, batch.NMax)
		err := batch.CheckNumbers()
		if want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, want)
		}
	}
	assert.NoError(t, new(track.Batch).CheckNumbers(), "no envs")
}
