package curriculum_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/curriculum"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// The envs that a race begins anew get the chosen tracks, if a choice for its done envs is in front of each step, all
// in one graph.
func TestTracksOfARace(t *testing.T) {
	const envs, steps = 4, 40
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	tracks := tracktest.Config(track.Bezier, envs, func(c *track.Config) { c.Scale, c.Road.HalfWidth = 10, 1 })
	settings := race.DefaultConfig()
	settings.Course.Tracks = &tracks
	settings.Reward.Ends.MaxSteps = 9
	r, err := race.New(device, settings)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	config := curriculum.DefaultConfig()
	config.Label = "lap_time"
	c, err := curriculum.New(device, tracks, curriculum.SourceOf(r.Course().Seeds()), config)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	target := coursetest.Upload(t, device, []float32{5, 6, 7, nan})
	require.NoError(t, r.BindActions(coursetest.Upload(t, device, make([]float32, 2*envs))))

	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	require.NoError(t, c.Choose(ctx, target, r.Outcomes().Done))
	require.NoError(t, r.Step(ctx))
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	for range steps {
		require.NoError(t, stream.Replay(graph))
	}
	chosen, err := c.Choices().Read(ctx)
	require.NoError(t, err)
	batch, err := r.Course().Source().Tracks.Batch(ctx)
	require.NoError(t, err)
	list := candidatesOf(t, tracks, 0, int(max(chosen.Epoch[0], chosen.Epoch[1], chosen.Epoch[2], chosen.Epoch[3])),
		config.Label)
	for e := range envs {
		require.Greater(t, chosen.Epoch[e], int32(2), "several episodes are over")
		made := list[e][chosen.Epoch[e]-1]
		require.Equal(t, made.center, batch.Points(batch.Center, e))
		require.Equal(t, float32(made.label), chosen.Label[e])
	}
}
