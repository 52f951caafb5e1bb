package parity

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
)

// measuredCircuits are three circuits with varying widths: a wavy ring driven clockwise, a figure of eight far from the
// origin, and a hairpin that is too narrow for its road.
func measuredCircuits() []track.Circuit {
	ring, eight, hairpin := track.Circuit{Name: "ring"}, track.Circuit{Name: "eight"},
		track.Circuit{Name: "hairpin"}
	add := func(c *track.Circuit, x, y, right, left float64) {
		c.X, c.Y, c.Right, c.Left = append(c.X, x), append(c.Y, y), append(c.Right, right), append(c.Left, left)
	}
	for i := range 300 {
		angle := 2 * math.Pi * float64(i) / 300
		radius := 200 + 30*math.Sin(5*angle)
		add(&ring, radius*math.Cos(angle), -radius*math.Sin(angle), 6+2*math.Sin(3*angle), 5+math.Cos(7*angle))
		add(&eight, 3000+250*math.Sin(angle), -2000+120*math.Sin(2*angle), 5+math.Cos(angle), 4)
	}
	for i := range 60 {
		angle := 2 * math.Pi * float64(i) / 60
		add(&hairpin, 100*math.Cos(angle), 9*math.Sin(angle), 5, 11)
	}
	return []track.Circuit{ring, eight, hairpin}
}

// Measured circuits have the same bits on every device and with instrumented kernels, which detect races and bad
// indices.
func TestMeasuredCircuitsAgree(t *testing.T) {
	devices := openAll(t)
	debug, err := backend.Open("cpu", backend.Debug(true))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, debug.Close()) })
	for variant, options := range map[string]track.ImportOptions{
		"default": {}, "flat": {NoCrossings: true, Height: 3}, "relaxed": {Relax: true, Spacing: 7},
		"relaxed small": {Relax: true, MaxPoints: 300}, "short": {MaxPoints: 64},
	} {
		var reference *track.Batch
		for _, device := range append([]backend.Device{debug}, devices...) {
			tracks, err := track.Import(context.Background(), device, options, measuredCircuits()...)
			require.NoError(t, err, variant)
			batch, err := tracks.Batch(context.Background())
			require.NoError(t, err)
			require.NoError(t, tracks.Close())
			if reference == nil {
				reference = batch
				t.Log(variant, batch.Count, batch.Reason, batch.Crossings)
				continue
			}
			assert.Equal(t, measuredBits(reference), measuredBits(batch), "%s on %s", variant, device.Info().Name)
			t.Log(variant, device.Info().Name)
		}
	}
}

// measuredBits returns every bit of a batch.
func measuredBits(b *track.Batch) map[string][]byte {
	all := map[string][]byte{}
	for _, c := range track.Schema.Host(&b.HostColumns) {
		all[c.Name] = c.AppendWords(nil, 0, c.Len())
	}
	return all
}
