package course_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/exec"
)

// A step has the bits of the components by themselves.
func TestStepHasTheBitsOfTheComponents(t *testing.T) {
	for name, c := range loopConfigs() {
		t.Run(name, func(t *testing.T) {
			ctx, device := t.Context(), openCPU(t)
			l := newLoop(t, device, nil, c)
			lc, err := exec.For(ctx, device)
			require.NoError(t, err)
			tracker, err := progress.NewTracker(device, l.course.Checkpoints(), progress.Config{Agents: c.Agents})
			require.NoError(t, err)
			defer func() { require.NoError(t, tracker.Close()) }()
			source := localise.SourceOf(l.course.Source().Tracks)
			if l.course.Line() != nil {
				source = localise.SourceOfLine(l.course.Line().Line())
			}
			localiser, err := localise.New(device, source, l.course.Localiser().Config())
			require.NoError(t, err)
			defer func() { require.NoError(t, localiser.Close()) }()
			passed := int32(0)
			for range 60 {
				l.drive(lc)
				_, err := l.course.Step(ctx)
				require.NoError(t, err)
				got, err := l.course.Signals().Read(ctx)
				require.NoError(t, err)
				_, err = tracker.UpdateAt(ctx, l.inputs.Position)
				require.NoError(t, err)
				events, err := tracker.Events().Read(ctx)
				require.NoError(t, err)
				require.Equal(t, words(events), words(got.Events))
				require.NoError(t, localiser.LocateAt(ctx, l.inputs.Position))
				places, err := localiser.Frames().Read(ctx)
				require.NoError(t, err)
				require.Equal(t, words(places), words(got.Places))
				for _, p := range events.Passed {
					passed += p
				}
			}
			require.Greater(t, passed, int32(20), "checkpoints passed")
		})
	}
}
