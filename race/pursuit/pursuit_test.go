package pursuit_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/pursuit"
)

// The actions have the bits of the rules, on lines and for cars that are as hard as can be, and are always numbers from
// -1 to 1.
func TestUpdateHasTheBitsOfTheRules(t *testing.T) {
	device, r := coursetest.OpenCPU(t), rand.New(rand.NewPCG(5, 6))
	for _, stride := range []int{3, 4, 9, 84} {
		for _, agents := range []int{1, 3} {
			t.Run(fmt.Sprint(stride, " points, agents ", agents), func(t *testing.T) {
				const envs = 40
				l, c := adverse(r, envs, stride), pursuit.DefaultConfig()
				c.Agents, c.LateralAcceleration = agents, pick(r, 0, 4.0)
				var all cars
				for i := range envs * agents {
					all = append(all, placed(r, l, i/agents))
				}
				controller := newController(t, device, l, c)
				require.Equal(t, make([]float32, 2*envs*agents), coursetest.Download(t, controller.Actions()))
				require.NoError(t, controller.UpdateAt(t.Context(), all.upload(t, device)))
				got := coursetest.Download(t, controller.Actions())
				coursetest.SameBits(t, "actions", l.want(all, c), got)
				for _, x := range got {
					require.True(t, x >= -1 && x <= 1)
				}
			})
		}
	}
}

// circle is one line of n points on a circle with a speed.
func circle(n int, radius float64, speed float32) lines {
	l := lines{length: []float32{0}, count: []int32{int32(n)}}
	for i := range n {
		angle := 2 * math.Pi * float64(i) / float64(n)
		l.center = append(l.center, kernel.V3(float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle)), 0))
		l.arclen, l.speed = append(l.arclen, float32(angle*radius)), append(l.speed, speed)
	}
	l.length[0] = float32(2 * math.Pi * radius)
	return l
}

// A car whose rear axle is on a circle, along it, steers by the angle of a bicycle on that circle; and it asks for the
// acceleration that brings it to the speed of the profile. A car beside the line steers back to it, one that looks the
// other way as far as it can, and one that is too fast brakes.
func TestActionsOfKnownPlaces(t *testing.T) {
	const radius = 6.0
	device, c := coursetest.OpenCPU(t), pursuit.DefaultConfig()
	l := circle(2000, radius, 3)
	at := func(x, yaw, v float64) car {
		return car{position: kernel.V3(float32(x), float32(c.RearAxle), 0), orientation: yawed(yaw),
			velocity: kernel.V3(float32(v*math.Cos(yaw)), float32(v*math.Sin(yaw)), 0)}
	}
	actions := func(one car) []float32 {
		controller := newController(t, device, l, c)
		require.NoError(t, controller.UpdateAt(t.Context(), cars{one}.upload(t, device)))
		return coursetest.Download(t, controller.Actions())
	}
	const north = math.Pi / 2
	on := actions(at(radius, north, 2.9))
	assert.InDelta(t, math.Atan(c.Wheelbase/radius)/c.MaxSteering, on[0], 0.01)
	assert.InDelta(t, 0.1*c.Gain/c.Acceleration, on[1], 1e-4)
	assert.InDelta(t, -1*c.Gain/c.Braking, actions(at(radius, north, 4))[1], 1e-4)
	assert.Greater(t, actions(at(radius+0.3, north, 3))[0], on[0]+0.1, "from the right of the line")
	assert.Less(t, actions(at(radius-0.3, north, 3))[0], on[0]-0.1, "from the left of the line")
	assert.EqualValues(t, 1, actions(at(radius, -north+0.1, 0))[0], "the other way")
	assert.EqualValues(t, -1, actions(at(radius, -north-0.4, 0))[0], "the other way")
	c.LateralAcceleration = 0.6
	assert.InDelta(t, (math.Sqrt(0.6*radius)-2.5)*c.Gain/c.Braking, actions(at(radius, north, 2.5))[1], 0.01)
}

// checkRuns checks that a device gives the bits of the rules in every way to run: of the call, bound, recorded and
// replayed.
func checkRuns(t *testing.T, device backend.Device) {
	t.Helper()
	ctx, r := t.Context(), rand.New(rand.NewPCG(8, 9))
	l, c := adverse(r, 70, 33), pursuit.DefaultConfig()
	c.Agents, c.LateralAcceleration = 2, 5
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	controller, err := pursuit.New(device, l.upload(t, device), c, pursuit.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, controller.Close()) }()
	all := make(cars, 140)
	in := all.upload(t, device)
	move := func() {
		for i := range all {
			all[i] = placed(r, l, i/2)
		}
		from := all.upload(t, device)
		lc, err := exec.For(ctx, device, exec.OnStream(stream))
		require.NoError(t, err)
		exec.Copy(lc, in.Position, from.Position)
		exec.Copy(lc, in.Orientation, from.Orientation)
		exec.Copy(lc, in.Velocity, from.Velocity)
		exec.Copy(lc, in.Segment, from.Segment)
		require.NoError(t, lc.Err())
	}
	same := func(name string) {
		t.Helper()
		require.NoError(t, stream.Sync())
		coursetest.SameBits(t, name, l.want(all, c), coursetest.Download(t, controller.Actions()))
	}
	for range 2 {
		move()
		require.NoError(t, controller.UpdateAt(ctx, in))
		same("of the call")
	}
	require.NoError(t, controller.Bind(in))
	for range 3 { // the first call is eager, later ones may replay a graph
		move()
		require.NoError(t, controller.Update(ctx))
		same("bound")
	}
	require.NoError(t, stream.BeginCapture())
	require.NoError(t, controller.Update(ctx))
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	for range 2 {
		move()
		require.NoError(t, stream.Replay(graph))
		same("replayed")
	}
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		checkRuns(t, coursetest.OpenCPU(t, backend.Workers(workers)))
	}
}

// The hot methods allocate nothing and wait for nothing, on a device that is watched.
func TestHotMethods(t *testing.T) {
	ctx, device := t.Context(), exectest.Instrument(coursetest.OpenCPU(t))
	l := circle(50, 5, 3)
	bound, at := newController(t, device, l, pursuit.DefaultConfig()), newController(t, device, l, pursuit.DefaultConfig())
	in := cars{{position: l.center[0]}}.upload(t, device)
	require.NoError(t, bound.Bind(in))
	for name, call := range map[string]func(ctx context.Context) error{
		"update":    bound.Update,
		"update at": func(ctx context.Context) error { return at.UpdateAt(ctx, in) },
	} {
		require.NoError(t, call(ctx)) // remembers the work
		require.NoError(t, exectest.HotPath(device, exectest.Options{}).Do(ctx, call), name)
		if testing.CoverMode() == "" {
			assert.Zero(t, testing.AllocsPerRun(20, func() { _ = call(ctx) }), name)
		}
	}
}

// Every wrong argument is refused before any device work, with its name, its value and what is allowed.
func TestWrongArguments(t *testing.T) {
	device, c := coursetest.OpenCPU(t), pursuit.DefaultConfig()
	for want, change := range map[string]func(c *pursuit.Config){
		"agents is -1: must be a whole number >= 1 and <= 1048576": func(c *pursuit.Config) { c.Agents = -1 },
		"min_lookahead is 0: must be a number > 0 and <= 1000000":  func(c *pursuit.Config) { c.MinLookahead = 0 },
		"max_lookahead is 0.5: must be at least min_lookahead, 0.75": func(c *pursuit.Config) {
			c.MinLookahead, c.MaxLookahead = 0.75, 0.5
		},
		"gain is NaN: must be a number > 0 and <= 1000000": func(c *pursuit.Config) { c.Gain = math.NaN() },
	} {
		wrong := c
		change(&wrong)
		_, err := pursuit.New(device, pursuit.Source{}, wrong)
		require.EqualError(t, err, "pursuit: new: "+want)
		require.ErrorIs(t, err, pursuit.ErrConfig)
	}
	source := circle(8, 5, 1).upload(t, device)
	_, err := pursuit.New(nil, source, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = pursuit.New(device, pursuit.SourceOf(nil, nil), c)
	require.ErrorContains(t, err, "pursuit: new: source is without arrays")
	_, err = pursuit.New(device, source, c, generation.WithSeed(1))
	require.ErrorContains(t, err, "option")
	short := coursetest.Upload(t, device, make([]float32, 7))
	for want, change := range map[string]func(*pursuit.Source){
		"center length is 0":   func(s *pursuit.Source) { s.Center = exec.Array[kernel.Vec3]{} },
		"arclen length is 7":   func(s *pursuit.Source) { s.Arclen = short },
		"speed length is 7":    func(s *pursuit.Source) { s.Speed = short },
		"length length is 7":   func(s *pursuit.Source) { s.Length = short },
		"speed is the zero Ar": func(s *pursuit.Source) { s.Speed = exec.Array[float32]{} },
	} {
		wrong := source
		change(&wrong)
		_, err = pursuit.New(device, wrong, c)
		require.ErrorContains(t, err, want)
	}
}

// Calls that come too early, too late or with the wrong arrays are refused.
func TestMisuse(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	l := circle(8, 5, 1)
	controller := newController(t, device, l, pursuit.DefaultConfig())
	in := make(cars, 1).upload(t, device)
	require.ErrorContains(t, controller.Update(ctx), "pursuit: update: inputs is none: must be those of Bind before")
	require.ErrorContains(t, controller.UpdateAt(ctx, make(cars, 2).upload(t, device)), "position length is 2: must be 1")
	require.ErrorContains(t, controller.Bind(pursuit.Inputs{}), "pursuit: bind: position")
	require.NoError(t, controller.Bind(in))
	require.ErrorContains(t, controller.UpdateAt(ctx, in), "inputs is of the call and of Bind")
	enqueued := func(emit func(lc *exec.LaunchContext)) error {
		lc, err := exec.For(ctx, device)
		require.NoError(t, err)
		emit(lc)
		return lc.Err()
	}
	require.NoError(t, enqueued(controller.EnqueueUpdate))
	require.ErrorContains(t, enqueued(func(lc *exec.LaunchContext) { controller.EnqueueUpdateAt(lc, in) }), "inputs")
	closed := newController(t, device, l, pursuit.DefaultConfig())
	require.NoError(t, closed.Close())
	require.NoError(t, closed.Close())
	calls := func(c *pursuit.Controller) []error {
		return []error{c.Bind(in), c.Update(ctx), c.UpdateAt(ctx, in), enqueued(c.EnqueueUpdate),
			enqueued(func(lc *exec.LaunchContext) { c.EnqueueUpdateAt(lc, in) })}
	}
	for i, err := range calls(closed) {
		require.ErrorIs(t, err, backend.ErrClosed, "call %d", i)
	}
	for _, none := range []*pursuit.Controller{nil, {}} {
		for i, err := range calls(none) {
			require.ErrorContains(t, err, "receiver is <nil>", "call %d", i)
		}
		require.NoError(t, none.Close())
		require.True(t, none.Actions().IsZero())
		require.Zero(t, none.Config())
	}
}
