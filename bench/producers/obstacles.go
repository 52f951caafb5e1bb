package producers

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// RunObstacles tests boxes against the posts of a few gate courses and against each other, balls against frames of
// gates, and boxes against the distance fields of tracks, and waits, for tests that need a launch of each kernel.
func RunObstacles(ctx context.Context, device backend.Device, envs int) (err error) {
	c := gate.DefaultConfig()
	c.NumEnvs, c.Gate.Width = envs, 0.2
	gates, err := gate.NewGenerator(device, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, gates.Close()) }()
	batch, err := gates.Sequence().Batch(ctx)
	if err != nil {
		return err
	}
	const perEnv = 3
	var position []kernel.Vec3
	for e := range envs {
		k := e * batch.MaxGates
		position = append(position, batch.Position[k], batch.Left[k+1], batch.Left[k+1].Add(kernel.V3(0.01, 0.02, 0)))
	}
	in, err := boxesAt(device, position)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	if err := runDiscs(ctx, device, gates.Sequence(), perEnv, in); err != nil {
		return err
	}
	if err := runFrames(ctx, device, gates.Sequence(), perEnv, in); err != nil {
		return err
	}
	if err := runAgents(ctx, device, envs, perEnv, in); err != nil {
		return err
	}
	if err := runField(ctx, device, envs, perEnv, in); err != nil {
		return err
	}
	return device.CurrentStream().Sync()
}

// obstacleInputs are boxes and balls at the same places.
type obstacleInputs struct {
	boxes  collision.Boxes
	target exec.Array[int32]
	mask   exec.Array[int32]
}

// boxesAt makes boxes at the given places.
func boxesAt(device backend.Device, position []kernel.Vec3) (in obstacleInputs, err error) {
	n := len(position)
	turn, half, target := make([]kernel.Quat, n), make([]kernel.Vec2, n), make([]int32, n)
	for i := range n {
		turn[i], half[i], target[i] = kernel.Quat{Z: 0.2, W: 0.9}, kernel.V2(0.05, 0.02), 1
	}
	var failed [5]error
	in.boxes.Position, failed[0] = exec.FromSlice(device, position)
	in.boxes.Orientation, failed[1] = exec.FromSlice(device, turn)
	in.boxes.HalfExtents, failed[2] = exec.FromSlice(device, half)
	in.target, failed[3] = exec.FromSlice(device, target)
	in.mask, failed[4] = exec.FromSlice(device, target)
	if err := errors.Join(failed[:]...); err != nil {
		return in, errors.Join(err, in.close())
	}
	return in, nil
}

func (in obstacleInputs) close() error {
	return errors.Join(in.boxes.Position.Close(), in.boxes.Orientation.Close(), in.boxes.HalfExtents.Close(),
		in.target.Close(), in.mask.Close())
}

// askTwice asks a checker twice, so that the boxes have a way, resets the first envs, and closes the checker.
func (in obstacleInputs) askTwice(ctx context.Context, envs int, reset func(context.Context, exec.Array[int32]) error,
	closeChecker, ask func() error) (err error) {
	defer func() { err = errors.Join(err, closeChecker()) }()
	for range 2 {
		if err := ask(); err != nil {
			return err
		}
	}
	mask, err := in.mask.Slice(0, envs)
	if err != nil {
		return err
	}
	return reset(ctx, mask)
}

// askWithAgents asks a checker about the boxes, and whether they touch each other, in one launch.
func (in obstacleInputs) askWithAgents(ctx context.Context, device backend.Device, envs int, swept bool,
	ask func(lc *exec.LaunchContext, agents *collision.Agents)) (err error) {
	perEnv := in.boxes.Position.Len() / envs
	agents, err := collision.NewAgents(device, collision.AgentConfig{Envs: envs, Boxes: perEnv, Swept: swept})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, agents.Close()) }()
	lc, err := exec.For(ctx, device)
	if err != nil {
		return err
	}
	ask(lc, agents)
	return errors.Join(lc.Err(), lc.Stream().Sync())
}

// runDiscs tests the boxes against posts.
func runDiscs(ctx context.Context, device backend.Device, gates *gate.Sequence, perEnv int, in obstacleInputs) error {
	discs, err := collision.NewDiscs(device, collision.PostsOf(gates),
		collision.DiscConfig{Boxes: perEnv, Radius: 0.03, Swept: true})
	if err != nil {
		return err
	}
	return in.askTwice(ctx, gates.Envs, discs.Reset, discs.Close, func() error {
		_, err := discs.QueryBoxes(ctx, in.boxes)
		return errors.Join(err, in.askWithAgents(ctx, device, gates.Envs, true,
			func(lc *exec.LaunchContext, agents *collision.Agents) {
				discs.EnqueueQueryWithAgents(lc, in.boxes, agents)
			}))
	})
}

// runFrames tests the boxes as balls against frames.
func runFrames(ctx context.Context, device backend.Device, gates *gate.Sequence, perEnv int,
	in obstacleInputs) (err error) {
	frames, err := collision.NewFrames(device, collision.FramesOf(gates),
		collision.FrameConfig{Agents: perEnv, Radius: 0.03, Thickness: 0.02, Depth: 0.02})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, frames.Close()) }()
	balls := collision.Balls{Position: in.boxes.Position, Target: in.target}
	_, err = frames.QueryBalls(ctx, balls)
	return errors.Join(err, in.askWithAgents(ctx, device, gates.Envs, true,
		func(lc *exec.LaunchContext, agents *collision.Agents) {
			frames.EnqueueQueryWithAgents(lc, balls, in.boxes, agents)
		}))
}

// runAgents tests the boxes against each other.
func runAgents(ctx context.Context, device backend.Device, envs, perEnv int, in obstacleInputs) error {
	agents, err := collision.NewAgents(device, collision.AgentConfig{Envs: envs, Boxes: perEnv, Swept: true})
	if err != nil {
		return err
	}
	return in.askTwice(ctx, envs, agents.Reset, agents.Close, func() error {
		_, err := agents.QueryBoxes(ctx, in.boxes)
		return err
	})
}

// runField bakes the distance fields of a few tracks, and tests the boxes against them.
func runField(ctx context.Context, device backend.Device, envs, perEnv int, in obstacleInputs) (err error) {
	c := track.DefaultConfig()
	c.NumEnvs = envs
	tracks, err := track.NewGenerator(device, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	field, err := collision.NewField(device, collision.BordersOf(tracks.Track()),
		collision.FieldConfig{Boxes: perEnv, Resolution: 12})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, field.Close()) }()
	_, err = field.QueryBoxes(ctx, in.boxes)
	return errors.Join(err, in.askWithAgents(ctx, device, envs, true,
		func(lc *exec.LaunchContext, agents *collision.Agents) {
			field.EnqueueQueryWithAgents(lc, in.boxes, agents)
		}))
}
