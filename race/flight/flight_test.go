package flight_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/flight"
)

// The actions have the bits of the rules, on lines and for drones that are as hard as can be, and are always numbers
// from -1 to 1.
func TestUpdateHasTheBitsOfTheRules(t *testing.T) {
	device, r := coursetest.OpenCPU(t), rand.New(rand.NewPCG(5, 6))
	for _, stride := range []int{3, 4, 9, 84} {
		for _, samples := range []int{0, 1, 3} {
			if samples > 0 && stride%samples != 0 {
				continue
			}
			t.Run(fmt.Sprint(stride, " points, samples ", samples), func(t *testing.T) {
				const envs, agents = 60, 2
				l, c := adverse(r, envs, stride, samples), flight.DefaultConfig()
				c.Agents = agents
				var all drones
				for i := range envs * agents {
					all = append(all, placed(r, l, i/agents))
				}
				controller := newController(t, device, l, c)
				hover := float32(2*9.81)/float32(c.ThrustMax/c.Mass) - 1
				assert.Equal(t, slices.Repeat([]float32{hover, 0, 0, 0}, envs*agents),
					coursetest.Download(t, controller.Actions()))
				require.NoError(t, controller.UpdateAt(t.Context(), all.upload(t, device, samples > 0)))
				got := coursetest.Download(t, controller.Actions())
				coursetest.SameBits(t, "actions", l.want(all, c), got)
				for _, x := range got {
					require.True(t, x >= -1 && x <= 1)
				}
			})
		}
	}
}

// circle is one line of n points on a level circle with a speed, and with as many gates.
func circle(n, gates int, radius float64, speed float32) lines {
	l := lines{length: []float32{float32(2 * math.Pi * radius)}, count: []int32{int32(n)}}
	for i := range n {
		angle := 2 * math.Pi * float64(i) / float64(n)
		sin, cos := math.Sincos(angle)
		l.center = append(l.center, kernel.V3(float32(radius*cos), float32(radius*sin), 3))
		l.arclen, l.speed = append(l.arclen, float32(angle*radius)), append(l.speed, speed)
		if gates > 0 && i%(n/gates) == 0 {
			l.forward = append(l.forward, kernel.V3(float32(-sin), float32(cos), 0))
		}
	}
	return l
}

// A drone that is nowhere hovers. One on a circle, with the attitude that the circle takes, keeps it: its thrust
// carries its weight and turns its way, against the drag. One beside the line tilts to it, one below it climbs, one
// that looks away turns, and one that has missed a gate flies back.
func TestActionsOfKnownPlaces(t *testing.T) {
	const radius, speed, g = 8.0, 4.0, 9.81
	device, c := coursetest.OpenCPU(t), flight.DefaultConfig()
	c.MinLookahead = 0.02 // the direction of the line is measured over it
	l := circle(4000, 8, radius, speed)
	actions := func(d drone) []float32 {
		controller := newController(t, device, l, c)
		require.NoError(t, controller.UpdateAt(t.Context(), drones{d}.upload(t, device, true)))
		return coursetest.Download(t, controller.Actions())
	}
	hover := 2*c.Mass*g/c.ThrustMax - 1
	nowhere := actions(drone{position: kernel.V3(kernel.NaN(), 0, 0)})
	assert.InDelta(t, hover, nowhere[0], 1e-6)
	assert.Equal(t, []float32{0, 0, 0}, nowhere[1:])

	const north = math.Pi / 2
	east := drone{position: kernel.V3(radius, 0, 3), target: 1} // in gate 0, which it has passed, on the way north
	east.velocity = kernel.V3(0, speed, 0)
	across, along := speed*speed/radius, c.DragSide/c.Mass*speed
	level := actions(with(east, turned(north, 0)))
	assert.InDelta(t, hover, level[0], 1e-3)
	lean := math.Atan2(math.Hypot(across, along), g) * c.AttitudeGain / c.TiltRate
	assert.InDelta(t, -lean*across/math.Hypot(across, along), level[1], 0.02, "rolls to the left, to the middle")
	assert.InDelta(t, lean*along/math.Hypot(across, along), level[2], 0.02, "pitches forwards, against the drag")
	assert.InDelta(t, 0, level[3], 0.02)
	banked := actions(with(east, turned(north, -math.Atan2(across, g))))
	assert.InDelta(t, 2*c.Mass*math.Hypot(across, g)/c.ThrustMax-1, banked[0], 0.01)
	assert.InDelta(t, 0, banked[1], 0.03)

	beside, below := east, east
	beside.position.X, below.position.Z = radius+0.5, 2.5
	assert.Less(t, actions(with(beside, turned(north, 0)))[1], level[1]-0.1)
	assert.Greater(t, actions(with(below, turned(north, 0)))[0], level[0]+0.1)
	assert.Greater(t, actions(with(east, turned(north-0.3, 0)))[3], float32(0.2))
	missed := east
	missed.target, missed.position.Y, missed.velocity = 0, 1, kernel.Vec3{}
	assert.Less(t, actions(with(missed, turned(north, 0)))[2], float32(-0.3), "pitches backwards")
}

// with returns a drone with an orientation.
func with(d drone, q kernel.Quat) drone {
	d.orientation = q
	return d
}

// checkRuns checks that a device gives the bits of the rules in every way to run: of the call, bound, recorded and
// replayed.
func checkRuns(t *testing.T, device backend.Device) {
	t.Helper()
	ctx, r := t.Context(), rand.New(rand.NewPCG(8, 9))
	l, c := adverse(r, 70, 33, 3), flight.DefaultConfig()
	c.Agents = 2
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	controller, err := flight.New(device, l.upload(t, device), c, flight.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, controller.Close()) }()
	all := make(drones, 140)
	in := all.upload(t, device, true)
	move := func() {
		for i := range all {
			all[i] = placed(r, l, i/2)
		}
		from := all.upload(t, device, true)
		lc, err := exec.For(ctx, device, exec.OnStream(stream))
		require.NoError(t, err)
		exec.Copy(lc, in.Position, from.Position)
		exec.Copy(lc, in.Orientation, from.Orientation)
		exec.Copy(lc, in.Velocity, from.Velocity)
		exec.Copy(lc, in.Segment, from.Segment)
		exec.Copy(lc, in.Target, from.Target)
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
	l := circle(50, 0, 5, 3)
	bound, at := newController(t, device, l, flight.DefaultConfig()), newController(t, device, l, flight.DefaultConfig())
	in := drones{{position: l.center[0]}}.upload(t, device, false)
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
	device, c := coursetest.OpenCPU(t), flight.DefaultConfig()
	for want, change := range map[string]func(c *flight.Config){
		"agents is -1: must be a whole number >= 1 and <= 1048576": func(c *flight.Config) { c.Agents = -1 },
		"mass is 0: must be a number > 0 and <= 1000000":           func(c *flight.Config) { c.Mass = 0 },
		"max_tilt is 1.6: must be a number > 0 and <= 1.5":         func(c *flight.Config) { c.MaxTilt = 1.6 },
		"speed_gain is NaN: must be a number > 0 and <= 1000000":   func(c *flight.Config) { c.SpeedGain = math.NaN() },
	} {
		wrong := c
		change(&wrong)
		_, err := flight.New(device, flight.Source{}, wrong)
		require.EqualError(t, err, "flight: new: "+want)
		require.ErrorIs(t, err, flight.ErrConfig)
	}
	source := circle(8, 0, 5, 1).upload(t, device)
	_, err := flight.New(nil, source, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = flight.New(device, flight.SourceOf(nil, nil), c)
	require.ErrorContains(t, err, "flight: new: source is without arrays")
	_, err = flight.New(device, source, c, generation.WithSeed(1))
	require.ErrorContains(t, err, "option")
	_, err = flight.New(device, flight.SourceOfGates(nil, nil, nil), c)
	require.ErrorContains(t, err, "flight: new: source is without arrays")
	short := coursetest.Upload(t, device, make([]float32, 7))
	for want, change := range map[string]func(*flight.Source){
		"center length is 0": func(s *flight.Source) { s.Center = exec.Array[kernel.Vec3]{} },
		"arclen length is 7": func(s *flight.Source) { s.Arclen = short },
		"speed length is 7":  func(s *flight.Source) { s.Speed = short },
		"length length is 7": func(s *flight.Source) { s.Length = short },
		"forward length is 3: must be a multiple of 1, the number of envs, of which 8 is": func(s *flight.Source) {
			s.Forward = coursetest.Upload(t, device, make([]kernel.Vec3, 3))
		},
		"speed is the zero Ar": func(s *flight.Source) { s.Speed = exec.Array[float32]{} },
	} {
		wrong := source
		change(&wrong)
		_, err = flight.New(device, wrong, c)
		require.ErrorContains(t, err, want)
	}
}

// Calls that come too early, too late or with the wrong arrays are refused.
func TestMisuse(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	l := circle(8, 0, 5, 1)
	controller := newController(t, device, l, flight.DefaultConfig())
	in := make(drones, 1).upload(t, device, false)
	require.ErrorContains(t, controller.Update(ctx), "flight: update: inputs is none: must be those of Bind before")
	two := make(drones, 2).upload(t, device, false)
	require.ErrorContains(t, controller.UpdateAt(ctx, two), "position length is 2: must be 1")
	require.ErrorContains(t, controller.Bind(flight.Inputs{}), "flight: bind: position")
	gates := circle(8, 2, 5, 1)
	require.ErrorContains(t, newController(t, device, gates, flight.DefaultConfig()).Bind(in), "target is the zero Array")
	extra := make(drones, 1).upload(t, device, true)
	require.ErrorContains(t, controller.Bind(extra), "target is an array: must be the zero array for lines without gates")
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
	closed := newController(t, device, l, flight.DefaultConfig())
	require.NoError(t, closed.Close())
	require.NoError(t, closed.Close())
	calls := func(c *flight.Controller) []error {
		return []error{c.Bind(in), c.Update(ctx), c.UpdateAt(ctx, in), enqueued(c.EnqueueUpdate),
			enqueued(func(lc *exec.LaunchContext) { c.EnqueueUpdateAt(lc, in) })}
	}
	for i, err := range calls(closed) {
		require.ErrorIs(t, err, backend.ErrClosed, "call %d", i)
	}
	for _, none := range []*flight.Controller{nil, {}} {
		for i, err := range calls(none) {
			require.ErrorContains(t, err, "receiver is <nil>", "call %d", i)
		}
		require.NoError(t, none.Close())
		require.True(t, none.Actions().IsZero())
		require.Zero(t, none.Config())
	}
}
