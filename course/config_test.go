package course_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/track"
)

// tracksConfig is a course of tracks with boxes against borders.
func tracksConfig() course.Config {
	tracks := track.DefaultConfig()
	c := course.DefaultConfig()
	c.Tracks, c.Checkpoints.Spacing, c.Collision.Method = &tracks, 0.6, course.Segments
	return c
}

// gatesConfig is a course of gates without posts and frames.
func gatesConfig() course.Config {
	gates := gate.DefaultConfig()
	gates.Gate.Width = 0.1
	c := course.DefaultConfig()
	c.Gates = &gates
	return c
}

// legal says whether C-101 allows a configuration, as the rule is written. boxes is max_boxes, samples is
// samples_per_gate; a number that is not set is 0.
func legal(c course.Config) bool {
	boxes := c.Boxes
	if boxes == 0 {
		boxes = c.Agents
	}
	positive := func(values ...float64) bool {
		for _, v := range values {
			if !(v > 0) {
				return false
			}
		}
		return true
	}
	frame := []float64{c.Frames.Thickness, c.Frames.Depth, c.Frames.AgentRadius}
	anyFrame := frame[0] != 0 || frame[1] != 0 || frame[2] != 0
	if (c.Tracks == nil) == (c.Gates == nil) || boxes < 1 || c.Agents < 1 {
		return false
	}
	// Ours: boxes against each other, and swept motion.
	others := c.Collision.Agents
	if c.Collision.Swept && !others && c.Collision.Method != course.Segments && !(c.Posts.Radius > 0) {
		return false
	}
	method, sdf, ground, most := c.Collision.Method, c.Collision.SdfResolution, c.Ground.Resolution, c.Checkpoints.Max
	window := c.Localize.WarmWindow
	if c.Tracks != nil {
		switch {
		case boxes != c.Agents && method == course.None && !others,
			c.Posts.Radius != 0, c.Frames.Enabled, anyFrame, c.Line.SamplesPerGate != 8,
			window != 0 && !c.Localize.Enabled, window < 0,
			method != course.None && method != course.Segments && method != course.SDF,
			!positive(c.Checkpoints.Spacing), sdf != 0 && method != course.SDF, sdf != 0 && sdf < 8,
			ground != 0 && ground < 8, most != 0 && most < 3:
			return false
		}
		return true
	}
	switch {
	case boxes != c.Agents && !(c.Posts.Radius > 0) && !others,
		method != course.None, sdf != 0, ground != 0, c.Checkpoints.Spacing != 0, most != 0, c.Localize.Enabled,
		!(c.Posts.Radius >= 0), c.Frames.Enabled && c.Posts.Radius > 0, c.Frames.Enabled && !positive(frame...),
		!c.Frames.Enabled && anyFrame, !positive(c.Gates.Gate.Width), c.Line.SamplesPerGate < 2, window < 0:
		return false
	}
	return true
}

// pick returns one of values.
func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// drawConfig draws a configuration that is legal, or nearly so.
func drawConfig(r *rand.Rand) course.Config {
	c := course.DefaultConfig()
	if r.IntN(10) < 5 {
		c = tracksConfig()
		c.Collision.Method = pick(r, course.None, course.Segments, course.SDF, "scan")
		c.Checkpoints.Spacing = pick(r, 0.6, 0.6, 0.6, 0, -1, math.NaN())
	} else {
		c = gatesConfig()
		c.Gates.Gate.Width = pick(r, 0.1, 0.1, 0.1, 0)
		c.Posts.Radius = pick(r, 0, 0.03, 0.03, -1, math.NaN())
		if c.Frames.Enabled = r.IntN(3) == 0; c.Frames.Enabled {
			c.Frames.Thickness, c.Frames.Depth, c.Frames.AgentRadius = 0.1, 0.1, pick(r, 0.1, 0.1, 0, math.NaN())
		}
	}
	return c
}

// changeConfig changes a field of a configuration.
func changeConfig(r *rand.Rand, c *course.Config) {
	switch r.IntN(16) {
	case 0:
		c.Agents = pick(r, 1, 2, 0, -1)
	case 1:
		c.Boxes = pick(r, 1, 2, 5, -1)
	case 2:
		c.Collision.SdfResolution = pick(r, 7, 8, 128)
	case 3:
		c.Ground.Resolution = pick(r, 7, 8, 64)
	case 4:
		c.Checkpoints.Max = pick(r, 2, 3, 50)
	case 5:
		c.Line.SamplesPerGate = pick(r, 1, 2, 8, 9)
	case 6:
		c.Localize.Enabled = true
	case 7:
		c.Localize.WarmWindow = pick(r, -1, 1, 8)
	case 8:
		c.Localize.Enabled, c.Localize.WarmWindow = true, 4
	case 9:
		c.Posts.Radius = 0.03
	case 10:
		c.Frames.Enabled = true
	case 11:
		c.Frames.Thickness = 0.1
	case 12:
		tracks := track.DefaultConfig()
		c.Tracks = pick(r, &tracks, nil)
	case 14:
		c.Collision.Agents = true
	case 15:
		c.Collision.Swept = true
	case 13:
		gates := gate.DefaultConfig()
		c.Gates = pick(r, &gates, nil)
	}
}

// Validate allows what C-101 allows, for all combinations of options in a large sample.
func TestOptionMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 4_000 {
		c := drawConfig(r)
		for range r.IntN(3) { // few changes, so that many are legal
			changeConfig(r, &c)
		}
		err := c.Validate()
		if want := legal(c); want != (err == nil) {
			require.Failf(t, "C-101", "legal %v, Validate returns %v: %+v", want, err, c)
		}
		if err == nil {
			accepted++
		} else {
			require.ErrorIs(t, err, course.ErrConfig)
		}
	}
	assert.Greater(t, accepted, 600)
	assert.Less(t, accepted, 3_400)
}

// ofChanged returns a function that returns what Validate says of a configuration after a change.
func ofChanged(made func() course.Config) func(change func(c *course.Config)) error {
	return func(change func(c *course.Config)) error {
		c := made()
		change(&c)
		return c.Validate()
	}
}

// checkConfigErrors checks errors, by the text that they contain.
func checkConfigErrors(t *testing.T, errs map[string]error) {
	t.Helper()
	for want, err := range errs {
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, course.ErrConfig)
		var named *course.ConfigError
		require.True(t, errors.As(err, &named))
	}
}

// Each wrong value has an error that names the field, the value and what is allowed.
func TestValidateNamesTheField(t *testing.T) {
	tracks, gates := ofChanged(tracksConfig), ofChanged(gatesConfig)
	require.NoError(t, tracks(func(*course.Config) {}))
	require.NoError(t, gates(func(*course.Config) {}))
	checkConfigErrors(t, map[string]error{
		"the configuration is without its defaults":    course.Config{}.Validate(),
		"tracks is nil: must be a configuration":       course.DefaultConfig().Validate(),
		"gates is set: must be nil beside tracks":      tracks(func(c *course.Config) { c.Gates = gatesConfig().Gates }),
		"tracks.road.half_width is -1: must be":        tracks(func(c *course.Config) { c.Tracks.Road.HalfWidth = -1 }),
		"gates.gate.width is 0: must be a number > 0":  gates(func(c *course.Config) { c.Gates.Gate.Width = 0 }),
		"agents is 0: must be a whole number >= 1":     tracks(func(c *course.Config) { c.Agents = 0 }),
		"checkpoints.spacing is 0: must be a number":   tracks(func(c *course.Config) { c.Checkpoints.Spacing = 0 }),
		"checkpoints.spacing is NaN: must be a number": tracks(func(c *course.Config) { c.Checkpoints.Spacing = math.NaN() }),
		"checkpoints.max is 2: must be a whole number": tracks(func(c *course.Config) { c.Checkpoints.Max = 2 }),
		`collision.method is "scan": must be one of none, segments, sdf`: tracks(func(c *course.Config) {
			c.Collision.Method = "scan"
		}),
		"collision.sdf_resolution is 64: must be 0 without the method sdf": tracks(func(c *course.Config) {
			c.Collision.SdfResolution = 64
		}),
		"posts.radius is 0.1: must be the default: it belongs to gate courses": tracks(func(c *course.Config) {
			c.Posts.Radius = 0.1
		}),
		"localize.warm_window is 3: must be 0 unless localize.enabled is set": tracks(func(c *course.Config) {
			c.Localize.WarmWindow = 3
		}),
		"boxes is 1025: must be at most 1024 with collision.agents": gates(func(c *course.Config) {
			c.Collision.Agents, c.Boxes = true, 1025
		}),
		"collision.swept is true: must be false":                  gates(func(c *course.Config) { c.Collision.Swept = true }),
		"boxes is 2: must be 0 where nothing collides with boxes": gates(func(c *course.Config) { c.Boxes = 2 }),
		"ground.resolution is 64: must be the default: it belongs to tracks": gates(func(c *course.Config) {
			c.Ground.Resolution = 64
		}),
		"frames.depth is 0: must be a number > 0 with frames.enabled": gates(func(c *course.Config) {
			c.Frames.Enabled = true
		}),
		"frames.depth is 1: must be 0 unless frames.enabled is set": gates(func(c *course.Config) { c.Frames.Depth = 1 }),
		"posts.radius is 0.1: must be 0 with frames.enabled": gates(func(c *course.Config) {
			c.Frames.Enabled, c.Posts.Radius = true, 0.1
		}),
		"frames.depth is 1e-46: must be a number > 0 with frames.enabled": gates(func(c *course.Config) {
			c.Frames.Enabled, c.Frames.Thickness, c.Frames.Depth, c.Frames.AgentRadius = true, 0.1, 1e-46, 0.1
		}),
	})
}

// What needs more elements than an array may have is refused before the first generation.
func TestValidateNamesTheRoom(t *testing.T) {
	tracks, gates := ofChanged(tracksConfig), ofChanged(gatesConfig)
	checkConfigErrors(t, map[string]error{
		"checkpoints.max is 65536: must be less": tracks(func(c *course.Config) {
			c.Tracks.NumEnvs, c.Checkpoints.Max = 40_000, 65536
		}),
		"collision.sdf_resolution is 4096: must be less": tracks(func(c *course.Config) {
			c.Tracks.NumEnvs, c.Collision.Method, c.Collision.SdfResolution = 200, course.SDF, 4096
		}),
		"collision.sdf_resolution is 0: must be less: at most 2147483647 elements in all 140000 envs, not 16384": tracks(
			func(c *course.Config) { c.Tracks.NumEnvs, c.Collision.Method = 140_000, course.SDF }),
		"ground.resolution is 4096: must be less": tracks(func(c *course.Config) {
			c.Tracks.NumEnvs, c.Ground.Resolution = 200, 4096
		}),
		"line.samples_per_gate is 1024: must be less": gates(func(c *course.Config) {
			c.Gates.NumEnvs, c.Line.SamplesPerGate = 80_000, 1024
		}),
		"agents and boxes is 1024 and 1024: must be at most": gates(func(c *course.Config) {
			c.Gates.NumEnvs, c.Gates.Output.MaxGates, c.Gates.Validity.MinGates, c.Agents = 1<<22, 8, 2, 1024
			c.Gates.Corners.MaxCount, c.Gates.Corners.MinCount = 8, 4
		}),
	})
}

// A wrong number that only the first batch shows has the name of the course's field too.
func TestSpacingTooSmallForTheBatch(t *testing.T) {
	c := tracksConfig()
	c.Checkpoints.Spacing = 1e-30
	_, err := course.New(openCPU(t), c)
	require.ErrorIs(t, err, course.ErrConfig)
	require.ErrorContains(t, err, "checkpoints.spacing is 1e-30: must be large enough")
}
