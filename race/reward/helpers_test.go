package reward_test

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/reward"
)

// newJudge makes a judge until the test ends.
func newJudge(t testing.TB, device backend.Device, c reward.Config, length []float32,
	with ...reward.Option) *reward.Judge {
	t.Helper()
	judge, err := reward.New(device, reward.Source{Length: coursetest.Upload(t, device, length)}, c, with...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, judge.Close()) })
	return judge
}

// upload copies what is bound in a step to a device until the test ends.
func upload(t testing.TB, device backend.Device, s step) (in reward.Inputs) {
	t.Helper()
	in.S, in.CheckpointPassed = coursetest.Upload(t, device, s.s), coursetest.Upload(t, device, s.checkpoint)
	if s.action != nil {
		in.Action = coursetest.Upload(t, device, s.action)
	}
	if s.n != nil {
		in.N = coursetest.Upload(t, device, s.n)
	}
	if s.outOfBounds != nil {
		in.OutOfBounds = coursetest.Upload(t, device, s.outOfBounds)
	}
	if s.distance != nil {
		in.Distance = coursetest.Upload(t, device, s.distance)
	}
	if s.hit != nil {
		in.Hit = coursetest.Upload(t, device, s.hit)
	}
	if s.obstacle != nil {
		in.Obstacle = coursetest.Upload(t, device, s.obstacle)
	}
	if s.velocity != nil {
		in.Velocity = coursetest.Upload(t, device, s.velocity)
	}
	return in
}

// write replaces what arrays hold.
func write(t testing.TB, in reward.Inputs, s step) {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, in.S.Write(ctx, s.s))
	require.NoError(t, in.CheckpointPassed.Write(ctx, s.checkpoint))
	if s.action != nil {
		require.NoError(t, in.Action.Write(ctx, s.action))
	}
	if s.n != nil {
		require.NoError(t, in.N.Write(ctx, s.n))
		require.NoError(t, in.OutOfBounds.Write(ctx, s.outOfBounds))
		require.NoError(t, in.Distance.Write(ctx, s.distance))
		require.NoError(t, in.Hit.Write(ctx, s.hit))
		require.NoError(t, in.Obstacle.Write(ctx, s.obstacle))
		require.NoError(t, in.Velocity.Write(ctx, s.velocity))
	}
}

// lengths are those of the lines of the scripts: ordinary ones, short, none, and ones that are no lengths.
func lengths() []float32 {
	return []float32{10, 1, 250, 0, kernel.NaN(), kernel.Inf(), -3, 1e30, 7.5}
}

// everything is a configuration with all weights and all limits.
func everything(agents, channels int) reward.Config {
	c := reward.DefaultConfig()
	c.Agents, c.Channels, c.TimeStep, c.NearDistance, c.Walls = agents, channels, 0.1, 0.5, agents%2 == 0
	c.Weights = reward.WeightsConfig{Progress: 1.5, Passed: 0.25, Lap: 3, WrongWay: -1, OffRoad: -2, Collision: -4,
		Smoothness: -0.125, Lateral: -0.5, Travel: 0.01, NearBorder: -0.75, Failure: -10}
	c.Ends = reward.EndsConfig{OffRoad: true, OffRoadTime: 0.3, WrongWayTime: 0.4, StuckTime: 0.7, StuckProgress: 0.05,
		Collision: agents%3 == 0, Laps: 3, MaxSteps: 40, MaxTime: 3.3, Env: reward.All, Paused: agents == 3}
	if agents > 4 {
		c.Ends.Env = reward.Any
	}
	return c
}

// script returns steps of agents that drive, stop, turn around, jump, pause and touch things. There are resets before
// some steps.
func script(c reward.Config, steps int) (list []step, masks [][]int32) {
	r, lines := rand.New(rand.NewPCG(11, uint64(c.Agents*100+c.Channels))), lengths()
	n := len(lines) * c.Agents
	at, speed := make([]float32, n), make([]float32, n)
	for i := range at {
		at[i], speed[i] = r.Float32()*lines[i/c.Agents], (r.Float32()-0.2)*0.3
	}
	for range steps {
		s := step{velocity: make([]kernel.Vec3, n)}
		for i := range at {
			length := lines[i/c.Agents]
			at[i] += speed[i] * length
			if finite(length) && length > 0 {
				at[i] = float32(math.Mod(float64(at[i]+length), float64(length)))
			}
			if r.IntN(12) == 0 {
				speed[i] = pick(r, 0, 0, -speed[i], (r.Float32()-0.2)*0.3)
			}
			here := at[i]
			if r.IntN(20) == 0 {
				here = pick(r, kernel.NaN(), kernel.NaN(), kernel.Inf(), -1e30, 1e30, 0.5*length, 0)
			}
			s.s = append(s.s, here)
			s.n = append(s.n, odd(r, r.Float32()-0.5))
			s.distance = append(s.distance, odd(r, r.Float32()))
			s.checkpoint = append(s.checkpoint, pick(r, int32(-1), -1, -1, 0, 3))
			s.outOfBounds = append(s.outOfBounds, pick(r, int32(0), 0, 0, 0, 1, -7))
			s.hit = append(s.hit, pick(r, int32(0), 0, 0, 0, 0, 0, 0, 1))
			s.obstacle = append(s.obstacle, pick(r, int32(0), 0, 0, 0, 0, 0, 0, 2))
			s.velocity[i] = kernel.V3(odd(r, r.Float32()), odd(r, r.Float32()), odd(r, r.Float32()))
			for range c.Channels {
				s.action = append(s.action, odd(r, 3*r.Float32()-1.5))
			}
		}
		mask := make([]int32, pick(r, len(lines), n))
		for i := range mask {
			mask[i] = pick(r, int32(0), 0, 0, 0, 0, 0, 0, 0, 0, 1, -5)
		}
		list, masks = append(list, s), append(masks, mask)
	}
	return list, masks
}

// pick returns one of the values.
func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// odd returns x, or seldom a number that is hard to compute with.
func odd(r *rand.Rand, x float32) float32 {
	if r.IntN(15) != 0 {
		return x
	}
	return pick(r, kernel.NaN(), math.Float32frombits(0xffc12345), kernel.Inf(), -kernel.Inf(), 1e30, -1e30, 0, -1, 1)
}

// words returns all bits of each column.
func words(h *reward.HostColumns) map[string][]uint32 {
	all := map[string][]uint32{}
	for _, c := range reward.Schema.Host(h) {
		bytes := c.AppendWords(nil, 0, c.Len())
		for len(bytes) > 0 {
			all[c.Name] = append(all[c.Name], binary.LittleEndian.Uint32(bytes))
			bytes = bytes[4:]
		}
	}
	return all
}

// read returns the outcomes of a judge.
func read(t testing.TB, judge *reward.Judge) *reward.HostColumns {
	t.Helper()
	h, err := judge.Outcomes().Read(context.Background())
	require.NoError(t, err)
	return h
}
