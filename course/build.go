package course

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernels/course"
)

// build makes the components of the present batch and prepares the signals.
func (c *Course) build(device backend.Device, o generation.Options) (err error) {
	t := c.tools
	t.with = []generation.Option{generation.WithWarnings(o.Warn), generation.WithStream(o.Seeds.DefaultStream)}
	if c.source.Gates != nil {
		err = t.buildGates(device, c.config, c.source)
	} else {
		err = t.buildTracks(device, c.config, c.source)
	}
	if err != nil {
		return err
	}
	if t.tracker, err = progress.NewTracker(device, t.checkpoints, progress.Config{Agents: c.config.Agents},
		t.with...); err != nil {
		return err
	}
	t.keep(t.tracker.Close, nil, t.tracker.EnqueueReset)
	if err = t.buildLocaliser(device, c.config, c.source); err != nil {
		return err
	}
	if c.config.Collision.Agents {
		t.others, err = collision.NewAgents(device, collision.AgentConfig{Envs: c.source.envs(), Boxes: c.config.boxes(),
			Swept: c.config.Collision.Swept}, t.with...)
		if err != nil {
			return err
		}
		t.keep(t.others.Close, nil, t.others.EnqueueReset)
	}
	c.component, err = component.New(device, component.Plan{
		Prefix: prefix, Name: "course", Envs: c.source.envs(), Kernels: course.Defs, Stages: []exec.Stage{t.stage()},
		Owner: exec.WeakOwner(c),
	}, o)
	if err != nil {
		return err
	}
	if err = t.allocate(device, c.source.envs()); err != nil {
		return err
	}
	c.signals = t.signals()
	c.steps.Make = func(in Inputs) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			c.component.Recorded(lc)
			t.step(lc, in)
		}
	}
	c.resets.Make = func(mask exec.Array[int32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { t.reset(lc, mask) }
	}
	return c.component.Prepare(c.component.EnqueueRefresh)
}

// buildLocaliser makes what localises agents, on the centreline of a track or the line of a gate course.
func (t *tools) buildLocaliser(device backend.Device, c Config, s Source) (err error) {
	source := localise.SourceOf(s.Tracks)
	switch {
	case t.line != nil:
		source = localise.SourceOfLine(t.line.Line())
	case !c.Localize.Enabled:
		return nil
	}
	t.localiser, err = localise.New(device, source,
		localise.Config{Agents: c.Agents, WarmWindow: c.Localize.WarmWindow}, t.with...)
	if err != nil {
		return inFacade("warm_window", "localize.warm_window", err)
	}
	t.keep(t.localiser.Close, t.localiser.EnqueueEnvs, t.localiser.EnqueueReset)
	return nil
}

// buildTracks makes the components of a course of tracks.
func (t *tools) buildTracks(device backend.Device, c Config, s Source) (err error) {
	t.sampler, err = checkpoints.NewSampler(device, checkpoints.SourceOf(s.Tracks),
		checkpoints.Config{Spacing: c.Checkpoints.Spacing, MaxCheckpoints: c.Checkpoints.Max}, t.with...)
	if err != nil {
		return inFacade("max_checkpoints", "checkpoints.max", inFacade("spacing", "checkpoints.spacing", err))
	}
	t.checkpoints = t.sampler.Set()
	t.keep(t.sampler.Close, t.sampler.EnqueueEnvs, nil)
	if c.Collision.Method == Segments {
		t.borders, err = collision.NewBorders(device, collision.BordersOf(s.Tracks),
			collision.BordersConfig{Boxes: c.boxes(), Swept: c.Collision.Swept}, t.with...)
		if err != nil {
			return err
		}
		t.keep(t.borders.Close, t.borders.EnqueueEnvs, t.borders.EnqueueReset)
	}
	if c.Collision.Method == SDF {
		t.field, err = collision.NewField(device, collision.BordersOf(s.Tracks),
			collision.FieldConfig{Boxes: c.boxes(), Resolution: c.Collision.SdfResolution}, t.with...)
		if err != nil {
			return inFacade("resolution", "collision.sdf_resolution", err)
		}
		t.keep(t.field.Close, t.field.EnqueueEnvs, nil)
	}
	if c.Ground.Resolution == 0 {
		return nil
	}
	config := heightfield.DefaultConfig()
	config.Resolution = c.Ground.Resolution
	if t.ground, err = heightfield.NewBaker(device, heightfield.SourceOf(s.Tracks), config, t.with...); err != nil {
		return inFacade("resolution", "ground.resolution", err)
	}
	t.keep(t.ground.Close, t.ground.EnqueueEnvs, nil)
	return nil
}

// buildGates makes the components of a course of gates.
func (t *tools) buildGates(device backend.Device, c Config, s Source) (err error) {
	t.checkpoints = checkpoints.FromGates(s.Gates)
	t.line, err = line.New(device, line.SourceOf(s.Gates), line.Config{SamplesPerGate: c.Line.SamplesPerGate}, t.with...)
	if err != nil {
		return inFacade("samples_per_gate", "line.samples_per_gate", err)
	}
	t.keep(t.line.Close, t.line.EnqueueEnvs, nil)
	if c.hasPosts() {
		t.posts, err = collision.NewDiscs(device, collision.PostsOf(s.Gates),
			collision.DiscConfig{Boxes: c.boxes(), Radius: c.Posts.Radius, Swept: c.Collision.Swept}, t.with...)
		if err != nil {
			return inFacade("radius", "posts.radius", err)
		}
		t.keep(t.posts.Close, t.posts.EnqueueEnvs, t.posts.EnqueueReset)
	}
	if c.Frames.Enabled {
		t.frames, err = collision.NewFrames(device, collision.FramesOf(s.Gates), collision.FrameConfig{
			Agents: c.Agents, Radius: c.Frames.AgentRadius, Thickness: c.Frames.Thickness, Depth: c.Frames.Depth}, t.with...)
		if err != nil {
			return err
		}
		t.keep(t.frames.Close, nil, nil)
	}
	return nil
}

// allocate allocates the mask of the envs of a list.
func (t *tools) allocate(device backend.Device, envs int) (err error) {
	if t.listed, err = exec.NewArray[int32](device, envs); err != nil {
		return err
	}
	t.keep(t.listed.Close, nil, nil)
	t.built = true
	return nil
}
