package course_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/course/internal/driving"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// followed is a stage that follows the active tracks with a course, and lets cars drive.
func followed(t *testing.T, config course.Config) exec.Stage {
	return pipeline.StageFunc("followed", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		tracks := &track.Track{Envs: b.Envs()}
		tracks.Outer, tracks.Center = allocate.Input[kernel.Vec3](a, "outer"), allocate.Input[kernel.Vec3](a, "center")
		tracks.Inner, tracks.Arclen = allocate.Input[kernel.Vec3](a, "inner"), allocate.Input[float32](a, "arclen")
		tracks.Length, tracks.Count = allocate.Input[float32](a, "length"), allocate.Input[int32](a, "count")
		tracks.Valid, tracks.NMax = allocate.Input[int32](a, "valid"), tracks.Center.Len()/b.Envs()
		passed := allocate.Output[int32](a, "progress", config.Agents)
		distance := allocate.Output[float32](a, "distance", config.Agents)
		s := allocate.Output[float32](a, "s", config.Agents)
		if a.Err != nil {
			return nil, a.Err
		}
		c, err := course.Over(b.Device(), course.Source{Tracks: tracks}, config)
		require.NoError(t, err)
		t.Cleanup(func() {
			signals, err := c.Signals().Read(context.Background())
			require.NoError(t, err)
			require.Positive(t, slices.Max(signals.Places.S), "the cars have not been followed")
			require.NoError(t, c.Close())
		})
		cars := carsOf(t, b, c)
		require.NoError(t, c.Bind(cars.inputs))
		return func(lc *exec.LaunchContext) {
			c.EnqueueEnvs(lc, a.Active.Array())
			c.EnqueueReset(lc, exec.Array[int32]{}) // the cars of all envs begin again, also of those that are not active
			exec.Fill(lc, cars.clock, 0)
			for range 5 {
				cars.drive(lc)
				c.EnqueueStep(lc)
			}
			exec.Copy(lc, passed, c.Signals().Events.Progress)
			exec.Copy(lc, distance, c.Signals().Contacts.Distance)
			exec.Copy(lc, s, c.Signals().Places.S)
		}, nil
	})
}

// cars drive along the centrelines.
type cars struct {
	inputs      course.Inputs
	tracks      *track.Track
	agents      int
	clock, done exec.Array[int32]
}

// carsOf returns the cars of a course of tracks.
func carsOf(t *testing.T, b exec.Builder, c *course.Course) cars {
	t.Helper()
	n := b.Envs() * c.Config().Agents
	return cars{tracks: c.Source().Tracks, agents: c.Config().Agents,
		clock: coursetest.Upload(t, b.Device(), make([]int32, n)),
		done:  coursetest.Upload(t, b.Device(), make([]int32, b.Envs())),
		inputs: course.Inputs{Position: coursetest.Upload(t, b.Device(), make([]kernel.Vec3, n)),
			Orientation: coursetest.Upload(t, b.Device(), make([]kernel.Quat, n)),
			HalfExtents: coursetest.Upload(t, b.Device(), slices.Repeat([]kernel.Vec2{{X: 0.06, Y: 0.02}}, n))}}
}

// drive emits the motion of a step.
func (c cars) drive(lc *exec.LaunchContext) {
	driving.Drive(lc, c.clock.Len(), driving.DriveArgs{
		Agents: int32(c.agents), MaxPoints: int32(c.tracks.NMax), Reach: 0.12, Count: c.tracks.Count,
		Center: c.tracks.Center, Done: c.done, Clock: c.clock, Position: c.inputs.Position,
		Orientation: c.inputs.Orientation,
	})
}

// The refresh and the step of a course pass every check of package exectest, behind stages that draw tracks from the
// seeds.
func TestStageKeepsTheContract(t *testing.T) {
	tracks := func(envs int) ([]exec.Stage, error) { return track.Stages(tracktest.Config(track.Bezier, envs)) }
	for _, name := range []string{"road", "race"} {
		t.Run(name, func(t *testing.T) {
			config := loopConfigs()[name]
			config.Tracks, config.Checkpoints.Max = nil, 60
			exectest.CheckStage(t, coursetest.Behind(tracks, followed(t, config)),
				exectest.Config{Devices: []backend.Device{openCPU(t)}})
		})
	}
}
