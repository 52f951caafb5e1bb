package track_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// checked generates a batch and checks its numbers.
func checked(t *testing.T, device backend.Device, config track.Config) *track.Batch {
	t.Helper()
	generator, err := track.NewGenerator(device, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	batch, err := generator.Track().Batch(t.Context())
	require.NoError(t, err)
	require.NoError(t, batch.CheckNumbers())
	if config.Relax.Enabled && config.Candidates == 1 {
		for _, array := range generator.StageArrays() {
			if array.Type != kernel.TypeVec2 || array.Stage == "loop" {
				continue
			}
			words, err := array.Words(t.Context())
			require.NoError(t, err)
			for i, bits := range words {
				isNaN := bits&0x7fffffff > 0x7f800000
				require.True(t, !isNaN || bits == kernel.NaNBits, "word %d of %s: %#08x", i, array.Name, bits)
			}
		}
	}
	return batch
}

// With a large weight, each sweep of the relaxation makes the line longer, until its coordinates overflow. Such a track
// has no points and says why.
func TestRelaxationWithoutBound(t *testing.T) {
	device := open(t)
	for _, name := range track.Generators() {
		batch := checked(t, device, tracktest.Small(tracktest.Config(name, 4, func(c *track.Config) {
			c.Relax.SpacingWeight = 4
		})))
		assert.Equal(t, slices.Repeat([]track.Reason{track.ReasonNotFinite}, 4), batch.Reason, name)
		assert.Equal(t, make([]int32, 4), batch.Count, name)
	}
	large := checked(t, device, tracktest.Config(track.Polar, 2, func(c *track.Config) {
		c.Relax.SpacingWeight, c.Output.MaxPoints = 10, 700
	}))
	assert.Equal(t, track.ReasonNotFinite, large.Reason[1], "the relaxation of long loops")
}

// spoiltLoops registers a generator of circles, in some of which points are spoilt, and returns the reasons of their
// tracks.
func spoiltLoops(t *testing.T, name string) []track.Reason {
	t.Helper()
	computed := math.Float32frombits(0xffc12345) // a NaN other than that of the padding
	const points = 256
	spoil := []func(loop []kernel.Vec2){
		func([]kernel.Vec2) {},
		func(loop []kernel.Vec2) { loop[points-1].Y = computed },
		func(loop []kernel.Vec2) { loop[0].X = kernel.Inf() },
		func(loop []kernel.Vec2) { clear(loop) },
		func(loop []kernel.Vec2) {
			for i := range loop {
				loop[i] = loop[i].Scale(1e30)
			}
		},
		func(loop []kernel.Vec2) {
			for i := range loop {
				loop[i] = kernel.V2(-kernel.Inf(), computed)
			}
		},
		func(loop []kernel.Vec2) {
			for i := range loop {
				loop[i] = loop[i].Scale(1e10).Add(kernel.V2(-5e12, 0))
			}
		},
		func(loop []kernel.Vec2) {
			for i := range loop {
				loop[i] = loop[i].Scale(1e10).Add(kernel.V2(0, 5e12))
			}
		},
	}
	loops := make([]kernel.Vec2, len(spoil)*points)
	for i := range loops {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / points)
		loops[i] = kernel.V2(float32(cos), float32(sin))
	}
	for e, change := range spoil {
		change(loops[e*points : (e+1)*points])
	}
	stage := func(track.Config) exec.Stage {
		return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
			loop, err := pipeline.Output[kernel.Vec2](b, track.LoopOutput, points)
			if err != nil {
				return nil, err
			}
			return func(*exec.LaunchContext) {}, loop.Write(t.Context(), loops)
		})
	}
	require.NoError(t, track.Register(name, track.Spec{Stage: stage}))
	t.Cleanup(func() { track.Unregister(name) })
	notFinite := track.ReasonNotFinite
	return []track.Reason{0, notFinite, notFinite, track.ReasonEmpty, notFinite, notFinite, notFinite, notFinite}
}

// Whatever the loops of a user's generator are, the numbers of the tracks are finite: alone, in a mixed batch, with
// candidates and roads that vary, with and without relaxation.
func TestLoopsThatAreNotFinite(t *testing.T) {
	device := open(t)
	want := spoiltLoops(t, "spoilt")
	for variant, change := range map[string]func(*track.Config){
		"default":    func(*track.Config) {},
		"unrelaxed":  func(c *track.Config) { c.Relax.Enabled = false },
		"candidates": func(c *track.Config) { c.Candidates = 3 },
		"varies": func(c *track.Config) {
			c.Variation.HalfWidthRange = track.Range{Min: 0.05, Max: 0.1}
			c.Variation.RandomDirection, c.Variation.RandomMirror = true, true
		},
		"borders": func(c *track.Config) { c.Validity.CheckBorders, c.Road.HalfWidth = true, 0.05 },
		"mixed": func(c *track.Config) {
			c.Mix, c.Generator = []track.Component{c.NewComponent(1, "spoilt")}, track.Mixed
		},
	} {
		config := tracktest.Config("spoilt", len(want), change)
		assert.Equal(t, want, checked(t, device, config).Reason, variant)
	}
}
