package course_test

import (
	"math"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// drive is a scenario of the reference system: 200 steps of 8 envs with one agent and two boxes each, and what it has
// found.
type drive struct {
	*testing.T
	file *npz.Reader
	read map[string]any // arrays of the file

	course   *course.Course
	position []kernel.Vec3 // [K, E]
	boxes    []kernel.Vec3 // [K, E, B]
	turns    []kernel.Quat // [K, E, B]
	resets   []int32       // [K, E]
	inputs   course.Inputs
	mask     exec.Array[int32]
}

// newDrive opens a scenario.
func newDrive(t *testing.T, file string) *drive {
	return &drive{T: t, file: golden.Open(t, file), read: map[string]any{}}
}

// arrayOf reads an array of the scenario once.
func arrayOf[T int32 | float32](d *drive, name string) []T {
	d.Helper()
	known, ok := d.read[name].([]T)
	if !ok {
		known = golden.Array[T](d.T, d.file, name)
		d.read[name] = known
	}
	return known
}

func (d *drive) floats(name string) []float32 { return arrayOf[float32](d, name) }
func (d *drive) ints(name string) []int32     { return arrayOf[int32](d, name) }

// quats and vec2s return vectors with the given components.
func quats(list []float32) []kernel.Quat {
	vectors := make([]kernel.Quat, len(list)/4)
	for i := range vectors {
		vectors[i] = kernel.Quat{X: list[4*i], Y: list[4*i+1], Z: list[4*i+2], W: list[4*i+3]}
	}
	return vectors
}

func vec2s(list []float32) []kernel.Vec2 {
	vectors := make([]kernel.Vec2, len(list)/2)
	for i := range vectors {
		vectors[i] = kernel.V2(list[2*i], list[2*i+1])
	}
	return vectors
}

// begin binds the inputs of the scenario.
func (d *drive) begin(device backend.Device) {
	d.position = coursetest.Vectors(d.floats("input/position"))
	d.boxes = coursetest.Vectors(d.floats("input/box_position"))
	d.turns, d.resets = quats(d.floats("input/orientation")), d.ints("input/reset_before_step")
	half := vec2s(d.floats("input/half_extents"))
	d.inputs = course.Inputs{Position: coursetest.Upload(d.T, device, d.position[:8]),
		BoxPosition: coursetest.Upload(d.T, device, d.boxes[:16]), Orientation: coursetest.Upload(d.T, device, d.turns[:16]),
		HalfExtents: coursetest.Upload(d.T, device, half)}
	d.mask = coursetest.Upload(d.T, device, d.resets[:8])
	require.NoError(d, d.course.Bind(d.inputs))
}

// step makes step k, after the resets before it.
func (d *drive) step(k int) *course.HostSignals {
	d.Helper()
	ctx := d.Context()
	require.NoError(d, d.inputs.Position.Write(ctx, d.position[8*k:8*k+8]))
	require.NoError(d, d.inputs.BoxPosition.Write(ctx, d.boxes[16*k:16*k+16]))
	require.NoError(d, d.inputs.Orientation.Write(ctx, d.turns[16*k:16*k+16]))
	require.NoError(d, d.mask.Write(ctx, d.resets[8*k:8*k+8]))
	require.NoError(d, d.course.Reset(ctx, d.mask))
	signals, err := d.course.Step(ctx)
	require.NoError(d, err)
	host, err := signals.Read(ctx)
	require.NoError(d, err)
	return host
}

// same checks whole numbers of step k against those of the file.
func (d *drive) same(name string, k int, got []int32) {
	d.Helper()
	n := len(got)
	require.Equal(d, d.ints(name)[n*k:n*k+n], got, "%s, step %d", name, k)
}

// near checks numbers of step k against those of the file.
func (d *drive) near(name string, k int, got []float32, tolerance float64) {
	d.Helper()
	n := len(got)
	coursetest.Close(d.T, name, d.floats(name)[n*k:n*k+n], got, tolerance)
}

// events checks the events of step k.
func (d *drive) events(k int, e *progress.HostEvents) {
	d.Helper()
	d.same("events/passed", k, e.Passed)
	d.same("events/checkpoint_passed", k, e.CheckpointPassed)
	d.same("events/next_checkpoint", k, e.NextCheckpoint)
	d.same("events/laps", k, e.Laps)
	d.same("events/progress", k, e.Progress)
	d.same("events/wrong_way", k, e.WrongWay)
	d.same("events/wrong_checkpoint", k, e.WrongCheckpoint)
	d.near("events/dist_to_next", k, e.DistToNext, 5e-6)
}

// places checks where agents are at step k, against the arrays with this prefix.
func (d *drive) places(prefix string, k int, p *localise.Batch) {
	d.Helper()
	d.same(prefix+"/segment", k, p.Segment)
	d.near(prefix+"/s", k, p.S, 1e-5)
	d.near(prefix+"/n", k, p.N, 1e-5)
	d.near(prefix+"/n_up", k, p.NUp, 1e-5)
}

// contacts checks the contacts of step k with borders. Normals may be those of the other segment where the nearest
// point is a vertex (class V of section 13).
func (d *drive) contacts(k int, c *collision.HostContacts) {
	d.Helper()
	d.same("contacts/oob", k, c.OutOfBounds)
	d.same("contacts/boundary", k, c.Boundary)
	d.near("contacts/distance", k, c.Distance, 2e-6)
	d.near("contacts/nearest", k, components(c.Nearest), 1e-5)
	want := vec2s(d.floats("contacts/normal"))[16*k : 16*k+16]
	for i, n := range c.Normal {
		require.Equal(d, kernel.IsNaN(want[i].X), kernel.IsNaN(n.X))
		if want[i].Sub(n).Len() > 1e-4 {
			require.True(d, d.isVertex(i/2, c.Nearest[i]), "step %d, box %d: normal %v, must be %v", k, i, n, want[i])
		}
	}
}

// isVertex reports whether a point is a vertex of a border of an env, to 1e-5.
func (d *drive) isVertex(env int, p kernel.Vec2) bool {
	for _, border := range []string{"track/inner", "track/outer"} {
		points := coursetest.Vectors(d.floats(border))
		n := len(points) / 8
		for _, v := range points[env*n : (env+1)*n] {
			if p.Sub(kernel.V2(v.X, v.Y)).Len() < 1e-5 {
				return true
			}
		}
	}
	return false
}

// components returns the components of vectors.
func components(vectors []kernel.Vec2) []float32 {
	list := make([]float32, 0, 2*len(vectors))
	for _, v := range vectors {
		list = append(list, v.X, v.Y)
	}
	return list
}

// The steps of a course of tracks are those of the reference system, on its tracks.
func TestGoldenTracks(t *testing.T) {
	device := openCPU(t)
	d := newDrive(t, "course_segments.npz")
	batch := &track.Batch{}
	batch.Outer, batch.Center = coursetest.Vectors(d.floats("track/outer")), coursetest.Vectors(d.floats("track/center"))
	batch.Inner, batch.Tangent = coursetest.Vectors(d.floats("track/inner")), coursetest.Vectors(d.floats("track/tangent"))
	batch.Normal, batch.Arclen = coursetest.Vectors(d.floats("track/normal")), d.floats("track/arclen")
	batch.Length, batch.Winding = d.floats("track/length"), d.floats("track/winding")
	batch.Count, batch.Valid = d.ints("track/count"), d.ints("track/valid")
	batch.Envs, batch.NMax = len(batch.Count), len(batch.Center)/len(batch.Count)
	tracks, err := track.Upload(t.Context(), device, batch)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tracks.Close()) })
	for prefix, window := range map[string]int{"localize_cold": 0, "localize_warm2": 2, "localize_warm8": 8} {
		c := course.DefaultConfig()
		c.Checkpoints.Spacing, c.Boxes, c.Collision.Method, c.Localize.Enabled = 0.6, 2, course.Segments, true
		c.Localize.WarmWindow = window
		over, err := course.Over(device, course.Source{Tracks: tracks}, c)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, over.Close()) })
		d.course = over
		d.begin(device)
		for k := range 200 {
			host := d.step(k)
			d.events(k, host.Events)
			d.places(prefix, k, host.Places)
			d.contacts(k, host.Contacts)
		}
	}
}

// The steps of a course of gates are those of the reference system.
func TestGoldenGates(t *testing.T) {
	device := openCPU(t)
	d := newDrive(t, "course_gates_posts.npz")
	gates := gate.DefaultConfig()
	gates.NumEnvs, gates.Gate.Width, gates.Gate.Radius, gates.Gate.SeparationSweeps = 8, 0.2, 0.12, 16
	c := course.DefaultConfig()
	c.Gates, c.Boxes, c.Posts.Radius = &gates, 2, 0.03
	var err error
	d.course, err = course.New(device, c, course.WithSeed(1234))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.course.Close()) })
	s := d.course.Source().Gates
	ctx := t.Context()
	for name, array := range map[string]exec.Array[kernel.Vec3]{"position": s.Position, "tangent": s.Tangent,
		"forward": s.Forward, "left": s.Left, "right": s.Right} {
		got, err := array.Read(ctx)
		require.NoError(t, err)
		want := coursetest.Vectors(d.floats("gates/" + name))
		for i := range want {
			require.False(t, math.Abs(float64(want[i].X-got[i].X)) > 1e-5, "%s[%d]", name, i)
		}
		// The steps stand on the planes of the reference's gates, to the last bit.
		require.NoError(t, array.Write(ctx, want))
	}
	require.NoError(t, s.Orientation.Write(ctx, quats(d.floats("gates/orientation"))))
	require.NoError(t, s.HalfSize.Write(ctx, d.floats("gates/half_size")))
	assert.Equal(t, d.ints("gates/count"), coursetest.Download(t, s.Count))
	assert.Equal(t, d.ints("gates/valid"), coursetest.Download(t, s.Valid))
	require.NoError(t, d.course.Refresh(ctx))
	d.begin(device)
	for k := range 200 {
		host := d.step(k)
		d.events(k, host.Events)
		d.places("frame", k, host.Places)
		d.same("contacts/hit", k, host.Posts.Hit)
		d.same("contacts/disc", k, host.Posts.Disc)
		d.near("contacts/depth", k, host.Posts.Depth, 2e-6)
		nearest := components(host.Posts.Nearest)
		for i, depth := range host.Posts.Depth {
			if 0.03-depth <= 1e-3 { // class D of section 13: the direction from the box to the disc is noise
				copy(nearest[2*i:2*i+2], d.floats("contacts/nearest")[32*k+2*i:])
			}
		}
		d.near("contacts/nearest", k, nearest, 1e-5)
	}
}
