package collision_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// frameSourceOf draws gates.
func frameSourceOf(t *testing.T, device backend.Device, r *rand.Rand) collision.FrameSource {
	const gates = 6
	sizes := drawn(r, sceneEnvs*gates, func(r *rand.Rand) float32 { return 0.1 + r.Float32()*0.2 })
	sizes[2] = kernel.NaN()
	return collision.FrameSource{
		Position:    coursetest.Upload(t, device, drawn(r, sceneEnvs*gates, drawPlace)),
		HalfSize:    coursetest.Upload(t, device, sizes),
		Orientation: coursetest.Upload(t, device, drawn(r, sceneEnvs*gates, drawTurn)),
		Count:       coursetest.Upload(t, device, []int32{6, 2, 9, 5, 0}),
		Valid:       coursetest.Upload(t, device, []int32{1, 2, 1, 0, 1}),
	}
}

func frameTrial(t *testing.T, device backend.Device) trial {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(10, 1))
	source := frameSourceOf(t, device, r)
	const agents = 8
	var positions [][]kernel.Vec3
	var targets [][]int32
	for range sceneSteps {
		positions = append(positions, drawn(r, sceneEnvs*agents, drawPlace))
		targets = append(targets, drawn(r, sceneEnvs*agents, func(r *rand.Rand) int32 { return r.Int32N(12) - 3 }))
	}
	stream := streamOf(t, device)
	f, err := collision.NewFrames(device, source,
		collision.FrameConfig{Agents: agents, Radius: 0.1, Thickness: 0.1, Depth: 0.2}, collision.WithStream(stream))
	require.NoError(t, err)
	balls := collision.Balls{Position: coursetest.Upload(t, device, positions[0]),
		Target: coursetest.Upload(t, device, targets[0])}
	require.NoError(t, f.Bind(balls))
	return trial{
		stream: stream,
		write: func(step int) {
			require.NoError(t, balls.Position.Write(ctx, positions[step]))
			require.NoError(t, balls.Target.Write(ctx, targets[step]))
		},
		query: func(ctx context.Context) error { _, err := f.Query(ctx); return err },
		read: func() []uint32 {
			h, err := f.Contacts().Read(ctx)
			require.NoError(t, err)
			return words(h.Hit, h.Gate, h.Depth)
		},
		close: f.Close,
	}
}

// An agent in the opening touches nothing; one at a post does. The gates of the window alone count.
func TestFramesOfGates(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	c := gate.DefaultConfig()
	c.NumEnvs, c.Gate.Width = 2, 0.2
	g, err := gate.NewGenerator(device, c)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	batch, err := g.Sequence().Batch(ctx)
	require.NoError(t, err)
	frames, err := collision.NewFrames(device, collision.FramesOf(g.Sequence()),
		collision.FrameConfig{Agents: 3, Radius: 0.01, Thickness: 0.02, Depth: 0.02, Window: 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, frames.Close()) }()
	before, err := frames.Contacts().Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []int32{-1, -1, -1, -1, -1, -1}, before.Gate)
	var position []kernel.Vec3
	for e := range 2 {
		k := e*batch.MaxGates + 3
		position = append(position, batch.Position[k], batch.Left[k], batch.Right[k])
	}
	balls := collision.Balls{Position: coursetest.Upload(t, device, position),
		Target: coursetest.Upload(t, device, []int32{4, 4, 4, 4, 4, 5})}
	contacts, err := frames.QueryBalls(ctx, balls)
	require.NoError(t, err)
	clone, err := contacts.Clone(ctx)
	require.NoError(t, err)
	got, err := clone.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []int32{0, 1, 1, 0, 1, 0}, got.Hit)
	require.Equal(t, []int32{-1, 3, 3, -1, 3, -1}, got.Gate)
	require.InDelta(t, 0.01, got.Depth[1], 1e-6, "the middle of the agent is on the inner side of the post")
	require.NoError(t, clone.Close())
}

func TestFramesRefuse(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	source := frameSourceOf(t, device, rand.New(rand.NewPCG(1, 1)))
	fine := collision.FrameConfig{Radius: 1, Thickness: 1, Depth: 1}
	for want, change := range map[string]func(c *collision.FrameConfig){
		"radius is 0: must be a number > 0":    func(c *collision.FrameConfig) { c.Radius = 0 },
		"thickness is -1: must be a number >":  func(c *collision.FrameConfig) { c.Thickness = -1 },
		"depth is NaN: must be a number > 0":   func(c *collision.FrameConfig) { c.Depth = float64(kernel.NaN()) },
		"window is -1: must be a whole number": func(c *collision.FrameConfig) { c.Window = -1 },
		"agents is -2: must be a whole number": func(c *collision.FrameConfig) { c.Agents = -2 },
	} {
		c := fine
		change(&c)
		_, err := collision.NewFrames(device, source, c)
		require.ErrorContains(t, err, "collision: new frames: "+want)
		isConfig(t, err)
	}
	_, err := collision.NewFrames(device, collision.FramesOf(nil), fine)
	require.ErrorContains(t, err, "source is without arrays")
	for _, damage := range []func(s *collision.FrameSource){
		func(s *collision.FrameSource) { s.Position, _ = s.Position.Slice(0, 4) },
		func(s *collision.FrameSource) { s.Orientation, _ = s.Orientation.Slice(0, 4) },
		func(s *collision.FrameSource) { s.HalfSize, _ = s.HalfSize.Slice(0, 4) },
		func(s *collision.FrameSource) { s.Valid = exec.Array[int32]{} },
	} {
		short := source
		damage(&short)
		_, err = collision.NewFrames(device, short, fine)
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
	f, err := collision.NewFrames(device, source, fine)
	require.NoError(t, err)
	_, err = f.Query(ctx)
	require.ErrorContains(t, err, "inputs is none")
	require.ErrorContains(t, f.Bind(collision.Balls{}), "position")
	_, err = f.QueryBalls(ctx, collision.Balls{Position: source.Position})
	require.ErrorContains(t, err, "position")
	var none *collision.Frames
	for _, checker := range []*collision.Frames{none, {}} {
		_, err = checker.Query(ctx)
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.ErrorIs(t, checker.Bind(collision.Balls{}), backend.ErrInvalid)
		_, err = checker.Contacts().Read(ctx)
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.Zero(t, checker.Arrays())
		require.NoError(t, checker.Close())
	}
	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
	_, err = f.Query(ctx)
	require.ErrorIs(t, err, backend.ErrClosed)
}
